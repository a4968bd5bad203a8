/**
 * A store of format version 1, made by an older binary, is taken over by the first call of this one with nothing lost
 * (fd/FORMAT.md), also if the call is killed or the disk fails at any step, or several processes do it at once.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { disk, FdError, findFd, listFds, listNames, openStore, readSlice, readWhole } from "../fd/mod.ts";
import { dieAtCall } from "./dying_disk.ts";
import { failEachCall } from "./failing_disk.ts";
import { jsonOf } from "./read_answer.ts";
import { assertBytes, handleIn, handlesOf, sha256Of, statOf, storeAnswer, wholeOf } from "./store_calls.ts";
import { layV1Store, V1_ANSWERS, V1_CONTENTS } from "./v1_store.ts";
import { makeWorld, programUnderTest, quoteForShell, type World } from "./world.ts";

/** The fixture's fds are as old as it is. */
const AGELESS = { FDTOOL_TTL: "0" };

/** A world whose store is the fixture. */
function olderWorld(): World {
  const world = makeWorld();
  layV1Store(world.store, world.dir);
  return world;
}

/** Fails unless `now` has all that `then` had; new fields are allowed. */
function assertHasAll(now: unknown, then: unknown, about: string): void {
  if (typeof then !== "object" || then === null) return assertEquals(now, then, about);
  assert(typeof now === "object" && now !== null, `${about}: ${JSON.stringify(now)}`);
  if (Array.isArray(then)) assertEquals((now as unknown[]).length, then.length, about);
  for (const [name, value] of Object.entries(then)) {
    assertHasAll((now as Record<string, unknown>)[name], value, `${about} ${name}`);
  }
}

async function assertNothingLost(world: World): Promise<void> {
  for (const [words, then] of Object.entries(V1_ANSWERS)) {
    const { stderr, text } = await world.run([...words.split(" "), "--format", "json"], { env: AGELESS });
    assert(text !== "", `${words}: ${stderr}`);
    const now = text.replaceAll(world.dir, "/tmp/fdtool-v1/files");
    assertHasAll(JSON.parse(now), then, words);
  }
  for (const [id, bytes] of V1_CONTENTS) {
    const fd = `fd:${id}`;
    assertBytes(await wholeOf(world, fd), bytes, fd);
    assertEquals((await statOf(world, fd))["sha256"], await sha256Of(bytes), fd);
  }
  assertEquals(existsSync(join(world.store, "v1")), false);
}

Deno.test("a store of version 1 is taken over with everything that it had", async () => {
  using world = olderWorld();
  await assertNothingLost(world);
  const refused = await world.run(["read", "fd:7", "--format", "json"]);
  assertEquals(jsonOf({ ...refused, code: 0, text: refused.stderr, stderr: "" })["error"], "removed");

  // Its journal and its question are the ones that this version works with.
  assertEquals((await world.run(["recover"])).code, 0);
  assertEquals(world.text("killed.txt"), "x\nz\n");
  assertEquals((await world.run(["undo", "tx:1"])).code, 0);
  assertEquals(world.text("edited.txt"), "old\nlines\n");
  assertEquals(
    (await world.run(["answer", "inq:1"], { stdin: JSON.stringify({ content: "the answer\n" }) })).code,
    0,
  );
  assertEquals(world.text("question.txt"), "the answer\n");

  const next = Number(handleIn(await storeAnswer(world, "after")).slice("fd:".length));
  assert(next > 17, `ids go on: ${next}`);
  const packed = jsonOf(await world.run(["gc", "--pack", "--format", "json"], { env: AGELESS }));
  assertEquals(packed["packed_count"], 1);
  assertBytes(await wholeOf(world, "ref:log"), V1_CONTENTS.get(2)!);
  const verified = jsonOf(await world.run(["verify", "--format", "json"]));
  assertEquals([verified["ok"], verified["finding"] ?? []], [true, []]);
});

Deno.test("several processes take a store over at once", async () => {
  using world = olderWorld();
  const calls = Array.from(
    { length: 12 },
    (_, n) =>
      n % 3 === 0
        ? world.run(["capture", "--always", "--format", "json"], { stdin: `of ${n}\n`, env: AGELESS })
        : world.run(n % 3 === 1 ? ["read", "ref:log", "--all", "--format", "raw"] : ["ls"], { env: AGELESS }),
  );
  const fds = new Set<unknown>();
  for (const [n, finished] of (await Promise.all(calls)).entries()) {
    const stderr = finished.stderr.replace(/^<write_notice>.*<\/write_notice>\n$/s, "");
    assertEquals([finished.code, stderr], [0, ""], `${n}`);
    if (n % 3 === 0) fds.add(JSON.parse(finished.text)["fd"]);
    if (n % 3 === 1) assertBytes(finished.stdout, V1_CONTENTS.get(2)!);
  }
  assertEquals(fds.size, 4);
  await world.run(["recover"]);
  const handles = await handlesOf(world);
  for (const id of V1_CONTENTS.keys()) assert(handles.includes(`fd:${id}`), `fd:${id}`);
  assertEquals(existsSync(join(world.store, "v1")), false);
});

