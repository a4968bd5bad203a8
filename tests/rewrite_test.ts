/**
 * rewrite and count: both proofs are required, all failed checks are reported at once, nothing is written if one fails,
 * and the replaced content is backed up.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure, encode, jsonOf, readJson } from "./read_answer.ts";
import { assertBytes, handleIn, store, wholeOf } from "./store_calls.ts";
import { makeWorld, type RunOptions, type World } from "./world.ts";

const CONFIRM = "I confirm this is the complete file content with no omissions or placeholders";

/** Rewrites `path` with `content`, which has `lineCount` lines. */
function rewrite(
  world: World,
  path: string,
  content: string | Uint8Array,
  lineCount: number,
  args: readonly string[] = [],
  options: RunOptions = {},
) {
  const call = ["rewrite", path, "--expected-line-count", String(lineCount), "--acknowledgement", CONFIRM];
  return world.run([...call, "--format", "json", ...args], { stdin: content, ...options });
}

Deno.test("rewrite: counts lines of all line-end styles, and count says the same", async () => {
  using world = makeWorld();
  const contents: [string, number][] = [
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\nb", 2],
    ["a\r\nb\r\n", 2],
    ["a\rb\r", 2],
    ["a\rb\nc\r\nd", 4],
    ["\n", 1],
    ["\r\n\r\n", 2],
    ["\r\r\n\n", 3],
    ["a\u2028b\u0085c\f", 1],
  ];
  for (const [content, lineCount] of contents) {
    const about = JSON.stringify(content);
    world.write("f", "before\n");
    assertEquals(jsonOf(await rewrite(world, "f", content, lineCount))["type"], "write_result", about);
    assertEquals(world.text("f"), content);
    // The message says as which fd the file was stored.
    const { message: _, ...counted } = jsonOf(await world.run(["count", "f", "--format", "json"]));
    assertEquals([counted["lines"], counted["bytes"]], [lineCount, encode(content).length], about);
    const piped = jsonOf(await world.run(["count", "--format", "json"], { stdin: content }));
    assertEquals(piped, counted, about);
    const refused = await rewrite(world, "f", content, lineCount + 1);
    assertFailure(refused, "line_count_mismatch");
    assertEquals(world.text("f"), content);
  }
});

Deno.test("rewrite: the two messages, word for word", async () => {
  using world = makeWorld();
  world.write("f.txt", "old\n");
  const content = "x\n".repeat(150);
  const count = assertFailure(await rewrite(world, "f.txt", content, 300), "line_count_mismatch");
  assertEquals(count.message, "Content line count (150) does not match expectedLineCount (300)");
  assertEquals(count.next, "fdtool help rewrite");
  await store(world, content);
  const fromFd = assertFailure(
    await rewrite(world, "f.txt", "", 300, ["--from", "fd:1"]),
    "line_count_mismatch",
  );
  assertEquals([fromFd.message, fromFd.next], [count.message, "fdtool read fd:1 --tail 10"]);
  const call = ["rewrite", "f.txt", "--expected-line-count", "150", "--format", "json"];
  for (const wrong of [["--acknowledgement", `${CONFIRM}.`], ["--acknowledgement", ""], []]) {
    const finished = await world.run([...call, ...wrong], { stdin: content });
    const { message, next } = assertFailure(finished, "invalid_acknowledgement");
    assertEquals(message, `Invalid acknowledgement string. Must be exactly: "${CONFIRM}"`);
    assertEquals(next, "fdtool help rewrite");
  }
  assertEquals(world.text("f.txt"), "old\n");
});

Deno.test("rewrite: all failed checks are reported at once, and nothing is written", async () => {
  using world = makeWorld();
  world.write("f.json", "{}\n");
  const finished = await world.run([
    "rewrite",
    "f.json",
    "--expected-line-count=9",
    "--acknowledgement=yes",
    "--expected-sha256=00",
    "--expected-bytes=1",
    "--if-match=00",
    "--check-structure",
    "--format=json",
  ], { stdin: '{"a": [1,\n// ... existing code ...\n' });
  assertEquals(finished.code, 1);
  const failure = readJson(finished.stderr);
  const kinds = (failure["faults"] as { error: string }[]).map((fault) => fault.error);
  assertEquals(kinds, [
    "line_count_mismatch",
    "invalid_acknowledgement",
    "size_mismatch",
    "hash_mismatch",
    "stale_file",
    "placeholder_found",
    "structure_invalid",
  ]);
  for (const fault of failure["faults"] as { message: string }[]) {
    assertStringIncludes(String(failure["message"]), fault.message);
  }
  assertEquals(world.text("f.json"), "{}\n");
  assertEquals(Array.from(Deno.readDirSync(world.dir), (entry) => entry.name), ["f.json"]);
  assert(!Array.from(Deno.readDirSync(world.store)).some((entry) => entry.name === "fds"));
});

