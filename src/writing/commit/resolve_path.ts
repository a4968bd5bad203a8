/**
 * From a path as a caller writes it to the real path that a write would change: symbolic links followed, also the last
 * one and one that leads nowhere yet, `..` taken as the kernel takes it. Only so can a root confine writes, and only so
 * is a link's target replaced instead of the link.
 *
 * @module
 */

import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { checkPath, disk, fail, failureOfSystem, FdError, systemCode, textKind } from "../../../fd/mod.ts";

/** More links than this in one path are a loop, as for the kernel. */
const MOST_LINKS = 40;
/** What parts the names of a path. */
const SEPARATORS = sep === "\\" ? /[\\/]+/ : /\/+/;

/**
 * The real path of `path`, seen from the directory `cwd`. What does not exist yet is taken as written.
 *
 * @throws {FdError} `invalid_parameter` for an empty path or one with a NUL, `permission_error`, `read_error`.
 */
export function resolveRealPath(path: string, cwd: string): string {
  if (path === "" || path.includes("\0")) {
    fail({ kind: "invalid_parameter", field: "path", got: JSON.stringify(path), wanted: "a path" });
  }
  checkPath(path);
  const absolute = isAbsolute(path) ? path : `${cwd}${sep}${path}`;
  const { root } = parse(absolute);
  const pending = absolute.slice(root.length).split(SEPARATORS);
  let real = root;
  /** The last directory on the way that is there. */
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
    const next = join(real, name);
    const link = readLink(next, path);
    if (typeof link !== "string") {
      if (link.isThere) there = next;
      // Whether a name is too long a file system says only of its own directories. One that is still to be made will be
      // on that of the directory it is made in.
      else if (real !== there) readLink(join(there, name), path);
      real = next;
      continue;
    }
    if (++linkCount > MOST_LINKS) fail({ kind: "read_error", path, action: "resolve", code: "ELOOP" });
    if (isAbsolute(link)) there = real = parse(link).root;
    pending.unshift(...link.split(SEPARATORS));
  }
  return real;
}

/** Whether `realPath` is `realRoot` or lies in it. Both must be real paths. */
export function isInside(realPath: string, realRoot: string): boolean {
  if (realPath === realRoot) return true;
  return realPath.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** A real path as callers in the directory `cwd` can use it: relative at or below it, absolute elsewhere. */
export function pathFromHere(realPath: string, cwd: string): string {
  return pathsFromHere([realPath], cwd)[0]!;
}

/** Each of several real paths; see {@link pathFromHere}. */
export function pathsFromHere(realPaths: readonly string[], cwd: string): string[] {
  const here = realDirectory(cwd);
  if (here === undefined) return [...realPaths];
  const start = here.endsWith(sep) ? here : here + sep;
  return realPaths.map((path) => path.startsWith(start) ? path.slice(start.length) : path);
}

/** The real path of the directory `cwd`; undefined for one without a usable name. */
function realDirectory(cwd: string): string | undefined {
  try {
    return resolveRealPath(cwd, sep);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return undefined;
  }
}

/** A path goes on behind `real`, which therefore must not be a file: `f/`, `f/.` and `f/..` lead nowhere. */
function refuseFile(real: string, asWritten: string): void {
  let stat;
  try {
    stat = disk.lstat(real, { throwIfNoEntry: false });
  } catch (thrown) {
    // What is below a file is not there either; what cannot be looked at is refused where it is used.
    if (systemCode(thrown) === undefined) throw thrown;
  }
  if (stat === undefined || stat.isDirectory()) return;
  fail({ kind: "read_error", path: asWritten, action: "resolve", code: "ENOTDIR" });
}

/** A link comes decoded: one that leads to a name which is no UTF-8 would lead elsewhere. */
function refuseLostBytes(path: string, asWritten: string): void {
  const bytes = disk.readlink(path, { encoding: "buffer" }) as Uint8Array;
  if (textKind(bytes) !== "neither") return;
  const wanted = "a path whose directory names are valid UTF-8";
  fail({ kind: "invalid_parameter", field: "path", got: asWritten, wanted });
}

/** What the link at `path` says, or whether something else is there. */
function readLink(path: string, asWritten: string): string | { isThere: boolean } {
  try {
    const link = disk.readlink(path) as string;
    if (link.includes("\uFFFD")) refuseLostBytes(path, asWritten);
    return link;
  } catch (thrown) {
    const code = systemCode(thrown);
    // EINVAL: not a link. ENOTDIR: a file stands where a directory is wanted; making the file will say so.
    if (code === "EINVAL" || code === "UNKNOWN") return { isThere: true };
    if (code === "ENOENT" || code === "ENOTDIR") return { isThere: false };
    return fail(failureOfSystem(thrown, "read", "resolve", asWritten));
  }
}
