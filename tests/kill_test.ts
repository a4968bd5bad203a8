/**
 * kill -9 at any moment (laws 1, 4 and 5; docs/limits.md): what is left of a capture is a prefix of what was sent,
 * ids never clash, the store verifies, and a file being written is the old one or the new one, whole.
 */

import { assert, assertEquals } from "@std/assert";
import { joined, repeatedTo } from "./contents.ts";
import { encode } from "./read_answer.ts";
import { assertBytes, handleIn, listOf, store, storeAnswer, wholeOf } from "./store_calls.ts";
import { killAt, killWhen, makeWorld, randomMoment, type World } from "./world.ts";

/** The input of capture `n`: every 64 bytes name the capture and their position. */
function contentOf(n: number, byteLength: number): Uint8Array<ArrayBuffer> {
  const lines = Array.from(
    { length: Math.ceil(byteLength / 64) },
    (_, i) => `capture ${n} row ${i}`.padEnd(63, ".") + "\n",
  );
  return encode(lines.join("")).slice(0, byteLength);
}

/** Resolves after `ms`, or without waiting for 0. */
const momentAt = (ms: number) =>
  ms === 0 ? Promise.resolve() : new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How long the whole of a call takes here, so that kills fall everywhere in it and not only before or after. */
async function millisecondsOf(world: World, args: readonly string[], stdin: Uint8Array): Promise<number> {
  const began = performance.now();
  const finished = await world.run(args, { stdin });
  assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
  return performance.now() - began;
}

Deno.test("kill -9: captures killed at random moments leave prefixes, and ids that never clash", async () => {
  using world = makeWorld();
  const captures = 24;
  const size = 700_000;
  const span = await millisecondsOf(world, ["capture", "--always"], contentOf(0, size));
  const killed = new Set<number>();
  const answered = new Map<string, number>();

  for (let first = 1; first <= captures; first += 6) {
    await Promise.all(
      Array.from({ length: 6 }, (_, i) => first + i).map(async (n) => {
        const started = world.start(["capture", "--always", "--format", "json"], {
          stdin: contentOf(n, size),
        });
        // Every sixth one lives, so that the living and the dying share the store.
        const ended = await (n % 6 === 0 ? started.finished : killAt(started, randomMoment(span * 3)));
        if (ended.signal === "SIGKILL") killed.add(n);
        else {
          assertEquals([ended.code, ended.stderr], [0, ""]);
          answered.set(handleIn(JSON.parse(ended.text)), n);
        }
      }),
    );
  }

  const listed = await listOf(world);
  const handles = listed.map((entry) => String(entry["fd"]));
  assertEquals(new Set(handles).size, handles.length, "no id twice");
  assert(answered.size + killed.size === captures && killed.size > 0);
  for (const [fd, n] of answered) {
    assertBytes(await wholeOf(world, fd), contentOf(n, size), `${fd} was answered, so it is whole`);
  }
  for (const entry of listed) {
    const fd = String(entry["fd"]);
    assert(["sealed", "incomplete"].includes(String(entry["state"])), `${fd}: ${entry["state"]}`);
    const held = await wholeOf(world, fd);
    assertEquals(held.length, entry["bytes"], `${fd} says how many bytes it holds`);
    const reported = new TextDecoder().decode(held.subarray(0, 64));
    const n = Number(/^capture (\d+)/.exec(reported)?.[1] ?? -1);
    if (held.length >= 64) {
      assertBytes(held, contentOf(n, size).subarray(0, held.length), `${fd} is a prefix`);
    }
    if (entry["state"] === "sealed") assertEquals(held.length, size, `${fd} is sealed, so it is whole`);
  }

  const verified = await world.run(["verify"]);
  if (verified.code !== 0) {
    assertEquals(
      (await world.run(["verify"])).code,
      0,
      `verify repairs what a kill leaves: ${verified.text}`,
    );
  }
  const next = Number((await store(world, "after the kills")).slice(3));
  assert(next > Math.max(...handles.map((fd) => Number(fd.slice(3)))), "and the count goes on");
});

Deno.test("kill -9: a capture killed while its producer is silent keeps all that arrived", async () => {
  using world = makeWorld();
  const { child, finished } = world.start(["capture", "--always"]);
  const writer = child.stdin.getWriter();
  const sent = contentOf(1, 300_000);
  await writer.write(sent);
  let held = 0;
  while (held < sent.length) {
    // Asking the store again is the wait for all bytes to have arrived in the content file.
    held = contentBytesIn(world);
  }
  child.kill("SIGKILL");
  await finished;
  await writer.abort().catch(() => {});
  const [entry] = await listOf(world);
  assertEquals([entry?.["fd"], entry?.["state"], entry?.["bytes"]], ["fd:1", "incomplete", sent.length]);
  assertBytes(await wholeOf(world, "fd:1"), sent);
  const shown = await world.run(["read", "fd:1"]);
  assertEquals(shown.code, 0);
  assert(shown.text.includes("incomplete"), "a view of it says that it is not whole");
});

