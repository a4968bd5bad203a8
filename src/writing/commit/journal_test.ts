// Promise: `recover` finds every step that began, wherever its process dies.

import { assert, assertEquals } from "@std/assert";
import { listOpenTransactions, thisWriter } from "../../../fd/mod.ts";
import { dieAtCall } from "../../../tests/dying_disk.ts";
import { withFailingCall } from "../../../tests/failing_disk.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import { beginTransaction, newestTransactions } from "./journal.ts";

Deno.test("a step whose process died before marking it does not stay interrupted", async () => {
  using world = temporaryStore();
  const { store } = world;
  const begin = { at: Date.now(), tool: "test", cwd: "/", writer: thisWriter(), files: [] };
  let callNumber = 1;
  while (await dieAtCall(callNumber, () => beginTransaction(store, begin))) {
    const marked = listOpenTransactions(store);
    for (const { id } of newestTransactions(store)) {
      assert(marked.includes(id), `tx:${id} has begun and is not marked: died at call ${callNumber}`);
    }
    callNumber++;
  }
  assert(callNumber > 5, String(callNumber));
  const [newest] = newestTransactions(store);
  assertEquals(listOpenTransactions(store).at(-1), newest?.id);
});

Deno.test("a step that could not begin leaves no mark", async () => {
  using world = temporaryStore();
  const { store } = world;
  const begin = { at: Date.now(), tool: "test", cwd: "/", writer: thisWriter(), files: [] };
  for (let callNumber = 1;; callNumber++) {
    const { hit } = await withFailingCall(callNumber, "ENOSPC", () => beginTransaction(store, begin));
    if (hit === undefined) break;
    // The failing call may be the one that removes the mark or reads the step.
    const begun = [...newestTransactions(store)].map(({ id }) => id);
    for (const id of listOpenTransactions(store)) assert(begun.includes(id), JSON.stringify(hit));
  }
});
