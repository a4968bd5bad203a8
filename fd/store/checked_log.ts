/**
 * Append-only logs of checksummed JSON lines: `sum SP json LF` (FORMAT.md, "Record log"). A line with a wrong sum or
 * without LF does not count. Each log's own file defines what its lines mean.
 */

import { constants } from "node:fs";
import { blockSumText } from "../bytes/block_sum.ts";
import { inFile, inWritten, writeWhole } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { attempt, failCorrupt, ifPossible } from "../disk/errors.ts";
import { utf8Bytes, utf8Text, withRoom } from "../bytes/utf8_bytes.ts";
import { NO_FOLLOW, openReader } from "../disk/private_files.ts";

const SUM_DIGITS = 8;

/** Encodes `value` as one line, preceded by `before`. */
export function encodeCheckedLine(value: unknown, before: "" | "\n" = ""): Uint8Array<ArrayBuffer> {
  const json = JSON.stringify(value);
  return utf8Bytes(`${before}${blockSumText(utf8Bytes(json))} ${json}\n`);
}

/** A line of a log. */
interface CheckedLine {
  /** Undefined if the line is damaged. */
  value: unknown;
  /** 1 for an empty line. */
  byteLength: number;
  /** The start of the next line. */
  end: number;
}

/** Returns the line that starts at byte `start`, undefined at the end. One at a time: a forged log may have millions. */
export function checkedLineAt(bytes: Uint8Array, start: number): CheckedLine | undefined {
  if (start >= bytes.length) return undefined;
  const lineFeed = bytes.indexOf(0x0a, start);
  const lineEnd = lineFeed === -1 ? bytes.length : lineFeed;
  const jsonStart = start + SUM_DIGITS + 1;
  let value: unknown;
  if (lineFeed !== -1 && jsonStart < lineEnd) {
    const json = bytes.subarray(jsonStart, lineEnd);
    const isIntact = utf8Text(bytes.subarray(start, jsonStart)) === `${blockSumText(json)} `;
    if (isIntact) value = ifPossible(() => JSON.parse(utf8Text(json)), SyntaxError);
  }
  return { value, byteLength: lineEnd - start || 1, end: lineEnd + 1 };
}

/** Yields the lines, in order. A small call walks by {@link checkedLineAt}: its first generator costs more than a record. */
export function* checkedLines(bytes: Uint8Array): Generator<CheckedLine, void> {
  for (let line = checkedLineAt(bytes, 0); line !== undefined; line = checkedLineAt(bytes, line.end)) {
    yield line;
  }
}

/** Returns the value of the last line if that is an undamaged object, as in files and objects of one line. */
export function lastCheckedLine(bytes: Uint8Array | undefined): object | undefined {
  if (bytes === undefined) return undefined;
  let last: unknown;
  for (const { value } of checkedLines(bytes)) last = value;
  return typeof last === "object" && last !== null ? last : undefined;
}

/** Limit on the size of a log, far above real logs, so that a foreign file cannot fill the memory. */
const LARGEST_LOG_BYTES = 16 * 2 ** 20;

/** Returns the bytes of the log at `path`, or undefined if it does not exist. `of` is the handle used in failures. */
export function readCheckedLog(path: string, of: string): Uint8Array | undefined {
  return withLogFile(path, (file) => readLogFile(file, path, of));
}

/** Calls `use` with the open log at `path`, or returns undefined if it does not exist. */
export function withLogFile<Result>(path: string, use: (file: number) => Result): Result | undefined {
  const read = () => inFile(openReader(path), use);
  return attempt("read", "read the record", path, () => ifPossible(read, "ENOENT"));
}

/** Bytes to read of a log at first: most logs have fewer. */
export const FIRST_LOG_BYTES = 4096;

/** Reads the rest of an open log; `bytes` has its first `length` bytes, and may be used. Throws system errors. */
export function readLogFile(
  file: number,
  path: string,
  of: string,
  bytes: Uint8Array = new Uint8Array(FIRST_LOG_BYTES),
  length = 0,
): Uint8Array {
  for (;;) {
    if (length === bytes.length) {
      if (length >= LARGEST_LOG_BYTES) failCorrupt(path, "the record is too large", of);
      bytes = withRoom(bytes, length, 4 * length);
    }
    const got = disk.read(file, bytes, length, bytes.length - length, null);
    if (got === 0) return bytes.subarray(0, length);
    length += got;
  }
}

/**
 * Appends one line to the log at `path`, which must exist, and syncs it if `durable`. If the log ends in a truncated
 * line, writes an LF first so that the new line does not become part of it; with `isSoleWriter`, removes that line.
 */
export function appendCheckedLine(
  path: string,
  value: unknown,
  durable: boolean,
  isSoleWriter = false,
): void {
  const append = (file: number) => {
    const size = disk.fstat(file).size;
    const last = Uint8Array.of(0x0a);
    if (size > 0) disk.read(file, last, 0, 1, size - 1);
    const isCut = last[0] !== 0x0a;
    if (isCut && isSoleWriter) disk.ftruncate(file, wholeLines(readLogFile(file, path, path)));
    writeCheckedLine(file, value, isCut && !isSoleWriter ? "\n" : "");
    if (durable) disk.fsync(file);
  };
  const flags = constants.O_RDWR | constants.O_APPEND | NO_FOLLOW;
  attempt("write", "append to the record", path, () => inWritten(disk.open(path, flags), append));
}

/** The number of bytes of a log up to its last LF. */
export function wholeLines(bytes: Uint8Array): number {
  return bytes.lastIndexOf(0x0a) + 1;
}

/**
 * Writes one line to a descriptor opened for appending, normally with one call. A full disk may leave a truncated
 * line, which readers skip.
 */
export function writeCheckedLine(file: number, value: unknown, before: "" | "\n" = ""): void {
  writeWhole(file, encodeCheckedLine(value, before));
}
