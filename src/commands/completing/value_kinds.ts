/**
 * Finds what fits an option or an argument, by the word that help has for its value. A new option is completed if its
 * word is one of these; a test fails for a word that is not.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  highestId,
  isStoreUrl,
  listNames,
  listNewestFds,
  locateStore,
  openStore,
  parseStoreUrl,
  type Store,
} from "../../../fd/mod.ts";
import { ifPossible } from "../../../fd/system.ts";
import type { Host } from "../../calls/terms/command.ts";
import { PARTS } from "../../agents/tool.ts";
import { type Asked, type Candidate, type Fitting, prefixed } from "./fitting.ts";
import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { shellLine } from "../../answers/parts/next_command.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { fitCells } from "../../answers/screen/char_width.ts";
import { agoText } from "../../answers/parts/moment_text.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import { formatTransaction, newestTransactions, stepPaths } from "../../writing/commit/journal.ts";
import { formatInquiry, openInquiries, readInquiry } from "../../writing/inquiries/inquiries.ts";

type Source = (asked: Asked, host: Host) => Candidate[] | Promise<Candidate[]>;

const SOURCES: Readonly<Record<string, Source>> = {
  FD: inStore(fdsIn),
  LIVE_FD: inStore(liveFdsIn),
  // Without `ref:`, to be bound again or to list from.
  NAME: inStore((_, store) => namesOf(store, newestFds(store))),
  TX: inStore((_, store, cwd) => stepsIn(store, cwd, false)),
  PLAN_TX: inStore((_, store, cwd) => stepsIn(store, cwd, true)),
  INQ: inStore(inquiriesIn),
  "INQUIRY-ID": inStore(inquiriesIn),
  ANSWER: inStore(answersTo),
  STORE: knownStores,
  TOOL: ({ command }, host) => toolNames(command, host),
  PART: () => words(PARTS),
  HARNESS: () => harnessNames(() => true),
  HOOKED: () => harnessNames(({ loadHook }) => loadHook !== undefined),
  COMMAND: commandNames,
  SIGNAL: () => words(["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "KILL"]),
  DURATION: () => words(DURATIONS),
  TIME: () => words(DURATIONS),
  "-": () => [{ word: "-", about: "standard input or output" }],
};

const DURATIONS = ["30s", "2m", "10m", "1h"];

/** Values that the store has. */
function inStore(read: (asked: Asked, store: Store, cwd: string) => Candidate[]): Source {
  return async (asked, host) => read(asked, await storeFor(host, asked.store), host.cwd);
}

/** The kinds of the argument of `plan`, by its action: a file to check or apply; the step of an applied one. */
const PLAN = "PLAN";
const PLAN_KINDS: Readonly<Record<string, string>> = {
  check: "FILE|-",
  apply: "FILE|-",
  show: "PLAN_TX",
  undo: "PLAN_TX",
};

/** Words for which the shell completes paths. */
const PATHS: Readonly<Record<string, Fitting["paths"]>> = {
  FILE: "files",
  PATH: "files",
  "FILE-PATH": "files",
  DIR: "directories",
  STORE: "directories",
};

/** Numbers, ranges and texts, which nothing is known of. */
const FREE = new Set("N A-B CURSOR SIZE TEXT PATTERN FILTER JSON URL H SHA256".split(" "));

/** Whether completion knows what fits where help has `word`. */
export function isKnownKind(word: string): boolean {
  return word === PLAN ||
    alternativesOf(word).every((each) => each in SOURCES || each in PATHS || FREE.has(each));
}

/** The values for `word`: one kind, several (`FILE|-|FD`), or a list of one with commas (`TOOL,…`). */
export async function valuesOfKind(word: string, asked: Asked, host: Host): Promise<Fitting> {
  if (word === PLAN) return await valuesOfKind(PLAN_KINDS[asked.given[0] ?? ""] ?? "", asked, host);
  if (word.endsWith(",…")) return await listValues(word, asked, host);
  const kinds = alternativesOf(word);
  const candidates = await Promise.all(kinds.map((each) => SOURCES[each]?.(asked, host) ?? []));
  return { candidates: candidates.flat(), paths: kinds.map((each) => PATHS[each]).find(Boolean) };
}

