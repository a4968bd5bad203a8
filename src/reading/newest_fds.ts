/** Finds fds by how new they are: what a person means who names none, or `last`, and the runs that a list asks for. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  BACKUP_SOURCE,
  type FdEntry,
  formatFd,
  highestId,
  INQUIRY_SOURCE,
  namedId,
  newestFirst,
  parseFdArgument,
  PLAN_SOURCE,
  readSlice,
  readWhole,
  type Store,
} from "../../fd/mod.ts";
import { fail, FdError, ifPossible, utf8Text } from "../../fd/system.ts";
import type { CommandCall } from "../calls/terms/command.ts";
import { failUsage } from "../calls/requests/usage_failure.ts";

/** Sources of fds that fdtool makes for its own use. */
const INNER_SOURCES = new Set([BACKUP_SOURCE, PLAN_SOURCE, INQUIRY_SOURCE]);

/** Runs of which another one of the same command is looked for, and fds of which the content is. */
const MOST_COMPARED = 100;

/** Whether fdtool made the fd for its own use: a backup, a plan, or the content of a question. */
export function isInner({ source }: FdEntry): boolean {
  return INNER_SOURCES.has(source);
}

export function isFailed({ exitCode, signal, state }: FdEntry): boolean {
  return signal !== undefined || exitCode !== undefined && exitCode !== 0 || state === "incomplete";
}

/** Whether both are runs of the same command in the same directory. */
function isSameCommand(one: FdEntry, other: FdEntry): boolean {
  return one.command !== undefined && one.cwd === other.cwd &&
    JSON.stringify(one.command) === JSON.stringify(other.command);
}

/** How many fds each command needs, and how many arguments it takes with them. */
const NEEDED: Readonly<Record<string, { fds: number; words: number }>> = {
  read: { fds: 1, words: 1 },
  search: { fds: 1, words: 2 },
  query: { fds: 1, words: 2 },
  diff: { fds: 2, words: 2 },
  wait: { fds: 1, words: 1 },
  stop: { fds: 1, words: 1 },
  again: { fds: 1, words: 1 },
};

/** Commands whose arguments may also name an fd by how new it is. */
const NAMED = new Set([...Object.keys(NEEDED), "stat", "path", "to-file", "name", "export"]);

/** `last`, `last~2`, and `-`, which is `last`, too. */
const LAST = /^(?:-|last(?:~(\d{1,6}))?)$/;

/** Whether a call names an fd by how new it is, or, for a person, none. */
export function namesNewest(call: CommandCall, isForPeople: boolean): boolean {
  const { positionals, options } = call;
  if (positionals.some((word, index) => isNamedPlace(call, index) && LAST.test(word))) return true;
  const isOfAll = options["all-fds"] === true || options["recursive"] === true;
  return isForPeople && !isOfAll && missingCount(call) > 0;
}

/** Whether the argument at `index` names an fd: behind the fd, `search`, `query` and `to-file` take a pattern, a filter, a path. */
function isNamedPlace({ command, positionals }: CommandCall, index: number): boolean {
  if (!NAMED.has(command)) return false;
  if (command === "to-file" || command === "name") return index === 0;
  if (!takesWord(command)) return true;
  const [first, second] = positionals;
  // A pattern or a filter may also come before the fd, or alone.
  return index === 0
    ? second !== undefined && !isHandle(second)
    : index === 1 && second !== "-" && !isHandle(first!);
}

/** Whether a pattern or a filter comes with the fd. */
function takesWord(command: string): boolean {
  return command === "search" || command === "query";
}

/** Whether a word can only be an fd. A number may be a pattern. */
function isHandle(word: string): boolean {
  return /^(?:fd|ref):/.test(word);
}

/** How many arguments a call lacks that may be fds. An argument that is given as an option has its place, so others are holes. */
function missingCount({ command, positionals, options }: CommandCall): number {
  const needed = NEEDED[command];
  if (needed === undefined) return 0;
  const given = positionals.filter((word) => word !== undefined).length;
  const missing = needed.words - given - (options["pattern"] === undefined ? 0 : 1);
  return missing <= needed.fds ? missing : 0;
}

/**
 * The call with the handles of the fds that it means. `last` is the newest fd that fits, `last~1` the one before it; a bound
 * name or a file counts first. Left out is: for `diff` the newest run and the one before it of the same command, for `wait` and
 * `stop` the newest that is live, for `again` the newest of a command, for `query` the newest of JSON, else the newest.
 *
 * @throws {FdError} `not_found` for `last~N` if there are not so many.
 */
