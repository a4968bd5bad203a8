/**
 * A model of fdtool that is simple enough to check by reading: fds, names and the user's files are maps, the journal and
 * the questions are lists. It says what every call of a walk must return.
 */

import { Buffer } from "node:buffer";
import { type Model, model } from "../../tests/model.ts";
import { must, sameBytes } from "./inner_world.ts";

/** The expected state of an fd. */
export interface KnownFd {
  id: number;
  bytes: Uint8Array;
  pageSize: number;
  /** `backup`, `plan` and `inquiry` are fdtool's own; the rest is "content". */
  source: string;
  state: "sealed" | "incomplete";
  /** An imported fd is never a backup, whatever its source says. */
  isImported: boolean;
}

/** One file that a step of the journal changed. `backup` is undefined if the old content is a prefix of the new. */
export interface FileChange {
  path: string;
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  backup: number | undefined;
}

/** A change that a call must make. */
export interface PlannedChange {
  path: string;
  after: Uint8Array | undefined;
  /** Whether the old content stays as the beginning of the new, so that no backup is needed. */
  isPrefix?: boolean;
}

/** A step of the journal. */
export interface KnownStep {
  id: number;
  changes: readonly FileChange[];
  undoes: number | undefined;
  state: "done" | "rolled back";
}

/** A question of `create`. */
export interface KnownQuestion {
  id: number;
  path: string;
  /** The file when it was asked. */
  file: Uint8Array | undefined;
  state: "open" | "closed";
}

/** The expected state of the store and of the user's files. */
export interface WalkModel {
  fds: Map<number, KnownFd>;
  removed: Set<number>;
  names: Map<string, number>;
  files: Map<string, Uint8Array>;
  steps: KnownStep[];
  questions: Map<number, KnownQuestion>;
  highestFd: number;
  highestQuestion: number;
  highestStep: number;
  /** Whether the next id must be the highest one plus 1: not while several processes write, nor after a kill. */
  isOrdered: boolean;
}

/** The model of a fresh store and an empty directory. */
export function emptyModel(): WalkModel {
  return {
    fds: new Map(),
    removed: new Set(),
    names: new Map(),
    files: new Map(),
    steps: [],
    questions: new Map(),
    highestFd: 0,
    highestQuestion: 0,
    highestStep: 0,
    isOrdered: true,
  };
}

const parts = new WeakMap<KnownFd, Model>();

/** The chars, lines and pages of an fd. */
export function partsOf(fd: KnownFd): Model {
  let taken = parts.get(fd);
  if (taken === undefined) parts.set(fd, taken = model(fd.bytes, fd.pageSize));
  return taken;
}

/** How answers state the size of an fd. */
export function sizesOf(fd: KnownFd): Readonly<Record<string, number>> {
  const { charCount, lines, pages } = partsOf(fd);
  return { bytes: fd.bytes.length, chars: charCount, total_lines: lines.length, pages: pages.length };
}

/** The number in a handle such as `fd:12`. */
export function numberOf(handle: unknown, family: string): number {
  const found = typeof handle === "string" ? /^([a-z]+):([1-9][0-9]*)$/.exec(handle) : null;
  must(found?.[1] === family, () => `no handle of ${family}: ${JSON.stringify(handle)}`);
  return Number(found[2]);
}

function nextNumber(known: WalkModel, handle: unknown, family: string, highest: number): number {
  const id = numberOf(handle, family);
  must(
    known.isOrdered ? id === highest + 1 : id > 0,
    () => `${handle} does not follow ${family}:${highest}`,
  );
  return id;
}

/** Adds a new fd. */
export function addFd(
  known: WalkModel,
  handle: unknown,
  bytes: Uint8Array,
  more: Partial<KnownFd> = {},
): KnownFd {
  const id = nextNumber(known, handle, "fd", known.highestFd);
  must(!known.fds.has(id) && !known.removed.has(id), () => `fd:${id} was given twice`);
  const fd: KnownFd = {
    pageSize: 4000,
    source: "content",
    state: "sealed",
    isImported: false,
    ...more,
    id,
    bytes,
  };
  known.fds.set(id, fd);
  known.highestFd = Math.max(known.highestFd, id);
  return fd;
}

