/**
 * Pipes for a command's output. Node and Bun give children sockets, which `echo x > /dev/stderr` cannot open by name,
 * and one for each stream, which loses the order between stdout and stderr. An unlinked FIFO is a real pipe, and one
 * FIFO for both streams keeps their order.
 */

import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { atEnd, closeReader, ifPossible, systemCode } from "../../../fd/system.ts";
import { findProgram } from "./find_program.ts";
import { writeChunks } from "./standard_streams.ts";
import type { Environment } from "../../../fd/mod.ts";

export interface OutputPipe {
  readEnd: number;
  writeEnd: number;
}

/**
 * Deno makes real pipes for its children. It also leaks copies of passed descriptors into a child, so background
 * processes would hold our pipe even after closing their output.
 */
export const RUNTIME_MAKES_PIPES = process.versions["deno"] !== undefined;

/** Makes `count` pipes. Returns undefined if that is impossible (no `mkfifo`, no writable directory, Windows). */
export function makePipes(count: number, env: Environment): OutputPipe[] | undefined {
  if (process.platform === "win32") return undefined;
  for (const parent of [env["TMPDIR"] || "/tmp", "/tmp", "/dev/shm"]) {
    const pipes: OutputPipe[] = [];
    try {
      const directory = join(parent, `fdtool-pipes-${process.getuid?.()}`);
      for (const isLast of [false, true]) {
        for (const name of isOwnDirectory(directory) ? readdirSync(directory) : []) {
          if (pipes.length === count) return pipes;
          const pipe = takePipe(join(directory, name));
          if (pipe !== undefined) pipes.push(pipe);
        }
        if (pipes.length === count) return pipes;
        if (isLast || !makeFifos(directory, count, env)) break;
      }
    } catch (thrown) {
      // Try the next directory; after the last one, the runtime's pipes are used.
      if (systemCode(thrown) === undefined) throw thrown;
    }
    for (const { readEnd, writeEnd } of pipes) [readEnd, writeEnd].forEach((end) => closeSync(end));
  }
  return undefined;
}

/** FIFOs that are made at once: starting `mkfifo` takes longer than all else that a pipe needs. */
const STOCK = 64;

/** Makes a stock of FIFOs, each to be used once. Returns false if `mkfifo` is missing or failed. */
function makeFifos(directory: string, count: number, env: Environment): boolean {
  const mkfifo = findProgram("mkfifo", "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
  if (mkfifo.kind !== "program") return false;
  mkdirSync(directory, { mode: 0o700, recursive: true });
  const first = `${process.pid}-${Date.now()}-`;
  const paths = Array.from({ length: Math.max(count, STOCK) }, (_, at) => join(directory, first + at));
  return spawnSync(mkfifo.path, ["-m", "600", ...paths], { stdio: "ignore" }).status === 0;
}

/** Whether no other user can put files there. */
function isOwnDirectory(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & 0o77) === 0;
}

