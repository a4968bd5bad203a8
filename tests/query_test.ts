/**
 * `query`: jq filters over stored JSON. Nothing that a filter does hangs the caller or exhausts memory unnoticed, and an
 * answer says whether it is the whole result.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type JsonAnswer, readJson } from "./read_answer.ts";
import { contentPlaceOf, statOf, store } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** A busy machine gives a filter no time for longer than its limit. */
const PATIENTLY = ["--timeout", "1h"];

async function query(world: World, code: number, ...args: string[]): Promise<JsonAnswer> {
  const limit = args.includes("--timeout") ? [] : PATIENTLY;
  const finished = await world.run(["query", ...args, ...limit, "--format", "json"]);
  assertEquals(finished.code, code, finished.text + finished.stderr);
  return readJson(finished.text);
}

Deno.test("a filter that never ends is stopped at its time limit", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  const answer = await query(world, 1, "fd:1", "def f: f; f", "--timeout", "200ms");
  assertEquals([answer["error"], answer["results"]], ["timed_out", 0]);
  const { text } = await world.run(["help", "query"]);
  assertMatch(text, /--timeout TIME .*\(default 60s\)/);
});

Deno.test("a filter has 60 s and 1 GiB, and an error names the option for more", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  // Long values fill the memory in a fifth of the time that short ones take.
  const filter = '[range(1e9) | "x" * 1e6 + tostring]';
  const answer = await query(world, 1, "fd:1", filter);
  assertEquals(answer["error"], "out_of_memory");
  assertStringIncludes(String(answer["message"]), "more than 1GiB of memory. Use --memory 4G");
  const small = await query(world, 1, "fd:1", filter, "--memory", "128M");
  assertStringIncludes(String(small["message"]), "more than 128M");
  assertEquals((await query(world, 0, "fd:1", "[range(9)] | length", "--memory", "4G"))["values"], "9\n");
  for (const memory of ["1M", "5G", "much"]) {
    assertEquals((await world.run(["query", "fd:1", ".", "--memory", memory])).code, 2, memory);
  }
});

Deno.test("results beyond the bound are left out, and said to be", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  const answer = await query(world, 0, "fd:1", "range(infinite)", "--max-chars", "10");
  assertEquals([answer["values"], answer["truncated"], answer["results"]], ["0\n1\n2\n3\n4\n", true, 5]);
  const long = await query(world, 0, "fd:1", '"é" * 1000', "--max-chars", "10");
  assertEquals([long["values"], long["truncated"]], [`"${"é".repeat(9)}`, true]);
  const whole = await query(world, 0, "fd:1", "range(9000)", "--max-chars", `${Number.MAX_SAFE_INTEGER}`);
  assertEquals([whole["results"], whole["truncated"]], [9000, undefined]);
});

