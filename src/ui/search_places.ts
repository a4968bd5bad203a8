/**
 * Searches an fd for the page: streams how far it got and where along the content matching lines are, and remembers the
 * lines, so that the page can go to the next or previous one. Memory is bounded however many lines match.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  lineOfByte,
  locatePrepared,
  type OpenContent,
  openContent,
  prepareBytes,
  prepareFd,
  searchFd,
  type Store,
} from "../../fd/mod.ts";
import { numberIn, textIn, UiFault } from "./check_request.ts";

/** Places along the content that are marked: more than a screen has rows. */
const PLACES = 1000;
/** Matching lines that are remembered of a search; beyond them, only the marks know. */
const MAX_LISTED = 1_000_000;
/** Searches that are remembered. */
const MAX_SEARCHES = 4;
const PROGRESS_MS = 100;

/** A search: the starts of the matching lines that it found so far, in order. */
interface KnownSearch {
  fd: string;
  lineStarts: readonly number[];
  found(): number;
}

/** The last searches, by their ids. */
export interface Searches {
  known: Map<string, KnownSearch>;
  count: number;
}

export function startSearches(): Searches {
  return { known: new Map(), count: 0 };
}

/** A line of the streamed answer. `marks` are numbers of lines, each the first match of its place. */
export type SearchNews =
  | { type: "progress"; search: string; done: number; of: number; found: number; marks: number[] }
  | { type: "end"; search: string; found: number; listed: number; marks: number[] };

/** Thrown into a search whose reader has gone. */
class ReaderGone extends Error {}

/**
 * Searches and passes news to `say` until the end, or until `isOver`. Throws `not_found`, `removed`, `store_corrupt`, and
 * `invalid_parameter` for the pattern.
 */
export async function streamSearch(
  store: Store,
  query: URLSearchParams,
  searches: Searches,
  { say, isOver }: { say(news: SearchNews): void; isOver(): boolean },
): Promise<void> {
  const entry = findFd(store, textIn(query, "fd"));
  const places = matchPlaces(entry);
  const { lineStarts, found } = places;
  const search = remember(searches, { fd: formatFd(entry.id), lineStarts, found });
  const content = openContent(store, entry);
  const newMarks = () => Promise.all(places.takeNew().map((byte) => lineAt(content, byte)));
  let saidMs = performance.now();
  try {
    await searchFd(store, entry, {
      pattern: textIn(query, "pattern"),
      fixed: query.get("fixed") === "1",
      ignoreCase: query.get("case") !== "1",
      clean: true,
      keep: 0,
      onLine: places.add,
    }, async (done) => {
      if (performance.now() - saidMs > PROGRESS_MS) {
        saidMs = performance.now();
        say({ type: "progress", search, done, of: entry.byteCount, found: found(), marks: await newMarks() });
      }
      // Lets the server answer other requests, and notice that this one was given up.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) throw new ReaderGone();
    });
    say({ type: "end", search, found: found(), listed: lineStarts.length, marks: await newMarks() });
  } catch (thrown) {
    if (!(thrown instanceof ReaderGone)) throw thrown;
  } finally {
    content.close();
  }
}

/** Collects where matching lines start: the first {@link MAX_LISTED}, and the first of each place. */
function matchPlaces({ byteCount }: FdEntry) {
  const lineStarts: number[] = [];
  const isMarked = new Uint8Array(PLACES);
  let fresh: number[] = [];
  let found = 0;
  return {
    lineStarts,
    found: () => found,
    add(fromByte: number): void {
      found++;
      if (lineStarts.length < MAX_LISTED) lineStarts.push(fromByte);
      const place = Math.min(PLACES - 1, Math.floor(fromByte / byteCount * PLACES));
      if (isMarked[place] === 1) return;
      isMarked[place] = 1;
      fresh.push(fromByte);
    },
    /** The places that were not taken yet. */
    takeNew(): number[] {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}

function remember(searches: Searches, search: KnownSearch): string {
  const { known } = searches;
  const id = String(++searches.count);
  known.set(id, search);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_SEARCHES) break;
    known.delete(oldest);
  }
  return id;
}

/** The matching line after or before a line; beyond the last one, the first, and the other way round. */
export async function neighbourMatch(store: Store, query: URLSearchParams, searches: Searches) {
  const search = searches.known.get(textIn(query, "search"));
  if (search === undefined) throw new UiFault(410, "This search is no longer remembered. Search again.");
  const { lineStarts, fd } = search;
  const found = search.found();
  if (lineStarts.length === 0) return { found };
  await prepareFd(store, fd);
  const entry = findFd(store, fd);
  const line = numberIn(query, "line", { least: 0, most: Number.MAX_SAFE_INTEGER });
  const content = openContent(store, entry);
  try {
    const isNext = query.get("way") !== "previous";
    const byte = line === 0
      ? -1
      : line > entry.lineCount
      ? entry.byteCount
      : (await locatePrepared(content, { mode: "line", start: line })).fromByte;
    const after = firstAfter(lineStarts, byte);
    const place = isNext ? after : firstAfter(lineStarts, byte - 1) - 1;
    const number = (place + lineStarts.length) % lineStarts.length;
    return { found, number: number + 1, line: await lineAt(content, lineStarts[number]!) };
  } finally {
    content.close();
  }
}

async function lineAt(content: OpenContent, byte: number): Promise<number> {
  await prepareBytes(content, { fromByte: byte, toByte: byte + 1 });
  return lineOfByte(content, byte);
}

/** The first place in `starts` with a start beyond `byte`. */
function firstAfter(starts: readonly number[], byte: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! > byte) high = middle;
    else low = middle + 1;
  }
  return low;
}
