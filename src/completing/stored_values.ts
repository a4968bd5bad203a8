/**
 * The fds, names, writes and questions of the store that fit a call. Nothing is written there, and what cannot be read is left
 * out, since a shell is asking while someone types.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  highestId,
  highestLogId,
  isStoreUrl,
  listNames,
  listNewestFds,
  openStore,
  parseStoreUrl,
  type Store,
} from "../../fd/mod.ts";
import { counted, groupedDigits } from "../answering/grouped_digits.ts";
import { shellLine } from "../answering/next_command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { fitCells } from "../screen/char_width.ts";
import { agoText } from "../answering/moment_text.ts";
import type { Host } from "../terms/command.ts";
import { plainText } from "../terms/control_chars.ts";
import { formatTransaction, newestTransactions, stepPaths } from "../writing/commit/journal.ts";
import { formatInquiry, readInquiry } from "../writing/inquiries/inquiries.ts";
import type { Asked, Candidate } from "./fitting.ts";

/** Names and the newest fds. With digits typed, fds whose numbers begin with them. */
export function fdsIn({ typed }: Asked, store: Store): Candidate[] {
  const digits = /^(fd:)?([1-9]\d*)$/.exec(typed);
  if (digits !== null) {
    const [, prefix = "", number = ""] = digits;
    return fdsBeginning(store, number).map((entry) => ({
      word: `${prefix}${entry.id}`,
      about: fdText(entry),
    }));
  }
  const entries = newestFds(store);
  const names = namesOf(store, entries).map(({ word, about }) => ({ word: `ref:${word}`, about }));
  return [...names, ...entries.map(fdCandidate)];
}

/** The fds that are still written; if there are none, all. */
export function liveFdsIn(asked: Asked, store: Store): Candidate[] {
  const live = newestFds(store).filter(({ state }) => state === "live");
  return live.length === 0 ? fdsIn(asked, store) : live.map(fdCandidate);
}

/** Names without `ref:`, to be bound again or to list from. */
export function namesIn(_: Asked, store: Store): Candidate[] {
  return namesOf(store, newestFds(store));
}

/** Newest first. */
function newestFds(store: Store): FdEntry[] {
  return listNewestFds(store, { most: MAX_OFFERED }, () => {}).entries.reverse();
}

/** Of the fds whose numbers begin with `number` the newest, which may be older than the newest of all. */
function fdsBeginning(store: Store, number: string): FdEntry[] {
  const highest = highestId(store);
  const found: FdEntry[] = [];
  for (let [first, count] = [Number(number), 1]; first <= highest; first *= 10, count *= 10) {
    const { entries } = listNewestFds(store, { most: MAX_OFFERED, beforeId: first + count }, () => {});
    found.push(...entries.filter(({ id }) => id >= first));
  }
  return found.reverse().slice(0, MAX_OFFERED);
}

function fdCandidate(entry: FdEntry): Candidate {
  return { word: formatFd(entry.id), about: fdText(entry) };
}

/** Names with what they are bound to; of one whose fd was removed, nothing. */
function namesOf(store: Store, entries: readonly FdEntry[]): Candidate[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  return listNames(store).slice(0, MAX_OFFERED).map(({ name, id }) => {
    const fd = formatFd(id);
    const entry = known.get(id) ?? entryOf(store, fd);
    return { word: name, about: entry === undefined ? fd : `${fd} ${fdText(entry)}` };
  });
}

function entryOf(store: Store, fd: string): FdEntry | undefined {
  try {
    return findFd(store, fd);
  } catch {
    return undefined;
  }
}

function fdText({ command, source, lineCount, state, exitCode, signal, createdMs }: FdEntry): string {
  const end = state !== "sealed"
    ? state
    : signal ?? (exitCode === undefined ? undefined : `exit ${exitCode}`);
  const lines = counted(lineCount, "line", groupedDigits);
  return remark([command === undefined ? source : shellLine(command), lines, end], createdMs);
}

/** How many questions are looked at for open ones. */
const MAX_LOOKED_AT = 200;

/** The newest writes, or those of plans. */
export function stepsIn(store: Store, cwd: string, onlyPlans: boolean): Candidate[] {
  const steps: Candidate[] = [];
  for (const { id, begin } of newestTransactions(store)) {
    if (steps.length === MAX_OFFERED) break;
    if (onlyPlans && begin.plan === undefined) continue;
    const what = begin.intent ?? stepPaths(begin.files, cwd).join(" ");
    steps.push({ word: formatTransaction(id), about: remark([begin.tool, what], begin.at) });
  }
  return steps;
}

/** The open questions, newest first. */
export function inquiriesIn(_: Asked, store: Store): Candidate[] {
  const newest = highestLogId(store, "inq");
  const open: Candidate[] = [];
  for (let id = newest; id >= 1 && id > newest - MAX_LOOKED_AT; id--) {
    const inquiry = readInquiry(store, id);
    if (inquiry === undefined || inquiry.closed !== undefined) continue;
    const { tool, question, at } = inquiry.asked;
    open.push({ word: formatInquiry(id), about: remark([tool, question.text], at) });
  }
  return open;
}

/** The answers that the question allows, if it has a choice. */
export function answersTo({ given }: Asked, store: Store): Candidate[] {
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
export async function storeFor(host: Host, storeOption: string | undefined): Promise<Store> {
  const written = storeOption ?? host.storeOption ?? host.env["FDTOOL_STORE"];
  if (written === undefined || !isStoreUrl(written)) {
    return openHostStore({ ...host, storeOption: storeOption ?? host.storeOption });
  }
  const { cacheDirectory } = await import("../sharing/open_cache.ts");
  return openStore(cacheDirectory(parseStoreUrl(written, "--store", host.env).place, host.env));
}

/** The parts that there are, and how long ago it was. */
function remark(parts: readonly (string | undefined)[], atMs: number): string {
  const shown = parts.flatMap((part) => part === undefined ? [] : [fitCells(plainText(part), MAX_CELLS)]);
  return [...shown, agoText(atMs, Date.now())].join(", ");
}
