// Promise: jq runs here as the package's own build of it does, in pieces, and ends in a way that its caller can tell.

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readFileSync } from "node:fs";
import { EXPORTS, IMPORTS, type JqEnd, runJq, StopJq } from "./run_jq.ts";

const PACKAGE = new URL("../../../node_modules/jq-wasm/", import.meta.url);

function run(args: string[], input: readonly string[]): { end: JqEnd; output: string; messages: string } {
  let output = "";
  let messages = "";
  const end = runJq({
    args,
    nowMs: Date.now(),
    memoryBytes: 2 ** 30,
    input: input.map((piece) => new TextEncoder().encode(piece)),
    output: (bytes) => output += new TextDecoder().decode(bytes),
    message: (bytes) => messages += new TextDecoder().decode(bytes),
  });
  return { end, output, messages };
}

const filter = (words: string, input = "null") => run(["-c", "--", words], [input]).output.trimEnd();

Deno.test("the imports of jq's module have the names that its package gives them", () => {
  const source = readFileSync(new URL("dist/index.mjs", PACKAGE), "utf8");
  const listed = /wasmImports = \{ ([^}]+) \}/.exec(source)?.[1] ?? "";
  const names = listed.split(", ").map((pair) => pair.split(": ") as [string, string]);
  const isNeeded = ([letter]: [string, string]) => letter in IMPORTS;
  assertEquals(Object.fromEntries(names.filter(isNeeded).map(([letter, name]) => [letter, name.slice(1)])), {
    ...IMPORTS,
  });
  // jq does without the rest: files, signals, time zones.
  for (const [, name] of names.filter((each) => !isNeeded(each))) {
    assertMatch(
      name,
      /^__?(_syscall_|_assert_fail|_call_sighandler|tzset_js|emscripten_runtime_keepalive)/,
    );
  }
  for (
    const [role, letter] of [["memory", EXPORTS.memory], ["start", EXPORTS.start], ["main", EXPORTS.main]]
  ) {
    assertMatch(source, new RegExp(`wasmExports2?\\["${letter}"\\]`), role);
  }
});

Deno.test("values are read from pieces that end anywhere", () => {
  const text = '{"a":"é€𝄞"}\n[1,2]\n"x"';
  const bytes = new TextEncoder().encode(text);
  let output = "";
  const end = runJq({
    args: ["-c", "."],
    nowMs: 0,
    memoryBytes: 2 ** 30,
    input: Array.from(bytes, (byte) => Uint8Array.of(byte)),
    output: (piece) => output += new TextDecoder().decode(piece),
    message: () => {},
  });
  assertEquals([end, output], [{ kind: "exited", code: 0 }, `${text}\n`]);
});

Deno.test("numbers beyond 2^53 are exact", () => {
  assertEquals(
    filter(".", "[12345678901234567890,0.10000000000000000001]"),
    "[12345678901234567890,0.10000000000000000001]",
  );
});

Deno.test("filters see no environment and no files", () => {
  assertEquals(filter("env"), "{}");
  const { end, messages } = run(["-c", "--", 'import "x" as x; 1'], ["null"]);
  assertEquals(end, { kind: "exited", code: 3 });
  assertStringIncludes(messages, "module not found");
});

Deno.test("a filter that does not compile ends with 3, one that fails with 5", () => {
  assertEquals(run(["--", ".a |"], ["1"]).end, { kind: "exited", code: 3 });
  const failed = run(["--", ".a"], ["[1]"]);
  assertEquals(failed.end, { kind: "exited", code: 5 });
  assertStringIncludes(failed.messages, "Cannot index array");
});

Deno.test("invalid JSON is reported with its line, after the results before it", () => {
  const { output, messages } = run(["-c", "--", "."], ["1\n2\n{]\n"]);
  assertEquals(output, "1\n2\n");
  assertStringIncludes(messages, "parse error");
  assertStringIncludes(messages, "line 3");
});

Deno.test("JSON nested too deeply is an error", () => {
  const { end, messages } = run(["--", "."], ["[".repeat(100_000)]);
  assertEquals(end.kind, "exited");
  assertStringIncludes(messages, "depth limit");
});

Deno.test("a value nested too deeply to be written is not taken for a lack of memory", () => {
  const { end } = run(["-n", "--", "reduce range(100000) as $i (null; [.]) | tojson"], []);
  assertEquals(end, { kind: "too_deep" });
});

Deno.test("output stops the run when its reader has enough", () => {
  let byteCount = 0;
  const end = runJq({
    args: ["-c", "--", "range(infinite)"],
    nowMs: 0,
    memoryBytes: 2 ** 30,
    input: [new TextEncoder().encode("null")],
    output(bytes) {
      byteCount += bytes.length;
      if (byteCount > 10_000) throw new StopJq();
    },
    message: () => {},
  });
  assertEquals(end, { kind: "stopped" });
});

Deno.test("an input that fails ends the run with its error", () => {
  function* broken(): Generator<Uint8Array> {
    yield new TextEncoder().encode("[1,");
    throw new Error("damaged");
  }
  let thrown: unknown;
  try {
    runJq({
      args: ["."],
      nowMs: 0,
      memoryBytes: 2 ** 30,
      input: broken(),
      output: () => {},
      message: () => {},
    });
  } catch (error) {
    thrown = error;
  }
  assertEquals(thrown instanceof Error && thrown.message, "damaged");
});

Deno.test("dates are read, written and computed in UTC", () => {
  assertEquals(filter("fromdate", '"2015-03-05T23:51:47Z"'), "1425599507");
  assertEquals(filter("todate", "1425599507"), '"2015-03-05T23:51:47Z"');
  assertEquals(filter('strptime("%d %b %Y %T") | mktime', '"05 Mar 2015 23:51:47"'), "1425599507");
  assertEquals(filter('strptime("%Y-%j")', '"2024-366"'), "[2024,11,31,0,0,0,2,365]");
  assertEquals(filter('strftime("%A %H:%M:%S")', "1425599507"), '"Thursday 23:51:47"');
  assertEquals(filter('strftime("%Z %z"), strflocaltime("%Z")', "0"), '"UTC +0000"\n"UTC"');
  assertEquals(filter("localtime | mktime", "1425599507"), "1425599507");
  assertEquals(filter('try strptime("%Y") catch "no"', '"soon"'), '"no"');
});
