/**
 * A damaged store: `verify` reports every damaged fd and rebuilds what the content determines, and no read ever returns
 * wrong bytes (docs/limits.md).
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { existsSync } from "node:fs";
import { PATTERNS, repeatedTo } from "./contents.ts";
import { bytesOf, type Model, model } from "./model.ts";
import { encode, failureOf } from "./read_answer.ts";
import {
  assertBytes,
  contentFileOf,
  contentPlaceOf,
  handleIn,
  listOf,
  statOf,
  store,
  storeAnswer,
} from "./store_calls.ts";
import { type Finished, makeWorld, runsOf, type World } from "./world.ts";

/** The places that `fd/FORMAT.md` gives the files of an fd. */
function filesOf(contentFile: string) {
  const stem = contentFile.replace(/\.dat$/, "");
  return { content: contentFile, index: `${stem}.idx`, record: `${stem}.rec` };
}

/** Flips bit `bit` of the file's byte `at`. */
function flip(path: string, at: number, bit = 0): void {
  const bytes = Deno.readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  Deno.writeFileSync(path, bytes);
}

/** All that `verify` says, in any format and on either stream. */
async function verified(world: World): Promise<Finished & { reported: string }> {
  const finished = await world.run(["verify"]);
  return { ...finished, reported: finished.text + finished.stderr };
}

/** Asserts that `finished`, a raw read, is either the right bytes or a typed refusal; never wrong bytes with code 0. */
function assertRightOrRefused(finished: Finished, want: Uint8Array, about: string): "right" | "refused" {
  if (finished.code === 0) {
    assertBytes(finished.stdout, want, about);
    return "right";
  }
  assertEquals(finished.code, 1, about);
  assertMatch(
    finished.stderr,
    /^fdtool: [^\n]+\n(next: [^\n]+\n)?$/,
    `${about}: one sentence, no stack trace`,
  );
  return "refused";
}

/** Reads around `byteOffset`, the end and the whole; none may be wrong. */
async function assertNoWrongBytes(world: World, fd: string, m: Model, byteOffset: number): Promise<string[]> {
  const char = Math.max(0, m.charStarts.findIndex((start) => start > byteOffset) - 1);
  const line = Math.max(0, m.lines.findIndex((range) => range.from <= char && char < range.to));
  const page = Math.max(0, m.pages.findIndex((range) => range.from <= char && char < range.to));
  const reads: [string[], Uint8Array][] = [
    [["--chars", `${char}-${char}`], bytesOf(m, { from: char, to: char + 1 })],
    [["--lines", `${line + 1}-${line + 1}`], bytesOf(m, m.lines[line] ?? { from: 0, to: 0 })],
    [["--pages", `${page + 1}-${page + 1}`], bytesOf(m, m.pages[page] ?? { from: 0, to: 0 })],
    [["--mode", "line", "--tail", "1"], bytesOf(m, m.lines.at(-1) ?? { from: 0, to: 0 })],
    [["--all"], m.content],
  ];
  return await Promise.all(reads.map(async ([args, want]) => {
    const finished = await world.run(["read", fd, ...args, "--format", "raw"]);
    return assertRightOrRefused(finished, want, `read ${fd} ${args.join(" ")}`);
  }));
}

Deno.test("damage: verify finds nothing in a valid store", async () => {
  using world = makeWorld();
  assertEquals((await verified(world)).code, 0, "an empty store is sound");
  await store(world, "");
  await store(world, repeatedTo(400_000, PATTERNS["CJK"] ?? new Uint8Array()), ["--name", "n"]);
  await world.run(["read", "fd:2", "--lines", "2-9", "--extract"]);
  await world.run(["rm", "fd:1"]);
  world.write("f", "old");
  await world.run(["to-file", "fd:3", "f"]);
  const finished = await verified(world);
  assertEquals([finished.code, finished.stderr], [0, ""], finished.reported);
  const json = await world.run(["verify", "--format", "json"]);
  assertEquals([json.code, JSON.parse(json.text).type], [0, "fd_verify"]);
});

