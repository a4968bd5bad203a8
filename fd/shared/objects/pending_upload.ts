/**
 * Notes about fds that are not shared yet (SHARED.md, "Pending files"): logs that each step is written to
 * before its request is sent, each with the process that works on it.
 */

import { disk } from "../../disk/disk.ts";
import { attempt, fail, ifPossible } from "../../disk/errors.ts";
import { makePrivateDirectories, writePrivate } from "../../disk/private_files.ts";
import { namesIn, unlinkIfExists } from "../../disk/file_calls.ts";
import {
  appendCheckedLine,
  checkedLines,
  encodeCheckedLine,
  lastCheckedLine,
  readCheckedLog,
} from "../../store/checked_log.ts";
import { thisWriter, writerFate, type WriterIdentity } from "../../store/writer_identity.ts";
import { hexOf } from "../../bytes/utf8_bytes.ts";
import { bytesOfHex } from "./shared_keys.ts";

/** An fd to be shared, and how far that is. */
export type PendingUpload = NonNullable<ReturnType<typeof readPending>>;

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
  attempt("write", "note an upload", `${directory}/${name}`, () => {
    makePrivateDirectories(directory);
    own(directory, name, 0);
    const line: Line = { event: "start", local: localId, offline: offlineId };
    writePrivate(`${directory}/${name}`, encodeCheckedLine(line));
  });
  return readPending(directory, name, 0) ??
    fail({ kind: "read_error", path: `${directory}/${name}`, action: "note an upload", code: "ENOENT" });
}

/** Returns the names of all notes in `directory`. */
export function listPending(directory: string): string[] {
  return namesIn(directory).filter((name) => /^[0-9a-f]{32}$/.test(name));
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
  const take = () => (own(directory, name, turn), true);
  const path = `${directory}/${name}`;
  const isOwn = attempt("write", "take over an upload", path, () => ifPossible(take, "EEXIST", "ENOENT"));
  if (isOwn !== true) return undefined;
  const pending = readPending(directory, name, turn);
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
  writePrivate(`${directory}/${name}.${turn}`, encodeCheckedLine(thisWriter()));
}

/** Whether the owner in a file is alive, and not the giver. */
function isKept(path: string, giver: Giver | undefined): boolean {
  const owner = lastCheckedLine(readCheckedLog(path, "an upload")) as WriterIdentity | undefined;
  const giverPid = giver === "parent" ? process.ppid : giver === "self" ? process.pid : undefined;
  if (owner !== undefined) return owner.pid !== giverPid && writerFate(owner) === "alive";
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < UNSAID_MS;
}

/** Reads a note; undefined if it does not exist, or has no valid start. `turn` is that of this process if it owns the note. */
export function readPending(directory: string, name: string, turn?: number) {
  const path = `${directory}/${name}`;
  const bytes = readCheckedLog(path, "an upload");
  if (bytes === undefined) return undefined;
  const take = (line: Line) => {
    if (line.event === "start") Object.assign(pending, { localId: line.local, offlineId: line.offline });
    else if (line.event === "try") pending.triedIds.push(line.id);
    else if (line.event === "claimed") pending.claimedId = line.id;
    else if (line.event === "offline") pending.offlineId = line.id;
    else {
      const lost = { triedIds: [], claimedId: undefined, offlineId: undefined };
      Object.assign(pending, { nonce: bytesOfHex(line.nonce), ...lost });
    }
  };
  const note = (line: Line) => {
    appendCheckedLine(path, line, false);
    take(line);
  };
  const pending = {
    /** 32 hex digits: the file's name, and the nonce of the first claim. */
    name,
    /** The id in the local store, whose files are uploaded. */
    localId: 0,
    /** The id of `off/` that the fd has; undefined if it gets one from the store. */
    offlineId: undefined as number | undefined,
    /** The nonce of the claim. */
    nonce: bytesOfHex(name) as Uint8Array,
    /** All ids tried; the claim of the last may not be settled. */
    triedIds: [] as number[],
    claimedId: undefined as number | undefined,
    /** The id by which callers know the fd. */
    get id(): number {
      return pending.offlineId ?? pending.claimedId ?? pending.localId;
    },
    noteTry(id: number) {
      if (pending.triedIds.at(-1) !== id) note({ event: "try", id });
    },
    noteClaimed: (id: number) => note({ event: "claimed", id }),
    /**
     * Notes that the claimed fd is lost, so that the content is published as a new fd, whose claim has `nonce`. Its id is
     * given by the store, also if the lost one was of `off/`.
     */
    startAgain: (nonce: Uint8Array) => note({ event: "again", nonce: hexOf(nonce) }),
    /** Notes that the fd has an id of `off/`, since no claim was answered in time. */
    goOffline: (id: number) => note({ event: "offline", id }),
    /** Gives the note up, if it was owned, so that another process can take it over while this one goes on. */
    release() {
      if (turn !== undefined) unlinkIfExists(`${directory}/${name}.${turn}`);
    },
    /** Deletes the note: the fd is shared. */
    end: () => endPending(directory, name),
  };
  for (const { value } of checkedLines(bytes)) if (value !== undefined) take(value as Line);
  return pending.localId === 0 ? undefined : pending;
}

/** Deletes a note and its owner files, the newest last, so that no process takes an earlier one for the owner. */
function endPending(directory: string, name: string): void {
  unlinkIfExists(`${directory}/${name}`);
  for (const turn of turnsOf(directory, name).sort((a, b) => a - b)) {
    unlinkIfExists(`${directory}/${name}.${turn}`);
  }
}
