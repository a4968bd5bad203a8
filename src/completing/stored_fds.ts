/** The fds and names of the store that fit a call. */

import {
  type FdEntry,
  findFd,
  formatFd,
  highestId,
  listNames,
  listNewestFds,
  type Store,
} from "../../fd/mod.ts";
import { counted, groupedDigits } from "../answering/grouped_digits.ts";
import { shellLine } from "../answering/next_command.ts";
import { MAX_OFFERED, remark } from "./asked_store.ts";
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
