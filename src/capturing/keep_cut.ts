/**
 * Keeps what a program of a pipe lets only a part of through: it copies from the pipe to the program, so the program
 * reads and writes what it would, and its input becomes an fd.
 *
 * All of it happens in one loop that never blocks: a program may write at any time, and would wait for ever if that was
 * not read while its input is full.
 */

import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import {
  type FdEntry,
  formatFd,
  locateSlice,
  readSlice,
  readWhole,
  removeFd,
  type Store,
} from "../../fd/mod.ts";
import { countLineFeeds, pause, systemCode, utf8Text } from "../../fd/system.ts";
import { groupedDigits, linesText } from "../answers/parts/grouped_digits.ts";
import { acceptOutput, type OutputSink } from "./store_output.ts";
import { PIECE_BYTES, STDIN, STDOUT, writeChunks } from "../calls/streams/standard_streams.ts";

/** The program's input that was read before it was started. */
export interface InputBefore {
  /** The file with all of it, which the program reads itself. */
  file: number | undefined;
  /** Its pieces, if the program is to get them through a pipe. */
  pieces: Iterable<Uint8Array>;
  isWhole: boolean;
}

/** The ends of the pipes, which this function closes, and whom to tell. */
export interface CutStage {
  before: InputBefore;
  /** The end that the program's input is written to; undefined if it reads a file. */
  input: number | undefined;
  /** The end that its output is read from. */
  output: number;
  /** Settles when the program has ended. */
  ended: Promise<unknown>;
  /** Takes what comes in. */
  keep(bytes: Uint8Array): void;
}

export interface Cut {
  /** Whether the program ended before all came. */
  hasLeft: boolean;
  shownBytes: number;
  shownLines: number;
  /** The end of what it let through. */
  shown: Uint8Array;
}

const CHUNK_BYTES = 65_536;
const MAX_SHOWN_BYTES = 65_536;

const SHORTEST_PAUSE_MS = 0.05;
const LONGEST_PAUSE_MS = 5;

/** The output is read as soon as nothing else moves: a call that finds nothing costs more than one that moves bytes. */
const MAX_UNREAD_ROUNDS = 16;

export async function keepCut({ before, input, output, ended, keep }: CutStage): Promise<Cut> {
  const from = reopened(STDIN, constants.O_RDONLY);
  const chunk = new Uint8Array(CHUNK_BYTES);
  const shownChunk = new Uint8Array(CHUNK_BYTES);
  const cut: Cut = { hasLeft: false, shownBytes: 0, shownLines: 0, shown: new Uint8Array(0) };
  const pieces = before.pieces[Symbol.iterator]();
  let pending: Uint8Array = pieces.next().value ?? chunk.subarray(0, 0);
  let isComing = !before.isWhole;
  let isTaking = input !== undefined;
  let isShowing = true;
  let pauseMs = SHORTEST_PAUSE_MS;
  let unreadRounds = 0;
  let hasEnded = false;
  void ended.then(() => hasEnded = true);

  const leave = (): void => {
    if (isComing) {
      // The stage before has to notice.
      closeSync(from);
      closeSync(STDIN);
      cut.hasLeft = true;
    }
    if (isTaking) closeSync(input!);
    isComing = isTaking = false;
    pending = chunk.subarray(0, 0);
  };

  for (;;) {
    let hasMoved = false;
    if (isComing && pending.length === 0) {
      const byteCount = tried(() => readSync(from, chunk, 0, CHUNK_BYTES, null));
      if (byteCount === 0) isComing = false;
      if (byteCount !== undefined) {
        hasMoved = true;
        pending = chunk.subarray(0, byteCount);
        keep(pending);
      }
    }
    if (pending.length > 0) {
      const byteCount = tried(
        () => writeSync(input!, pending, 0, Math.min(pending.length, PIECE_BYTES)),
        () => leave(),
      );
      if (byteCount !== undefined) {
        hasMoved = true;
        pending = pending.subarray(byteCount);
        if (pending.length === 0) pending = pieces.next().value ?? pending;
      }
    }
    if (isTaking && !isComing && pending.length === 0) {
      closeSync(input!);
      isTaking = false;
    }
    if (hasMoved && isShowing && ++unreadRounds < MAX_UNREAD_ROUNDS) continue;
    unreadRounds = 0;
    if (isShowing) {
      const byteCount = tried(() => readSync(output, shownChunk, 0, CHUNK_BYTES, null));
      if (byteCount === 0) isShowing = false;
      if (byteCount !== undefined) {
        hasMoved = true;
        const bytes = shownChunk.subarray(0, byteCount);
        count(cut, bytes);
        // The program gets SIGPIPE for its next write.
        if (!writeChunks(STDOUT, [bytes])) isShowing = false;
        if (!isShowing) closeSync(output);
      }
    }
    if (!isShowing) {
      if (!isTaking) return cut;
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1))]);
      if (hasEnded) leave();
    } else if (hasMoved) {
      pauseMs = SHORTEST_PAUSE_MS;
    } else {
      pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }
}

/**
 * Programs that write nothing before the end of their input. If `wc` counts several things, it aligns them by whether it reads
 * a pipe.
 */
const SILENT = /^(tail( -\d+| -[nc] ?\d+)?|wc -[clmwL])$/;

