/**
 * A model of fdtool for walks, simple enough to check by reading: fds, names and the user's files are maps, the journal is a
 * list. A call is planned together with its effect, and what is there afterwards must be the model with that effect; after
 * a kill, with or without it.
 */

import { Buffer } from "node:buffer";
import { joinBytes } from "../../fd/system.ts";
import { type Model, model } from "../../tests/model.ts";
import { jsonBytes } from "../../tests/read_answer.ts";
import { assertBytes } from "../../tests/store_calls.ts";
import { must, sameBytes, seen } from "./inner_world.ts";
import type { Answer, Caller, Json } from "./walk_callers.ts";

/** An fd as it must be. */
export interface KnownFd {
  id: number;
  bytes: Uint8Array;
  pageSize: number;
  state: string;
  /** Whether it is the plan of a step, which needs it. */
  isPlan?: boolean;
}

/** A write in the journal: the content of each file before and after it; undefined if there is none. */
export interface KnownStep {
  id: number;
  changes: ReadonlyMap<string, { before: Uint8Array | undefined; after: Uint8Array | undefined }>;
  undoes: number | undefined;
}

/** An fd that a call makes: one of any content if `bytes` is undefined. */
export interface NewFd {
  bytes?: Uint8Array;
  pageSize?: number;
  name?: string | undefined;
  /** Whether it may be missing. */
  isOptional?: boolean;
}

/** The changes of a call. All of `files` change, or none. */
export interface Effect {
  fds?: readonly NewFd[];
  files?: ReadonlyMap<string, Uint8Array | undefined>;
  undoes?: number;
  names?: ReadonlyMap<string, number>;
  removes?: readonly number[];
}

/** The expected state of the store and of the user's files. */
export class WalkModel {
  readonly fds = new Map<number, KnownFd>();
  readonly removed = new Set<number>();
  readonly names = new Map<string, number>();
  readonly files = new Map<string, Uint8Array>();
  readonly steps: KnownStep[] = [];
  highestId = 0;
  /** Whether a claim without a record may have taken ids. */
  hasGaps = false;

  /** Sets files, and adds the step that the journal has of it. */
  write(tx: unknown, files: ReadonlyMap<string, Uint8Array | undefined>, undoes?: number): void {
    const changes = [...files].map(([path, after]) =>
      [path, { before: this.files.get(path), after }] as const
    );
    const id = numberOf(tx, "tx");
    must(this.hasGaps || id > (this.steps.at(-1)?.id ?? 0), () => `${tx} is not after the step before`);
    this.steps.push({ id, changes: new Map(changes), undoes });
    this.steps.sort((one, other) => one.id - other.id);
    for (const [path, after] of files) this.setFile(path, after);
  }

  setFile(path: string, after: Uint8Array | undefined): void {
    if (after === undefined) this.files.delete(path);
    else this.files.set(path, after);
  }

  /** The steps that were undone, by undos that were not undone themselves. */
  undone(): Set<number> {
    const undone = new Set<number>();
    for (const { id, undoes } of this.steps.toReversed()) {
      if (undoes !== undefined && !undone.has(id)) undone.add(undoes);
    }
    return undone;
  }
}

const models = new WeakMap<KnownFd, Model>();

/** The chars, lines and pages of an fd. */
export function partsOf(fd: KnownFd): Model {
  if (!models.has(fd)) models.set(fd, model(fd.bytes, fd.pageSize));
  return models.get(fd)!;
}

/** How answers state the size of an fd. */
export function sizesOf(fd: KnownFd): Json {
  const { charCount, lines, pages } = partsOf(fd);
  return { bytes: fd.bytes.length, chars: charCount, total_lines: lines.length, pages: pages.length };
}

/** The number in a handle such as `fd:12`. */
export function numberOf(handle: unknown, family: string): number {
  const found = /^([a-z]+):([1-9][0-9]*)$/.exec(String(handle));
  must(found?.[1] === family, () => `not a handle of ${family}: ${JSON.stringify(handle)}`);
  return Number(found[2]);
}

/** Throws unless `json` has these fields with these values; undefined means absent. */
export function mustSay(json: Json, fields: Json): void {
  for (const [field, wanted] of Object.entries(fields)) {
    const [got, right] = [json[field], wanted].map((value) => JSON.stringify(value));
    must(got === right, () => `${field} is ${got}, wanted ${right}: ${JSON.stringify(json).slice(0, 400)}`);
  }
}

/** Throws unless both have the same members, in any order. */
function mustMatch(what: string, got: readonly unknown[], wanted: Iterable<unknown>): void {
  const [one, other] = [got, [...wanted]].map((each) => each.map(String).sort().join());
  must(one === other, () => `${what}: ${one}, wanted ${other}`);
}

/** Reads all bytes of an fd. */
export async function fetchFd(caller: Caller, id: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let given: Json | undefined = { fd: `fd:${id}`, read_all: true, exact: true };
  while (given !== undefined) {
    const json: Json = await caller.ask("read_fd", given);
    pieces.push(jsonBytes(json));
    const { next } = json;
    given = typeof next === "string" ? JSON.parse(next.slice("read_fd ".length)) : undefined;
  }
  return joinBytes(pieces);
}

