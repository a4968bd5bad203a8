/**
 * Limits (section 3): the cap of one fd keeps head and tail and says what is missing; quota and age clean oldest first,
 * never what is named, live or a young backup, and say what went.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readLog } from "../fd/records/record_log.ts";
import { writeCheckedLine } from "../fd/store/checked_log.ts";
import { openStore } from "../fd/mod.ts";
import { disk } from "../fd/system.ts";
import { recordPath } from "../fd/store/store_paths.ts";
import { joined } from "./contents.ts";
import { model } from "./model.ts";
import { assertFailure, encode, failureOf, type JsonAnswer, jsonOf } from "./read_answer.ts";
import {
  assertBytes,
  handleIn,
  handlesOf,
  listOf,
  sha256Of,
  statOf,
  store,
  storeAnswer,
  wholeOf,
} from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

/** Content of which no two places look the same. */
function numbered(byteLength: number): Uint8Array<ArrayBuffer> {
  const lines = Math.ceil(byteLength / 16);
  const text = Array.from({ length: lines }, (_, i) => `line ${String(i + 1).padStart(10)}\n`).join("");
  return encode(text).slice(0, byteLength);
}

/** Asserts that fd:1 holds head and tail of `content`, at most `cap` bytes, with the gap reported everywhere. */
async function assertCapped(
  world: World,
  answer: JsonAnswer,
  content: Uint8Array,
  cap: number,
): Promise<void> {
  const fd = handleIn(answer);
  const held = await wholeOf(world, fd);
  assert(held.length <= cap && held.length > cap / 2, `${held.length} of at most ${cap} bytes are kept`);
  const dropped = Number(answer["dropped_bytes"]);
  const gapAt = Number(answer["gap_at_byte"]);
  assertEquals(dropped, content.length - held.length, "the gap is said, to the byte");
  assert(gapAt > 0 && gapAt < held.length, "there is a head, and there is a tail");
  const want = joined([content.subarray(0, gapAt), content.subarray(gapAt + dropped)]);
  assertBytes(held, want, "head and tail");
  assertEquals(answer["bytes"], held.length);
  assertStringIncludes(String(answer["message"]), String(dropped), "the message says it in words");
  const m = model(held);
  assertEquals([answer["chars"], answer["total_lines"]], [m.charCount, m.lines.length]);
  const stat = await statOf(world, fd);
  assertEquals(
    [stat["bytes"], stat["dropped_bytes"], stat["gap_at_byte"], stat["sha256"]],
    [held.length, dropped, gapAt, await sha256Of(held)],
  );
}

Deno.test("cap: --max-bytes takes the units that FDTOOL_MAX_BYTES takes, and refuses what it refuses", async () => {
  using world = makeWorld();
  await assertCapped(
    world,
    await storeAnswer(world, numbered(100_000), ["--max-bytes", "20K"]),
    numbered(100_000),
    20 * 1024,
  );
  for (const bad of ["much", "2X", "1.5M", "-1", ""]) {
    const { type, fields } = failureOf(
      await world.run(["capture", `--max-bytes=${bad}`, "--format", "json"], { stdin: "x" }),
    );
    assertEquals([type, fields["field"]], ["invalid_parameter", "--max-bytes"], bad);
  }
});

Deno.test("cap: --max-bytes keeps head and tail and says what is missing between", async () => {
  const sizes: [number, number][] = [[200_000, 50_000], [1_000_000, 100_001], [10_001, 10_000], [
    3_000_000,
    2_000_000,
  ]];
  for (const [size, cap] of sizes) {
    using world = makeWorld();
    const content = numbered(size);
    await assertCapped(
      world,
      await storeAnswer(world, content, ["--max-bytes", String(cap)]),
      content,
      cap,
    );
    const verified = await world.run(["verify"]);
    assertEquals([verified.code, verified.stderr], [0, ""]);
  }
});

