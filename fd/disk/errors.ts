/**
 * What can go wrong in the store, as a closed union of kinds with fields (contract, Errors).
 * No sentence is made here: `src/render/failure_text.ts` makes the one sentence that a person or model reads.
 *
 * @module
 */

/** A slice's unit (contract, Units). */
export const SLICE_MODES = ["page", "line", "char"] as const;
export type SliceMode = typeof SLICE_MODES[number];

/** Every failure that the store library reports. `fd` is always the full handle (`fd:12` or `ref:NAME`). */
export type FdFailure =
  /** No such fd was ever made in this store, or no such name is bound. `highestId` is 0 in an empty store. */
  | { kind: "not_found"; fd: string; highestId: number }
  /** It was there; its tombstone says what it was. Times in milliseconds since 1970. */
  | {
    kind: "removed";
    fd: string;
    removedAtMs: number;
    why: string;
    source: string;
    command: string[] | undefined;
    /** It came in an archive: source and command are what that says, and nobody here ran or asked for them. */
    isImported: boolean;
    /** Where that command ran. */
    cwd?: string | undefined;
    /** Where it was extracted from. */
    parent?: { id: number; mode: SliceMode; start: number; count: number } | undefined;
    byteCount: number;
    sha256: string | undefined;
  }
  /** A page outside 1..pageCount. */
  | { kind: "invalid_page"; fd: string; page: number; pageCount: number }
  /** A line outside 1..lineCount or a char outside 0..charCount-1; `first`..`last` is the valid range, absent when there is none. */
  | { kind: "invalid_range"; fd: string; mode: SliceMode; start: number; first: number; last: number }
  /** A value that the callee cannot take. `wanted` says what it can. */
  | { kind: "invalid_parameter"; field: string; got: string; wanted: string }
  /** The user's file is there and was not to be. */
  | { kind: "file_exists"; path: string }
  /** The user's file is not there and was to be. `action` says what for, where that was not to write it ("run"). */
  | { kind: "file_not_found"; path: string; action?: string | undefined }
  /** The real path lies outside the root that confines what is written and read. `action` says what for, if not to write. */
  | { kind: "outside_root"; path: string; root: string; action?: string | undefined }
  /** A pipe, device, socket or directory is where a file is to be read; `what` says which. */
  | { kind: "not_regular"; path: string; what: string }
  /** The operating system refused access. */
  | { kind: "permission_error"; path: string; action: string; code: string }
  /** A write failed for any reason but access and space. `code` is the system's, such as EIO. */
  | { kind: "write_error"; path: string; action: string; code: string }
  /** A read failed for any reason but access. */
  | { kind: "read_error"; path: string; action: string; code: string }
  /** The disk or quota is full (ENOSPC, EDQUOT, EFBIG). */
  | { kind: "storage_full"; path: string; action: string; code: string }
  /** An archive of fds ends too early. */
  | { kind: "archive_truncated"; byteCount: number }
  /** An archive of fds is not built as one, or no archive of fds at all. */
  | { kind: "archive_malformed"; byteOffset: number; what: string }
  /** A member of an archive is not what the archive says of it. `unit` says in what: `sha256`, `chars` … */
  | { kind: "archive_mismatch"; member: string; unit: string; got: string; wanted: string }
  /** What is stored contradicts its own checksums or records. */
  | { kind: "store_corrupt"; fd: string | undefined; path: string; what: string };

/** The one error type that the store library throws on purpose; anything else is a bug. */
export class FdError extends Error {
  /** Tells it from other errors across realms. */
  override readonly name = "FdError";
  /** All there is to say. */
  readonly failure: FdFailure;

  /** See {@link fail}. */
  constructor(failure: FdFailure) {
    super(summary(failure));
    this.failure = failure;
  }
}

/** The kind and the fields, for those who only print the error: `not_found (fd: fd:7, highestId: 2)`. */
function summary({ kind, ...fields }: FdFailure): string {
  const told = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return told.length === 0 ? kind : `${kind} (${told.join(", ")})`;
}

/** Throws `failure` as an {@link FdError}. */
export function fail(failure: FdFailure): never {
  throw new FdError(failure);
}

/** The system's error code of a thrown value (`ENOENT`), or undefined where it is no system error. */
export function systemCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Deno gives some system errors no code, only their number in the message.
  const number = thrown instanceof Error ? /\(os error ([0-9]+)\)$/.exec(thrown.message)?.[1] : undefined;
  return number === undefined ? undefined : codeOfNumber(number);
}

/** Linux's numbers of the errors that writing meets and Deno does not name. */
function codeOfNumber(number: string): string | undefined {
  switch (number) {
    case "5":
      return "EIO";
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
 * Turns a system error met while doing `action` ("create", "write", "rename" …) to `path` into its failure kind;
 * throws anything that is not a system error unchanged.
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