Deno.test("damage: one flipped bit of content is found, reported, and never returned by a read", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(PATTERNS)),
      fc.constantFrom(100, 5000, 32_768, 100_000, 300_000),
      fc.double({ min: 0, max: 0.9999, noNaN: true }),
      fc.integer({ min: 0, max: 7 }),
      async (pattern, size, where, bit) => {
        using world = makeWorld();
        const m = model(repeatedTo(size, pattern));
        const fd = await store(world, m.content);
        const sound = await store(world, "sound");
        const at = Math.floor(where * size);
        const { path, fromByte } = contentPlaceOf(world, fd);
        flip(path, fromByte + at, bit);
        const outcomes = await assertNoWrongBytes(world, fd, m, at);
        assertEquals(outcomes.at(-1), "refused", "reading all of a damaged fd cannot go well");
        const finished = await verified(world);
        assert(finished.code !== 0, `verify finds byte ${at} bit ${bit} of ${size}: ${finished.reported}`);
        assertStringIncludes(finished.reported, fd);
        assert(!finished.reported.includes(sound), `verify names only the damaged one: ${finished.reported}`);
        await assertNoWrongBytes(world, fd, m, at);
        assertEquals((await world.run(["read", sound, "--format", "raw"])).text, "sound");
      },
    ),
    { numRuns: runsOf(4) },
  );
});

Deno.test("damage: an export or extraction of damaged content is refused, and the target is untouched", async () => {
  using world = makeWorld();
  const fd = await store(world, repeatedTo(200_000, encode("a line\n")));
  flip(await contentFileOf(world, fd), 150_000);
  world.write("target", "old");
  failureOf(await world.run(["to-file", fd, "target"]));
  assertEquals(world.text("target"), "old");
  failureOf(await world.run(["to-file", fd, "target", "--mode", "append"]));
  assertEquals(world.text("target"), "old");
  failureOf(await world.run(["read", fd, "--all", "--extract"]));
});

Deno.test("damage: truncated, grown or missing content is found, reported, and never returned by a read", async () => {
  for (const size of [3000, 200_000]) {
    const damages: [string, (path: string, from: number) => void][] = [
      ["one byte short", (path, from) => Deno.truncateSync(path, from + size - 1)],
      ["half", (path, from) => Deno.truncateSync(path, from + size / 2)],
      ["grown", (path) => Deno.writeTextFileSync(path, "more", { append: true })],
      ["missing", (path) => Deno.removeSync(path)],
      ["zeroed end", (path, from) => {
        Deno.truncateSync(path, from + size - 500);
        Deno.truncateSync(path, from + size);
      }],
    ];
    // A record with content that is empty is what a writer leaves that dies at once.
    if (size > 32_768) damages.push(["empty", (path) => Deno.truncateSync(path, 0)]);
    for (const [name, damage] of damages) {
      using world = makeWorld();
      const m = model(repeatedTo(size, encode("another line 漢\n")));
      const fd = await store(world, m.content);
      await store(world, "later");
      const { path, fromByte } = contentPlaceOf(world, fd);
      damage(path, fromByte);
      const outcomes = await assertNoWrongBytes(world, fd, m, size - 2);
      if (name !== "grown") assertEquals(outcomes.at(-1), "refused", `${name}: --all`);
      const finished = await verified(world);
      assert(finished.code !== 0, `${name} of ${size} is found: ${finished.reported}`);
      assertStringIncludes(finished.reported, fd, name);
    }
  }
});

Deno.test("damage: a truncated, flipped or missing index costs nothing: reads stay right, verify repairs it", async () => {
  const m = model(repeatedTo(400_000, PATTERNS["CJK"] ?? new Uint8Array()));
  const damages: [string, (path: string) => void][] = [
    ["missing", (path) => Deno.removeSync(path)],
    ["empty", (path) => Deno.truncateSync(path, 0)],
    ["half", (path) => Deno.truncateSync(path, Math.floor(Deno.statSync(path).size / 2))],
    ["one byte short", (path) => Deno.truncateSync(path, Deno.statSync(path).size - 1)],
    ["header flipped", (path) => flip(path, 1)],
    ["sum flipped", (path) => flip(path, 5)],
    ["entry flipped", (path) => flip(path, 32 + 32 * 9 + 3, 4)],
    ["last byte flipped", (path) => flip(path, Deno.statSync(path).size - 1, 7)],
    ["nonsense", (path) => Deno.writeTextFileSync(path, "nonsense".repeat(100))],
    ["grown", (path) => Deno.writeFileSync(path, new Uint8Array(4096), { append: true })],
  ];
  using world = makeWorld();
  const unread = new Map<string, string>();
  for (const [name, damage] of damages) {
    const read = await store(world, m.content);
    unread.set(name, await store(world, m.content));
    for (const fd of [read, unread.get(name)!]) {
      const { index } = filesOf(contentPlaceOf(world, fd).path);
      assert(existsSync(index), "content of many blocks has an index file where FORMAT.md says");
      damage(index);
    }
    const outcomes = await assertNoWrongBytes(world, read, m, 200_000);
    assertEquals(outcomes, Array(5).fill("right"), `${name}: an index can be rebuilt from the content`);
  }
  const { reported } = await verified(world);
  const second = await verified(world);
  assertEquals([second.code, second.stderr], [0, ""], `repaired: ${second.reported}`);
  for (const [name, fd] of unread) {
    assertStringIncludes(reported, `"${fd}"`, `${name}: verify names what it repaired`);
    assertEquals(await assertNoWrongBytes(world, fd, m, 399_990), Array(5).fill("right"), name);
  }
});

