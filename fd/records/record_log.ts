/**
 * The record log of an fd: checksummed JSON lines that are only ever appended (FORMAT.md, "Record log"). What an fd is,
 * and in which state, follows from its log alone.
 *
 * @module
 */

import { readCheckedLines, readCheckedLog } from "../store/checked_log.ts";
import { disk } from "../disk/disk.ts";
import type { Store } from "../store/open_store.ts";
import { pause } from "../disk/pause.ts";
import { isRecordLine } from "./record_line.ts";
import type { ClaimLine, CommandLine, DigestLine, SealLine, StopLine, TombLine } from "./record_line.ts";
import { recordPath } from "../store/store_paths.ts";

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
 * Reads a log. Lines that are torn or damaged, or that are no record lines, are passed over and counted; the others
 * hold.
 */
export function decodeLog(bytes: Uint8Array): RecordLog {
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
    const line = isRecordLine(value) ? value : undefined;
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

/**
 * The log of `id`, or undefined where the id was never claimed. Always read afresh: any process may append. The claim of a
 * record that was made this moment is waited for.
 */
export function readLog(store: Store, id: number): RecordLog | undefined {
  const path = recordPath(store.path, id);
  const bytes = readCheckedLog(path, `fd:${id}`);
  if (bytes === undefined) return undefined;
  return decodeLog(bytes.length > 0 ? bytes : onceClaimed(path, id));
}

/** An empty record that was made so lately may be that of a writer which has not come to its first line. */
const UNSAID_MS = 2000;
/** How long its claim is waited for. It comes within microseconds, unless the writer has to wait for a processor. */
const CLAIM_WAIT_MS = 500;

/**
 * What the record at `path`, empty until now, holds with its claim: a record is made first and claimed then (FORMAT.md),
 * and who looks between the two must not take its writer for dead. Nothing, where no claim comes.
 */
function onceClaimed(path: string, id: number): Uint8Array {
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  // One that is dated ahead was made before the clock was set back. What is no file was put there by somebody else.
  if (stat?.isFile() !== true || Math.abs(Date.now() - stat.mtimeMs) > UNSAID_MS) return new Uint8Array();
  const untilMs = performance.now() + CLAIM_WAIT_MS;
  while (performance.now() < untilMs) {
    const bytes = readCheckedLog(path, `fd:${id}`);
    if (bytes !== undefined && bytes.length > 0) return bytes;
    pause(1);
  }
  return new Uint8Array();
}
