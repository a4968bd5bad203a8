/**
 * Checks a store's directories rather than single fds: names, foreign files, and permissions. A store that was open
 * to others for a while may contain anything.
 */

import type { Stats } from "node:fs";
import { basename, join } from "node:path";
import { disk } from "../disk/disk.ts";
import { FdError, ifPossible, systemCode } from "../disk/errors.ts";
import { namesIn } from "../disk/file_calls.ts";
import { DIRECTORY_MODE, FILE_MODE } from "../disk/private_files.ts";
import { listShards } from "../records/list_fds.ts";
import { readLog } from "../records/record_log.ts";
import { type BoundName, readName } from "../store/bind_name.ts";
import { formatFd, isName } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import {
  INQUIRY_NUMBERS,
  JOURNAL_NUMBERS,
  locksPath,
  namePath,
  namesPath,
  openTransactionsPath,
  runsPath,
  shardName,
  shardsPath,
  sharedPacksPath,
  shownPath,
  temporaryDirectory,
  VERSION_DIRECTORY,
  versionPath,
} from "../store/store_paths.ts";
import { type CheckReport, type Finding, isRepaired } from "./check_report.ts";

/** Reports dangling names and damaged name files. */
export function checkNames(store: Store, report: CheckReport): void {
  const bound: BoundName[] = [];
  for (const name of namesIn(namesPath(store.path))) {
    const read = isName(name) ? ifPossible(() => readName(store, name)) : undefined;
    if (read !== undefined) bound.push(read);
    const path = namePath(store.path, name);
    // It may have been deleted since the names were listed.
    if (read !== undefined || kindOf(path) === undefined) continue;
    report.findings.push({
      fd: undefined,
      path,
      problem: isName(name) ? "name_damaged" : "foreign_file",
      detail: isName(name) ? "the name's file is damaged" : LEFT_ALONE,
      repaired: false,
    });
  }
  for (const { name, id } of bound) {
    const log = readableLog(store, id);
    if (log === "unreadable" || log !== undefined && log.tomb === undefined) continue;
    report.findings.push({
      fd: formatFd(id),
      path: `ref:${name}`,
      problem: "name_dangling",
      detail: log === undefined ? "bound to an unknown fd" : "bound to a removed fd",
      repaired: false,
    });
  }
}

function readableLog(store: Store, id: number) {
  try {
    return readLog(store, id);
  } catch (thrown) {
    if (thrown instanceof FdError) return "unreadable";
    throw thrown;
  }
}

const LEFT_ALONE = "not a file of the store; left alone";

/** Expected entries of the version directory. */
const OURS: Readonly<Record<string, "directory" | "file">> = {
  fds: "directory",
  refs: "directory",
  runs: "directory",
  shown: "directory",
  journal: "directory",
  inquiries: "directory",
  locks: "directory",
  tmp: "directory",
  forks: "directory",
  packs: "directory",
  floor: "file",
  next: "file",
  swept: "file",
  clock: "file",
};

