/** The properties of an fd that its writer gives. */

import { refuse } from "../disk/errors.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../bytes/page_rule.ts";
import { type ClaimLine, momentNow } from "../records/record_line.ts";
import { checkName } from "../store/fd_id.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** The slice an fd was extracted from: `count` units of `mode` of the fd with this `id`, from unit `start` on. */
export type FdParent = NonNullable<ClaimLine["parent"]>;

/** Properties of an fd that are known before its first byte. */
export interface PutOptions {
  /** Origin of the bytes: `stdin`, `run`, `backup` … */
  source: string;
  /** Page size in chars, 1 to 16777216; defaults to 4000. */
  pageSize?: number | undefined;
  /** The command that writes the bytes, as a list of words. */
  command?: string[] | undefined;
  /** The command's working directory. */
  cwd?: string | undefined;
  /** The fd of the last run of the same command in the same directory; found when the fd is begun. */
  before?: number | undefined;
  /** Names to bind once the fd is sealed as whole. */
  names?: string[] | undefined;
  /** Maximum bytes to store; defaults to the store's limit. 0 for no limit. */
  maxBytes?: number | undefined;
  /** The slice it is extracted from. */
  parent?: FdParent | undefined;
  /** Whether `seal` syncs content and record to disk before it returns. */
  durable?: boolean | undefined;
}

/** Refuses invalid options before an id is claimed. @throws {FdError} `invalid_parameter`. */
export function checkPutOptions({ pageSize = DEFAULT_PAGE_SIZE, names }: PutOptions): void {
  if (!Number.isInteger(pageSize) || pageSize < MIN_PAGE_SIZE || pageSize > MAX_PAGE_SIZE) {
    refuse("page_size", pageSize, `a whole number of chars from ${MIN_PAGE_SIZE} to ${MAX_PAGE_SIZE}`);
  }
  if (names !== undefined) { for (const name of names) checkName(name); }
}

/** Builds the claim of a put of this process with these options. */
export function claimLine(options: PutOptions): ClaimLine {
  return {
    event: "claim",
    at: momentNow(),
    source: options.source,
    page_size: options.pageSize ?? DEFAULT_PAGE_SIZE,
    command: options.command,
    cwd: options.cwd,
    before: options.before,
    parent: options.parent,
    writer: thisWriter(),
  };
}
