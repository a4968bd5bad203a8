/**
 * Pipes for a command's output. Node and Bun give children sockets, which `echo x > /dev/stderr` cannot open by name,
 * and one for each stream, which loses the order between stdout and stderr. One pipe for both keeps their order.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  read,
  readSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { atEnd, closeReader, ifPossible, systemCode } from "../../../fd/system.ts";
import { findProgram } from "./find_program.ts";
import { type OutputPipe, readyPipes } from "./ready_pipes.ts";
import type { Environment } from "../../../fd/mod.ts";

/**
 * Deno makes real pipes for its children. It also leaks copies of passed descriptors into a child, so background
 * processes would hold our pipe even after closing their output.
 */
export const RUNTIME_MAKES_PIPES = process.versions["deno"] !== undefined;

/** Makes `count` pipes. Returns undefined if that is impossible (no `mkfifo`, no writable directory, Windows). */
export function makePipes(count: number, env: Environment): OutputPipe[] | undefined {
  if (process.platform === "win32") return undefined;
  if (readyPipes().length >= count) return readyPipes().splice(0, count);
  for (const parent of [env["TMPDIR"] || "/tmp", "/tmp", "/dev/shm"]) {
    const pipes = ifPossible(() => openFifos(parent, count, env));
    if (pipes !== undefined) return pipes;
  }
  return undefined;
}

/** Makes FIFOs, opens them and removes their names. Returns undefined if `mkfifo` is missing or failed. */
function openFifos(parent: string, count: number, env: Environment): OutputPipe[] | undefined {
  const mkfifo = findProgram("mkfifo", "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
  if (mkfifo.kind !== "program") return undefined;
  const directory = mkdtempSync(join(parent, "fdtool-pipes-"));
  const paths = Array.from({ length: count }, (_, at) => join(directory, String(at)));
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const file = openSync(path, flags);
    opened.push(file);
    return file;
  };
  try {
    if (spawnSync(mkfifo.path, ["-m", "600", ...paths], { stdio: "ignore" }).status !== 0) return undefined;
    return paths.map((path) => {
      // Opening a FIFO waits for its other end. With this reader, the two below open at once.
      const opener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      using _opener = atEnd(() => closeSync(opener));
      return { writeEnd: open(path, constants.O_WRONLY), readEnd: open(path, constants.O_RDONLY) };
    });
  } catch (thrown) {
    opened.forEach((file) => closeSync(file));
    throw thrown;
  } finally {
    paths.forEach((path) => ifPossible(() => unlinkSync(path)));
    rmdirSync(directory);
  }
}

/**
 * Receives bytes of a command, which it must not use after it returns, or the promise that it returns has settled. The next
 * bytes come after that.
 */
export type Take = (bytes: Uint8Array) => void | Promise<void>;

export interface PipeReading {
  /** Settles when every process has closed the write end, or after `stop`. */
  done: Promise<void>;
  /** Calls back when all that is in the pipe now has been taken. */
  reach(onReached: () => void): void;
  /** Stops waiting for processes that still hold the pipe. */
  stop(): void;
  /**
   * Takes what is in the pipe, and leaves what comes later: resolves to the read end, which is now the caller's to close.
   * Resolves to undefined if the pipe has ended; where leaving is impossible, it waits for that.
   */
  leave(): Promise<number | undefined>;
}

const CHUNK_BYTES = 65_536;

/** Bytes in a pipe that end what was in it at a moment; no output has them by chance. */
interface Mark {
  bytes: Buffer;
  /** Whether they are in the pipe, or wait for room there. */
  isWritten: boolean;
  /** The most that can come before what was not in the pipe, as a busy writer may leave no room for them. */
  bytesBefore: number;
  /** Called when they come out of the pipe. Returns true if nothing more is to be read. */
  onReached(): boolean;
}

/** Less than the system writes into a pipe in one piece. */
const MARK_BYTES = 32;

/** As much as a pipe can hold, unless the system is set up otherwise. */
const MAX_PIPE_BYTES = 2 ** 20;

/**
 * Reads `readEnd` to its end and closes it. Reads block in another thread, so that signals and time limits are handled
 * meanwhile. That begins after `soon`, which tells whether the command has ended: then all is read at once, and no thread
 * started.
 */