/** Adds a step to the journal. */
export function addStep(
  known: WalkModel,
  handle: unknown,
  changes: readonly FileChange[],
  undoes?: number,
): void {
  const id = nextNumber(known, handle, "tx", known.highestStep);
  must(!known.steps.some((step) => step.id === id), () => `tx:${id} was given twice`);
  known.steps.push({ id, changes, undoes, state: "done" });
  known.steps.sort((one, other) => one.id - other.id);
  known.highestStep = Math.max(known.highestStep, id);
}

/** The change of a file to `after` by a call that names this backup, which becomes an fd. */
export function changeWith(
  known: WalkModel,
  { path, after, isPrefix = false }: PlannedChange,
  backup: unknown,
): FileChange {
  const before = known.files.get(path);
  const isKept = before !== undefined && !isPrefix;
  must((backup !== undefined) === isKept, () => `the backup of ${path} is ${backup}`);
  const fd = isKept ? addFd(known, backup, before, { source: "backup" }) : undefined;
  return { path, before, after, backup: fd?.id };
}

/** Adds a question. */
export function addQuestion(known: WalkModel, handle: unknown, path: string): void {
  const id = nextNumber(known, handle, "inq", known.highestQuestion);
  must(!known.questions.has(id), () => `inq:${id} was given twice`);
  known.questions.set(id, { id, path, file: known.files.get(path), state: "open" });
  known.highestQuestion = Math.max(known.highestQuestion, id);
}

/** Sets or removes a file. */
export function setFile(known: WalkModel, path: string, bytes: Uint8Array | undefined): void {
  if (bytes === undefined) known.files.delete(path);
  else known.files.set(path, bytes);
}

/** The newest step in effect (of a file): done, not itself an undo, and not undone. */
export function newestInEffect(known: WalkModel, path?: string): KnownStep | undefined {
  const undone = new Set<number>();
  for (const step of [...known.steps].reverse()) {
    if (step.state !== "done") continue;
    if (step.undoes !== undefined) {
      if (!undone.has(step.id)) undone.add(step.undoes);
      continue;
    }
    if (undone.has(step.id)) continue;
    if (path === undefined || step.changes.some((change) => change.path === path)) return step;
  }
  return undefined;
}

/** The state that `log` shows for each step. */
export function stepStates(known: WalkModel): Map<number, string> {
  const undone = new Set<number>();
  const states = new Map<number, string>();
  for (const { id, undoes, state } of [...known.steps].reverse()) {
    if (undoes !== undefined && state === "done" && !undone.has(id)) undone.add(undoes);
    states.set(id, undone.has(id) ? "undone" : state);
  }
  return states;
}

/** Whether two files have the same content, or neither exists. */
export function sameFile(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : sameBytes(one, other);
}

/**
 * The fds that `gc` removes for a quota: the oldest that are unnamed and no step needs, until the rest fits. The content of
 * those in `twice` is in a plain file, too, which counts.
 */
export function overQuota(known: WalkModel, quota: number, twice: ReadonlySet<number> = new Set()): number[] {
  const named = new Set(known.names.values());
  const bytesOf = ({ id, bytes }: KnownFd) => bytes.length * (twice.has(id) ? 2 : 1);
  let held = [...known.fds.values()].reduce((sum, fd) => sum + bytesOf(fd), 0);
  const taken: number[] = [];
  for (const fd of [...known.fds.values()].sort((a, b) => a.id - b.id)) {
    const { id, bytes, source, isImported } = fd;
    if (held <= quota || named.has(id) || bytes.length === 0) continue;
    if ((source === "backup" || source === "plan") && !isImported) continue;
    taken.push(id);
    held -= bytesOf(fd);
  }
  return taken;
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
