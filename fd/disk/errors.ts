/**
 * Store failures as a closed union of kinds with fields (contract, Errors). `src/render/failure_text.ts`
 * turns them into sentences.
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
  /** An invalid value. `wanted` says what is accepted. */
  | { kind: "invalid_parameter"; field: string; got: string; wanted: string; isTooLarge?: true | undefined }
  /** The user's file already exists. `refusedBy` names the parameter that forbids replacing it, if one does. */
  | { kind: "file_exists"; path: string; refusedBy?: "exist_ok=false" | undefined }
  /** The user's file does not exist. `action` names the operation unless it was a write ("run"). */
  | { kind: "file_not_found"; path: string; action?: string | undefined }
  /**
   * The real path lies outside the root that confines reads and writes. `action` names the operation unless
   * it was a write.
   */
  | { kind: "outside_root"; path: string; root: string; action?: string | undefined }
  /** A pipe, device, socket or directory instead of a regular file; `what` says which. */
  | { kind: "not_regular"; path: string; what: string }
  /** The operating system refused access. */
  | { kind: "permission_error"; path: string; action: string; code: string }
  /** A write failed for a reason other than access or space. `code` is the system's, such as EIO. */
  | { kind: "write_error"; path: string; action: string; code: string }
  /** A read failed for a reason other than access. */
  | { kind: "read_error"; path: string; action: string; code: string }
  /** The disk or quota is full (ENOSPC, EDQUOT, EFBIG). */
  | { kind: "storage_full"; path: string; action: string; code: string }
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
  /** A shared store refused the credentials, or there are none. `reason` is the store's code, or what is missing. */
  | { kind: "store_denied"; store: string; action: string; reason: string }
  /**
   * A call names a store that the user did not connect this host to. `command` is set if the store is a directory, which
   * only commands that run without a question may not choose. The library does not throw it.
   */
  | { kind: "not_connected"; store: string; command?: string | undefined }
  /** A shared store broke a promise, so nothing is written to it. `found` says what it did instead. */
  | { kind: "store_unfit"; store: string; promise: StorePromise; found: string };

/** The only error type the store library throws deliberately; anything else is a bug. */
export class FdError extends Error {
  /** Distinguishes it from other errors across realms. */
  override readonly name = "FdError";
  /** The kind, and its fields. */
  readonly failure: FdFailure;

  /** Makes an error whose message has the kind and all fields. */
  constructor(failure: FdFailure) {
    super(summary(failure));
    this.failure = failure;
  }
}

/** Returns kind and fields for callers that only print the error: `not_found (fd: fd:7, highestId: 2)`. */
function summary({ kind, ...fields }: FdFailure): string {
  const shown = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return shown.length === 0 ? kind : `${kind} (${shown.join(", ")})`;
}

/** Throws `failure` as an {@link FdError}. */
export function fail(failure: FdFailure): never {
  throw new FdError(failure);
}

/** Returns the system error code of a thrown value (`ENOENT`), or undefined if it is not a system error. */
export function systemCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Deno gives some system errors no code, only a number in the message.
  const number = thrown instanceof Error ? /\(os error ([0-9]+)\)$/.exec(thrown.message)?.[1] : undefined;
  return number === undefined ? undefined : codeOfNumber(number);
}

/** Maps Linux error numbers that reads and writes can hit and Deno does not name. */
function codeOfNumber(number: string): string | undefined {
  switch (number) {
    case "5":
      return "EIO";
    case "11":
      return "EAGAIN";
    case "27":
      return "EFBIG";
    case "28":
      return "ENOSPC";
    case "29":
      return "ESPIPE";
    case "122":
      return "EDQUOT";
    default:
      return undefined;
  }
}

/**
 * Converts a system error from doing `action` ("create", "write", "rename" …) on `path` to a failure.
 * Rethrows anything that is not a system error.
 */
export function failureOfSystem(
  thrown: unknown,
  direction: "read" | "write",
  action: string,
  path: string,
): FdFailure {
  const code = systemCode(thrown);
  if (code === undefined) throw thrown;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return { kind: "storage_full", path, action, code };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return { kind: "permission_error", path, action, code };
    default:
      return { kind: direction === "read" ? "read_error" : "write_error", path, action, code };
  }
}
