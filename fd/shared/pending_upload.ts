/**
 * Notes about fds that are not shared yet (SHARED.md, "Pending files"): logs that each step is written to
 * before its request is sent, each with the process that works on it.
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { unlinkIfExists } from "../disk/file_calls.ts";
import {
  appendCheckedLine,
  readCheckedLines,
  readCheckedLog,
  writeCheckedLine,
} from "../store/checked_log.ts";
import { thisWriter, writerFate, type WriterIdentity } from "../store/writer_identity.ts";
import { bytesOfHex, hexOf } from "./shared_keys.ts";

/** An fd to be shared, and how far that is. */
export interface PendingUpload {
  /** 32 hex digits: the file's name, and the nonce of the first claim. */
  readonly name: string;
  /** The id in the local store, whose files are uploaded. */
  readonly localId: number;
  /** The id of `off/` that the fd has; undefined if it gets one from the store. */
  readonly offlineId: number | undefined;
  /** The nonce of the claim. */
  readonly nonce: Uint8Array;
  /** The newest id tried whose claim is not settled. */
  readonly triedId: number | undefined;
  /** All ids tried. */
  readonly triedIds: readonly number[];
  readonly claimedId: number | undefined;
  noteTry(id: number): void;
  noteClaimed(id: number): void;
  /**
   * Notes that the claimed fd is lost, so that the content is published as a new fd, whose claim has `nonce`. Its id is
   * given by the store, also if the lost one was of `off/`.
   */
  startAgain(nonce: Uint8Array): void;
  /** Notes that the fd has an id of `off/`, since no claim was answered in time. */
  goOffline(id: number): void;
  /** Gives the note up, if it was owned, so that another process can take it over while this one goes on. */
  release(): void;
  /** Deletes the note: the fd is shared. */
  end(): void;
}

type Line =
  | { event: "start"; local: number; offline?: number | undefined }
  | { event: "try"; id: number }
  | { event: "claimed"; id: number }
  | { event: "again"; nonce: string }
  | { event: "offline"; id: number };

/** An owner file that is still empty belongs to a process that is about to write it, if it is younger than this. */
const UNSAID_MS = 2000;

/** Notes that local fd `localId` is to be shared. This process owns the note. */
export function startPending(
  directory: string,
  nonce: Uint8Array,
  { localId, offlineId }: { localId: number; offlineId?: number | undefined },
): PendingUpload {
  const name = hexOf(nonce);
  try {
    makePrivateDirectories(directory);
    own(directory, name, 0);
    const file = openPrivate(
      `${directory}/${name}`,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW,
    );
    try {
      writeCheckedLine(file, { event: "start", local: localId, offline: offlineId } satisfies Line);
    } finally {
      disk.close(file);
    }
  } catch (thrown) {
    if (thrown instanceof FdError) throw thrown;
    fail(failureOfSystem(thrown, "write", "note an upload", `${directory}/${name}`));
  }
  return pendingAt(directory, name, 0) ??
    fail({ kind: "read_error", path: `${directory}/${name}`, action: "note an upload", code: "ENOENT" });
}

/** Returns the names of all notes in `directory`. */
export function listPending(directory: string): string[] {
  return namesIn(directory).filter((name) => /^[0-9a-f]{32}$/.test(name));
}

/** Reads a note without owning it; undefined if it does not exist, or has no valid start. */
export function readPending(directory: string, name: string): PendingUpload | undefined {
  return pendingAt(directory, name);
}

/**
 * A process that is alive, and gives a note away: the one that started this one, or this one itself, which had started
 * another. A caller that waits for the answer stays an owner meanwhile, so that no third process gives the fd an id that
 * the caller does not hear of.
 */
export type Giver = "parent" | "self";

/** Whether a process that is alive works on a note, and does not give it away. */
export function isOwned(directory: string, name: string, giver?: Giver): boolean {
  return turnsOf(directory, name).some((turn) => isKept(`${directory}/${name}.${turn}`, giver));
}

