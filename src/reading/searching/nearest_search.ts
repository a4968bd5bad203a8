/**
 * The search nearest to one without a match that has matches: ignoring case, without `word`, as plain text, for a word
 * of the pattern. Loaded when a search finds nothing.
 */

import {
  type FdEntry,
  formatFd,
  type LineHit,
  needsCleaningIn,
  readSlice,
  readWhole,
  searchFd,
  type Store,
  usedContent,
} from "../../../fd/mod.ts";
import { undefinedIf, utf8Text } from "../../../fd/system.ts";
import type { Host } from "../../calls/terms/command.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { linesWord } from "./answer_matches.ts";
import { matchingOf, type Search, soughtBy } from "./search.ts";
import type { SearchRequest } from "../../calls/requests/search_request.ts";

/** Bytes searched in all: with a part of the content's, so that searching again costs less than searching did. */
const MIN_SEARCHED_BYTES = 3 * 512 * 1024;
const SEARCHED_SHARE = 1 / 8;
/** Words of the pattern that are tried, and their minimum length. */
const MAX_WORDS = 3;
const MIN_WORD_CHARS = 3;

/** From this many matching lines on, a search is not offered if a tenth of all lines match: it tells too little. */
const MIN_COMMON = 10;

/** A search to try, and how a sentence about it begins. */
interface Variant {
  how: string;
  request: SearchRequest;
}

/**
 * Finds the nearest search that matches some lines, not most; undefined if there is none, in the part of the content
 * that is searched.
 */
export async function nearestSearch(
  { store, entry, request }: Search,
  checkpoint: Host["checkpoint"],
): Promise<{ sentence: string; next: NextCall } | undefined> {
  if (request.invert === true) return undefined;
  const fd = formatFd(entry.id);
  const variants = [...variantsOf(request, await differsInCleanView(store, entry))];
  const mostBytes = MIN_SEARCHED_BYTES + entry.byteCount * SEARCHED_SHARE;
  const untilByte = Math.floor(mostBytes / variants.length);
  for (const { how: usual, request: other } of variants) {
    const { total, hits } = await matchesOf(store, entry, other, untilByte, checkpoint);
    const how = hits[0] !== undefined && usual === STORED && isOverwritten(store, entry, hits[0])
      ? "In text that was overwritten,"
      : usual;
    const lineCount = entry.lineCount * Math.min(1, untilByte / entry.byteCount);
    if (total === 0 || total >= MIN_COMMON && total * 10 >= lineCount) continue;
    const lines = untilByte < entry.byteCount
      ? "are matching lines"
      : `${total === 1 ? "is" : "are"} ${linesWord(total, other)}`;
    return { sentence: `${how} there ${lines}.`, next: { command: "search", args: soughtBy(other, fd) } };
  }
  return undefined;
}

async function differsInCleanView(store: Store, entry: FdEntry): Promise<boolean> {
  using content = usedContent(store, entry);
  await content.prepareEntries?.(0, content.index.blockCount);
  return needsCleaningIn(content, 0, entry.byteCount);
}

/** Bytes behind a match in which what writes over it is looked for. */
const OVERWRITTEN_BYTES = 65_536;

/** Whether something behind the match returns to the start of its line, or erases the line. */
function isOverwritten(store: Store, entry: FdEntry, { hitByte, toByte }: LineHit): boolean {
  const end = Math.min(toByte, hitByte + OVERWRITTEN_BYTES);
  const bytes = readWhole(readSlice(store, entry, { fromByte: hitByte, toByte: end }));
  // deno-lint-ignore no-control-regex
  return /\r[^\r\n]|\x1b\[[012]?[GJK]/.test(utf8Text(bytes));
}

/** The matching lines in the first `untilByte` bytes, and the first of them; none for a pattern that is refused. */
async function matchesOf(
  store: Store,
  entry: FdEntry,
  request: SearchRequest,
  untilByte: number,
  checkpoint: Host["checkpoint"],
): Promise<{ total: number; hits: readonly LineHit[] }> {
  const pause = checkpoint && ((doneBytes: number) => checkpoint(doneBytes, entry.byteCount));
  const searching = searchFd(store, entry, { ...matchingOf(request), keep: 1, untilByte }, pause);
  // What was plain text may be invalid as an expression.
  return await searching.catch(undefinedIf("invalid_parameter")) ?? { total: 0, hits: [] };
}

const STORED = "In the stored text,";

/** Searches that differ from `request` in one thing, then in several, nearest first. */
function* variantsOf(request: SearchRequest, hasCleanView: boolean): Generator<Variant, void> {
  const patterns = typeof request.pattern === "string" ? [request.pattern] : request.pattern;
  const hasLetter = patterns.some((pattern) => /\p{L}/u.test(pattern));
  const hasMeta = patterns.some((pattern) => /[\\^$.[\]|()?*+{}]/.test(pattern));
  const folds = request.ignore_case !== true && hasLetter;
  const folded = { ...request, ignore_case: true };
  if (hasCleanView && request.exact !== true) yield { how: STORED, request: { ...request, exact: true } };
  if (folds) yield { how: "Ignoring case,", request: folded };
  const other: [string, Partial<SearchRequest>][] = [];
  if (request.word === true) other.push(["Inside words too,", { word: undefined }]);
  if (hasMeta && request.fixed !== true) other.push(["As plain text,", { fixed: true }]);
  if (hasMeta && request.fixed === true) other.push(["As a regular expression,", { fixed: undefined }]);
  if (hasCleanView) {
    other.push(request.exact === true ? ["In clean view,", { exact: undefined }] : [STORED, { exact: true }]);
  }
  for (const [how, changed] of other) {
    if (how !== STORED) yield { how, request: { ...request, ...changed } };
  }
  for (const [how, changed] of other) {
    if (folds) yield { how: `${how.slice(0, -1)} and ignoring case,`, request: { ...folded, ...changed } };
  }
  if (patterns.length === 1) yield* wordsOf(patterns[0]!, request);
}

/** The longest words of the pattern, alone. */
function* wordsOf(pattern: string, request: SearchRequest): Generator<Variant, void> {
  const plain = request.fixed === true ? pattern : pattern.replace(/\\./g, " ");
  const words = (plain.match(/[\p{L}\p{N}_-]+/gu) ?? [])
    .filter((word) => word.length >= MIN_WORD_CHARS && word !== pattern);
  const longest = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS);
  for (const word of longest) {
    yield {
      how: `For "${word}" alone, ignoring case,`,
      request: { ...request, pattern: word, ignore_case: true, fixed: undefined, word: undefined },
    };
  }
}