/** The bytes of content in a store of at most one fd, as the disk has them. */
function contentBytesIn(world: World): number {
  try {
    return Deno.statSync(`${world.store}/v2/fds/0000/1.dat`).size;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return 0;
    throw thrown;
  }
}

Deno.test("kill -9: an id whose writer died before its claim is not damage, and is never reused", async () => {
  using world = makeWorld();
  await store(world, "first");
  // What a kill right after the exclusive creation of a record leaves, as fd/FORMAT.md describes the claim.
  Deno.writeTextFileSync(`${world.store}/v2/fds/0000/2.rec`, "", { mode: 0o600 });
  for (const format of ["raw", "json"]) {
    const read = await world.run(["read", "fd:2", "--all", "--format", format]);
    assert(read.code === 0 || read.stderr !== "", "it is empty, or stderr says what it is");
  }
  for (const _twice of [1, 2]) {
    const verified = await world.run(["verify"]);
    assertEquals(
      [verified.code, verified.stderr],
      [0, ""],
      `nothing is lost, so nothing is damaged: ${verified.text}`,
    );
  }
  assertEquals(await store(world, "third"), "fd:3");
});

Deno.test("kill -9: killed extractions and removals leave a store that verifies", async () => {
  using world = makeWorld();
  const content = contentOf(1, 2_000_000);
  await store(world, content);
  const span = await millisecondsOf(world, ["read", "fd:1", "--all", "--extract"], new Uint8Array());
  for (let round = 0; round < 12; round++) {
    const victims = [["read", "fd:1", "--all", "--extract"], ["rm", "fd:2"], ["name", "fd:1", "n"], ["gc"]];
    await Promise.all(victims.map(async (args) => {
      await killAt(world.start(args), randomMoment(span * 1.5));
    }));
  }
  for (const entry of await listOf(world)) {
    const held = await wholeOf(world, String(entry["fd"]));
    assertBytes(held, content.subarray(0, held.length), `${entry["fd"]} is a prefix of its source`);
    if (entry["state"] === "sealed") assertEquals(held.length, content.length);
  }
  const verified = await world.run(["verify"]);
  if (verified.code !== 0) assertEquals((await world.run(["verify"])).code, 0, verified.text);
  const named = await world.run(["read", "ref:n", "--start", "1"]);
  assert(named.code === 0 || named.stderr.includes("not_found"), "the name is bound or it is not");
});

Deno.test("kill -9: an export leaves the old file or the new one, whole", async () => {
  using world = makeWorld();
  const older = repeatedTo(300_000, encode("old row\n"));
  const newer = contentOf(1, 1_000_000);
  await storeAnswer(world, newer);
  const outcomes = new Set<string>();
  for (const mode of ["write", "append"]) {
    const whole = mode === "write" ? newer : joined([older, newer]);
    // What the kills of the mode before left open is ended first: until then every write says that it is open.
    const recovered = await world.run(["recover"]);
    assertEquals(recovered.code, 0, recovered.stderr);
    world.write("target", older);
    const span = await millisecondsOf(world, ["to-file", "fd:1", "target", "--mode", mode], new Uint8Array());
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const path = world.write("target", older);
      const started = world.start(["to-file", "fd:1", "target", "--mode", mode]);
      // The first at once, before anything can have been done; the last when it has been done; the others all over between.
      const isLast = round === rounds - 1;
      const ended = await (isLast
        ? killWhen(started, () =>
          Deno.statSync(path).size !== older.length)
        : killAt(started, momentAt(span * 1.2 * round / rounds)));
      const now = Deno.readFileSync(path);
      const outcome = now.length === older.length ? "old" : "new";
      assertBytes(now, outcome === "old" ? older : whole, `${mode}, ${ended.signal ?? "not killed"}`);
      if (ended.code === 0) assertEquals(outcome, "new", "what was answered is done");
      outcomes.add(`${mode} ${outcome}`);
      if (round === 0) assertEquals(outcome, "old", "killed at once");
      if (isLast) assertEquals(outcome, "new", "killed when it was in place");
    }
  }
  assertEquals([...outcomes].sort(), ["append new", "append old", "write new", "write old"]);
  const verified = await world.run(["verify"]);
  if (verified.code !== 0) assertEquals((await world.run(["verify"])).code, 0, verified.text);
});
