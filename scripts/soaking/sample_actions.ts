/**
 * Actions to try faults on, and what must be true after any of them was interrupted. `disk_calls.ts`, `power_loss.ts` and
 * `kills.ts` say how they are interrupted.
 */

import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  beginPut,
  giveUpPut,
  listFds,
  openStore,
  putBytes,
  type Store,
  sweepSometimes,
} from "../../fd/mod.ts";
import { openTransactions, recoverTransaction } from "../../src/writing/history/recover_transactions.ts";
import {
  assertValidStore,
  called,
  contentOr,
  type InnerWorld,
  must,
  mustTakeMore,
  passTime,
  sameBytes,
  seen,
} from "./inner_world.ts";

/** Files by name with their texts; a name that ends with a slash is a directory. */
export type Files = Readonly<Record<string, string>>;

/** A world with the content that its large fds have: lines of {@link LOG_LINE}. */
export interface ActionWorld extends Pick<InnerWorld, "store" | "files" | "host"> {
  readonly log: Uint8Array;
  /** Stores content as the next fd. */
  put(bytes: Uint8Array): void;
}

/** The world of an action; its fds are durable if `durable`. */
export function actionWorld(
  { store, files, host }: Pick<InnerWorld, "store" | "files" | "host">,
  log: Uint8Array,
  durable = false,
): ActionWorld {
  return {
    store,
    files,
    host,
    log,
    put: (bytes) => void putBytes(store, bytes, { source: "soak", durable }),
  };
}

/** A call, and the files before and after it. */
export interface Action {
  name: string;
  words: readonly string[];
  /** Whether most of its time is writing, so that most kills come between two writes. */
  isLong?: boolean;
  /** Stdin of the binary. */
  stdin?(log: Uint8Array): Uint8Array;
  env?(log: Uint8Array): Readonly<Record<string, string>>;
  before?: Files;
  /** As before unless given. */
  after?(log: string): Files;
  /** Prepares the store, in which fd:1 is the log. */
  prepare?(world: ActionWorld): unknown;
  /** Whether it may remove an fd of before. */
  removes?(id: number): boolean;
  /** The same inside this process, where that takes more than the words. Returns whether it succeeded. */
  run?(world: ActionWorld): Promise<boolean>;
}

/** Contents before a write. */
export const OLD = "old\nlines\n";
export const LOG_LINE = "a line of a log\n";

