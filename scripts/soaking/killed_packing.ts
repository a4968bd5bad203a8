/**
 * Kills packing, sharing, unpacking, cleaning and taking over with SIGKILL at random moments. Content is plain or packed,
 * every byte of it is there, and cleaning leaves nothing of what was interrupted.
 */

import { existsSync, lstatSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, listFds, openStore, putBytes, type Store, sweepSometimes } from "../../fd/mod.ts";
import { makeWorld, type World } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { assertValidStore, contentOr, must, passTime, sameBytes } from "./inner_world.ts";
import { killedAfter } from "./kills.ts";
import { noBinary } from "./outer_world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** More than a MiB, from which the sweep packs. Every line names the content. */
function contentOf(n: number): Uint8Array {
  const lines = Array.from({ length: 60_000 }, (_, line) => `content ${n}, line ${line * 7919 % 65_536}\n`);
  return new TextEncoder().encode(lines.join(""));
}

/** State of a round. */
interface Scene {
  world: World;
  store: Store;
  /** The content of each fd that was not removed. */
  contents: Map<number, Uint8Array>;
  /** The number of the next content. */
  next: number;
}

interface Step {
  name: string;
  /** Makes the store ready for one call, and returns its words. */
  prepare(scene: Scene): Promise<readonly string[]>;
  /** Stdin of the call. */
  stdin?: Uint8Array;
}

function put({ store, contents }: Scene, bytes: Uint8Array): number {
  const { id } = putBytes(store, bytes, { source: "soak" });
  contents.set(id, bytes);
  return id;
}

async function putPacked(scene: Scene): Promise<{ id: number; bytes: Uint8Array }> {
  const bytes = contentOf(scene.next++);
  const id = put(scene, bytes);
  await collectGarbage(scene.store, { dryRun: false, nowMs: Date.now(), pack: {} });
  return { id, bytes };
}

/** Sets the time of every file of the store back by two days. */
function age({ path }: Store): void {
  const old = Date.now() / 1000 - 2 * DAY_MS / 1000;
  for (const name of readdirSync(path, { recursive: true }) as string[]) {
    utimesSync(join(path, name), old, old);
  }
}

const STEPS: readonly Step[] = [
  {
    name: "pack",
    prepare(scene) {
      put(scene, contentOf(scene.next++));
      return Promise.resolve(["gc", "--pack"]);
    },
  },
  {
    name: "pack two that are the same",
    prepare(scene) {
      const bytes = contentOf(scene.next++);
      for (let n = 0; n < 2; n++) put(scene, bytes);
      return Promise.resolve(["gc", "--pack"]);
    },
  },
  {
    name: "share",
    async prepare(scene) {
      put(scene, (await putPacked(scene)).bytes);
      return ["gc", "--pack"];
    },
  },
  {
    name: "unpack",
    async prepare(scene) {
      return ["path", `fd:${(await putPacked(scene)).id}`];
    },
  },
  {
    name: "pack again",
    async prepare(scene) {
      const { id } = await putPacked(scene);
      await scene.world.run(["path", `fd:${id}`]);
      return ["gc", "--pack"];
    },
  },
  {
    name: "sweep",
    async prepare(scene) {
      for (let n = 0; n < 2; n++) put(scene, contentOf(scene.next++));
      // The first sweep of a store only dates it.
      await sweepSometimes(scene.store, Date.now());
      age(scene.store);
      return ["capture", "--always"];
    },
    stdin: new TextEncoder().encode("swept\n"),
  },
  {
    name: "remove one that shares",
    async prepare(scene) {
      const { id, bytes } = await putPacked(scene);
      put(scene, bytes);
      await collectGarbage(scene.store, { dryRun: false, nowMs: Date.now(), pack: {} });
      scene.contents.delete(id);
      return ["rm", `fd:${id}`];
    },
  },
];

/** How long each step takes here. */
const spans = new Map<string, number>();

const killed = new Map<string, number>();
/** Kills that left a temporary file. */
let betweenCount = 0;

/** Only kills count: calls that ended before their kill are repeated, at most this many times. */
const TRIES = 4;