/**
 * Compares what is there after calls with the model, and takes it over. `done` are the effects of calls that answered,
 * `killed` those of calls that may have happened.
 */
export async function settle(
  known: WalkModel,
  caller: Caller,
  done: readonly (readonly [effect: Effect, answer: Answer])[],
  killed: readonly Effect[],
): Promise<void> {
  const effects = [...done.map(([effect]) => effect), ...killed];
  if (killed.length > 0) {
    mustHoldFiles(known, caller, effects);
    await caller.run("recover");
    known.hasGaps = true;
  }
  const bound = await settleFds(known, caller, done.map(([effect]) => effect), killed);
  for (const [{ files, undoes }, { json }] of done) {
    if (files !== undefined) known.write(json?.["tx"], files, undoes);
  }
  if (killed.some(({ files }) => files !== undefined)) {
    const { steps } = await caller.run("log", "--limit", "20");
    for (const effect of killed) settleKilledWrite(known, caller, effect, steps as Json[]);
  }
  for (const { names = [] } of effects) {
    for (const [name, id] of names) bound.set(name, [...bound.get(name) ?? [], id]);
  }
  if (bound.size > 0) await settleNames(known, caller, bound, killed.length > 0);
  mustHoldFiles(known, caller, []);
}

/** Finds the new fds and those that are gone. Returns the ids that each name may be bound to. */
async function settleFds(
  known: WalkModel,
  caller: Caller,
  done: readonly Effect[],
  killed: readonly Effect[],
): Promise<Map<string, number[]>> {
  const bound = new Map<string, number[]>();
  const all = done.flatMap(({ fds = [] }) => fds);
  const wanted = all.filter(({ isOptional }) => isOptional !== true);
  const allowed = [
    ...all.filter(({ isOptional }) => isOptional === true),
    ...killed.flatMap(({ fds = [] }) => fds),
  ];
  const gone = done.flatMap(({ removes = [] }) => removes);
  const perhapsGone = killed.flatMap(({ removes = [] }) => removes);
  const doesRemove = gone.length + perhapsGone.length > 0;
  const count = wanted.length + allowed.length;
  if (count === 0 && !doesRemove) return bound;
  const entries = doesRemove
    ? (await caller.run("ls", "--all"))["fds"] as Json[]
    : (await caller.ask("list_fds", { limit: count + 8 }))["fds"] as Json[];
  const listed = new Map(entries.map((entry) => [numberOf(entry["fd"], "fd"), entry]));
  for (const id of gone) must(!listed.has(id), () => `fd:${id} was removed, and is listed`);
  for (const id of [...gone, ...perhapsGone.filter((each) => !listed.has(each))]) {
    known.fds.delete(id);
    known.removed.add(id);
  }
  const fresh = [...listed].filter(([id]) => !known.fds.has(id)).sort(([one], [other]) => one - other);
  for (const [id, { state }] of fresh) {
    must(!known.removed.has(id), () => `fd:${id} was removed, and is listed`);
    must(
      known.hasGaps || id === known.highestId + 1,
      () => `fd:${id} is not the next after fd:${known.highestId}`,
    );
    const bytes = await fetchFd(caller, id);
    const isWhole = ({ bytes: right }: NewFd) => right !== undefined && sameBytes(right, bytes);
    const isStart = ({ bytes: right }: NewFd) =>
      right === undefined || sameBytes(right.subarray(0, bytes.length), bytes);
    const isSealed = state === "sealed";
    const found = isSealed && (take(wanted, isWhole) ?? take(wanted, (fd) => fd.bytes === undefined)) ||
      take(allowed, isSealed ? (fd) => fd.bytes === undefined || isWhole(fd) : isStart);
    must(
      found !== undefined && (isSealed || state === "incomplete"),
      () =>
        `fd:${id} (${state}) is of no call: ${bytes.length} bytes, ${
          JSON.stringify(latin1(bytes.subarray(0, 80)))
        }`,
    );
    known.fds.set(id, {
      id,
      bytes,
      pageSize: found.pageSize ?? 4000,
      state: String(state),
      isPlan: found.bytes === undefined,
    });
    known.highestId = Math.max(id, known.highestId);
    if (found.name !== undefined) bound.set(found.name, [...bound.get(found.name) ?? [], id]);
  }
  must(
    wanted.length === 0,
    () => `${wanted.length} fds are missing: ${JSON.stringify(wanted).slice(0, 300)}`,
  );
  if (killed.length > 0) {
    const missing = await caller.call("read_fd", { fd: "fd:999999999" });
    const highest = Number(missing.json?.["highest_id"]);
    must(highest >= known.highestId, () => `the highest id is fd:${highest}, lower than was answered`);
    known.highestId = highest;
  }
  return bound;
}

/** Removes the first of `things` that fits, and returns it. */
function take<T>(things: T[], fits: (thing: T) => boolean): T | undefined {
  const at = things.findIndex(fits);
  return at === -1 ? undefined : things.splice(at, 1)[0];
}

