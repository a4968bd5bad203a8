/**
 * The ids of fds, and their handles: `fd:12`, `12` or `ref:NAME` (contract, The store and Commands). Ids far above those
 * that are counted are random ones, which a host takes without asking the shared store (SHARED.md).
 */

import { refuse } from "../disk/errors.ts";
import { parseDecimal } from "../bytes/decimal.ts";

/** A parsed fd argument: an id or a name. */
type FdArgument = { by: "id"; id: number } | { by: "name"; name: string };

/** Largest id that fits the format's numbers and a double without loss: 2^47. */
const LARGEST_ID = 2 ** 47;
/** The first of the random ids. */
export const FIRST_OFFLINE_ID = 2 ** 46;

/**
 * Formats the handle of an id.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { formatFd } from "./fd_id.ts";
 * assertEquals(formatFd(12), "fd:12");
 * ```
 */
export function formatFd(id: number): string {
  return `fd:${id}`;
}

/**
 * Parses an fd argument: `fd:12`, `12` or `ref:NAME`. Returns undefined for anything else; rejects leading zeros and
 * signs, so that an fd has one spelling.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseFdArgument } from "./fd_id.ts";
 * assertEquals(parseFdArgument("12"), { by: "id", id: 12 });
 * assertEquals(parseFdArgument("ref:log"), { by: "name", name: "log" });
 * assertEquals(parseFdArgument("fd:0"), undefined);
 * ```
 */
export function parseFdArgument(text: string): FdArgument | undefined {
  if (!text.startsWith("ref:")) {
    const digits = text.startsWith("fd:") ? text.slice("fd:".length) : text;
    const id = digits.startsWith("0") ? undefined : parseDecimal(digits);
    return id !== undefined && id <= LARGEST_ID ? { by: "id", id } : undefined;
  }
  const name = text.slice("ref:".length);
  return isName(name) ? { by: "name", name } : undefined;
}

/** Whether `name` is a valid fd name: `[A-Za-z0-9._-]{1,128}`, but not `.` or `..`. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,128}$/.test(name) && name !== "." && name !== "..";
}

/** Throws `invalid_parameter` unless {@link isName}. */
export function checkName(name: string): void {
  if (!isName(name)) refuse("name", name, "1 to 128 of A-Z a-z 0-9 . _ - (and not . or ..)");
}

/** The lower half is for fds that are shared later, under `off/`; from here on they stay on their host. */
const FIRST_KEPT_ID = FIRST_OFFLINE_ID + 2 ** 45;

/** Returns a random id; of fds that stay on this host if `isKept`. */
export function offlineId(isKept: boolean): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  const random = (high! & 0x1fff) * 2 ** 32 + low!;
  return (isKept ? FIRST_KEPT_ID : FIRST_OFFLINE_ID) + random;
}

/** Whether an id was taken without asking the shared store. */
export function isOffline(id: number): boolean {
  return id >= FIRST_OFFLINE_ID && id < LARGEST_ID;
}

/** Whether the fd with this id is never shared. */
export function isKeptOnHost(id: number): boolean {
  return id >= FIRST_KEPT_ID && id < LARGEST_ID;
}