Deno.test("cap: FDTOOL_MAX_BYTES does the same, also for run, and the exit code is unchanged", async () => {
  using world = makeWorld();
  const env = { FDTOOL_MAX_BYTES: "40000" };
  const content = numbered(300_000);
  world.write("big", content);
  const captured = await world.run(["capture", "--format", "json"], { stdin: content, env });
  await assertCapped(world, jsonOf(captured), content, 40_000);
  const args = ["run", "--format", "json", "--", "sh", "-c", "cat big; exit 5"];
  const wrapped = await world.run(args, { env });
  assertEquals(wrapped.code, 5);
  await assertCapped(world, jsonOf({ ...wrapped, code: 0 }), content, 40_000);
});

Deno.test("cap: content of exactly the cap is stored whole, and 0 turns the cap off", async () => {
  using world = makeWorld();
  const content = numbered(50_000);
  for (const limit of ["50000", "0"]) {
    const answer = await storeAnswer(world, content, ["--max-bytes", limit]);
    assertEquals([answer["bytes"], answer["dropped_bytes"]], [50_000, undefined]);
    assertBytes(await wholeOf(world, handleIn(answer)), content, limit);
  }
});

Deno.test("cap: a read across the gap says that there is one", async () => {
  using world = makeWorld();
  await storeAnswer(world, numbered(300_000), ["--max-bytes", "40000"]);
  const answer = jsonOf(await world.run(["read", "fd:1", "--all", "--format", "json"]));
  assertEquals(answer["dropped_bytes"], 260_000);
});

/** The answer of `gc`, as JSON and as text. */
async function cleaned(world: World, env: Record<string, string>): Promise<JsonAnswer> {
  return jsonOf(await world.run(["gc", "--format", "json"], { env }));
}

Deno.test("gc: the quota removes the oldest fds first, never named ones, and lists the removed", async () => {
  using world = makeWorld();
  const part = "x".repeat(99) + "\n";
  for (let n = 1; n <= 8; n++) {
    await store(world, part.repeat(1000), n === 1 || n === 4 ? ["--name", `kept-${n}`] : []);
  }
  const answer = await cleaned(world, { FDTOOL_QUOTA: "450000" });
  const reported = JSON.stringify(answer);
  const left = await handlesOf(world);
  assertEquals(left.slice(0, 2), ["fd:1", "fd:4"], "named ones stay, however old");
  assertEquals(left, ["fd:1", "fd:4", "fd:7", "fd:8"], "no more than needed goes, the oldest first");
  for (const gone of ["fd:2", "fd:3", "fd:5", "fd:6"]) {
    assertStringIncludes(reported, `"${gone}"`, "what was removed is listed");
    const failure = assertFailure(await world.run(["read", gone]), "removed");
    assertStringIncludes(failure.message + JSON.stringify(failure.fields), "quota", "and says why it went");
  }
  assertEquals(await store(world, "new"), "fd:9");
});

Deno.test("gc: within the limits nothing is removed, and 0 turns the limits off", async () => {
  using world = makeWorld();
  for (let n = 1; n <= 3; n++) await store(world, "x".repeat(10_000));
  for (const env of [{}, { FDTOOL_QUOTA: "0", FDTOOL_TTL: "0" }]) {
    await cleaned(world, env);
    assertEquals(await handlesOf(world), ["fd:1", "fd:2", "fd:3"]);
  }
});

Deno.test("gc: a quota exceeded by named fds alone removes everything else and never them", async () => {
  using world = makeWorld();
  for (let n = 1; n <= 5; n++) {
    await store(world, "x".repeat(50_000), n % 2 === 1 ? ["--name", `n${n}`] : []);
  }
  await cleaned(world, { FDTOOL_QUOTA: "1" });
  assertEquals(await handlesOf(world), ["fd:1", "fd:3", "fd:5"]);
});

Deno.test("gc: the age limit removes older fds, never named ones", async () => {
  using world = makeWorld();
  await store(world, "old and named", ["--name", "n"]);
  await store(world, "old");
  // Asking again until it has aged: the contract's shortest readable age is one second.
  let left = await handlesOf(world);
  for (let asked = 0; asked < 2000 && left.length > 1; asked++) {
    await cleaned(world, { FDTOOL_TTL: "1s" });
    left = await handlesOf(world);
  }
  assertEquals(left, ["fd:1"]);
  const failure = assertFailure(await world.run(["read", "fd:2"]), "removed");
  assert(/age|ttl|old/i.test(failure.message + JSON.stringify(failure.fields)), "says why it went");
});

