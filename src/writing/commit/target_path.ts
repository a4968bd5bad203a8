/**
 * The file that a caller's path names: its real path, whether it may be written to, and which file a path means that
 * leads to none. Models quote paths, mark them, and start a level too high or too low.
 */

import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { dataPath, formatFd, type Store } from "../../../fd/mod.ts";
import { closeReader, fail, FdError, ifPossible, statIfPossible } from "../../../fd/system.ts";
import { nearestWord } from "../../calls/arguments/nearest_word.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { refuse } from "../../calls/terms/write_failure.ts";
import type { WriteFault } from "../../calls/terms/write_faults.ts";
import { type Confinement, openInside } from "./open_inside.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";

/** The names of a directory that are looked through. */
const MAX_NAMES = 10_000;
const MAX_DIRECTORIES = 200;

/** `path` without what is written around paths elsewhere. A last name after `./` is meant as it is. */
function plainPath(path: string): string {
  if (/(?:^|\/)\.\/[^/]*$/.test(path)) return path;
  const bare = path.trim().replace(/^(["'`<])(.+)["'`>]$/s, "$2").replace(/^@(?=.)/, "");
  const local = /^file:\/\/(?:localhost)?(\/.*)$/s.exec(bare)?.[1];
  const decoded = local === undefined ? bare : ifPossible(() => decodeURIComponent(local), URIError) ?? local;
  const whole = decoded.replace(/^~(?=\/|$)/, homedir);
  // What JSON reads as escapes was part of a path of Windows.
  const unread = !/^[A-Za-z]:/.test(whole)
    ? whole
    : whole.replace(/[\b\t\n\f\r]/g, (char) => JSON.stringify(char).slice(1, -1));
  return sep === "/" ? unread.replaceAll("\\", "/") : unread;
}

/** The existing file that `path` means, as a path from the working directory; undefined if none is near. */
export function meantFile(path: string, place: Confinement): string | undefined {
  const { cwd } = place;
  // Opened, so that no name outside of the root is reported while directories are swapped for links.
  const isFile = (each: string) =>
    ifPossible(() => statSync(resolve(cwd, each)))?.isFile() === true &&
    ifPossible(() => closeReader(openInside(resolveRealPath(each, cwd), each, place)) ?? true, FdError) ===
      true;
  const namesIn = (directory: string) =>
    (ifPossible(() => readdirSync(resolve(cwd, directory))) ?? []).slice(0, MAX_NAMES);
  const plain = plainPath(path);
  const names = plain.replace(/^[A-Za-z]:/, "").split("/").filter((name) => name !== "" && name !== ".");
  // From the longest: `mcp/a.txt`, called in mcp/, is a.txt.
  const ends = names.map((_, at) => names.slice(at).join("/"));
  const found = [plain, ...ends].find(isFile);
  if (found !== undefined || names.length === 0) return found;
  const below = namesIn(".").filter((name) => !name.startsWith(".")).slice(0, MAX_DIRECTORIES)
    .map((name) => join(name, ends[0]!)).filter(isFile);
  if (below.length === 1) return below[0];
  // An ending that is the same makes no two names alike.
  const isAlike = (name: string) => nearestWord(parse(plain).name, [parse(name).name]) !== undefined;
  const near = nearestWord(basename(plain), namesIn(dirname(plain)).filter(isAlike));
  const nearest = near === undefined ? undefined : join(dirname(plain), near);
  return nearest !== undefined && isFile(nearest) ? nearest : undefined;
}

/** The place in which paths are resolved. */
export interface Place extends Confinement {
  /** The store of the call, whose files must not be written to. */
  store?: Store | undefined;
}

/**
 * The real path of `path`, which must be within the root. `action` says what for, if not to write.
 *
 * @throws {FdError} `outside_root`, and the failures of {@link resolveRealPath}.
 */
export function resolveInRoot(path: string, place: Confinement, action?: string): string {
  const realPath = resolveRealPath(path, place.cwd);
  if (place.root !== undefined) {
    const realRoot = resolveRealPath(place.root, place.cwd);
    if (!isInside(realPath, realRoot)) {
      const meant = meantFile(path, place);
      fail({ kind: "outside_root", path, root: realRoot, cwd: place.cwd, meant, action });
    }
  }
  return realPath;
}

/** Opens the file `path` to read it: it must be a regular one within the root. */
export function openInRoot(path: string, place: Confinement): number {
  return openInside(resolveInRoot(path, place, "read"), path, place);
}

/** How a new path is checked: `retryWith` makes the call with the path that may be meant. */
export interface NewPath {
  retryWith?: ((meant: string) => NextCall | undefined) | undefined;
}

/**
 * The real path of a target that may be written to. Without `asGiven`, the path is one that was resolved before.
 *
 * @throws {FdError} the failures of {@link resolveInRoot}; {@link WriteError} `write_error` for a path that ends like
 * a directory, `store_file` for a file of the store, `unclear_path`.
 */
export function resolveTarget(path: string, place: Place, asGiven?: NewPath): string {
  const realPath = resolveInRoot(path, place);
  if (asGiven !== undefined) refuseBelowFile(path, realPath);
  const fault = storeFileFault(path, realPath, place) ?? directoryFault(path, realPath) ??
    (asGiven && unclearFault(path, realPath, place, asGiven));
  if (fault !== undefined) refuse(fault);
  return realPath;
}

const FOLDS_CASE = process.platform === "win32" || process.platform === "darwin";

function storeFileFault(path: string, realPath: string, { store, cwd }: Place): WriteFault | undefined {
  if (store === undefined) return undefined;
  const realData = resolveRealPath(dataPath(resolveRealPath(store.path, cwd)), cwd);
  // macOS takes two cases of a path for one as well; where it does not, a file beside the store is refused.
  if (!isInside(realPath, realData, FOLDS_CASE)) return undefined;
  const id = /[\\/]([1-9][0-9]{0,14})\.(?:dat|pack)$/.exec(realPath)?.[1];
  return { kind: "store_file", path, fd: id === undefined ? undefined : formatFd(Number(id)) };
}

/** Refuses a path below a file before anyone is asked for content. */
function refuseBelowFile(path: string, realPath: string): void {
  let above = dirname(realPath);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  if (statIfPossible(above)?.isDirectory() === false) {
    fail({ kind: "write_error", path, action: "write", code: "ENOTDIR" });
  }
}

function directoryFault(path: string, realPath: string): WriteFault | undefined {
  if (!/[\\/]\.?$/.test(path)) return undefined;
  const what = existsSync(realPath) ? "a directory" : "the name of a directory";
  return { kind: "write_error", path, what };
}

/** A new file must not have in its name what is written around paths elsewhere, such as quotes, or a backslash. */
function unclearFault(
  path: string,
  realPath: string,
  place: Confinement,
  { retryWith }: NewPath,
): WriteFault | undefined {
  const plain = plainPath(path);
  if (plain === path || existsSync(realPath)) return undefined;
  const isOfWindows = sep === "/" && /^[A-Za-z]:\//.test(plain);
  const meant = meantFile(path, place) ?? (isOfWindows ? undefined : plain);
  return { kind: "unclear_path", path, meant, retry: meant && retryWith?.(meant) || undefined };
}
