/** Tests of the parts that walks are made of: patching, the model. */

import { assertEquals, assertThrows } from "@std/assert";
import { emptyModel, newestInEffect, overQuota, stepStates } from "./walk_model.ts";
import { patch } from "./walk_store_steps.ts";

Deno.test("a diff that does not fit the old side is refused", () => {
  const unified = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  assertEquals(patch("one\ntwo\nthree\n", unified), { text: "one\n2\nthree\n", added: 1, removed: 1 });
  assertThrows(() => patch("one\nTWO\nthree\n", unified));
  const ends = "--- a\n+++ b\n@@ -1 +1 @@\n-one\n+one\n\\ No newline at end of file\n";
  assertEquals(patch("one\n", ends).text, "one");
});

Deno.test("the model: an undo that was undone leaves its step in effect, and a quota takes the oldest", () => {
  const known = emptyModel();
  const step = (id: number, undoes?: number) =>
    known.steps.push({
      id,
      changes: [{ path: "a", before: undefined, after: undefined, backup: undefined }],
      undoes,
      state: "done",
    });
  step(1);
  step(2, 1);
  assertEquals(newestInEffect(known), undefined);
  step(3, 2);
  assertEquals([newestInEffect(known, "a")?.id, stepStates(known).get(2)], [1, "undone"]);
  for (const [id, source] of [[1, "content"], [2, "backup"], [3, "content"], [4, "content"]] as const) {
    known.fds.set(id, {
      id,
      bytes: new Uint8Array(10),
      pageSize: 4000,
      source,
      state: "sealed",
      isImported: false,
    });
  }
  known.names.set("n", 1);
  assertEquals(overQuota(known, 25), [3, 4]);
  assertEquals(overQuota(known, 35), [3]);
  assertEquals(overQuota(known, 35, new Set([3])), [3]);
  assertEquals(overQuota(known, 35, new Set([4])), [3, 4]);
});