/**
 * Reads what comes before the program is started: all of it if the program is one that waits for the end anyway. It
 * can then read the stored content's own file, and nothing has to be copied to it. If not all can be stored, the
 * program gets what came, and the rest as it comes.
 */
export function inputBefore(words: readonly string[], sink: OutputSink): InputBefore {
  const { put } = sink;
  const held: Uint8Array[] = [];
  const some = (pieces: Iterable<Uint8Array>): InputBefore => ({ file: undefined, pieces, isWhole: false });
  if (!SILENT.test(words.join(" "))) return some(held);
  let file: number | undefined;
  let mostBytes = Infinity;
  for (;;) {
    const window = put.window();
    const byteLength = tried(() => readSync(STDIN, window, 0, window.length, null));
    if (byteLength === undefined) pause(SHORTEST_PAUSE_MS);
    if (byteLength === 0) return { file, pieces: held, isWhole: true };
    if (byteLength === undefined || byteLength === 0) continue;
    const from = put.byteCount;
    // Until there is a file, and if a size limit drops some.
    const isCopied = file === undefined || from + byteLength > mostBytes;
    if (isCopied) held.push(window.slice(0, byteLength));
    acceptOutput(sink, byteLength);
    if (file !== undefined) {
      if (isCopied) return some(piecesOf(file, from, held));
      if (sink.failed === undefined) continue;
      const isStored = put.byteCount > from;
      return some(piecesOf(file, put.byteCount, isStored ? [] : [window.slice(0, byteLength)]));
    }
    if (sink.failed !== undefined || put.store?.shared !== undefined) return some(held);
    if (put.id === 0) continue;
    mostBytes = put.store!.limits.maxBytes || Infinity;
    if (put.byteCount > mostBytes) return some(held);
    file = openSync(put.contentPath, "r");
    held.length = 0;
  }
}

/** The first `byteCount` bytes of `file` and then `rest`. */
function* piecesOf(file: number, byteCount: number, rest: Iterable<Uint8Array>): Iterable<Uint8Array> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < byteCount;) {
    const byteLength = readSync(file, chunk, 0, Math.min(CHUNK_BYTES, byteCount - at), at);
    if (byteLength === 0) break;
    at += byteLength;
    yield chunk.subarray(0, byteLength);
  }
  yield* rest;
}

function count(cut: Cut, bytes: Uint8Array): void {
  cut.shownBytes += bytes.length;
  cut.shownLines += countLineFeeds(bytes);
  cut.shown = Buffer.concat([cut.shown, bytes]).subarray(-MAX_SHOWN_BYTES);
}

/** Another opening of the same pipe, which does not block; others that have it open do not notice. */
export function reopened(descriptor: number, flags: number): number {
  return openSync(`/proc/self/fd/${descriptor}`, flags | constants.O_NONBLOCK);
}

/** The result of a call, or undefined if it would block. */
function tried(call: () => number, onClosed?: () => void): number | undefined {
  try {
    return call();
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "EPIPE" && onClosed !== undefined) onClosed();
    else if (code !== "EAGAIN" && code !== "EINTR") throw thrown;
    return undefined;
  }
}

/** The line that says what was kept. If nothing was cut away, the fd goes. */
export async function cutLine(
  store: Store,
  entry: FdEntry,
  cut: Cut,
  program: string,
): Promise<string | undefined> {
  if (!cut.hasLeft && cut.shownBytes >= entry.byteCount) {
    removeFd(store, entry, "nothing was cut away");
    return undefined;
  }
  const fd = formatFd(entry.id);
  const all = linesText(entry.lineCount);
  const kept = cut.hasLeft
    ? `fdtool: ${program} showed ${
      linesText(cut.shownLines)
    } and ended; the ${all} that came until then: ${fd}`
    : `fdtool: ${program} showed ${groupedDigits(cut.shownLines)} of ${all}; all of them: ${fd}`;
  const isStudied = entry.byteCount <= MAX_STUDIED_BYTES;
  const unseen = isStudied ? await unseenLines(store, entry, utf8Text(cut.shown)) : "";
  return `${kept}${unseen}\n`;
}

/** The command that reads the lines that matter, if the program showed none of one. */
async function unseenLines(store: Store, entry: FdEntry, shown: string): Promise<string> {
  const { failingPlaces } = await import("../findings/digest/digest_preview.ts");
  const unseen = failingPlaces(store, entry).findings.map(({ line }) => line).filter((line) => {
    const slice = locateSlice(store, entry, { mode: "line", start: line, count: 1 });
    return !shown.includes(utf8Text(readWhole(readSlice(store, entry, slice))).trimEnd());
  });
  const [first, last] = [unseen[0], unseen[unseen.length - 1]];
  if (first === undefined || last === undefined) return "";
  const fd = formatFd(entry.id);
  const lines = last > first && last - first < MAX_READ_LINES ? `${first}-${last}` : String(first);
  const what = unseen.length === 1 ? "a line that matters was" : `${unseen.length} lines that matter were`;
  return `; ${what} not shown: fdtool read ${fd} --lines ${lines}`;
}

const MAX_READ_LINES = 40;

/** Studying takes several times as long as storing, and the caller waits for it. */
const MAX_STUDIED_BYTES = 32 * 2 ** 20;
