/**
 * Searches for the page. In one fd: streams how far it got and where along the content matching lines are, and remembers
 * the lines, so that the page can go to the next or previous one. In all fds: streams the first matching lines of each.
 * Memory is bounded however many lines match.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  lineOfByte,
  listFds,
  locateIn,
  type OpenContent,
  prepareFd,
  searchFd,
  searchFds,
  type Store,
  usedContent,
  whenReady,
} from "../../fd/mod.ts";
import { namesById } from "../answers/parts/fd_summary.ts";
import { fdRow } from "./fd_rows.ts";
import { isLevel, levelPattern } from "./line_levels.ts";
import { hitRow, markerOf, rowAt } from "./line_rows.ts";
import { pageText, shownText } from "./page_text.ts";
import { numberIn, textIn, UiFault } from "./check_request.ts";

/** Places along the content that are marked: more than a screen has rows. */
const PLACES = 1000;
/** Matching lines that are remembered of a search; beyond them, only the marks know. */
const MAX_LISTED = 1_000_000;
/** Searches that are remembered. */
const MAX_SEARCHES = 4;
const PROGRESS_MS = 100;
/** Matching lines listed of each of all fds, and fds listed with their lines. */
const LISTED_OF_EACH = 20;
const MAX_FDS = 200;

/** A search: the starts of the matching lines that it found so far, in order. */
interface KnownSearch {
  fd: string;
  lineStarts: readonly number[];
  found(): number;
}

/** The last searches, by their ids. */
export type Searches = Map<string, KnownSearch>;

/** Takes the lines of the streamed answer. */
interface Reader {
  say(news: object): void;
  isOver(): boolean;
}

/**
 * Searches an fd and passes news to `say` until the end, or until `isOver`: `marks` are numbers of lines, each the first match
 * of its place. Throws `not_found`, `removed`, `store_corrupt`, and
 * `invalid_parameter` for the pattern.
 */
export async function streamSearch(
  store: Store,
  query: URLSearchParams,
  searches: Searches,
  reader: Reader,
): Promise<void> {
  const entry = await pageText(store, query);
  const places = matchPlaces(entry);
  const { lineStarts, found } = places;
  const search = remember(searches, { fd: formatFd(entry.id), lineStarts, found });
  using content = usedContent(store, entry);
  const state = async () => ({
    search,
    found: found(),
    listed: lineStarts.length,
    marks: await Promise.all(places.takeNew().map((byte) => lineAt(content, byte))),
  });
  const request = { ...matchingIn(query), keep: 0, onLine: places.add };
  await searchFd(store, entry, request, pausing(reader, entry.byteCount, state));
  reader.say({ type: "end", ...await state() });
}

/** Searches all fds, the newest first, and passes the first matching lines of each to `say`. */
export async function streamStoreSearch(store: Store, query: URLSearchParams, reader: Reader): Promise<void> {
  const request = { ...matchingIn(query), keep: LISTED_OF_EACH };
  await store.backend.refresh({ kind: "records" });
  await store.backend.refresh({ kind: "names" });
  let unreadable = 0;
  const entries = listFds(store, () => unreadable++).reverse();
  const names = namesById(store);
  const marker = markerOf(query);
  const [all, totalBytes] = [entries.length, entries.reduce((sum, { byteCount }) => sum + byteCount, 0)];
  let [found, fds] = [0, 0];
  const state = () => Promise.resolve({ found });
  for await (const result of searchFds(store, entries, request, pausing(reader, totalBytes, state))) {
    if ("failure" in result) unreadable++;
    else if (result.found.total > 0) {
      const { entry, found: { total, hits } } = result;
      found += total;
      if (++fds > MAX_FDS) continue;
      using content = usedContent(store, entry);
      const lines = [];
      for (const hit of hits) lines.push(await hitRow(store, content, hit, marker));
      reader.say({ type: "fd", row: fdRow(store, entry, names.get(entry.id) ?? []), total, lines });
    }
  }
  const unlisted = Math.max(0, fds - MAX_FDS);
  reader.say({ type: "end", found, fds, searched: all - unreadable, unlisted, unreadable });
}

function matchingIn(query: URLSearchParams) {
  const level = query.get("level") ?? "";
  if (isLevel(level)) return { pattern: levelPattern(level), fixed: false, ignoreCase: false, clean: true };
  const [fixed, ignoreCase] = [query.get("fixed") === "1", query.get("case") !== "1"];
  return { pattern: textIn(query, "pattern"), fixed, ignoreCase, clean: true };
}

/** Says now and then how far a search got, and lets the server answer other requests; throws if its reader has gone. */
function pausing({ say, isOver }: Reader, of: number, state: () => Promise<object>) {
  let saidMs = performance.now();
  return async (done: number) => {
    if (performance.now() - saidMs > PROGRESS_MS) {
      saidMs = performance.now();
      say({ type: "progress", done, of, ...await state() });
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) throw new Error("The page no longer waits for this search.");
  };
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
  const id = crypto.randomUUID();
  searches.set(id, search);
  for (const oldest of searches.keys()) {
    if (searches.size <= MAX_SEARCHES) break;
    searches.delete(oldest);
  }
  return id;
}

/** The matching line after or before a line; beyond the last one, the first, and the other way round. */
export async function neighbourMatch(store: Store, query: URLSearchParams, searches: Searches) {
  const search = knownSearch(query, searches);
  const { lineStarts, fd } = search;
  const found = search.found();
  if (lineStarts.length === 0) return { found };
  await prepareFd(store, fd);
  const entry = await shownText(store, findFd(store, fd));
  const line = numberIn(query, "line", { least: 0, most: Number.MAX_SAFE_INTEGER });
  using content = usedContent(store, entry);
  const isNext = query.get("way") !== "previous";
  const byte = line === 0
    ? -1
    : line > entry.lineCount
    ? entry.byteCount
    : (await whenReady(content, (ready) => locateIn(ready, { mode: "line", start: line }))).fromByte;
  const place = isNext
    ? lineStarts.findIndex((start) => start > byte)
    : lineStarts.findLastIndex((start) => start < byte);
  const beyond = isNext ? 0 : lineStarts.length - 1;
  const number = place < 0 ? beyond : place;
  return { found, number: number + 1, line: await lineAt(content, lineStarts[number]!) };
}

/** Rows of a search that are answered at once. */
const MAX_MATCHING = 200;

/** Matching lines by their numbers among them, from `from` on. */
export async function matchingRows(store: Store, query: URLSearchParams, searches: Searches) {
  const { lineStarts, fd } = knownSearch(query, searches);
  const from = numberIn(query, "from", { least: 1, most: MAX_LISTED });
  const count = numberIn(query, "count", { least: 1, most: MAX_MATCHING });
  await prepareFd(store, fd);
  using content = usedContent(store, await shownText(store, findFd(store, fd)));
  const marker = markerOf(query);
  const lines = [];
  for (const byte of lineStarts.slice(from - 1, from - 1 + count)) {
    const { stored: _, ...row } = await rowAt(store, content, byte, marker);
    lines.push(row);
  }
  return { lines };
}

function knownSearch(query: URLSearchParams, searches: Searches): KnownSearch {
  const search = searches.get(textIn(query, "search"));
  if (search === undefined) throw new UiFault(410, "This search is no longer remembered. Search again.");
  return search;
}

async function lineAt(content: OpenContent, byte: number): Promise<number> {
  return await whenReady(content, (ready) => lineOfByte(ready, byte));
}
