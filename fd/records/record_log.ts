/**
 * The record log of an fd: append-only checksummed JSON lines (FORMAT.md, "Record log"). The state of an fd follows
 * from its log alone.
 *
 * @module
 */

import { readCheckedLines, readCheckedLog } from "../store/checked_log.ts";
import { disk } from "../disk/disk.ts";
import type { Store } from "../store/open_store.ts";
import { pause } from "../disk/pause.ts";
import { isRecordLine } from "./record_line.ts";
import type {
  ClaimLine,
  CommandLine,
  DenseLine,
  DigestLine,
  SealLine,
  StopLine,
  StoredLine,
  TombLine,
} from "./record_line.ts";
import { recordPath } from "../store/store_paths.ts";

/** A decoded record log: the last line of each kind. */
export interface RecordLog {
  claim: ClaimLine | undefined;
  command: CommandLine | undefined;
  stop: StopLine | undefined;
  seal: SealLine | undefined;
  digest: DigestLine | undefined;
  dense: DenseLine | undefined;
  tomb: TombLine | undefined;
  /** Only of an fd on an object store. */
  stored: StoredLine | undefined;
  /** Bytes that are not valid lines, such as a truncated append. 0 in a healthy log. */
  damagedBytes: number;
}

/** Decodes a log. Truncated, damaged and unknown lines are skipped and counted. */
export function decodeLog(bytes: Uint8Array): RecordLog {
  const log: RecordLog = {
    claim: undefined,
    command: undefined,
    stop: undefined,
    seal: undefined,
    digest: undefined,
    dense: undefined,
    tomb: undefined,
    stored: undefined,
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
        // A digest of content that was still growing is no longer valid.
        log.digest = undefined;
        break;
      case "digest":
        log.digest = line;
        break;
      case "dense":
        log.dense = line;
        break;
      case "tomb":
        log.tomb = line;
        break;
      case "stored":
        log.stored = line;
        break;
      case "keep":
        break;
      default:
        log.damagedBytes += byteLength;
    }
  });
  return log;
}

/**
 * Reads the log of `id`; returns undefined if the id was never claimed. Not cached, since any process may append. If
 * the record was only just created, waits for its claim.
 */
export function readLog(store: Store, id: number): RecordLog | undefined {
  const path = recordPath(store.path, id);
  const bytes = readCheckedLog(path, `fd:${id}`);
  if (bytes === undefined) return undefined;
  return decodeLog(bytes.length > 0 ? bytes : onceClaimed(path, id));
}

/** Maximum age of an empty record whose writer may still be about to write its first line. */
const UNSAID_MS = 2000;
/** How long to wait for the claim. It takes microseconds unless the writer is waiting for a processor. */
const CLAIM_WAIT_MS = 500;

/**
 * Waits for the claim in an empty record at `path` and returns the record's bytes; empty if no claim appears. A
 * record is created before its claim is written (FORMAT.md), and a reader in between must not treat the writer as
 * dead.
 */
function onceClaimed(path: string, id: number): Uint8Array {
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  // A record dated ahead was created before the clock was set back. Anything but a regular file is foreign.
  if (stat?.isFile() !== true || Math.abs(Date.now() - stat.mtimeMs) > UNSAID_MS) return new Uint8Array();
  const untilMs = performance.now() + CLAIM_WAIT_MS;
  while (performance.now() < untilMs) {
    const bytes = readCheckedLog(path, `fd:${id}`);
    if (bytes !== undefined && bytes.length > 0) return bytes;
    pause(1);
  }
  return new Uint8Array();
}