/** `FD...`, `NAME,…` and `OLD-FD` as `FD`, `NAME` and `FD`. */
function alternativesOf(word: string): string[] {
  return word.split("|").map((each) => each.replace(/(?:\.\.\.|,…)$/, "").replace(/^(?:OLD|NEW)-/, ""));
}

/** The next member of a list: what is typed behind its last comma. */
async function listValues(word: string, asked: Asked, host: Host): Promise<Fitting> {
  const start = asked.typed.slice(0, asked.typed.lastIndexOf(",") + 1);
  const listed = new Set(start.split(","));
  const one = { ...asked, typed: asked.typed.slice(start.length) };
  const fitting = await valuesOfKind(word.slice(0, -2), one, host);
  const fresh = fitting.candidates.filter((each) => !listed.has(each.word));
  return prefixed({ ...fitting, candidates: fresh }, start);
}

function words(list: readonly string[]): Candidate[] {
  return list.map((word) => ({ word }));
}

/** The store of the environment and the user's own. */
function knownStores(_: Asked, { env }: Host): Candidate[] {
  const usual = locateStore({ store: undefined, env: { ...env, FDTOOL_STORE: undefined } });
  const named = env["FDTOOL_STORE"] || undefined;
  return [
    ...named === undefined ? [] : [{ word: named, about: "FDTOOL_STORE" }],
    ...named === usual ? [] : [{ word: usual, about: "the default" }],
  ];
}

/** The tools; as part of a list also their groups. */
async function toolNames(command: string, host: Host): Promise<Candidate[]> {
  const { toolsOf } = await import("../../agents/tool_table.ts");
  const tools = toolsOf(host.operations()).map(({ name, title }) => ({ word: name, about: title }));
  return command === "call" ? tools : [...words(PARTS), ...tools];
}

async function harnessNames(isMeant: (harness: { loadHook?: unknown }) => boolean): Promise<Candidate[]> {
  const { HARNESSES } = await import("../../harnesses/harnesses.ts");
  return HARNESSES.filter(isMeant).map(({ name, title }) => ({ word: name, about: title }));
}

/** The names of commands with what they do. */
function commandNames(_: Asked, host: Host): Candidate[] {
  return host.operations().filter(({ hidden }) => hidden !== true)
    .map(({ name, summary }) => ({ word: name, about: summary }));
}

// The fds, names, writes and questions of the store that fit a call. Nothing is written there, and what cannot be read is left
// out, since a shell is asking while someone types.

/** Names and the newest fds. With digits typed, fds whose numbers begin with them. */
function fdsIn({ typed }: Asked, store: Store): Candidate[] {
  const [, prefix = "", number] = /^(fd:)?([1-9]\d*)$/.exec(typed) ?? [];
  if (number !== undefined) return candidatesOf(fdsBeginning(store, number), prefix);
  const entries = newestFds(store);
  const names = namesOf(store, entries).map(({ word, about }) => ({ word: `ref:${word}`, about }));
  return [...names, ...candidatesOf(entries)];
}

/** The fds that are still written; if there are none, all. */
function liveFdsIn(asked: Asked, store: Store): Candidate[] {
  const live = newestFds(store).filter(({ state }) => state === "live");
  return live.length === 0 ? fdsIn(asked, store) : candidatesOf(live);
}

/** Newest first, from before `beforeId`. */
function newestFds(store: Store, beforeId?: number): FdEntry[] {
  return listNewestFds(store, { most: MAX_OFFERED, beforeId }, () => {}).entries.reverse();
}

