/**
 * Writes to standard output and standard error.
 *
 * `process.stdout` is never touched: Bun sets O_NONBLOCK on the pipe behind it, for good and for everybody who shares
 * it, and what it buffers is lost at exit. Here bytes are written with `writeSync` until all of them are out, whoever
 * made the pipe non-blocking.
 *
 * @module
 */

import { writeSync } from "node:fs";
import { FdError, type FdFailure, pause, systemCode } from "../../fd/mod.ts";

export const STDOUT = 1;
export const STDERR = 2;

/**
 * Deno hides how much a failed write had written before it met a full pipe. A pipe takes 4096 bytes whole or not at
 * all, so pieces of that size are exact.
 */
const PIECE_BYTES = "Deno" in globalThis ? 4096 : 65_536;

/** Small chunks are gathered, so that a short answer is one write. */
const GATHER_BYTES = 65_536;

/** The write call, as a record so that tests can make it short, late or fail. */
export const streamCalls = { write: writeSync };

/**
 * Writes all of `chunks` to the descriptor. Returns false where the reader has gone (a closed pipe): nobody wants the
 * rest, and nothing of it is made. Throws the system's error for anything else.
 */
export function writeChunks(descriptor: number, chunks: Iterable<Uint8Array>): boolean {
  if (Array.isArray(chunks) && chunks.length === 1) return writeBytes(descriptor, chunks[0]);
  // A source may use the memory of a chunk again for the next one, so what waits is copied.
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
 * What a failed write to standard output or standard error is told as. A full disk behind it is not the store's, and
 * nothing that fdtool could free: so never `storage_full`. Throws what is no system error.
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
    const pieceBytes = Math.min(PIECE_BYTES, bytes.byteLength - byteOffset);
    try {
      byteOffset += streamCalls.write(descriptor, bytes, byteOffset, pieceBytes);
      waitMs = 1;
    } catch (thrown) {
      switch (systemCode(thrown)) {
        case "EAGAIN":
          pause(waitMs);
          waitMs = Math.min(waitMs * 2, 50);
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