Deno.test("the first answer leads to a value whatever the lengths of keys", async () => {
  using world = makeWorld();
  const values = [{ list: [1, 2, 3] }, [{ a: 1 }, { a: 2 }]];
  let made = 0;
  const keys = [["k", 5], ["k", 256], ["é 漢", 256], ["é 漢", 257], ['\\"', 257], ["k", 20_000]] as const;
  for (const [part, length] of keys) {
    const key = part.repeat(length);
    const value = values[made++ % values.length];
    const content = JSON.stringify({ first: 1, [key]: { [`${key}2`]: value, pad: "x".repeat(10_000) } });
    const { text } = await world.run(["capture", "--always", "--format", "json"], { stdin: content });
    const next = String(readJson(text)["next"]);
    assertStringIncludes(next, `fdtool query fd:${made} `);
    const followed = readJson((await world.shell(`${next} --format json`)).text);
    assertMatch(String(followed["values"]), /^["[{0-9]/, next.slice(0, 200));
  }
});

Deno.test("values nested as deep as JSON is read are written whole", async () => {
  using world = makeWorld();
  for (const [open, close, count] of [["[", "]", 10_000], ['{"a":', "}", 4999]] as const) {
    const deep = `${open.repeat(count)}${close.repeat(count)}`.replace(":}", ":1}");
    const fd = await store(world, `1\n${deep}\n"é"`);
    const { text } = await world.run([
      "query",
      fd,
      ".",
      "--max-chars",
      "99999",
      "--format",
      "raw",
      ...PATIENTLY,
    ]);
    assertEquals(text, `1\n${deep}\n"é"\n`);
    const { new_fd: stored } = await query(world, 0, fd, ".", "--extract");
    assertEquals(Deno.readTextFileSync(contentPlaceOf(world, String(stored)).path), text);
    const cut = await query(world, 0, fd, ".", "--max-chars", "9000");
    assertEquals([cut["values"], cut["truncated"]], ["1\n", true]);
  }
});

Deno.test("values nested too deeply for a filter's own functions, or to be read, lead to the text", async () => {
  using world = makeWorld();
  const fd = await store(world, "1");
  const made = await query(world, 1, fd, "reduce range(100000) as $i (null; [.]) | tojson");
  assertEquals([made["error"], made["next"]], ["filter_error", `fdtool read ${fd}`]);
  const deeper = await store(world, `${"[".repeat(10_001)}${"]".repeat(10_001)}`);
  assertEquals((await query(world, 1, deeper, "."))["error"], "parse_error");
});

Deno.test("a long filter is repeated by nothing but the next command", async () => {
  using world = makeWorld();
  await store(world, "1");
  const long = `"${"x".repeat(80_000)}" | 1`;
  assertEquals(String((await query(world, 0, "fd:1", long))["filter"]).length < 1100, true);
  const cut = await query(world, 0, "fd:1", `${long}, range(99)`, "--max-chars", "10");
  const { next, ...others } = cut;
  assertEquals(JSON.stringify(others).length < 2000, true);
  assertEquals(readJson((await world.shell(`${next} --format json`)).text)["results"], 100);
  const bad = await world.run(["query", "fd:1", `${long} |`, "--format", "json"]);
  assertEquals([bad.code, bad.stderr.length < 4000], [2, true]);
});

Deno.test("JSON lines of any length are filtered with the memory of one", async () => {
  await using world = makeWorld();
  const line = (i: number) => JSON.stringify({ i, text: "x".repeat(100) });
  await store(world, Array.from({ length: 20_000 }, (_, i) => line(i)).join("\n"));
  const answer = await query(world, 0, "fd:1", "select(.i % 5000 == 0) | .i");
  assertEquals(answer["values"], "0\n5000\n10000\n15000\n");
});

Deno.test("extracted results are an fd with the filter in its record", async () => {
  await using world = makeWorld();
  await store(world, '{"a":[1,2]}');
  const answer = await query(world, 0, "fd:1", ".a[]", "--extract", "--name", "list");
  assertEquals([answer["new_fd"], answer["results"]], ["fd:2", 2]);
  const stat = readJson((await world.run(["stat", "ref:list", "--format", "json"])).text);
  assertEquals(stat["command"], ["fdtool", "query", "fd:1", ".a[]", "--timeout", "1h", "--extract"]);
  assertEquals((await world.run(["read", "fd:2", "--format", "raw"])).text, "1\n2\n");
});

Deno.test("results that were stored before the time was over are named", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  const filter = "range(3), (0 | until(false; .))";
  let answer: JsonAnswer = {};
  // On a busy machine nothing is stored within the shorter limits.
  for (const limit of ["300ms", "1s", "10s", "100s"]) {
    answer = await query(world, 1, "fd:1", filter, "--extract", "--timeout", limit);
    if (answer["new_fd"] !== undefined) break;
  }
  assertEquals([answer["error"], answer["next"]], ["timed_out", `fdtool read ${answer["new_fd"]}`]);
});

Deno.test("a filter ends with the process that asked for it, however that ended", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  const { child, finished } = world.start(["query", "fd:1", "repeat(1)", "--extract"]);
  const isStoring = async () => (await statOf(world, "fd:2"))["state"] === "live";
  while (!(await world.run(["stat", "fd:2"])).text.includes("live")) await pause();
  child.kill("SIGKILL");
  await finished;
  while (await isStoring()) await pause();
  assertEquals((await statOf(world, "fd:2"))["state"], "incomplete");
});

Deno.test("a filter that ends with the code of a filter that does not compile is not one", async () => {
  await using world = makeWorld();
  await store(world, "{}");
  const answer = await query(world, 1, "fd:1", '"no" | halt_error(3)');
  assertEquals([answer["error"], answer["message"]], ["filter_error", "The filter failed: no."]);
  for (const filter of [".a |", "", 'import "m" as m; .', "nothing"]) {
    assertEquals((await world.run(["query", "fd:1", filter])).code, 2, filter);
  }
});

Deno.test("a filter that fails in the middle keeps the results before it", async () => {
  await using world = makeWorld();
  await store(world, '{"a":1}\n3\n{"a":2}\n');
  const answer = await query(world, 1, "fd:1", ".a");
  assertEquals([answer["error"], answer["values"]], ["filter_error", "1\n2\n"]);
  assertStringIncludes(String(answer["message"]), "line 2");
});

Deno.test("a filter that starts with a dash is a filter", async () => {
  await using world = makeWorld();
  await store(world, "3");
  const finished = await world.run(["query", "--format", "raw", "--", "fd:1", "-."]);
  assertEquals([finished.code, finished.text], [0, "-3\n"]);
});

Deno.test("damaged content is not queried as if it were right", async () => {
  await using world = makeWorld();
  await store(world, "[1,2,3]");
  const { path, fromByte } = contentPlaceOf(world, "fd:1");
  const bytes = Deno.readFileSync(path);
  bytes[fromByte + 5] = 0x34;
  Deno.writeFileSync(path, bytes);
  const finished = await world.run(["query", "fd:1", ".", "--format", "json"]);
  assertEquals([finished.code, readJson(finished.text || finished.stderr)["error"]], [1, "store_corrupt"]);
});
