/**
 * Resolves a path to the real path that a write would change: follows symbolic links, including a last or dangling
 * one, and takes `..` as the kernel does. Otherwise a root could not confine writes, and a link would be replaced
 * instead of its target.
 */

import { dirname, isAbsolute, join, parse, sep } from "node:path";
import {
  checkPath,
  disk,
  fail,
  failureOfSystem,
  FdError,
  ifPossible,
  refuse,
  statIfPossible,
  systemCode,
  textKind,
} from "../../../fd/system.ts";

/** As many as the kernel follows. */
const MAX_LINKS = 40;
const IS_WINDOWS = sep === "\\";
const SEPARATORS = IS_WINDOWS ? /[\\/]+/ : /\/+/;

/**
 * The real path of `path`, relative to the directory `cwd`. Missing parts are taken as written.
 *
 * @throws {FdError} `invalid_parameter` for an empty path or one with a NUL, `permission_error`, `read_error`.
 */
export function resolveRealPath(path: string, cwd: string): string {
  if (path === "" || path.includes("\0")) {
    refuse("path", path, "a path that is not empty, without NUL");
  }
  checkPath(path);
  const absolute = isAbsolute(path) ? path : `${cwd}${sep}${path}`;
  const { root } = parse(absolute);
  const pending = absolute.slice(root.length).split(SEPARATORS);
  let real = root;
  /** The last existing directory of the path. */
  let there = root;
  let linkCount = 0;
  while (pending.length > 0) {
    const name = pending.shift()!;
    if (name === "" || name === "." || name === "..") refuseFile(real, path);
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = dirname(real);
      continue;
    }
    if (IS_WINDOWS) refuseOnWindows(name, path);
    const next = join(real, name);
    const link = readLink(next, path);
    if (typeof link !== "string") {
      if (link.isThere) there = next;
      // Each file system has its own limit for names: a file that is still to be created will be on that of its
      // directory.
      else if (real !== there) readLink(join(there, name), path);
      real = next;
      continue;
    }
    if (++linkCount > MAX_LINKS) fail({ kind: "read_error", path, action: "resolve", code: "ELOOP" });
    if (isAbsolute(link)) there = real = parse(link).root;
    pending.unshift(...link.split(SEPARATORS));
  }
  return real;
}

/** Whether `realPath` is `realRoot` or inside it. Both must be real paths. */
export function isInside(realPath: string, realRoot: string, foldsCase = IS_WINDOWS): boolean {
  if (realPath === realRoot) return true;
  if (foldsCase) return isInside(realPath.toLowerCase(), realRoot.toLowerCase(), false);
  return realPath.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** A real path as seen from the directory `cwd`: relative at or below it, otherwise absolute. */
export function pathFromHere(realPath: string, cwd: string): string {
  return pathsFromHere([realPath], cwd)[0]!;
}

/** Does the same for several real paths; see {@link pathFromHere}. */
export function pathsFromHere(realPaths: readonly string[], cwd: string): string[] {
  // Its name may be unusable.
  const here = ifPossible(() => resolveRealPath(cwd, sep), FdError);
  if (here === undefined) return [...realPaths];
  const start = here.endsWith(sep) ? here : here + sep;
  return realPaths.map((path) => path.startsWith(start) ? path.slice(start.length) : path);
}

/** The path continues after `real`, so it must not be a file: `f/`, `f/.` and `f/..` are invalid. */
function refuseFile(real: string, asWritten: string): void {
  // Below a file nothing exists; other failures appear where the path is used.
  const stat = statIfPossible(real);
  if (stat === undefined || stat.isDirectory()) return;
  fail({ kind: "read_error", path: asWritten, action: "resolve", code: "ENOTDIR" });
}

/** Links are decoded: a name that is not UTF-8 would lead elsewhere. */
function refuseLostBytes(path: string, asWritten: string): void {
  const bytes = disk.readlink(path, { encoding: "buffer" }) as Uint8Array;
  if (textKind(bytes) !== "neither") return;
  const wanted = "a path whose directory names are valid UTF-8";
  refuse("path", asWritten, wanted);
}

/** The end that Linux gives the name of a removed directory. */
const REMOVED = " (deleted)";

/** The target of the link at `path`, or whether something else is there. */
function readLink(path: string, asWritten: string): string | { isThere: boolean } {
  try {
    const link = disk.readlink(path) as string;
    if (link.includes("\uFFFD")) refuseLostBytes(path, asWritten);
    if (path.startsWith("/proc/") && link.endsWith(REMOVED)) {
      return fail({ kind: "read_error", path: asWritten, action: "resolve", code: "ENOENT" });
    }
    return link;
  } catch (thrown) {
    const code = systemCode(thrown);
    // EINVAL: not a link. ENOTDIR: a parent is a file; creating the file will fail with the reason.
    if (code === "EINVAL" || code === "UNKNOWN") return { isThere: true };
    if (code === "ENOENT" || code === "ENOTDIR") return { isThere: false };
    return fail(failureOfSystem(thrown, "read", "resolve", asWritten));
  }
}

/** Devices of Windows, also with an ending. */
const DEVICE =
  /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(\..*)?$/i;

/**
 * Refuses a name in a path of Windows that does not lead where it seems to: of a device instead of a file; with a
 * final dot or space, which Windows leaves out, so that another file is written; with a colon, which names a hidden
 * stream of a file.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function refuseOnWindows(name: string, path: string): void {
  const wanted = DEVICE.test(name)
    ? "a file: this is a device of Windows"
    : /[. ]$/.test(name)
    ? "a path whose names do not end with a dot or a space, which Windows leaves out"
    : name.includes(":")
    ? "a path without a colon after the drive, which names a hidden stream"
    : undefined;
  if (wanted !== undefined) refuse("path", path, wanted);
}