/** Reports foreign files, and files and directories that others can read. */
export function checkFiles(
  store: Store,
  ids: ReadonlySet<number>,
  repair: boolean,
  report: CheckReport,
): void {
  const found = (path: string, problem: Finding["problem"], detail: string, repaired: boolean) =>
    report.findings.push({ fd: undefined, path, problem, detail, repaired });
  // A file of the wrong kind is foreign, so its mode is left alone.
  const checkMode = (path: string, kind: "directory" | "file") => {
    const stat = disk.lstat(path, { throwIfNoEntry: false });
    if (stat === undefined || kindIn(stat) !== kind) return;
    if ((stat.mode & 0o077) === 0 || process.platform === "win32") return;
    const mode = kind === "directory" ? DIRECTORY_MODE : FILE_MODE;
    const repaired = repair && isRepaired(() => disk.chmod(path, mode));
    found(
      path,
      "not_private",
      `mode ${(stat.mode & 0o777).toString(8)}, expected ${mode.toString(8)}`,
      repaired,
    );
  };
  // A symlink in place of a directory leads to foreign files.
  const entriesIn = (directory: string) => kindOf(directory) === "directory" ? namesIn(directory) : [];
  /** Checks what is in a directory; `wantedOf` says what an entry of this name has to be, undefined for a foreign one. */
  const checkEntries = (directory: string, wantedOf: (name: string) => "directory" | "file" | undefined) => {
    for (const name of entriesIn(directory)) {
      const path = join(directory, name);
      const wanted = wantedOf(name);
      if (wanted === undefined) found(path, "foreign_file", LEFT_ALONE, false);
      else if (!isKind(path, wanted)) found(path, "foreign_file", `expected a ${wanted}`, false);
      checkMode(path, wanted ?? "file");
    }
  };
  const fileIf = (isOurs: boolean) => isOurs ? "file" : undefined;
  const version = versionPath(store.path);
  checkMode(version, "directory");
  checkEntries(version, (name) => OURS[name]);
  const shards = new Set(kindOf(shardsPath(store.path)) === "directory" ? listShards(store) : []);
  checkEntries(shardsPath(store.path), (name) => {
    const isListing = name.endsWith(".listing") && shards.has(name.slice(0, -".listing".length));
    return shards.has(name) ? "directory" : fileIf(isListing);
  });
  for (const shard of shards) {
    checkEntries(join(shardsPath(store.path), shard), (name) => {
      const id = Number(/^([1-9][0-9]*)\.(?:rec|dat|pack|idx)$/.exec(name)?.[1]);
      const isOfFd = shardName(id) === shard && (ids.has(id) || readableLog(store, id) !== undefined);
      return fileIf(isOfFd || name === "listing" || name === "removed");
    });
  }
  const packs = sharedPacksPath(store.path);
  checkEntries(packs, () => "directory");
  for (const start of entriesIn(packs)) {
    checkEntries(join(packs, start), (name) => {
      return fileIf(/^[0-9a-f]{64}(?:\.[1-9][0-9]*\.idx)?$/.test(name) && name.startsWith(start));
    });
  }
  for (const numbers of [JOURNAL_NUMBERS, INQUIRY_NUMBERS]) {
    const directory = shardsPath(store.path, numbers);
    const isShard = (name: string) => /^[0-9]{4,}$/.test(name);
    const isMarks = (name: string) =>
      numbers === JOURNAL_NUMBERS && name === basename(openTransactionsPath(store.path));
    checkEntries(directory, (name) => {
      return isShard(name) || isMarks(name) ? "directory" : fileIf(name === "next" || name === "floor");
    });
    for (const outer of entriesIn(directory)) {
      if (!isShard(outer) && !isMarks(outer)) continue;
      checkEntries(join(directory, outer), (name) => {
        if (isMarks(outer)) return fileIf(/^[1-9][0-9]*$/.test(name));
        return fileIf(shardName(Number(/^([1-9][0-9]*)\.rec$/.exec(name)?.[1])) === outer);
      });
    }
  }
  for (const path of [namesPath, runsPath, shownPath, locksPath, temporaryDirectory]) {
    const directory = path(store.path);
    for (const name of entriesIn(directory)) checkMode(join(directory, name), "file");
  }
  for (const name of otherVersions(store)) {
    const detail =
      `the format of another version of fdtool; left alone (this one reads ${VERSION_DIRECTORY})`;
    found(join(store.path, name), "other_version", detail, false);
  }
}

function isKind(path: string, wanted: "directory" | "file"): boolean {
  const kind = kindOf(path);
  return kind === undefined || kind === wanted;
}

type Kind = "directory" | "file" | "other";

/** Returns the kind of `path` itself, or undefined if it does not exist. */
function kindOf(path: string): Kind | undefined {
  try {
    const stat = disk.lstat(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : kindIn(stat);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return "other";
  }
}

function kindIn(stat: Stats): Kind {
  return stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "other";
}

/** Lists the directories of format versions that this process does not use, such as `v1`. */
export function otherVersions(store: Store): string[] {
  const used = basename(versionPath(store.path));
  return namesIn(store.path).filter((name) => /^v[0-9]+$/.test(name) && name !== used);
}
