/**
 * raw (docs/contract.md): content only on stdout, and on stderr one line where that is not all of it, with the exact next
 * command.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { store } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const LINES = Array.from({ length: 300 }, (_, index) => `row ${index + 1}\n`).join("");

/** Runs a call in raw whose stdout is cut; answers stdout and what its next command prints in raw. */
async function followed(world: World, args: string[], notice: RegExp): Promise<[string, string]> {
  const { code, text, stderr } = await world.run([...args, "--format", "raw"]);
  assertEquals(code, 0);
  assertMatch(stderr, notice);
  assertEquals(stderr.split("\n").length, 2, "one line");
  const next = await world.shell(`${/Next: (.*)\n/.exec(stderr)?.[1]} --format raw`);
  assertEquals(next.code, 0);
  return [text, next.text];
}

Deno.test("raw: ls says that its list is cut", async () => {
  using world = makeWorld();
  for (const text of ["a", "b", "c"]) await store(world, text);
  const notice = /^fdtool: Showing the newest 2 of 3 fds\. Next: fdtool ls --all\n$/;
  const [text, all] = await followed(world, ["ls", "--limit", "2"], notice);
  assertEquals([text, all], ["fd:2\nfd:3\n", "fd:1\nfd:2\nfd:3\n"]);
  assertEquals((await world.run(["ls", "--format", "raw"])).stderr, "");
});

Deno.test("raw: search says that its matches are cut", async () => {
  using world = makeWorld();
  const fd = await store(world, LINES);
  const notice =
    /^fdtool: Showing 50 of 300 matching lines, 100% of all lines\. .*\. Next: fdtool read fd:1 .*\n$/;
  const [text, next] = await followed(world, ["search", fd, "row"], notice);
  assertEquals([text.split("\n").length, next.includes("row 51\n")], [51, true]);
  assertEquals((await world.run(["search", fd, "row 3", "-m", "999", "--format", "raw"])).stderr, "");
});

Deno.test("raw: search --extract --max-count says that it stopped", async () => {
  using world = makeWorld();
  const fd = await store(world, LINES);
  const notice = /^fdtool: Extracted 3 .* more lines match\. .*\. Next: fdtool search fd:1 row --extract\n$/;
  const [text, all] = await followed(world, ["search", fd, "row", "--extract", "-m", "3"], notice);
  assertEquals([text, all], ["fd:2\n", "fd:3\n"]);
  assertEquals((await world.run(["search", fd, "row", "--extract", "--format", "raw"])).stderr, "");
});

Deno.test("raw: read --max-chars says that it cut", async () => {
  using world = makeWorld();
  const fd = await store(world, LINES);
  const notice = /^fdtool: Showing 18 chars: --max-chars omitted the rest\. Next: fdtool read fd:1 .*\n$/;
  const [text, next] = await followed(world, ["read", fd, "--max-chars", "20"], notice);
  assertEquals([text, next.startsWith("row 4\n")], ["row 1\nrow 2\nrow 3\n", true]);
  assertEquals((await world.run(["read", fd, "--format", "raw"])).stderr, "");
});

Deno.test("raw: the gap of a capped fd is reported when it is stored and when it is read", async () => {
  using world = makeWorld();
  const lacks = "fd:1 is missing 1692 bytes after byte 300 (size limit).";
  const capture = ["capture", "--always", "--max-bytes", "600", "--format", "raw"];
  const made = await world.run(capture, { stdin: LINES });
  assertEquals(made.text, "fd:1\n");
  assertMatch(
    made.stderr,
    /^fdtool: .* kept the first 300 and the last 300 bytes; 1692 between them were dropped\.\n$/,
  );
  const read = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
  assertEquals([read.stdout.length, read.stderr], [600, `fdtool: ${lacks}\n`]);
  const made2 = await world.run(["read", "fd:1", "--all", "--extract", "--format", "raw"]);
  assertEquals([made2.text, made2.stderr.endsWith(` ${lacks}\n`)], ["fd:2\n", true]);
});

Deno.test("raw: a search without a hit prints nothing", async () => {
  using world = makeWorld();
  const fd = await store(world, LINES);
  const search = (...words: string[]) => world.run(["search", fd, "nothing", ...words, "--format", "raw"]);
  for (const words of [[], ["--extract"]]) {
    const { code, text, stderr } = await search(...words);
    assertEquals([code, text, stderr], [1, "", ""]);
  }
  const counted = await search("--count");
  assertEquals([counted.code, counted.text], [1, "0\n"]);
});

Deno.test("raw: stderr repeats no count, and does not say that a log is empty", async () => {
  using world = makeWorld();
  const fd = await store(world, LINES);
  const counted = await world.run(["search", fd, "row", "--count", "--format", "raw"]);
  assertEquals([counted.text, counted.stderr], ["300\n", ""]);
  const logged = await world.run(["log", "--format", "raw"]);
  assertEquals([logged.code, logged.text, logged.stderr], [0, "", ""]);

  await world.run(["capture", "--always", "--max-bytes", "600"], { stdin: LINES });
  const lacks = "fdtool: fd:2 is missing 1692 bytes after byte 300 (size limit).\n";
  for (const [pattern, count] of [["row 1$", "1\n"], ["nothing", "0\n"]] as const) {
    const search = await world.run(["search", "fd:2", pattern, "--count", "--format", "raw"]);
    assertEquals([search.text, search.stderr], [count, lacks]);
  }
});