Deno.test("gc: a live fd is never removed", async () => {
  using world = makeWorld();
  const { child, finished } = world.start(["capture", "--always", "--format", "json"]);
  const writer = child.stdin.getWriter();
  const first = encode("live\n".repeat(50_000));
  await writer.write(first);
  while ((await listOf(world)).length === 0) {
    // Asking again is the wait: the capture has claimed its id when it is listed.
  }
  const claim = readLog(openStore(world.store), 1)?.claim;
  assert(claim !== undefined);
  // In place, as its writer appends to this file; and as old as makes it go.
  const record = disk.open(recordPath(world.store, 1), "w");
  writeCheckedLine(record, { ...claim, at: claim.at - 40 * 24 * 60 * 60 * 1000 });
  disk.close(record);
  for (const limits of [{ FDTOOL_TTL: "1s" }, { FDTOOL_QUOTA: "1" }]) {
    assertEquals((await cleaned(world, limits))["removed"], [], JSON.stringify(limits));
  }
  await writer.write(first);
  await writer.close();
  const answer = jsonOf(await finished);
  assertEquals(answer["fd"], "fd:1");
  assertBytes(await wholeOf(world, "fd:1"), joined([first, first]));
  await cleaned(world, { FDTOOL_TTL: "1s" });
  assertEquals(await listOf(world), [], "once it has ended, its age counts");
});

Deno.test("gc: a backup younger than the TTL is preserved, regardless of the quota", async () => {
  using world = makeWorld();
  const old = "precious old bytes\n".repeat(1000);
  world.write("f", old);
  await store(world, "new content\n".repeat(1000));
  const answer = jsonOf(await world.run(["to-file", "fd:1", "f", "--format", "json"]));
  const backup = handleIn(answer, "backup_fd");
  await cleaned(world, { FDTOOL_QUOTA: "1" });
  assertEquals(await handlesOf(world), [backup]);
  assertBytes(await wholeOf(world, backup), encode(old));
});

Deno.test("gc: an extraction outlives its source", async () => {
  using world = makeWorld();
  await store(world, "one\ntwo\nthree\n".repeat(5000));
  const args = ["read", "fd:1", "--lines", "2-3", "--extract", "--name", "part", "--format", "json"];
  assertEquals(handleIn(jsonOf(await world.run(args)), "new_fd"), "fd:2");
  await cleaned(world, { FDTOOL_QUOTA: "1" });
  assertEquals(await handlesOf(world), ["fd:2"]);
  assertBytes(await wholeOf(world, "fd:2"), encode("two\nthree\n"));
  assertEquals((await world.run(["verify"])).code, 0);
});

Deno.test("gc: leftover files are deleted, and nothing else", async () => {
  using world = makeWorld();
  await store(world, "content");
  const litter = `${world.store}/v2/tmp/some-litter`;
  Deno.mkdirSync(`${world.store}/v2/tmp`, { recursive: true });
  Deno.writeTextFileSync(litter, "litter");
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  Deno.utimeSync(litter, twoDaysAgo, twoDaysAgo);
  const young = `${world.store}/v2/tmp/young`;
  Deno.writeTextFileSync(young, "somebody is at work");
  await cleaned(world, {});
  const left = Array.from(Deno.readDirSync(`${world.store}/v2/tmp`), (entry) => entry.name);
  assertEquals(left, ["young"]);
  assertEquals(await handlesOf(world), ["fd:1"]);
});

Deno.test("limits: values that are not limits are refused, naming the variable", async () => {
  using world = makeWorld();
  await store(world, "content");
  for (const env of [{ FDTOOL_QUOTA: "lots" }, { FDTOOL_TTL: "soon" }]) {
    const failure = failureOf(await world.run(["gc"], { env }));
    assertStringIncludes(failure.message, Object.keys(env)[0] ?? "");
    assertStringIncludes(failure.message, Object.values(env)[0] ?? "");
  }
  const captured = await world.run(["capture", "--always"], {
    stdin: "kept",
    env: { FDTOOL_MAX_BYTES: "some" },
  });
  assertStringIncludes(captured.stderr, "FDTOOL_MAX_BYTES");
});
