/**
 * The record log of an fd: checksummed JSON lines that are only ever appended (FORMAT.md, "Record log"). What an fd is,
 * and in which state, follows from its log alone.
 *
 * @module
 */

import { readCheckedLines, readCheckedLog } from "./checked_log.ts";
import type { Store } from "./open_store.ts";
import { isRecordLine } from "./record_line.ts";
import type { ClaimLine, CommandLine, DigestLine, SealLine, StopLine, TombLine } from "./record_schema.ts";
import { recordPath } from "./store_paths.ts";

/** What a record log says, the last line of each kind. */
export interface RecordLog {
  claim: ClaimLine | undefined;
  command: CommandLine | undefined;
  stop: StopLine | undefined;
  seal: SealLine | undefined;
  digest: DigestLine | undefined;
  tomb: TombLine | undefined;
  /** Bytes that are no line: a torn append, or damage. 0 in a healthy log. */
  damagedBytes: number;
}

/**
 * Reads a log. Lines that are torn or damaged, or that are none to `isLine`, are passed over and counted; the others
 * hold.
 */
export function decodeLog(bytes: Uint8Array, isLine = isRecordLine): RecordLog {
  const log: RecordLog = {
    claim: undefined,
    command: undefined,
    stop: undefined,
    seal: undefined,
    digest: undefined,
    tomb: undefined,
    damagedBytes: 0,
  };
  readCheckedLines(bytes, (value, byteLength) => {
    const line = isLine(value) ? value : undefined;
    switch (line?.event) {
      case "claim":
        log.claim = line;
        break;
      case "command":
        log.command = line;
        break;
      case "stop":
        log.stop = line;
        break;
      case "seal":
        log.seal = line;
        // What was said of content that was still growing does not hold for it now.
        log.digest = undefined;
        break;
      case "digest":
        log.digest = line;
        break;
      case "tomb":
        log.tomb = line;
        break;
      default:
        log.damagedBytes += byteLength;
    }
  });
  return log;
}

/** The log of `id`, or undefined where the id was never claimed. Always read afresh: any process may append. */
export function readLog(store: Store, id: number, isLine = isRecordLine): RecordLog | undefined {
  const bytes = readCheckedLog(recordPath(store.path, id), `fd:${id}`);
  return bytes === undefined ? undefined : decodeLog(bytes, isLine);
}
