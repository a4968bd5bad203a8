/**
 * Writes to stdout and stderr with `writeSync` until all bytes are out, even if another process made the pipe
 * non-blocking. `process.stdout` is never touched: Bun would make the pipe non-blocking for good, for every process
 * that shares it, and would lose buffered output at exit.
 */

import { fstatSync, writeSync } from "node:fs";
import { FdError, type FdFailure, ifPossible, pause, systemCode } from "../../../fd/system.ts";

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;

/**
 * Deno does not report how much a write had written when the pipe became full. A pipe takes 4096 bytes whole or not at
 * all, so pieces of that size are exact.
 */
export const PIECE_BYTES = "Deno" in globalThis ? 4096 : 65_536;

/** Small chunks are gathered, so that a short answer is one write. */
const GATHER_BYTES = 65_536;

/** Whether both descriptors are open on one file, pipe or socket, as after `2>&1`. */
export function areOneFile(first: number, second: number): boolean {
  return ifPossible(() => {
    const [a, b] = [fstatSync(first), fstatSync(second)];
    return a.dev === b.dev && a.ino === b.ino && a.rdev === b.rdev;
  }) === true;
}

/** A record, so that tests can replace the call. */
export const streamCalls = { write: writeSync };

/**
 * Writes all of `chunks`. Returns false if the reader closed the pipe, without reading further chunks. Throws the
 * system's error for any other failure.
 */
export function writeChunks(descriptor: number, chunks: Iterable<Uint8Array>): boolean {
  if (Array.isArray(chunks) && chunks.length === 1) return writeBytes(descriptor, chunks[0]);
  // Copied, because a source may reuse a chunk's memory for the next one.
  const gathered = new Uint8Array(GATHER_BYTES);
  let gatheredBytes = 0;
  const flush = (): boolean => {
    const bytes = gathered.subarray(0, gatheredBytes);
    gatheredBytes = 0;
    return writeBytes(descriptor, bytes);
  };
  for (const chunk of chunks) {
    if (gatheredBytes + chunk.byteLength > GATHER_BYTES && !flush()) return false;
    if (chunk.byteLength >= GATHER_BYTES) {
      if (!writeBytes(descriptor, chunk)) return false;
    } else {
      gathered.set(chunk, gatheredBytes);
      gatheredBytes += chunk.byteLength;
    }
  }
  return flush();
}

/**
 * Makes the failure for a write to stdout or stderr. It is never `storage_full`: cleaning the store would not help.
 * Throws what is not a system error.
 */
export function streamFailure(thrown: unknown, descriptor: number): FdFailure {
  const code = thrown instanceof FdError ? undefined : systemCode(thrown);
  if (code === undefined) throw thrown;
  const path = descriptor === STDERR ? "standard error" : "standard output";
  return { kind: "write_error", action: "write", path, code };
}

function writeBytes(descriptor: number, bytes: Uint8Array): boolean {
  let byteOffset = 0;
  let waitMs = 1;
  while (byteOffset < bytes.byteLength) {
    const restBytes = bytes.byteLength - byteOffset;
    const pieceBytes = restBytes < PIECE_BYTES ? restBytes : PIECE_BYTES;
    try {
      byteOffset += streamCalls.write(descriptor, bytes, byteOffset, pieceBytes);
      waitMs = 1;
    } catch (thrown) {
      switch (systemCode(thrown)) {
        case "EAGAIN":
          pause(waitMs);
          waitMs = waitMs < 25 ? waitMs * 2 : 50;
          break;
        case "EINTR":
          break;
        case "EPIPE":
          return false;
        default:
          throw thrown;
      }
    }
  }
  return true;
}
