/**
 * Store failures as a closed union of kinds with fields (contract, Errors), and the words that they are made of.
 * `src/answers/render/failure_text.ts` turns them into sentences.
 */

/** The units of slices (contract, Units). */
export const SLICE_MODES = ["page", "line", "char"] as const;
/** A slice's unit. */
export type SliceMode = typeof SLICE_MODES[number];

/** Rules that a shared store relies on its object store to keep. */
export type StorePromise =
  | "create_once"
  | "replace_seen"
  | "read_own_write"
  | "ranges"
  | "ordered_list"
  | "answers";

/** A refusal of the operating system. */
interface SystemRefusal {
  path: string;
  /** For the sentence: "read", "create the store". */
  action: string;
  /** The system's, such as EIO. */
  code: string;
  /** The store itself, or content to be stored: another place or other permissions mend it. `file`: a user's file. */
  place?: SystemPlace | undefined;
}

export type SystemPlace = "store" | "content" | "file";

/**
 * Every failure that the store library reports. Its `fd` is always the full handle (`fd:12` or `ref:NAME`).
 */
export type FdFailure =
  /** The fd was never created in this store, or the name is not bound. `highestId` is 0 in an empty store. */
  | { kind: "not_found"; fd: string; highestId: number }
  /** The fd was removed; the fields come from its tombstone. Times in milliseconds since 1970. */
  | {
    kind: "removed";
    fd: string;
    removedAtMs: number;
    why: string;
    source: string;
    command: string[] | undefined;
    /**
     * The fd came from an archive: source and command are the archive's claims, not run or requested here.
     */
    isImported: boolean;
    /** The command's working directory. */
    cwd?: string | undefined;
    /** The slice this fd was extracted from. */
    parent?: { id: number; mode: SliceMode; start: number; count: number } | undefined;
    byteCount: number;
    sha256: string | undefined;
  }
  /** A page outside 1..pageCount. */
  | { kind: "invalid_page"; fd: string; page: number; pageCount: number }
  /**
   * A line outside 1..lineCount or a char outside 0..charCount-1. `first`..`last` is the valid range; it is
   * empty (`last` < `first`) if no start is valid.
   */
  | { kind: "invalid_range"; fd: string; mode: SliceMode; start: number; first: number; last: number }
  /** An invalid value. `wanted` says what is accepted, `fault` what is wrong in a pattern: `unclosed (`. */
  | {
    kind: "invalid_parameter";
    field: string;
    got: string;
    wanted: string;
    isTooLarge?: true | undefined;
    fault?: string | undefined;
  }
  /** The user's file already exists. `refusedBy` names the parameter that forbids replacing it, if one does. */
  | { kind: "file_exists"; path: string; refusedBy?: "exist_ok=false" | undefined }
  /** The user's file does not exist. `action` names the operation unless it was a write. `isProgram`: it was to be run. */
  | { kind: "file_not_found"; path: string; action?: string | undefined; isProgram?: true | undefined }
  /**
   * The real path lies outside the root that confines reads and writes. `action` names the operation unless
   * it was a write.
   */
  /** `root` is a real path. Relative paths start in `cwd`; `meant` is the file inside that may be meant. */
  | {
    kind: "outside_root";
    path: string;
    root: string;
    cwd?: string | undefined;
    meant?: string | undefined;
    action?: string | undefined;
  }
  /** A pipe, device, socket or directory instead of a regular file; `what` says which. */
  | { kind: "not_regular"; path: string; what: string }
  /** The operating system refused access. */
  | { kind: "permission_error" } & SystemRefusal
  /** A write failed for a reason other than access or space. */
  | { kind: "write_error" } & SystemRefusal
  /** A read failed for a reason other than access. */
  | { kind: "read_error" } & SystemRefusal
  /** The disk or quota is full (ENOSPC, EDQUOT, EFBIG). */
  | { kind: "storage_full" } & SystemRefusal
  | { kind: "archive_truncated"; byteCount: number }
  /** Not an archive of fds, or an invalid one. */
  | { kind: "archive_malformed"; byteOffset: number; what: string }
  /** An archive member contradicts its manifest. `unit` names the property: `sha256`, `chars` … */
  | { kind: "archive_mismatch"; member: string; unit: string; got: string; wanted: string }
  /** Cleaning kept fds that only a clock which jumped makes too old. Reported, never thrown. */
  | { kind: "clock_doubted"; doubtedCount: number; clockAheadMs: number }
  /** Stored data contradicts its own checksums or records. */
  | { kind: "store_corrupt"; fd: string | undefined; path: string; what: string }
  /**
   * A shared store did not answer, or only with errors, until retries and the deadline ended. `action` names the
   * request ("create fd/000000000012"), `reason` the last failure ("503 SlowDown"). Callers fail open.
   */
  | { kind: "store_unreachable"; store: string; action: string; reason: string }
  /** This host may share nothing more today, or the shared store is full. What is stored stays, and is shared later. */
  | { kind: "over_quota"; store: string; reason: string }
  /** A shared store refused the credentials, or there are none. `reason` is the store's code, or what is missing. */
  | { kind: "store_denied"; store: string; action: string; reason: string }
  /**
   * A call names a store that the user did not connect this host to. `command` is set if the store is a directory, which
   * only commands that run without a question may not choose. The library does not throw it.
   */
  | { kind: "not_connected"; store: string; command?: string | undefined }
  /** A shared store broke a promise, so nothing is written to it. `found` says what it did instead. */
  | { kind: "store_unfit"; store: string; promise: StorePromise; found: string };