/** Takes over a note all of whose owners have ended, or give it away. Returns undefined if not, or if the note is gone. */
export function takeOverPending(directory: string, name: string, giver?: Giver): PendingUpload | undefined {
  if (isOwned(directory, name, giver)) return undefined;
  const turn = Math.max(-1, ...turnsOf(directory, name)) + 1;
  try {
    own(directory, name, turn);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST" || systemCode(thrown) === "ENOENT") return undefined;
    fail(failureOfSystem(thrown, "write", "take over an upload", `${directory}/${name}`));
  }
  const pending = pendingAt(directory, name, turn);
  // Ended between the two looks, or its writer was killed within the first line.
  if (pending === undefined) endPending(directory, name);
  return pending;
}

/** The turns of the owners of a note. */
function turnsOf(directory: string, name: string): number[] {
  return namesIn(directory).filter((each) => each.startsWith(`${name}.`))
    .map((each) => Number(each.slice(name.length + 1))).filter(Number.isSafeInteger);
}

/** Creates the owner file of one turn; throws EEXIST if another process has it. */
function own(directory: string, name: string, turn: number): void {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW;
  const file = openPrivate(`${directory}/${name}.${turn}`, flags);
  try {
    writeCheckedLine(file, thisWriter());
  } finally {
    disk.close(file);
  }
}

/** Whether the owner in a file is alive, and not the giver. */
function isKept(path: string, giver: Giver | undefined): boolean {
  const bytes = readCheckedLog(path, "an upload");
  if (bytes === undefined) return false;
  let owner: WriterIdentity | undefined;
  readCheckedLines(bytes, (value) => {
    owner = value as WriterIdentity | undefined;
  });
  const giverPid = giver === "parent" ? process.ppid : giver === "self" ? process.pid : undefined;
  if (owner !== undefined) return owner.pid !== giverPid && writerFate(owner) === "alive";
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < UNSAID_MS;
}

/** Reads a note. `turn` is that of this process if it owns the note. */
function pendingAt(directory: string, name: string, turn?: number): PendingUpload | undefined {
  const path = `${directory}/${name}`;
  const bytes = readCheckedLog(path, "an upload");
  if (bytes === undefined) return undefined;
  const state = {
    localId: 0,
    offlineId: undefined as number | undefined,
    nonce: bytesOfHex(name),
    triedIds: [] as number[],
    claimedId: undefined as number | undefined,
  };
  const take = (line: Line) => {
    if (line.event === "start") Object.assign(state, { localId: line.local, offlineId: line.offline });
    else if (line.event === "try") state.triedIds.push(line.id);
    else if (line.event === "claimed") state.claimedId = line.id;
    else if (line.event === "offline") state.offlineId = line.id;
    else {Object.assign(state, {
        nonce: bytesOfHex(line.nonce),
        triedIds: [],
        claimedId: undefined,
        offlineId: undefined,
      });}
  };
  readCheckedLines(bytes, (value) => {
    if (value !== undefined) take(value as Line);
  });
  if (state.localId === 0) return undefined;
  const note = (line: Line) => {
    appendCheckedLine(path, line, false);
    take(line);
  };
  return {
    name,
    get localId() {
      return state.localId;
    },
    get offlineId() {
      return state.offlineId;
    },
    get nonce() {
      return state.nonce;
    },
    get triedId() {
      return state.triedIds.at(-1);
    },
    get triedIds() {
      return state.triedIds;
    },
    get claimedId() {
      return state.claimedId;
    },
    noteTry: (id) => {
      if (state.triedIds.at(-1) !== id) note({ event: "try", id });
    },
    noteClaimed: (id) => note({ event: "claimed", id }),
    startAgain: (nonce) => note({ event: "again", nonce: hexOf(nonce) }),
    goOffline: (id) => note({ event: "offline", id }),
    release() {
      if (turn !== undefined) unlinkIfExists(`${directory}/${name}.${turn}`);
    },
    end: () => endPending(directory, name),
  };
}

/** Deletes a note and its owner files, the newest last, so that no process takes an earlier one for the owner. */
function endPending(directory: string, name: string): void {
  unlinkIfExists(`${directory}/${name}`);
  for (const turn of turnsOf(directory, name).sort((a, b) => a - b)) {
    unlinkIfExists(`${directory}/${name}.${turn}`);
  }
}

function namesIn(directory: string): string[] {
  try {
    return disk.readdir(directory) as string[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return [];
    return fail(failureOfSystem(thrown, "read", "list", directory));
  }
}
