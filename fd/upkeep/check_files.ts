/**
 * Checks a store's directories rather than single fds: names, foreign files, and permissions. A store that was open
 * to others for a while may contain anything.
 */

import { basename, join } from "node:path";
import { disk } from "../disk/disk.ts";
import { FdError, ifPossible } from "../disk/errors.ts";
import { namesIn } from "../disk/file_calls.ts";
import { DIRECTORY_MODE, FILE_MODE } from "../disk/private_files.ts";
import { readLog, type RecordLog } from "../records/record_log.ts";
import { type BoundName, readName } from "../store/bind_name.ts";
import { isName } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { namePath, namesPath, shardName, VERSION_DIRECTORY, versionPath } from "../store/store_paths.ts";
import { addFinding, type CheckReport, isRepaired } from "./check_report.ts";

/** Reports dangling names and damaged name files. */
export function checkNames(store: Store, report: CheckReport): void {
  const bound: BoundName[] = [];
  for (const name of namesIn(namesPath(store.path))) {
    const read = isName(name) ? ifPossible(() => readName(store, name)) : undefined;
    if (read !== undefined) bound.push(read);
    const path = namePath(store.path, name);
    // It may have been deleted since the names were listed.
    if (read !== undefined || kindOf(path) === undefined) continue;
    if (isName(name)) addFinding(report, "name_damaged", path, "the name's file is damaged");
    else addFinding(report, "foreign_file", path, LEFT_ALONE);
  }
  for (const { name, id } of bound) {
    const log = logOrNone(store, id);
    if (log === undefined || log !== "none" && log.tomb === undefined) continue;
    const detail = log === "none" ? "bound to an unknown fd" : "bound to a removed fd";
    addFinding(report, "name_dangling", `ref:${name}`, detail, { id });
  }
}

/** The record of `id`; undefined if it cannot be read. */
function logOrNone(store: Store, id: number): RecordLog | "none" | undefined {
  return ifPossible(() => readLog(store, id) ?? "none", FdError);
}

const LEFT_ALONE = "not a file of the store; left alone";

/** The kind that an entry has to have; undefined for a foreign one. */
type Wanted = "directory" | "file" | "any" | undefined;

/** The entries below the version directory, by their paths, but for the files of numbered shards. */
const OURS: readonly (readonly [path: RegExp, wanted: Wanted])[] = [
  [/^(?:fds|refs|runs|shown|journal|inquiries|locks|tmp|forks|packs)?$/, "directory"],
  [/^(?:(?:fds|journal|inquiries)\/\d{4,}|journal\/open|packs\/[^/]+)$/, "directory"],
  [
    /^(?:swept|clock|refs\.listing|(?:(?:journal|inquiries)\/)?(?:floor|next)|journal\/open\/[1-9]\d*)$/,
    "file",
  ],
  [/^packs\/([^/]+)\/(?=\1)[0-9a-f]{64}(?:\.[1-9]\d*\.idx)?$/, "file"],
  [/^fds\/\d{4,}\/(?:listing|removed)$/, "file"],
  [/^(?:refs|runs|shown|locks|tmp|forks)\//, "any"],
];

/** Reports foreign files, and files and directories that others can read. */
export function checkFiles(
  store: Store,
  ids: ReadonlySet<number>,
  repair: boolean,
  report: CheckReport,
): void {
  const root = versionPath(store.path);
  /** Says what the entry of this path below the version directory has to be. */
  const wantedAt = (at: string): Wanted => {
    const listed = /^fds\/\d{4,}(?=\.listing$)/.exec(at)?.[0];
    if (listed !== undefined) return kindOf(`${root}/${listed}`) === undefined ? undefined : "file";
    const [, top, shard, number, ending] =
      /^(fds|journal|inquiries)\/(\d{4,})\/([1-9]\d*)\.(rec|dat|pack|idx)$/.exec(at) ?? [];
    if (number === undefined) return OURS.find(([path]) => path.test(at))?.[1];
    const id = Number(number);
    const isOurs = top === "fds" ? ids.has(id) || logOrNone(store, id) !== "none" : ending === "rec";
    return isOurs && shardName(id) === shard ? "file" : undefined;
  };
  const check = (path: string): void => {
    const wanted = wantedAt(path.slice(root.length + 1));
    const kind = kindOf(path);
    if (wanted === undefined) addFinding(report, "foreign_file", path, LEFT_ALONE);
    else if (wanted !== "any" && kind !== undefined && kind !== wanted) {
      addFinding(report, "foreign_file", path, `expected a ${wanted}`);
    }
    // A file of the wrong kind is foreign, so its mode is left alone.
    if (kind === (wanted === "directory" ? "directory" : "file")) checkMode(path, kind, repair, report);
    // A symlink in place of a directory leads to foreign files.
    if (wanted !== "directory" || kind !== wanted) return;
    for (const name of namesIn(path)) check(`${path}/${name}`);
  };
  check(root);
  for (const name of otherVersions(store)) {
    const detail =
      `the format of another version of fdtool; left alone (this one reads ${VERSION_DIRECTORY})`;
    addFinding(report, "other_version", join(store.path, name), detail);
  }
}

function checkMode(path: string, kind: "directory" | "file", repair: boolean, report: CheckReport): void {
  const mode = disk.lstat(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0 || process.platform === "win32") return;
  const right = kind === "directory" ? DIRECTORY_MODE : FILE_MODE;
  const repaired = repair && isRepaired(() => disk.chmod(path, right));
  const detail = `mode ${(mode & 0o777).toString(8)}, expected ${right.toString(8)}`;
  addFinding(report, "not_private", path, detail, { repaired });
}

type Kind = "directory" | "file" | "other";

/** Returns the kind of `path` itself, or undefined if it does not exist. */
function kindOf(path: string): Kind | undefined {
  const stat = ifPossible(() => disk.lstat(path, { throwIfNoEntry: false }) ?? "missing");
  if (stat === "missing") return undefined;
  return stat?.isDirectory() ? "directory" : stat?.isFile() ? "file" : "other";
}

/** Lists the directories of format versions that this process does not use, such as `v1`. */
export function otherVersions(store: Store): string[] {
  const used = basename(versionPath(store.path));
  return namesIn(store.path).filter((name) => /^v[0-9]+$/.test(name) && name !== used);
}