/** A write that was killed and recovered: its files are all new, with a step in the journal, or all old. */
function settleKilledWrite(
  known: WalkModel,
  caller: Caller,
  { files, undoes }: Effect,
  log: readonly Json[],
): void {
  if (files === undefined) return;
  const now = filesIn(caller);
  const isNew = [...files].every(([path, after]) => sameFile(now.get(path), after));
  const isOld = [...files.keys()].every((path) => sameFile(now.get(path), known.files.get(path)));
  const paths = [...files.keys()].sort();
  must(isNew || isOld, () => `after a kill, some are old and some new: ${paths.join(", ")}`);
  const step = log.find(({ tx, state, paths: reported }) =>
    (state === "done" || state === "recovered") && !known.steps.some(({ id }) => id === numberOf(tx, "tx")) &&
    (reported as string[]).length === paths.length &&
    (reported as string[]).toSorted().every((path, at) => path.endsWith(paths[at]!))
  );
  if (step === undefined) {
    return must(isOld, () => `${paths.join(", ")} changed, and the journal knows of no step`);
  }
  must(isNew, () => `${step["tx"]} is ${step["state"]}, and the files are old`);
  known.write(step["tx"], files, undoes);
}

async function settleNames(
  known: WalkModel,
  caller: Caller,
  bound: ReadonlyMap<string, readonly number[]>,
  mayBeOld: boolean,
): Promise<void> {
  const { refs } = await caller.ask("list_refs", {});
  const listed = new Map((refs as Json[]).map(({ id, fd }) => [String(id).slice(4), numberOf(fd, "fd")]));
  for (const [name, ids] of bound) {
    const now = listed.get(name);
    const isOld = mayBeOld && now === known.names.get(name);
    must(
      isOld || (now !== undefined && ids.includes(now)),
      () => `ref:${name} is fd:${now}, wanted one of ${ids}`,
    );
    if (now !== undefined) known.names.set(name, now);
  }
}

/** The user's files by path. */
function filesIn({ world }: Caller): Map<string, Uint8Array> {
  const files = Object.entries(seen(world.dir)).filter(([path]) => !path.endsWith("/"));
  return new Map(files.map(([path, text]) => [path, fromLatin1(text)]));
}

/** Throws unless the user's files equal the model's, or have the content that one of `killed` gives them. */
function mustHoldFiles(known: WalkModel, caller: Caller, killed: readonly Effect[]): void {
  const now = filesIn(caller);
  for (const path of new Set([...now.keys(), ...known.files.keys()])) {
    // What a killed write leaves beside a file is removed by `recover`.
    if (killed.length > 0 && path.includes(".fdtool-")) continue;
    const wanted = [
      known.files.get(path),
      ...killed.flatMap(({ files }) => files?.has(path) ? [files.get(path)] : []),
    ];
    must(
      wanted.some((each) => sameFile(each, now.get(path))),
      () => `${path} is ${JSON.stringify(now.get(path) && latin1(now.get(path)!)).slice(0, 300)}`,
    );
  }
}

/** Throws unless the store, its journal and the user's files equal the model's; reads `count` of the fds. */
export async function audit(known: WalkModel, caller: Caller, count = Infinity): Promise<void> {
  const { finding } = await caller.run("verify", "--all");
  const damage = (finding as Json[]).filter(({ problem, repaired }) =>
    repaired !== true && !["writer_died", "removal_unfinished", "name_dangling"].includes(String(problem))
  );
  must(damage.length === 0, () => `verify: ${JSON.stringify(damage)}`);
  const fds = (await caller.run("ls", "--all"))["fds"] as Json[];
  mustMatch("fds", fds.map(({ fd }) => fd), [...known.fds.keys()].map((id) => `fd:${id}`));
  for (const entry of fds) {
    const fd = known.fds.get(numberOf(entry["fd"], "fd"))!;
    mustSay(entry, { state: fd.state, ...sizesOf(fd) });
    const names = [...known.names].filter(([, id]) => id === fd.id).map(([name]) => name);
    mustMatch(`names of fd:${fd.id}`, entry["names"] as string[], names);
  }
  const removed = (await caller.run("ls", "--removed", "--all"))["fds"] as Json[];
  mustMatch("removed fds", removed.map(({ fd }) => numberOf(fd, "fd")), known.removed);
  for (const { id, bytes } of [...known.fds.values()].slice(-count)) {
    assertBytes(await fetchFd(caller, id), bytes, `fd:${id}`);
  }
  const steps = ((await caller.run("log", "--all"))["steps"] as Json[]).filter(({ state }) =>
    state !== "rolled back"
  );
  const undone = known.undone();
  mustMatch(
    "journal",
    steps.map(({ tx, state }) => `${tx} ${state === "recovered" ? "done" : state}`),
    known.steps.map(({ id }) => `tx:${id} ${undone.has(id) ? "undone" : "done"}`),
  );
  mustHoldFiles(known, caller, []);
}

/** Whether two files have the same content, or neither exists. */
export function sameFile(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameBytes(one, other);
}

/** Bytes as a string of one char per byte, so that string methods work on bytes. */
export function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** The bytes of such a string. */
export function fromLatin1(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

/** Text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