Deno.test("rewrite: placeholder lines are refused with their numbers, known ones and --allow-placeholders pass", async () => {
  using world = makeWorld();
  world.write("a.js", "a();\n// ... existing code ...\n");
  const content = "b();\n// ... existing code ...\n  // Rest of file remains unchanged\nfoo(...args);\n";
  const refused = await rewrite(world, "a.js", content, 4);
  assertFailure(refused, "placeholder_found");
  assertEquals(readJson(refused.stderr)["lines"], [{ line: 3, text: "// Rest of file remains unchanged" }]);
  assertEquals(
    jsonOf(await rewrite(world, "a.js", content, 4, ["--allow-placeholders"]))["type"],
    "write_result",
  );
  assertEquals(
    jsonOf(await rewrite(world, "a.js", content, 4))["type"],
    "write_result",
    "all are in the file now",
  );
});

Deno.test("rewrite: a missing file needs --create-if-missing; parents are made", async () => {
  using world = makeWorld();
  assertFailure(await rewrite(world, "x/y/new.txt", "a\n", 1), "file_not_found");
  assertEquals(Array.from(Deno.readDirSync(world.dir)), []);
  const answer = jsonOf(await rewrite(world, "x/y/new.txt", "a\n", 1, ["--createIfMissing"]));
  assertEquals([answer["created"], answer["lines_added"], answer["backup_fd"]], [true, 1, undefined]);
  assertEquals(world.text("x/y/new.txt"), "a\n");
});

Deno.test("rewrite: content by handle and range, never through arguments", async () => {
  using world = makeWorld();
  const fd = await store(world, "1\n2\n3\n4\n5\n");
  world.write("f", "old\n");
  const answer = jsonOf(await rewrite(world, "f", "", 3, ["--from", fd, "--lines", "2-4"]));
  assertEquals(world.text("f"), "2\n3\n4\n");
  assertBytes(await wholeOf(world, handleIn(answer, "backup_fd")), encode("old\n"));
  world.write("content", "whole\n");
  jsonOf(await rewrite(world, "f", "", 1, ["--content-file", "content"]));
  assertEquals(world.text("f"), "whole\n");
  const counted = jsonOf(await world.run(["count", fd, "--format", "json"]));
  assertEquals([counted["lines"], counted["bytes"]], [5, 10]);
  assertFailure(await rewrite(world, "f", "", 1, ["--from", "fd:99"]), "not_found");
  assertEquals(world.text("f"), "whole\n");
});

Deno.test("rewrite: line ends other than the file's are kept and reported; --eol converts", async () => {
  using world = makeWorld();
  world.write("f", "a\r\nb\r\n");
  const kept = jsonOf(await rewrite(world, "f", "a\nB\n", 2));
  assertEquals(world.text("f"), "a\nB\n");
  assertStringIncludes(
    String(kept["message"]),
    "Line ends: the content has LF, the file had CRLF; use --eol crlf to convert.",
  );
  const converted = jsonOf(await rewrite(world, "f", "a\nC\n", 2, ["--eol", "crlf"]));
  assertEquals(world.text("f"), "a\r\nC\r\n");
  assertStringIncludes(String(converted["message"]), "use --eol lf to convert");
});

Deno.test("rewrite: --if-match, --expected-sha256 and --expected-bytes accept only the right values", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const { sha256: present } = jsonOf(await world.run(["count", "f", "--format", "json"]));
  const { sha256 } = jsonOf(await world.run(["count", "-", "--format", "json"], { stdin: "new\n" }));
  const args = [
    "--if-match",
    String(present),
    "--expected-sha256",
    String(sha256).toUpperCase(),
    "--expected-bytes",
    "4",
  ];
  jsonOf(await rewrite(world, "f", "new\n", 1, args));
  const stale = await rewrite(world, "f", "new\n", 1, args);
  assertFailure(stale, "stale_file");
  assertStringIncludes(String(readJson(stale.stderr)["next"]), "fdtool read f");
});