Deno.test("an older binary that goes on after the take-over is reported, and its fds can be moved", async () => {
  using world = olderWorld();
  await world.run(["recover"], { env: AGELESS });
  layV1Store(world.store, world.dir);
  assertEquals((await statOf(world, "ref:log"))["bytes"], V1_CONTENTS.get(2)!.length);
  const verified = jsonOf(await world.run(["verify", "--format", "json"]));
  const findings = verified["finding"] as { problem: string; path: string }[];
  assertEquals(findings.filter(({ problem }) => problem === "other_version").map(({ path }) => path), [
    join(world.store, "v1"),
  ]);
  const examined = await world.run(["doctor", "--format", "json"]);
  const report = JSON.parse(examined.text) as { finding: { state: string; what: string; mend?: string }[] };
  const problem = report.finding.find(({ state }) => state === "problem");
  assertMatch(problem?.what ?? "", /also has v1, which an older fdtool wrote/);
  assertEquals(examined.code, 1);
  const steps = /(mkdir .*)$/.exec(problem?.mend ?? "")![1]!
    .replace("mkdir DIR, mv", "mkdir DIR && mv").replace(", and", " &&").replaceAll("DIR", "moved");
  const mended = await world.shell(steps, { env: AGELESS });
  assertEquals(mended.code, 0, mended.stderr);
  assertEquals((await handlesOf(world)).length, 2 * V1_CONTENTS.size);
  const healthy = await world.run(["doctor", "--format", "json"]);
  assertEquals(healthy.text.includes("also has"), false);
});

/** All that can be read in the store at `path`, by a process that starts now. */
function seenIn(path: string): Record<string, string> {
  const store = openStore(path);
  const seen: Record<string, string> = {};
  for (const { id } of listFds(store)) {
    const entry = findFd(store, `fd:${id}`);
    const bytes = readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }));
    seen[`fd:${id}`] = new TextDecoder("latin1").decode(bytes);
  }
  for (const { name, id } of listNames(store)) seen[name] = `fd:${id}`;
  return seen;
}

const WANTED: Record<string, string> = {
  ...Object.fromEntries(
    [...V1_CONTENTS].map(([id, bytes]) => [`fd:${id}`, new TextDecoder("latin1").decode(bytes)]),
  ),
  log: "fd:2",
  bytes: "fd:3",
  elsewhere: "fd:11",
};

Deno.test("a take-over that dies at any disk call loses nothing", async () => {
  for (let callNumber = 1, isOver = false; !isOver; callNumber++) {
    using world = olderWorld();
    const dead = await dieAtCall(callNumber, () => {
      try {
        openStore(world.store);
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
      }
    });
    assertEquals(seenIn(world.store), WANTED, `call ${callNumber}`);
    isOver = !dead;
  }
});

Deno.test("a take-over of which any disk call fails is refused or done, and loses nothing", async () => {
  let world: World | undefined;
  const tried = await failEachCall({
    prepare() {
      world?.[Symbol.dispose]();
      world = olderWorld();
    },
    action: () => openStore(world!.store),
    afterwards({ hit, thrown }) {
      assert(thrown === undefined || thrown instanceof FdError, `${JSON.stringify(hit)}: ${thrown}`);
      assertEquals(seenIn(world!.store), WANTED, JSON.stringify(hit));
    },
  });
  world?.[Symbol.dispose]();
  assert(tried >= 30, `${tried}`);
});

Deno.test("a process that used the earlier name follows when another renames the directory", () => {
  using world = olderWorld();
  Deno.mkdirSync(join(world.store, "v1/forks/1-child"), { recursive: true });
  assertEquals(seenIn(world.store), WANTED);
  assert(existsSync(join(world.store, "v1")));
  Deno.renameSync(join(world.store, "v1"), join(world.store, "v2"));
  assertEquals(seenIn(world.store), WANTED);
  assertEquals(existsSync(join(world.store, "v1")), false);
});

Deno.test("a new directory of an older binary is not used by a process that lost the race to rename", () => {
  using world = olderWorld();
  const { rename } = disk;
  disk.rename = () => {
    // Another process was faster, and an older binary has written since.
    Deno.renameSync(join(world.store, "v1"), join(world.store, "v2"));
    Deno.mkdirSync(join(world.store, "v1"));
    throw Object.assign(new Error("not empty"), { code: "ENOTEMPTY" });
  };
  try {
    openStore(world.store);
  } finally {
    disk.rename = rename;
  }
  assertEquals(seenIn(world.store), WANTED);
});

Deno.test("a store in use under its earlier name verifies", async () => {
  using world = olderWorld();
  Deno.mkdirSync(join(world.store, "v1/forks/1-child"), { recursive: true });
  Deno.chmodSync(join(world.store, "v1/forks"), 0o700);
  await world.run(["recover"]);
  await world.run(["ls"], { env: AGELESS });
  const verified = jsonOf(await world.run(["verify", "--format", "json"]));
  assertEquals([verified["ok"], verified["finding"] ?? []], [true, []]);
  assert(existsSync(join(world.store, "v1")));
});

/** System calls that change something. */
const CHANGING = ["rename", "chmod", "openat", "write", "unlink"];

const strace = programUnderTest().length === 1 &&
  new Deno.Command("sh", { args: ["-c", "strace -qq -o /dev/null -e inject=fsync:error=EIO:when=1 true"] })
    .outputSync().success;

Deno.test({
  name: `a take-over killed at any changing system call loses nothing${
    strace ? "" : " (skipped: no strace)"
  }`,
  ignore: !strace,
  async fn() {
    for (const call of CHANGING) {
      for (let when = 1, isHit = true; isHit && when < 40; when++) {
        using world = olderWorld();
        const words = ["strace", "-qq", "-o", join(world.home, "trace"), "-P", world.store];
        for (const version of ["v1", "v2"]) words.push("-P", join(world.store, version));
        words.push("-e", `trace=${call}`, "-e", `inject=${call}:signal=KILL:when=${when}`);
        const line = [...words, ...programUnderTest(), "stat", "ref:log"].map(quoteForShell).join(" ");
        isHit = (await world.shell(line, { env: AGELESS })).code === 137;
        assertEquals(seenIn(world.store), WANTED, `${call} ${when}`);
      }
    }
  },
});
