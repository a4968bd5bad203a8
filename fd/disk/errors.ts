/** The error that carries a failure of the store, and failures made of what the system says. */

import type { FdFailure, SystemPlace } from "../failures.ts";

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

/** Fails with `invalid_parameter`: `got` is not valid for `field`. */
export function refuse(
  field: string,
  got: unknown,
  wanted: string,
  more?: { isTooLarge: true } | { fault: string },
): never {
  fail({ kind: "invalid_parameter", field, got: String(got), wanted, ...more });
}

/** Fails with `store_corrupt`: `what` is wrong with the file or object at `path`, which is that of `fd` if that is given. */
export function failCorrupt(path: string, what: string, fd?: string): never {
  fail({ kind: "store_corrupt", fd, path, what });
}

/** Returns the system error code of a thrown value (`ENOENT`), or undefined if it is not a system error. */
export function systemCode(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null) return undefined;
  if ("code" in thrown && typeof thrown.code === "string") return thrown.code;
  // Deno gives some system errors no code, only a number in the message.
  const number = thrown instanceof Error ? /\(os error ([0-9]+)\)$/.exec(thrown.message)?.[1] : undefined;
  return codes()[Number(number)];
}

/** Linux error numbers that reads and writes can hit and Deno does not name. */
const codes = (): Readonly<Record<number, string>> => ({
  5: "EIO",
  11: "EAGAIN",
  27: "EFBIG",
  28: "ENOSPC",
  29: "ESPIPE",
  122: "EDQUOT",
});

/**
 * Converts a system error from doing `action` ("create", "write", "rename" …) on `path` to a failure; a failure of the
 * store stays as it is. Rethrows anything else. `place` is given for what the store itself does.
 */
export function failureOfSystem(
  thrown: unknown,
  direction: "read" | "write",
  action: string,
  path: string,
  place?: SystemPlace,
): FdFailure {
  if (thrown instanceof FdError) return thrown.failure;
  const code = systemCode(thrown);
  if (code === undefined) throw thrown;
  const where = place === undefined ? { path, action, code } : { path, action, code, place };
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG") return { kind: "storage_full", ...where };
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return { kind: "permission_error", ...where };
  }
  return { kind: direction === "read" ? "read_error" : "write_error", ...where };
}

/** Returns what `step` returns. Fails with what the system says like {@link failureOfSystem}. */
export function attempt<Result>(
  direction: "read" | "write",
  action: string,
  path: string,
  step: () => Result,
  place?: SystemPlace,
): Result {
  try {
    return step();
  } catch (thrown) {
    return fail(failureOfSystem(thrown, direction, action, path, place));
  }
}

/** An error that may come: its class, the kind of its failure, or the system's code. */
type Expected = (abstract new (...values: never[]) => Error) | FdFailure["kind"] | `E${string}`;

/**
 * Returns what `step` returns, or undefined if it fails as `expected`; if nothing is, with any failure of the store or system
 * error. Throws other errors on.
 */
export function ifPossible<Result>(step: () => Result, ...expected: readonly Expected[]): Result | undefined {
  try {
    return step();
  } catch (thrown) {
    return undefinedIf(...expected)(thrown);
  }
}

/** Returns what a promise that fails becomes: undefined by the rule of {@link ifPossible}. */
export function undefinedIf(...expected: readonly Expected[]): (thrown: unknown) => undefined {
  return (thrown) => {
    const kind = thrown instanceof FdError ? thrown.failure.kind : systemCode(thrown);
    const isExpected = expected.length === 0
      ? kind !== undefined
      : expected.some((each) => typeof each === "string" ? each === kind : thrown instanceof each);
    if (!isExpected) throw thrown;
  };
}

/** Returns the failure that a thrown error carries, of one of `kinds` if any are given. Throws other errors on. */
export function failureIn<Kind extends FdFailure["kind"]>(
  thrown: unknown,
  ...kinds: readonly Kind[]
): Extract<FdFailure, { kind: Kind }> {
  const failure = thrown instanceof FdError ? thrown.failure : undefined;
  const hasKind = (found: FdFailure): found is Extract<FdFailure, { kind: Kind }> =>
    kinds.length === 0 || (kinds as readonly string[]).includes(found.kind);
  if (failure === undefined || !hasKind(failure)) throw thrown;
  return failure;
}

/** For `using`: calls `end` at the end of the block, however it ends. `end` must not throw. */
export function atEnd(end: () => void): Disposable {
  return { [Symbol.dispose]: end };
}

/** Returns what `step` returns. If it fails, calls `undo` before the error is thrown on. */
export function orUndo<Result>(step: () => Result, undo: () => void): Result {
  try {
    return step();
  } catch (thrown) {
    undo();
    throw thrown;
  }
}
