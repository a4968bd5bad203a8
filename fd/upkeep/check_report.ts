/** The result of checking a store. */

import { ifPossible } from "../disk/errors.ts";
import { formatFd } from "../store/fd_id.ts";

/** A problem found. */
export interface Finding {
  /** Handle of the fd, such as `fd:12`; undefined if the problem is not about an fd. */
  fd: string | undefined;
  /** The affected file. */
  path: string;
  /** The kind of problem. */
  problem:
    | "record_missing"
    | "record_damaged"
    | "content_missing"
    | "content_damaged"
    | "index_damaged"
    | "filter_damaged"
    | "seek_table_damaged"
    | "digest_differs"
    | "writer_died"
    | "removal_unfinished"
    | "name_dangling"
    | "name_damaged"
    | "foreign_file"
    | "other_version"
    | "not_private";
  /** Description of the problem. */
  detail: string;
  /** Whether it was repaired. */
  repaired: boolean;
}

/** The result of checking a store. */
export interface CheckReport {
  /** Number of fds checked. */
  fdCount: number;
  /** Bytes of content read and verified. */
  byteCount: number;
  /** Problems found; empty if there are none. */
  findings: Finding[];
}

/** Runs a repair. Returns whether it succeeded; failures leave the finding as it is. */
export function isRepaired(step: () => unknown): boolean {
  return ifPossible(() => (step(), true)) ?? false;
}

/** Adds a finding to a report, about fd `id` if that is given. */
export function addFinding(
  { findings }: CheckReport,
  problem: Finding["problem"],
  path: string,
  detail: string,
  { id, repaired = false }: { id?: number; repaired?: boolean | undefined } = {},
): void {
  findings.push({ fd: id === undefined ? undefined : formatFd(id), path, problem, detail, repaired });
}
