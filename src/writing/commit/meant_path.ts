/** Guesses which file a path means that leads to none: models quote paths, mark them, and start a level too high or too low. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { closeReader, FdError, ifPossible } from "../../../fd/system.ts";
import { nearestWord } from "../../calls/arguments/nearest_word.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { refuse } from "../../calls/terms/write_failure.ts";
import { type Confinement, openInside } from "./open_inside.ts";
import { resolveRealPath } from "./resolve_path.ts";

/** The names of a directory that are looked through. */
const MAX_NAMES = 10_000;
const MAX_DIRECTORIES = 200;

/** `path` without what is written around paths elsewhere. A last name after `./` is meant as it is. */
function plainPath(path: string): string {
  if (/(?:^|\/)\.\/[^/]*$/.test(path)) return path;
  const bare = path.trim().replace(/^(["'`<])(.+)["'`>]$/s, "$2").replace(/^@(?=.)/, "");
  const local = /^file:\/\/(?:localhost)?(\/.*)$/s.exec(bare)?.[1];
  const decoded = local === undefined ? bare : ifPossible(() => decodeURIComponent(local), URIError) ?? local;
  const whole = decoded.startsWith("~/") ? join(homedir(), decoded.slice(2)) : decoded;
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

/**
 * Refuses to make a file whose name has what is written around paths elsewhere, such as quotes, or a backslash, which is
 * part of a name on most systems. `retryWith` makes the call with the path that may be meant.
 *
 * @throws {WriteError} `unclear_path`.
 */
export function refuseUnclear(
  path: string,
  realPath: string,
  place: Confinement,
  retryWith?: (meant: string) => NextCall | undefined,
): void {
  const plain = plainPath(path);
  if (plain === path || existsSync(realPath)) return;
  const isOfWindows = sep === "/" && /^[A-Za-z]:\//.test(plain);
  const meant = meantFile(path, place) ?? (isOfWindows ? undefined : plain);
  refuse({ kind: "unclear_path", path, meant, retry: meant && retryWith?.(meant) || undefined });
}
