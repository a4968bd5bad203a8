/**
 * From a path as a caller writes it to the real path that a write would change: symbolic links followed, also the last
 * one and one that leads nowhere yet, `..` taken as the kernel takes it. Only so can a root confine writes, and only so
 * is a link's target replaced instead of the link.
 *
 * @module
 */

import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { disk, fail, failureOfSystem, systemCode, utf8Bytes } from "../../fd/mod.ts";

/** More links than this in one path are a loop, as for the kernel. */
const MOST_LINKS = 40;
/** The most bytes in a name, on every file system there is to speak of. */
const MOST_NAME_BYTES = 255;

/**
 * The real path of `path`, seen from the directory `cwd`. What does not exist yet is taken as written.
 *
 * @throws {FdError} `invalid_parameter` for an empty path or one with a NUL, `permission_error`, `read_error`.
 */
export function resolveRealPath(path: string, cwd: string): string {
  if (path === "" || path.includes("\0")) {
    fail({ kind: "invalid_parameter", field: "path", got: JSON.stringify(path), wanted: "a path" });
  }
  const absolute = isAbsolute(path) ? path : `${cwd}${sep}${path}`;
  const { root } = parse(absolute);
  const pending = absolute.slice(root.length).split(sep === "\\" ? /[\\/]+/ : /\/+/);
  let real = root;
  let linkCount = 0;
  while (pending.length > 0) {
    const name = pending.shift()!;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = dirname(real);
      continue;
    }
    // Where its directory is still to be made the system says so only when that has been done.
    if (utf8Bytes(name).length > MOST_NAME_BYTES) {
      fail({ kind: "read_error", path, action: "resolve", code: "ENAMETOOLONG" });
    }
    const next = join(real, name);
    const link = readLink(next, path);
    if (link === undefined) {
      real = next;
      continue;
    }
    if (++linkCount > MOST_LINKS) fail({ kind: "read_error", path, action: "resolve", code: "ELOOP" });
    if (isAbsolute(link)) real = parse(link).root;
    pending.unshift(...link.split("/"));
  }
  return real;
}

/** Whether `realPath` is `realRoot` or lies in it. Both must be real paths. */
export function isInside(realPath: string, realRoot: string): boolean {
  if (realPath === realRoot) return true;
  return realPath.startsWith(realRoot.endsWith(sep) ? realRoot : realRoot + sep);
}

/** What the link at `path` says; undefined where there is no link, or nothing. */
function readLink(path: string, asWritten: string): string | undefined {
  try {
    return disk.readlink(path) as string;
  } catch (thrown) {
    const code = systemCode(thrown);
    // EINVAL: not a link. ENOTDIR: a file stands where a directory is wanted; making the file will say so.
    if (code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "UNKNOWN") return undefined;
    return fail(failureOfSystem(thrown, "read", "resolve", asWritten));
  }
}