export function withNewestFds(store: Store, call: CommandCall, cwd: string): CommandCall {
  const { command } = call;
  const wantsLive = command === "wait" || command === "stop";
  const fits = (entry: FdEntry) =>
    !isInner(entry) && (!wantsLive || entry.state === "live") &&
    (command !== "again" || entry.command !== undefined);
  const words = call.positionals.filter((word) => word !== undefined).map((word, index) => {
    const found = isNamedPlace(call, index) ? LAST.exec(word) : null;
    const isTaken = (name: string) => namedId(store, name) !== undefined || existsSync(resolve(cwd, name));
    if (found === null || word !== "-" && isTaken(word)) return word;
    const [first = ""] = call.positionals;
    // Behind an fd it is a pattern.
    const isPattern = index === 1 && takesWord(command) &&
      (parseFdArgument(first) !== undefined || LAST.test(first) || isTaken(first));
    if (isPattern) return word;
    const entry = nth(newestFirst(store), Number(found[1] ?? 0), fits);
    if (entry !== undefined) return formatFd(entry.id);
    if (wantsLive && nth(newestFirst(store), 0, fits) === undefined) return failNoneFits(command);
    return fail({ kind: "not_found", fd: word, highestId: highestId(store) });
  });
  return { ...call, positionals: [...missingFds(store, { ...call, positionals: words }, fits), ...words] };
}

/** Why nothing fits a call that leaves its fds out; of others, nothing is stored. */
const NONE_FITS: Readonly<Record<string, string>> = {
  wait: "no command is running",
  stop: "no command is running",
  diff: "no command has run twice",
  again: "no command was run yet",
};

/**
 * The handles that a call leaves out. If nothing fits, a `search` is of all fds.
 *
 * @throws {UsageError} `missing_argument` if nothing fits.
 */
function missingFds(
  store: Store,
  call: CommandCall,
  fits: (entry: FdEntry) => boolean,
): readonly string[] {
  const missing = missingCount(call);
  if (missing <= 0) return [];
  const { command, positionals: [first] } = call;
  // Then the pattern or the filter is missing, not the fd.
  if (takesWord(command) && first !== undefined && isHandle(first)) return [];
  let left = MOST_COMPARED;
  const isJson = (entry: FdEntry) => fits(entry) && left-- > 0 && beginsAsJson(store, entry);
  const newest = () =>
    (command === "query" ? nth(newestFirst(store), 0, isJson) : undefined) ??
      nth(newestFirst(store), 0, fits);
  const found = command !== "diff"
    ? [newest()].flatMap((entry) => entry === undefined ? [] : [formatFd(entry.id)])
    : missing === 2
    ? newestTwo(store)
    : runBefore(store, first!);
  if (found.length > 0 || command === "search") return found;
  return failNoneFits(
    command,
    command === "diff" && missing === 1 ? `no run of its command came before ${first}` : undefined,
  );
}

function failNoneFits(command: string, why = NONE_FITS[command] ?? "nothing is stored yet"): never {
  const argument = command === "diff" ? "OLD_FD" : "FD";
  return failUsage({ kind: "missing_argument", command, argument, why });
}

/** Whether content begins as a list, an object or a text does in JSON; numbers are in every log. */
function beginsAsJson(store: Store, entry: FdEntry): boolean {
  const start = { fromByte: 0, toByte: Math.min(100, entry.byteCount) };
  const bytes = ifPossible(() => readWhole(readSlice(store, entry, start)), FdError);
  return bytes !== undefined && /^\s*[[{"]/.test(utf8Text(bytes));
}

/** The newest run that has one of the same command before it, and that one, older first. */
function newestTwo(store: Store): readonly string[] {
  const seen: FdEntry[] = [];
  for (const entry of newestFirst(store)) {
    const later = seen.find((each) => isSameCommand(each, entry));
    if (later !== undefined) return [formatFd(entry.id), formatFd(later.id)];
    if (entry.command !== undefined && !isInner(entry) && seen.length < MOST_COMPARED) seen.push(entry);
  }
  return [];
}

/** The run of the same command before `fd`. */
function runBefore(store: Store, fd: string): readonly string[] {
  const given = parseFdArgument(fd);
  const id = given?.by === "id" ? given.id : namedId(store, fd);
  let later: FdEntry | undefined;
  for (const entry of newestFirst(store)) {
    if (entry.id === id) later = entry;
    else if (later !== undefined && isSameCommand(later, entry)) return [formatFd(entry.id)];
  }
  return [];
}

function nth(
  entries: Iterable<FdEntry>,
  index: number,
  fits: (entry: FdEntry) => boolean,
): FdEntry | undefined {
  let left = index;
  for (const entry of entries) if (fits(entry) && left-- === 0) return entry;
  return undefined;
}