export function readPipe(readEnd: number, take: Take, soon: Promise<boolean>): PipeReading {
  const chunk = new Uint8Array(CHUNK_BYTES);
  const marks: Mark[] = [];
  const readSome = () =>
    new Promise<number>((resolve, reject) => {
      const next = (): void =>
        read(readEnd, chunk, 0, CHUNK_BYTES, null, (error, byteLength) => {
          if (error === null) return resolve(byteLength);
          const code = systemCode(error);
          if (code === "EINTR" || code === "EAGAIN") next();
          else reject(error);
        });
      next();
    });
  /** Takes what comes before each mark in `bytes`. Returns what follows them, and whether reading is to end. */
  const takeToMarks = async (bytes: Buffer): Promise<{ rest: Buffer; isLast: boolean }> => {
    let isLast = false;
    for (let mark = marks[0]; mark !== undefined; mark = marks[0]) {
      const at = mark.isWritten ? bytes.indexOf(mark.bytes) : -1;
      if (at < 0 && (mark.isWritten || mark.bytesBefore > 0)) break;
      if (at > 0) await take(bytes.subarray(0, at));
      if (at >= 0) bytes = bytes.subarray(at + MARK_BYTES);
      marks.shift();
      isLast = mark.onReached() || isLast;
    }
    return { rest: bytes, isLast };
  };
  const readAll = async (): Promise<void> => {
    if (await soon && marks.length === 0) {
      const { bytes, isOver } = readNow(readEnd);
      if (bytes.length > 0) await take(bytes);
      if (isOver) return;
    }
    /** Bytes that a mark may begin with. */
    let begun: Uint8Array | undefined;
    for (;;) {
      const byteLength = await readSome();
      let bytes: Uint8Array = chunk.subarray(0, byteLength);
      let isEnd = byteLength === 0;
      if (marks.length > 0) {
        const { rest, isLast } = await takeToMarks(Buffer.concat([begun ?? bytes.subarray(0, 0), bytes]));
        isEnd ||= isLast;
        const begunBytes = isEnd || marks.length === 0 ? 0 : Math.min(rest.length, MARK_BYTES - 1);
        begun = rest.subarray(rest.length - begunBytes);
        bytes = rest.subarray(0, rest.length - begunBytes);
        for (const mark of marks) mark.bytesBefore -= byteLength;
        marks.every((mark) => mark.isWritten ||= writeInto(readEnd, mark.bytes) === true);
      }
      const taken = bytes.length > 0 ? take(bytes) : undefined;
      if (taken !== undefined) await taken;
      if (isEnd) return;
    }
  };
  let isOver = false;
  let isLeft = false;
  const done = readAll().finally(() => {
    isOver = true;
    if (!isLeft) closeSync(readEnd);
    for (const { onReached } of marks.splice(0)) onReached();
  });
  /** Whether a mark ends the reading: one behind it would come out for the next reader. */
  let isEnding = false;
  const atMark = (onReached: Mark["onReached"]): boolean => {
    const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(MARK_BYTES)));
    // Marks come out in their order.
    const isNext = !isEnding && marks.every(({ isWritten }) => isWritten);
    const isWritten = isEnding || isNext && writeInto(readEnd, bytes);
    if (isWritten === undefined) return false;
    marks.push({ bytes, isWritten, bytesBefore: MAX_PIPE_BYTES, onReached });
    return true;
  };
  const endAtMark = (onReached: Mark["onReached"]): void => {
    if (!isOver) isEnding = atMark(onReached) || isEnding;
  };
  return {
    done,
    reach(onReached) {
      if (isOver || !atMark(() => (onReached(), false))) onReached();
    },
    stop() {
      endAtMark(() => true);
    },
    async leave() {
      endAtMark(() => isLeft = !isOver);
      await done;
      return isLeft ? readEnd : undefined;
    },
  };
}

/** Whether all of them end within `ms`. */
export async function endWithin(readings: readonly PipeReading[], ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<false>((resolve) => timer = setTimeout(() => resolve(false), ms));
  const isOver = Promise.all(readings.map(({ done }) => done)).then(() => true);
  return await Promise.race([isOver, isLate]).finally(() => clearTimeout(timer));
}

/** Reads what is in the pipe of a command that has ended, at once: a mark would be read with it. */
function readNow(readEnd: number): { bytes: Uint8Array; isOver: boolean } {
  let bytes = new Uint8Array(0);
  const file = ifPossible(() => reopened(readEnd, constants.O_RDONLY));
  if (file === undefined) return { bytes, isOver: false };
  try {
    for (;;) {
      const chunk = new Uint8Array(CHUNK_BYTES);
      const byteLength = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (byteLength === 0) return { bytes, isOver: true };
      const read = chunk.subarray(0, byteLength);
      bytes = bytes.length === 0 ? read : Buffer.concat([bytes, read]);
    }
  } catch (thrown) {
    if (systemCode(thrown) !== "EAGAIN") throw thrown;
    return { bytes, isOver: false };
  } finally {
    closeSync(file);
  }
}

/** Starts a `cat` that writes what comes out of a pipe to `descriptor` as long as a process holds the pipe. */
export function passOn(readEnd: number, descriptor: number): void {
  spawn("/bin/cat", [], { stdio: [readEnd, descriptor, "ignore"] }).unref();
  closeSync(readEnd);
}

/**
 * Writes `bytes` into the pipe of `readEnd`, because only that or the pipe's end makes a blocked read return. Returns false if
 * the pipe is full, so that no read blocks, and undefined if it cannot be opened.
 */
function writeInto(readEnd: number, bytes: Uint8Array): boolean | undefined {
  return ifPossible(() => {
    const writeEnd = reopened(readEnd, constants.O_WRONLY);
    using _end = atEnd(() => closeReader(writeEnd));
    return ifPossible(() => writeSync(writeEnd, bytes)) !== undefined;
  });
}

/** Another opening of the same pipe, which does not block; others that have it open do not notice. */
function reopened(descriptor: number, flags: number): number {
  return openSync(`/proc/self/fd/${descriptor}`, flags | constants.O_NONBLOCK);
}

/** Reads a stream of the runtime, if {@link makePipes} was impossible. */
export function readStream(stream: Readable, take: Take): PipeReading {
  const done = new Promise<void>((resolve, reject) => {
    stream.on("data", take);
    stream.once("close", resolve);
    stream.once("error", reject);
  });
  const leave = () => done.then(() => undefined);
  return { done, reach: (onReached) => onReached(), stop: () => void stream.destroy(), leave };
}