Deno.test("rewrite: --dry-run shows the diff and writes nothing; a large one becomes an fd", async () => {
  using world = makeWorld();
  world.write("f", "a\nb\nc\n");
  const xml = await world.run(
    [
      "rewrite",
      "f",
      "--expected-line-count",
      "3",
      "--acknowledgement",
      CONFIRM,
      "--dry-run",
      "--format",
      "raw",
    ],
    { stdin: "a\nB\nc\n" },
  );
  assertEquals(xml.text, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  const long = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join("");
  const answer = jsonOf(await rewrite(world, "f", long, 3000, ["--dry-run"]));
  assertEquals([answer["dry_run"], answer["lines_added"], answer["tx"]], [true, 3000, undefined]);
  const whole = new TextDecoder().decode(await wholeOf(world, String(answer["diff_fd"])));
  assert(whole.startsWith(String(answer["diff"])) && whole.endsWith("+line 2999\n"));
  assertEquals(world.text("f"), "a\nb\nc\n");
});

Deno.test("rewrite: links are followed, hard links reported, directories and outside paths refused", async () => {
  using world = makeWorld();
  world.write("root/real", "old\n");
  Deno.symlinkSync("real", world.path("root/link"));
  Deno.linkSync(world.path("root/real"), world.path("root/other"));
  const answer = jsonOf(await rewrite(world, "root/link", "new\n", 1));
  assert(Deno.lstatSync(world.path("root/link")).isSymlink);
  assertEquals([world.text("root/real"), world.text("root/other")], ["new\n", "old\n"]);
  assertStringIncludes(String(answer["message"]), "had 2 hard links");
  assertFailure(await rewrite(world, "root", "new\n", 1), "write_error");
  assertFailure(
    await rewrite(world, "../f", "x\n", 1, ["--root", "."], { cwd: world.path("root") }),
    "outside_root",
  );
});

Deno.test("rewrite: --check-structure says that a file of an unknown type was not checked", async () => {
  using world = makeWorld();
  const args = ["--create-if-missing", "--check-structure"];
  const unknown = jsonOf(await rewrite(world, "a.unknown", "{\n", 1, args));
  assertStringIncludes(String(unknown["message"]), "The structure of a.unknown was not checked");
  const known = jsonOf(await rewrite(world, "a.json", "{}\n", 1, args));
  assert(!String(known["message"]).includes("structure"));
});

Deno.test("an empty FDTOOL_ROOT counts as unset, and an empty --root is refused", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  jsonOf(await rewrite(world, "f", "new\n", 1, [], { env: { FDTOOL_ROOT: "" } }));
  assertEquals(world.text("f"), "new\n");
  // An option that was left empty by mistake must not take the bounds away.
  const emptied = await rewrite(world, "f", "newer\n", 1, ["--root", ""]);
  assertStringIncludes(assertFailure(emptied, "invalid_parameter", [2]).message, "--root");
  assertEquals(world.text("f"), "new\n");
});

Deno.test("rewrite: a target of many megabytes streams from an fd, and its old content is kept whole", async () => {
  using world = makeWorld();
  const line = "0123456789abcdef".repeat(8) + "\n";
  const old = line.repeat(120_000);
  world.write("big", old);
  const fd = await store(world, `${old}last\n`);
  const answer = jsonOf(await rewrite(world, "big", "", 120_001, ["--from", fd]));
  assertEquals([answer["lines_added"], answer["lines_removed"]], [1, 0]);
  assertBytes(await wholeOf(world, handleIn(answer, "backup_fd")), encode(old));
  assertEquals(world.text("big").length, old.length + 5);
});

Deno.test("two writers at once: one wins, the other succeeds after it", async () => {
  using world = makeWorld();
  world.write("f", "start\n");
  const texts = Array.from({ length: 6 }, (_, writer) => `writer ${writer}\n`.repeat(2000));
  const all = await Promise.all(texts.map((text) => rewrite(world, "f", text, 2000)));
  for (const finished of all) {
    if (finished.code === 0) jsonOf(finished);
    else assertFailure(finished, "stale_file");
  }
  assert(texts.includes(world.text("f")));
  assertEquals(Array.from(Deno.readDirSync(world.dir), (entry) => entry.name), ["f"]);
});
