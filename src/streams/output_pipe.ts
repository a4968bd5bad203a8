/**
 * Pipes for a command's output. Node and Bun give children sockets, which `echo x > /dev/stderr` cannot open by name,
 * and one for each stream, which loses the order between stdout and stderr. An unlinked FIFO is a real pipe, and one
 * FIFO for both streams keeps their order.
 */

import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, read, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Readable } from "node:stream";
import { systemCode } from "../../fd/mod.ts";
import { findProgram } from "./find_program.ts";

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
export function makePipes(
  count: number,
  env: Readonly<Record<string, string | undefined>>,
): OutputPipe[] | undefined {
  if (process.platform === "win32") return undefined;
  const mkfifo = findProgram("mkfifo", "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
  if (mkfifo.kind !== "program") return undefined;
  for (const parent of [env["TMPDIR"] || "/tmp", "/tmp", "/dev/shm"]) {
    const pipes = makePipesIn(parent, count, mkfifo.path);
    if (pipes !== undefined) return pipes;
  }
  return undefined;
}

function makePipesIn(parent: string, count: number, mkfifo: string): OutputPipe[] | undefined {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(parent, "fdtool-pipe-"));
    const paths = Array.from({ length: count }, (_, at) => join(directory ?? "", String(at)));
    const made = spawnSync(mkfifo, ["-m", "600", ...paths], { stdio: "ignore" });
    return made.status === 0 ? openPipes(paths) : undefined;
  } catch (thrown) {
    // Try the next directory; after the last one, the runtime's pipes are used.
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  } finally {
    if (directory !== undefined) dropDirectory(directory);
  }
}

/** Removes the directory of the FIFOs, if possible: failing that must not prevent the command. */
function dropDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/** Opens both ends of each pipe; none if one fails. */
function openPipes(paths: readonly string[]): OutputPipe[] {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const file = openSync(path, flags);
    opened.push(file);
    return file;
  };
  try {
    return paths.map((path) => {
      // Opening a FIFO waits for its other end. With this reader, the two below open at once.
      const opener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        return { writeEnd: open(path, constants.O_WRONLY), readEnd: open(path, constants.O_RDONLY) };
      } finally {
        closeSync(opener);
      }
    });
  } catch (thrown) {
    opened.forEach((file) => closeSync(file));
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
}

const CHUNK_BYTES = 65_536;

/**
 * Reads `readEnd` to its end and closes it. Reads block in another thread, so that signals and time limits are handled
 * meanwhile.
 */
export function readPipe(readEnd: number, take: Take): PipeReading {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let stopped = false;
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
          if (length === 0) return finish();
          if (length !== undefined) {
            take(chunk.subarray(0, length - (stopped ? wakeBytesIn(chunk, length) : 0)));
          }
          if (stopped) return finish();
          next();
        } catch (thrown) {
          closeSync(readEnd);
          reject(thrown);
        }
      });
    next();
  });
  return {
    done,
    stop() {
      if (stopped) return;
      stopped = true;
      wakeReader(readEnd);
    },
  };
}

const WAKE_BYTE = 0;

/** Counts the bytes at the end of a chunk that {@link wakeReader} wrote. */
function wakeBytesIn(chunk: Uint8Array, byteLength: number): 0 | 1 {
  return chunk[byteLength - 1] === WAKE_BYTE ? 1 : 0;
}

/** Writes a byte into the pipe of `readEnd`, because only that or the pipe's end makes a blocked read return. */
function wakeReader(readEnd: number): void {
  try {
    const writeEnd = openSync(`/proc/self/fd/${readEnd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      writeSync(writeEnd, new Uint8Array([WAKE_BYTE]));
    } finally {
      closeSync(writeEnd);
    }
  } catch (thrown) {
    // EAGAIN: the pipe is full, so the read does not block. Without /proc, wait for the pipe's end.
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/** Reads a stream of the runtime, if {@link makePipes} was impossible. */
export function readStream(stream: Readable, take: Take): PipeReading {
  const done = new Promise<void>((resolve, reject) => {
    stream.on("data", take);
    stream.once("close", resolve);
    stream.once("error", reject);
  });
  return { done, stop: () => void stream.destroy() };
}