function temporaryCount({ path }: Store): number {
  const directory = join(path, "v2", "tmp");
  return existsSync(directory) ? readdirSync(directory).length : 0;
}

async function killStep(scene: Scene, step: Step, { choices, ran }: Round) {
  const { name } = step;
  const { world, store } = scene;
  for (let tried = 0; tried < TRIES; tried++) {
    const words = await step.prepare(scene);
    const startedMs = performance.now();
    const before = temporaryCount(store);
    const span = spans.get(name);
    const { wasKilled, code } = span === undefined
      ? { wasKilled: false, ...await world.run(words, { stdin: step.stdin }) }
      : await killedAfter(world, (0.15 + 0.95 * choices.fraction()) * span, words, step.stdin);
    must(wasKilled || code === 0, () => `${name}: ${words.join(" ")} gave ${code}`);
    if (!wasKilled) spans.set(name, performance.now() - startedMs);
    openStore(store.path);
    passTime(store);
    for (const [id, bytes] of scene.contents) {
      const held = contentOr(store, id);
      must(typeof held !== "string", () => `${name}: fd:${id} is ${held}`);
      must(sameBytes(held.bytes, bytes), () => `${name}: fd:${id} has ${held.bytes.length} other bytes`);
    }
    if (!wasKilled) continue;
    if (temporaryCount(store) > before) betweenCount++;
    await assertValidStore(store, name);
    killed.set(name, (killed.get(name) ?? 0) + 1);
    ran(1);
    return;
  }
}

/** After cleaning, the store has no temporary file, no unused link, and each content once. */
async function assertNoLitter({ store, contents }: Scene): Promise<void> {
  age(store);
  const nowMs = Date.now();
  // A kill may have taken the note of the clock with it.
  await collectGarbage(store, { dryRun: false, nowMs, trustClock: true });
  const version = join(store.path, "v2");
  const left = readdirSync(join(version, "tmp"));
  must(left.length === 0, () => `cleaning left ${left.join()}`);
  const { packing } = await collectGarbage(store, { dryRun: false, nowMs, pack: {} });
  must(packing?.failures.length === 0, () => `cannot pack: ${JSON.stringify(packing?.failures)}`);
  const inodes = new Map<string, Set<number>>();
  for (const { id, byteCount } of listFds(store)) {
    const shard = join(version, "fds", "0000");
    if (!contents.has(id)) continue;
    must(!existsSync(join(shard, `${id}.dat`)), () => `fd:${id} is plain after packing`);
    const text = new TextDecoder().decode(contents.get(id)!.subarray(0, 30));
    const same = `${text.split(",")[0]} ${byteCount}`;
    inodes.set(same, (inodes.get(same) ?? new Set()).add(lstatSync(join(shard, `${id}.pack`)).ino));
  }
  for (const [text, files] of inodes) must(files.size === 1, () => `${text} is kept ${files.size} times`);
  for (const name of readdirSync(join(version, "packs"), { recursive: true }) as string[]) {
    const stat = lstatSync(join(version, "packs", name));
    must(stat.isDirectory() || stat.nlink > 1, () => `packs/${name} is not used`);
  }
}

export const killedPacking: FaultClass = {
  name: "killed-packing",
  what:
    "packing, sharing, unpacking, sweeps and removals killed at random moments: plain or packed, nothing lost, no litter",
  wanted: 1000,
  unable: noBinary,
  tally: () =>
    `${[...killed].sort().map(([name, count]) => `${count} of ${name}`).join(", ")}; ` +
    `${betweenCount} left a temporary file`,
  async round(round: Round) {
    using world = makeWorld();
    const scene: Scene = { world, store: openStore(world.store), contents: new Map(), next: 1 };
    for (let n = 0; n < 14; n++) {
      try {
        await killStep(scene, STEPS[n % STEPS.length]!, round);
      } catch (thrown) {
        await round.attempt("", () => Promise.reject(thrown));
      }
    }
    await round.attempt("cleaning", () => assertNoLitter(scene));
  },
};
