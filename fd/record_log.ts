/**
 * The record log of an fd: checksummed JSON lines that are only ever appended (FORMAT.md, "Record log"). What an fd is,
 * and in which state, follows from its log alone.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import * as v from "valibot";
import { blockSum } from "./block_sum.ts";
import { closeReader } from "./close_reader.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";
import { NO_FOLLOW, type Store } from "./open_store.ts";
import { recordPath } from "./store_paths.ts";
import { writeWhole } from "./write_whole.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const mode = v.picklist(["page", "line", "char"]);

const claimLine = v.object({
  event: v.literal("claim"),
  at: count,
  source: v.string(),
  page_size: v.pipe(count, v.minValue(1)),
  command: v.optional(v.array(v.string())),
  cwd: v.optional(v.string()),
  parent: v.optional(v.object({ id: count, mode, start: count, count })),
  writer: v.object({
    pid: count,
    started: v.optional(v.string()),
    boot: v.optional(v.string()),
    space: v.optional(v.string()),
  }),
});

const sealLine = v.object({
  event: v.literal("seal"),
  at: count,
  bytes: count,
  chars: count,
  line_feeds: count,
  lines: count,
  pages: count,
  sum: count,
  ended: v.picklist(["whole", "incomplete"]),
  gap: v.optional(v.object({ at_byte: count, dropped_bytes: count })),
  exit_code: v.optional(count),
  signal: v.optional(v.string()),
  duration_ms: v.optional(count),
});

const digestLine = v.object({ event: v.literal("digest"), sha256: v.string() });

const tombLine = v.object({
  event: v.literal("tomb"),
  at: count,
  why: v.string(),
  bytes: count,
  sha256: v.optional(v.string()),
});

const recordLine = v.variant("event", [claimLine, sealLine, digestLine, tombLine]);

/** The line that takes an id. */
export type ClaimLine = v.InferOutput<typeof claimLine>;
/** The line that says what the content came to. */
export type SealLine = v.InferOutput<typeof sealLine>;
/** The line that keeps a sha-256. */
export type DigestLine = v.InferOutput<typeof digestLine>;
/** The line that says the fd is gone. */
export type TombLine = v.InferOutput<typeof tombLine>;
/** Any line of a record log. */
export type RecordLine = v.InferOutput<typeof recordLine>;

/** What a record log says, the last line of each kind. */
export interface RecordLog {
  claim: ClaimLine | undefined;
  seal: SealLine | undefined;
  digest: DigestLine | undefined;
  tomb: TombLine | undefined;
  /** Bytes that are no line: a torn append, or damage. 0 in a healthy log. */
  damagedBytes: number;
}

/** `line` as bytes: its sum, a blank, JSON, LF. */
export function encodeLine(line: RecordLine): Buffer {
  const json = Buffer.from(JSON.stringify(line));
  return Buffer.from(`${blockSum(json).toString(16).padStart(8, "0")} ${json}\n`);
}

/** Reads a log. Lines that are torn or damaged are passed over and counted; the others hold. */
export function decodeLog(bytes: Uint8Array): RecordLog {
  const log: RecordLog = {
    claim: undefined,
    seal: undefined,
    digest: undefined,
    tomb: undefined,
    damagedBytes: 0,
  };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let lineStart = 0, lineEnd = 0; lineStart < buffer.length; lineStart = lineEnd + 1) {
    const lineFeed = buffer.indexOf(0x0a, lineStart);
    lineEnd = lineFeed === -1 ? buffer.length : lineFeed;
    const line = lineFeed === -1 ? undefined : decodeLine(buffer.subarray(lineStart, lineEnd));
    switch (line?.event) {
      case "claim":
        log.claim = line;
        break;
      case "seal":
        log.seal = line;
        break;
      case "digest":
        log.digest = line;
        break;
      case "tomb":
        log.tomb = line;
        break;
      default:
        log.damagedBytes += lineEnd - lineStart;
    }
  }
  return log;
}

function decodeLine(line: Buffer): RecordLine | undefined {
  const json = line.subarray(9);
  if (
    line.length < 10 || line.toString("latin1", 0, 9) !== `${blockSum(json).toString(16).padStart(8, "0")} `
  ) {
    return undefined;
  }
  try {
    const parsed = v.safeParse(recordLine, JSON.parse(json.toString()));
    return parsed.success ? parsed.output : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** The largest record log that is read: far above what real logs hold, so that a foreign file cannot fill the memory. */
const LARGEST_LOG_BYTES = 16 * 2 ** 20;

/** The log of `id`, or undefined where the id was never claimed. Always read afresh: any process may append. */
export function readLog(store: Store, id: number): RecordLog | undefined {
  const path = recordPath(store.path, id);
  let file;
  try {
    file = disk.open(path, constants.O_RDONLY | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    fail(failureOfSystem(thrown, "read", "open the record", path));
  }
  try {
    let bytes = Buffer.allocUnsafe(4096);
    let length = 0;
    for (;;) {
      const got = disk.read(file, bytes, length, bytes.length - length, null);
      if (got === 0) return decodeLog(bytes.subarray(0, length));
      length += got;
      if (length === bytes.length) {
        if (length >= LARGEST_LOG_BYTES) {
          fail({ kind: "store_corrupt", fd: `fd:${id}`, path, what: "the record is too large" });
        }
        bytes = Buffer.concat([bytes], bytes.length * 4);
      }
    }
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "read the record", path));
  } finally {
    closeReader(file);
  }
}

/**
 * Appends one line to the log of `id`, which must exist, and syncs it if `durable`. Where a torn line stands at the end,
 * it is ended first, so that it cannot swallow the new one.
 */
export function appendLine(store: Store, id: number, line: RecordLine, durable: boolean): void {
  const path = recordPath(store.path, id);
  try {
    const file = disk.open(path, constants.O_RDWR | constants.O_APPEND | NO_FOLLOW);
    try {
      const size = disk.fstat(file).size;
      const last = Buffer.alloc(1, "\n");
      if (size > 0) disk.read(file, last, 0, 1, size - 1);
      writeLine(file, line, last[0] === 0x0a ? "" : "\n");
      if (durable) disk.fsync(file);
    } finally {
      disk.close(file);
    }
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "append to the record", path));
  }
}

/**
 * Writes one line to a descriptor opened for appending: with one call, unless the disk takes less. What a full disk
 * leaves of it is a torn line, which readers pass over.
 */
export function writeLine(file: number, line: RecordLine, before = ""): void {
  writeWhole(file, Buffer.concat([Buffer.from(before), encodeLine(line)]));
}