/** Opens both ends of a FIFO and removes its name; undefined if another process has taken it. */
function takePipe(path: string): OutputPipe | undefined {
  const opened: number[] = [];
  const open = (flags: number): number => {
    const file = openSync(path, flags);
    opened.push(file);
    return file;
  };
  try {
    // Opening a FIFO waits for its other end. With this reader, the two below open at once.
    const opener = open(constants.O_RDONLY | constants.O_NONBLOCK);
    const pipe = { writeEnd: open(constants.O_WRONLY), readEnd: open(constants.O_RDONLY) };
    unlinkSync(path);
    closeSync(opener);
    return pipe;
  } catch (thrown) {
    opened.forEach((file) => closeSync(file));
    if (systemCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Receives bytes of a command, which it must not use after it returns. */
export type Take = (bytes: Uint8Array) => void;

export interface PipeReading {
  /** Settles when every process has closed the write end, or after `stop`. */
  done: Promise<void>;
  /** Stops waiting for processes that still hold the pipe. */
  stop(): void;
  /**
   * Takes what is in the pipe, and leaves what comes later to a `cat` that writes it to `descriptor` as long as a process
   * holds the pipe. Where that is impossible, it waits for the pipe's end.
   */
  handOver(descriptor: number): Promise<void>;
}

const CHUNK_BYTES = 65_536;

/**
 * Reads `readEnd` to its end and closes it. Reads block in another thread, so that signals and time limits are handled
 * meanwhile. That begins after `soon`: of a command that has ended until then, all is read at once, and no thread started.
 */
export function readPipe(readEnd: number, take: Take, soon: Promise<unknown>): PipeReading {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let stopped = false;
  /** The end of what is to be taken, once it is in the pipe or waits for room there. */
  let mark: { bytes: Buffer; isWritten: boolean; before: Buffer; descriptor: number } | undefined;
  const done = new Promise<void>((resolve, reject) => {
    const finish = (): void => {
      closeSync(readEnd);
      resolve();
    };
    const next = (): void =>
      read(readEnd, chunk, 0, CHUNK_BYTES, null, (error, byteLength) => {
        try {
          if (error !== null && systemCode(error) !== "EINTR" && systemCode(error) !== "EAGAIN") throw error;
          const length = error === null ? byteLength : undefined;
          if (mark !== undefined && length !== undefined) {
            const all = Buffer.concat([mark.before, chunk.subarray(0, length)]);
            const at = all.indexOf(mark.bytes);
            if (at >= 0) {
              take(all.subarray(0, at));
              passOn(all.subarray(at + mark.bytes.length), readEnd, mark.descriptor);
              return finish();
            }
            // The mark may have come in part.
            const kept = length === 0 ? 0 : Math.min(all.length, mark.bytes.length - 1);
            take(all.subarray(0, all.length - kept));
            if (length === 0) return finish();
            mark.before = all.subarray(all.length - kept);
            mark.isWritten ||= writeInto(readEnd, mark.bytes);
            return next();
          }
          if (length === 0) return finish();
          if (length !== undefined) {
            // The last byte may be what `stop` wrote.
            const isWoken = stopped && chunk[length - 1] === WAKE_BYTE;
            take(chunk.subarray(0, isWoken ? length - 1 : length));
          }
          if (stopped) return finish();
          next();
        } catch (thrown) {
          closeSync(readEnd);
          reject(thrown);
        }
      });
    void soon.then(() => {
      try {
        if (!stopped && mark === undefined && isAllTaken(readEnd, chunk, take)) finish();
        else next();
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
  return {
    done,
    stop() {
      if (stopped) return;
      stopped = true;
      writeInto(readEnd, new Uint8Array([WAKE_BYTE]));
    },
    handOver(descriptor) {
      const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(MARK_BYTES)));
      mark = { bytes, isWritten: writeInto(readEnd, bytes), before: Buffer.alloc(0), descriptor };
      return done;
    },
  };
}

/** Takes what is in the pipe; returns whether it has ended. */
function isAllTaken(readEnd: number, chunk: Uint8Array, take: Take): boolean {
  const file = openSync(`/proc/self/fd/${readEnd}`, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    for (;;) {
      const byteLength = readSync(file, chunk, 0, CHUNK_BYTES, null);
      if (byteLength === 0) return true;
      take(chunk.subarray(0, byteLength));
    }
  } catch (thrown) {
    if (systemCode(thrown) !== "EAGAIN") throw thrown;
    return false;
  } finally {
    closeSync(file);
  }
}

/** Less than the system writes into a pipe in one piece, and no output has it by chance. */
const MARK_BYTES = 32;

/** Writes `bytes` to `descriptor`, and starts a `cat` that goes on with what comes out of the pipe. */
function passOn(bytes: Uint8Array, readEnd: number, descriptor: number): void {
  writeChunks(descriptor, [bytes]);
  spawn("/bin/cat", [], { stdio: [readEnd, descriptor, "ignore"] }).unref();
}

const WAKE_BYTE = 0;

/**
 * Writes `bytes` into the pipe of `readEnd`, because only that or the pipe's end makes a blocked read return. Returns false if
 * the pipe is full, so that no read blocks, or cannot be opened: then its end is waited for.
 */
function writeInto(readEnd: number, bytes: Uint8Array): boolean {
  return ifPossible(() => {
    const writeEnd = openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    using _end = atEnd(() => closeReader(writeEnd));
    writeSync(writeEnd, bytes);
    return true;
  }) === true;
}

/** Reads a stream of the runtime, if {@link makePipes} was impossible. */
export function readStream(stream: Readable, take: Take): PipeReading {
  const done = new Promise<void>((resolve, reject) => {
    stream.on("data", take);
    stream.once("close", resolve);
    stream.once("error", reject);
  });
  return { done, stop: () => void stream.destroy(), handOver: () => done };
}
