/** What checking a store finds. @module */

import { FdError, systemCode } from "../disk/errors.ts";

/** Something that is not as it should be. */
export interface Finding {
  /** The handle, `fd:12`; undefined where it is not about one. */
  fd: string | undefined;
  /** The file that is wrong. */
  path: string;
  /** What is wrong with it. */
  problem:
    | "record_missing"
    | "record_damaged"
    | "content_missing"
    | "content_damaged"
    | "index_damaged"
    | "digest_differs"
    | "writer_died"
    | "removal_unfinished"
    | "name_dangling"
    | "name_damaged"
    | "foreign_file"
    | "other_version"
    | "not_private";
  /** The same in words. */
  detail: string;
  /** Whether it was put right. */
  repaired: boolean;
}

/** What checking looked at, and found. */
export interface CheckReport {
  /** How many fds were looked at. */
  fdCount: number;
  /** How many bytes of content were read and summed. */
  byteCount: number;
  /** What is wrong; empty where nothing is. */
  findings: Finding[];
}

/** Whether `step`, which mends something, could be done. What keeps it from that leaves the finding as it is. */
export function isMended(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch (thrown) {
    if (!(thrown instanceof FdError) && systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}
