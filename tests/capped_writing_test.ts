/**
 * A cap on captures (FDTOOL_MAX_BYTES) is for captures. What a write keeps for itself, to be read again by fdtool or to be
 * given again by handle, is whole (contract, laws 5 and 7).
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure, jsonOf, readJson } from "./read_answer.ts";
import { wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const rows = (what: string, count: number) =>
  Array.from({ length: count }, (_, row) => `${what} row ${row}\n`).join("");

const capped = (bytes: number) => ({ FDTOOL_MAX_BYTES: String(bytes) });

/** Asks for an edit that changes all of `big.txt`; answers the handle of the question. */
async function askForEdit(world: World, newText: string, capBytes: number): Promise<string> {
  world.write("big.txt", rows("old", 200));
  const stdin = JSON.stringify({ old_string: rows("old", 200), new_string: newText });
  const asked = await world.run(["edit", "big.txt", "--format", "json"], { stdin, env: capped(capBytes) });
  assertEquals(asked.code, 3, asked.stderr);
  return String(readJson(asked.text)["inquiry_id"]);
}

Deno.test("a size limit does not truncate the stored request of a question", async () => {
  using world = makeWorld();
  for (const cap of [200, 3000]) {
    const inquiry = await askForEdit(world, rows("new", 200), cap);
    const env = capped(cap);
    const answered = await world.run(["answer", inquiry, "--format", "json"], { stdin: "true", env });
    assertEquals([answered.code, answered.stderr], [0, ""]);
    assertEquals(world.text("big.txt"), rows("new", 200), `cap ${cap}`);
  }
});

Deno.test("a size limit does not truncate the content of a question about a changed file", async () => {
  using world = makeWorld();
  const env = capped(2000);
  world.write("f", "first\n");
  assertEquals((await world.run(["create", "f"], { env })).code, 3);
  world.write("f", "second\n");
  const stdin = JSON.stringify({ overwrite: true, content: rows("given", 500) });
  const repeated = await world.run(["answer", "inq:1", "--format", "json"], { stdin, env });
  assertEquals(repeated.code, 3, repeated.stderr);
  const { question } = readJson(repeated.text) as { question: { pre_amble: string } };
  const kept = /stored as (fd:[0-9]+)/.exec(question.pre_amble)?.[1] ?? "";
  assertEquals(new TextDecoder().decode(await wholeOf(world, kept)), rows("given", 500));
});

Deno.test("a size limit does not truncate the stored plan of a step", async () => {
  using world = makeWorld();
  const plan = {
    intent: "make it",
    target_file: "made.txt",
    operations: [{ type: "create", content_block: rows("made", 100) }],
  };
  const env = capped(200);
  jsonOf(await world.run(["plan", "apply", "--format", "json"], { stdin: JSON.stringify(plan), env }));
  const shown = jsonOf(await world.run(["plan", "show", "tx:1", "--format", "json"], { env }));
  assertEquals(shown["plan"], plan);
});

Deno.test("a size limit does not truncate the diff of a dry run", async () => {
  using world = makeWorld();
  world.write("f", rows("old", 1000));
  const stdin = JSON.stringify({ old_string: "", new_string: rows("new", 1000) });
  const args = ["edit", "f", "--dry-run", "--format", "json"];
  const shown = jsonOf(await world.run(args, { stdin, env: capped(2000) }));
  const diff = new TextDecoder().decode(await wholeOf(world, String(shown["diff_fd"])));
  assertStringIncludes(diff, "\n-old row 500\n");
  assertStringIncludes(diff, "\n+new row 500\n");
});

Deno.test("a question or plan with an incomplete stored part is refused, and nothing is written", async () => {
  using world = makeWorld();
  const inquiry = await askForEdit(world, rows("new", 200), 0);
  const plan = JSON.stringify({
    intent: "x",
    target_file: "p",
    operations: [{ type: "create", content_block: "p\n" }],
  });
  jsonOf(await world.run(["plan", "apply", "--format", "json"], { stdin: plan }));
  const logs = [...Deno.readDirSync(`${world.store}/v2/fds/0000`)].map(({ name }) => name);
  assert(logs.includes("1.rec") && logs.includes("2.rec"));
  for (const id of [1, 2]) endInPart(`${world.store}/v2/fds/0000/${id}.rec`);
  const answered = await world.run(["answer", inquiry, "--format", "json"], { stdin: "true" });
  assertStringIncludes(assertFailure(answered, "truncated_payload").message, inquiry);
  assertEquals(world.text("big.txt"), rows("old", 200));
  const shown = await world.run(["plan", "show", "tx:1", "--format", "json"]);
  assertStringIncludes(assertFailure(shown, "truncated_payload").message, "tx:1");
});

/** Leaves an fd as a writer leaves it that dies: its record says how it began, and not how it ended. */
function endInPart(recordPath: string): void {
  // What follows the claim of a record with content is not read as lines.
  const claim = /[0-9a-f]{8} \{"event":"claim".*\n/.exec(Deno.readTextFileSync(recordPath))?.[0];
  Deno.writeTextFileSync(recordPath, claim ?? "");
}

Deno.test("writes and counts of a capped fd report its missing bytes", async () => {
  using world = makeWorld();
  const content = rows("kept", 100);
  await world.run(["capture", "--always", "--max-bytes", "200"], { stdin: content });
  const lacks = `fd:1 is missing ${content.length - 200} bytes after byte 100 (size limit).`;
  const messageOf = async (args: string[], stdin = "") => {
    const { message } = jsonOf(await world.run([...args, "--format", "json"], { stdin }));
    return String(message);
  };
  const counted = await world.run(["count", "fd:1", "--format", "json"]);
  assertEquals(readJson(counted.text)["message"], lacks);
  const count = await world.run(["count", "fd:1", "--format", "raw"]);
  assertEquals(count.stderr, `fdtool: ${lacks}\n`);
  assertEquals(
    readJson((await world.run(["count", "fd:1", "--lines", "1-2", "--format", "json"])).text)["message"],
    undefined,
  );

  world.write("u.txt", "OLD\nkeep\nkeep\n");
  const edited = await messageOf(["edit", "u.txt", "--old", "OLD", "--new-from", "fd:1", "--yes"]);
  assertStringIncludes(edited, ` ${lacks}`);

  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const rewrite = (from: string[], lines: string) => [
    ...["rewrite", "v.txt", "--create-if-missing", "--from", ...from],
    ...["--acknowledgement", acknowledgement, "--expected-line-count", lines],
  ];
  assertStringIncludes(await messageOf(rewrite(["fd:1"], count.text.trim())), ` ${lacks}`);
  assertEquals((await messageOf(rewrite(["fd:1", "--lines", "1-2"], "2"))).includes("missing"), false);

  const operations = [1, 2].map(() => ({ type: "append", content_fd: "fd:1" }));
  const plan = JSON.stringify({ intent: "make it", target_file: "w.txt", operations });
  for (const words of [["plan", "check"], ["plan", "apply"]]) {
    assertEquals((await messageOf(words, plan)).split(lacks).length, 2, "once");
  }

  assertEquals((await world.run(["create", "x.txt"])).code, 3);
  assertStringIncludes(await messageOf(["answer", "inq:1", "--content-from", "fd:1"]), ` ${lacks}`);
});