/** The log with that many lines. */
export function logOf(lineCount: number): Uint8Array {
  return bytesOf(LOG_LINE.repeat(lineCount));
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const SMALL = bytesOf("one\ntwo\nthree\n");
/** More than a MiB, from which the sweep packs. */
const LARGE_LOG = logOf(70_000);
const LONG_OLD = "old row\n".repeat(40_000);

const PLAN = JSON.stringify({
  intent: "three files",
  plans: [
    {
      target_file: "a",
      operations: [{ type: "append", content_block: "more\n" }],
      safety_checks: { backup_required: true },
    },
    { target_file: "b", operations: [{ type: "overwrite", content_block: "whole\n" }] },
    { target_file: "deep/er/c", operations: [{ type: "create", content_block: "new\n" }] },
  ],
});

const pack = ({ host }: ActionWorld) => called(["gc", "--pack"], host);
const putLog = ({ put, log }: ActionWorld) => put(log);

/** Sets the time of every file of the store back by two days. */
export function age({ path }: Store): void {
  const old = Date.now() / 1000 - 2 * 86_400;
  for (const name of readdirSync(path, { recursive: true }) as string[]) {
    utimesSync(join(path, name), old, old);
  }
}

/** Writes to the user's files. */
export const WRITES: readonly Action[] = [
  {
    name: "to-file write",
    words: ["to-file", "fd:1", "f", "--lines", "1-2"],
    before: { "f": OLD },
    after: () => ({ "f": LOG_LINE.repeat(2) }),
  },
  {
    name: "to-file append",
    words: ["to-file", "fd:1", "f", "--lines", "1-1", "--mode", "append"],
    before: { "f": OLD },
    after: () => ({ "f": OLD + LOG_LINE }),
  },
  {
    name: "to-file insert",
    words: ["to-file", "fd:1", "f", "--lines", "7-7", "--mode", "insert", "--at-line", "2"],
    before: { "f": OLD },
    after: () => ({ "f": `old\n${LOG_LINE}lines\n` }),
  },
  {
    name: "to-file create",
    words: ["to-file", "fd:1", "new/er/f", "--lines", "1-1", "--no-exist-ok"],
    after: () => ({ "new/": "", "new/er/": "", "new/er/f": LOG_LINE }),
  },
  {
    name: "edit",
    words: ["edit", "f", "--old", "lines", "--new", "words"],
    before: { "f": OLD },
    after: () => ({ "f": "old\nwords\n" }),
  },
  {
    name: "plan apply",
    words: ["plan", "apply", "plan.json"],
    before: { "a": OLD, "b": OLD, "plan.json": PLAN },
    after: () => ({
      "a": OLD + "more\n",
      "a.bak": OLD,
      "b": "whole\n",
      "deep/": "",
      "deep/er/": "",
      "deep/er/c": "new\n",
      "plan.json": PLAN,
    }),
  },
];

/** All actions. */
export const ACTIONS: readonly Action[] = [
  {
    name: "capture",
    isLong: true,
    words: ["capture", "--name", "n"],
    stdin: (log) => log,
    run({ store, log }) {
      const put = beginPut(store, { source: "soak" });
      try {
        put.write(log);
        return Promise.resolve(put.seal().state === "sealed");
      } catch (thrown) {
        giveUpPut(put);
        throw thrown;
      }
    },
  },
  {
    name: "durable capture with a name",
    words: ["capture", "--always", "--durable", "--name", "n"],
    stdin: () => SMALL,
    run({ store }) {
      const { state } = putBytes(store, SMALL, { source: "soak", durable: true, names: ["n"] });
      return Promise.resolve(state === "sealed");
    },
  },
  ...WRITES,
  {
    name: "to-file write, all",
    isLong: true,
    words: ["to-file", "fd:1", "f"],
    before: { "f": LONG_OLD },
    after: (log) => ({ "f": log }),
  },
  {
    name: "to-file append, all",
    isLong: true,
    words: ["to-file", "fd:1", "f", "--mode", "append"],
    before: { "f": LONG_OLD },
    after: (log) => ({ "f": LONG_OLD + log }),
  },
  {
    name: "undo",
    words: ["undo"],
    // The edit has made it so.
    before: { "f": "young\nlines\n" },
    after: () => ({ "f": OLD }),
    prepare({ files, host }) {
      writeFileSync(join(files, "f"), OLD);
      return called(["edit", "f", "--old", "old", "--new", "young"], host);
    },
  },
  {
    name: "gc",
    words: ["gc"],
    env: (log) => ({ FDTOOL_QUOTA: String(Math.floor(log.length * 2.5)) }),
    prepare(world) {
      const { store } = world;
      for (let n = 0; n < 3; n++) putLog(world);
      putBytes(store, SMALL, { source: "soak", names: ["kept"] });
      const litter = join(store.path, "v2", "tmp", "content-1-old");
      writeFileSync(litter, "litter");
      utimesSync(litter, 1, 1);
    },
    removes: (id) => id < 5,
  },
  { name: "rm", words: ["rm", "fd:1"], removes: (id) => id === 1 },
  {
    name: "name",
    words: ["name", "fd:1", "n"],
    prepare: ({ store }) => putBytes(store, SMALL, { source: "soak", names: ["n"] }),
  },
  { name: "extract", words: ["read", "fd:1", "--lines", "1-4000", "--extract"] },
  {
    name: "verify",
    words: ["verify"],
    prepare(world) {
      putLog(world);
      Deno.removeSync(join(world.store.path, "v2", "fds", "0000", "1.idx"));
    },
  },
  {
    name: "a sweep that packs",
    isLong: true,
    words: ["capture", "--always"],
    stdin: () => SMALL,
    async prepare({ store, put }) {
      put(LARGE_LOG);
      // The first sweep of a store only dates it.
      await sweepSometimes(store, Date.now());
      age(store);
    },
    async run({ store }) {
      return ((await sweepSometimes(store, Date.now()))?.packing?.packedCount ?? 0) > 0;
    },
  },
];

/** Packing and what undoes it. */
export const PACKINGS: readonly Action[] = [
  { name: "gc --pack", isLong: true, words: ["gc", "--pack"], prepare: putLog },
  {
    name: "gc --pack that shares",
    isLong: true,
    words: ["gc", "--pack"],
    prepare: async (world) => [await pack(world), putLog(world)],
  },
  { name: "path of a packed fd", words: ["path", "fd:1"], prepare: pack },
  {
    name: "gc --pack after path",
    words: ["gc", "--pack"],
    prepare: async (world) => [await pack(world), await called(["path", "fd:1"], world.host)],
  },
  { name: "gc --pack --plan", words: ["gc", "--pack", "--plan"], prepare: putLog },
  {
    name: "rm of packed content",
    words: ["rm", "fd:2"],
    prepare: async (world) => [putLog(world), await pack(world)],
    removes: (id) => id === 2,
  },
];

/** Writes the files and fds that an action begins with; returns the contents of the fds. */
export async function prepareAction(world: ActionWorld, action: Action): Promise<Map<number, Uint8Array>> {
  for (const [name, text] of Object.entries(action.before ?? {})) {
    writeFileSync(join(world.files, name), text);
  }
  putLog(world);
  const first = contentOr(world.store, 1);
  must(
    typeof first !== "string" && sameBytes(first.bytes, world.log),
    () => `${action.name}: fd:1 is not the log`,
  );
  await action.prepare?.(world);
  return new Map(
    listFds(world.store).map(({ id }) => {
      const held = contentOr(world.store, id);
      must(typeof held !== "string", () => `${action.name}: fd:${id} is ${held} before it`);
      return [id, held.bytes];
    }),
  );
}

/** Runs the action inside this process; returns whether it succeeded. */
export async function runInside(world: ActionWorld, { words, env, run }: Action): Promise<boolean> {
  if (run !== undefined) return await run(world);
  const host = { ...world.host, env: { ...world.host.env, ...env?.(world.log) } };
  return (await called(words, host)).outcome?.exitCode === 0;
}

/** Files as text, in order. */
export function sorted(files: Files): string {
  return JSON.stringify(Object.entries(files).sort(([one], [other]) => one < other ? -1 : 1));
}

/** Whether the files are `before` the action or `after` it; throws if they are neither. */
export function sideOf(
  now: Files,
  { before = {}, after }: Action,
  log: Uint8Array,
  about: string,
): "before" | "after" {
  const wanted = after?.(new TextDecoder().decode(log)) ?? before;
  if (sorted(now) === sorted(wanted)) return "after";
  must(
    sorted(now) === sorted(before),
    () => `${about}: neither before nor after: ${sorted(now).slice(0, 2000)}`,
  );
  return "before";
}

/**
 * Recovers what an action left, and throws unless the files are all before it or all after it (after, if it succeeded),
 * every fd of before is there, others are right, and the store is valid and takes more. `isLitter` names files that the
 * fault itself may leave.
 */
export async function assertHeld(
  world: ActionWorld,
  action: Action,
  { held, about, succeeded, isLitter = () => false }: {
    held: ReadonlyMap<number, Uint8Array>;
    about: string;
    succeeded: boolean;
    isLitter?: ((name: string, files: Files) => boolean) | undefined;
  },
): Promise<void> {
  const { store, log } = world;
  openStore(store.path);
  passTime(store);
  for (const { transaction } of openTransactions(store, Date.now())) {
    await recoverTransaction(store, transaction.id);
  }
  const files = seen(world.files);
  const now = Object.fromEntries(Object.entries(files).filter(([name]) => !isLitter(name, files)));
  const side = sideOf(now, action, log, about);
  must(!succeeded || side === "after", () => `${about}: it said that it went well`);
  await assertValidStore(store, about);
  const texts = [log, LARGE_LOG, SMALL, ...Object.values(action.before ?? {}).map(bytesOf)];
  const left = new Set<number>();
  for (const { id } of listFds(store)) {
    const fd = contentOr(store, id);
    must(typeof fd !== "string", () => `${about}: fd:${id} is ${fd}`);
    left.add(id);
    const isAs = (text: Uint8Array) =>
      sameBytes(fd.bytes, fd.state === "sealed" ? text : text.subarray(0, fd.bytes.length));
    const before = held.get(id);
    const isRight = before !== undefined ? isAs(before) : texts.some(isAs) ||
      // A slice of the log, and the stored plan.
      isAs(log.subarray(0, 4000 * LOG_LINE.length)) || /"intent":|three files/.test(latin1(fd.bytes));
    must(isRight, () => `${about}: fd:${id} (${fd.state}) holds ${fd.bytes.length} other bytes`);
  }
  for (const id of held.keys()) {
    must(action.removes?.(id) === true || left.has(id), () => `${about}: fd:${id} is gone`);
  }
  mustTakeMore(store, SMALL, about);
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