/** Of the fds whose numbers begin with `number` the newest, which may be older than the newest of all. */
function fdsBeginning(store: Store, number: string): FdEntry[] {
  const highest = highestId(store);
  const found: FdEntry[] = [];
  for (let [first, count] = [Number(number), 1]; first <= highest; first *= 10, count *= 10) {
    found.unshift(...newestFds(store, first + count).filter(({ id }) => id >= first));
  }
  return found.slice(0, MAX_OFFERED);
}

function candidatesOf(entries: readonly FdEntry[], prefix = "fd:"): Candidate[] {
  return entries.map((entry) => ({ word: `${prefix}${entry.id}`, about: fdText(entry) }));
}

/** Names with what they are bound to; of one whose fd was removed, nothing. */
function namesOf(store: Store, entries: readonly FdEntry[]): Candidate[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  return listNames(store).slice(0, MAX_OFFERED).map(({ name, id }) => {
    const fd = formatFd(id);
    const entry = known.get(id) ?? ifPossible(() => findFd(store, fd));
    return { word: name, about: entry === undefined ? fd : `${fd} ${fdText(entry)}` };
  });
}

function fdText({ command, source, lineCount, state, exitCode, signal, createdMs }: FdEntry): string {
  const exit = exitCode === undefined ? undefined : `exit ${exitCode}`;
  const end = state === "sealed" ? signal ?? exit : state;
  const lines = counted(lineCount, "line", groupedDigits);
  return remark([command === undefined ? source : shellLine(command), lines, end], createdMs);
}

/** The newest writes, or those of plans. */
function stepsIn(store: Store, cwd: string, onlyPlans: boolean): Candidate[] {
  return Iterator.from(newestTransactions(store))
    .filter(({ begin }) => !onlyPlans || begin.plan !== undefined)
    .take(MAX_OFFERED)
    .map(({ id, begin }) => {
      const what = begin.intent ?? stepPaths(begin.files, cwd).join(" ");
      return { word: formatTransaction(id), about: remark([begin.tool, what], begin.at) };
    })
    .toArray();
}

/** The open questions, newest first. */
function inquiriesIn(_: Asked, store: Store): Candidate[] {
  const newest = openInquiries(store).reverse().slice(0, MAX_OFFERED);
  return newest.map(({ id, asked }) => {
    return { word: formatInquiry(id), about: remark([asked.tool, asked.question.text], asked.at) };
  });
}

/** The answers that the question allows, if it has a choice. */
function answersTo({ given }: Asked, store: Store): Candidate[] {
  const id = Number(/^(?:inq:)?(\d+)$/.exec(given[0] ?? "")?.[1]);
  const type = Number.isSafeInteger(id) ? readInquiry(store, id)?.asked.question.answer_type : undefined;
  if (type === "Boolean") return [{ word: "true" }, { word: "false" }];
  return typeof type === "object" && "Select" in type ? type.Select.options.map((word) => ({ word })) : [];
}

/** How many of the newest of each kind are offered. */
const MAX_OFFERED = 50;

/** The longest part of a remark that comes from a command or a question, in cells of the screen. */
const MAX_CELLS = 44;

/**
 * The store that `--store` of that call names, or else the caller's. Of a shared store, what this host has in its
 * cache: nothing is asked for while someone types.
 */
async function storeFor(host: Host, storeOption: string | undefined): Promise<Store> {
  const written = storeOption ?? host.storeOption ?? host.env["FDTOOL_STORE"];
  if (written === undefined || !isStoreUrl(written)) {
    return openHostStore({ ...host, storeOption: storeOption ?? host.storeOption });
  }
  const { cacheDirectory } = await import("../../sharing/open_cache.ts");
  return openStore(cacheDirectory(parseStoreUrl(written, "--store", host.env).place, host.env));
}

/** The parts that there are, and how long ago it was. */
function remark(parts: readonly (string | undefined)[], atMs: number): string {
  const shown = parts.flatMap((part) => part === undefined ? [] : [fitCells(plainText(part), MAX_CELLS)]);
  return [...shown, agoText(atMs, Date.now())].join(", ");
}