Deno.test("damage: a record log with a truncated last line keeps the lines before it", async () => {
  using world = makeWorld();
  const content = encode("content\n".repeat(2000));
  const fd = await store(world, content);
  const before = await statOf(world, fd);
  const { record } = filesOf(await contentFileOf(world, fd));
  Deno.writeTextFileSync(record, 'deadbeef {"event":"tomb","at":1', { append: true });
  const after = await statOf(world, fd);
  assertEquals(
    [after["state"], after["bytes"]],
    [before["state"], before["bytes"]],
    "a torn line is not there",
  );
  assertBytes((await world.run(["read", fd, "--all", "--format", "raw"])).stdout, content);
});

Deno.test("damage: a flipped, truncated or deleted record log never gives its id to other content", async () => {
  const content = encode("recorded content\n".repeat(4000));
  const damages: [string, (path: string) => void][] = [
    ["first line flipped", (path) => flip(path, 12)],
    ["sum flipped", (path) => flip(path, 0)],
    ["half", (path) => Deno.truncateSync(path, Math.floor(Deno.statSync(path).size / 2))],
    ["empty", (path) => Deno.truncateSync(path, 0)],
    ["nonsense", (path) => Deno.writeTextFileSync(path, "\0\0\0nonsense")],
  ];
  for (const [name, damage] of damages) {
    using world = makeWorld();
    await store(world, "first");
    const fd = await store(world, content);
    await store(world, "third");
    const { record } = filesOf(await contentFileOf(world, fd));
    damage(record);
    const finished = await world.run(["read", fd, "--all", "--format", "raw"]);
    assertRightOrRefused(finished, content, name);
    const reported = (await verified(world)).reported;
    assertStringIncludes(reported, fd, `${name}: verify names it`);
    assertEquals(handleIn(await storeAnswer(world, "next")), "fd:4", name);
    for (const [other, text] of [["fd:1", "first"], ["fd:3", "third"], ["fd:4", "next"]] as const) {
      assertEquals((await world.run(["read", other, "--format", "raw"])).text, text, `${name}: ${other}`);
    }
    await listOf(world);
  }
});

Deno.test("damage: an invalid or deleted cache of the list changes no answer", async () => {
  using world = makeWorld();
  for (let n = 1; n <= 5; n++) await store(world, `content ${n}`);
  const before = await listOf(world);
  for (const entry of Deno.readDirSync(`${world.store}/v2/fds`)) {
    if (!entry.isDirectory) continue;
    const listing = `${world.store}/v2/fds/${entry.name}.listing`;
    Deno.writeTextFileSync(listing, "nonsense\n".repeat(20));
    assertEquals(await listOf(world), before, "nonsense");
    Deno.removeSync(listing);
    assertEquals(await listOf(world), before, "gone");
  }
});

Deno.test("damage: a damaged name is a typed error", async () => {
  using world = makeWorld();
  await store(world, "content", ["--name", "n"]);
  for (const nonsense of ["", "x", "-1", "99999999999999999999", "7\n"]) {
    Deno.writeTextFileSync(`${world.store}/v2/refs/n`, nonsense);
    failureOf(await world.run(["read", "ref:n"]));
    const refs = await world.run(["refs", "--format", "json"]);
    assert(refs.code === 0 || refs.stderr.includes("fd_error"), refs.stderr);
  }
});

Deno.test("damage: a store of an unknown version is left alone", async () => {
  using world = makeWorld();
  Deno.mkdirSync(`${world.store}/v3/fds`, { recursive: true, mode: 0o700 });
  Deno.chmodSync(world.store, 0o700);
  Deno.writeTextFileSync(`${world.store}/v3/fds/1.rec`, "from the future");
  await world.run(["capture", "--always"], { stdin: "x" });
  await world.run(["verify"]);
  await world.run(["gc"]);
  assertEquals(Deno.readTextFileSync(`${world.store}/v3/fds/1.rec`), "from the future");
});
