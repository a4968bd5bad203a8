/**
 * Outlines of content of a known kind, which the first answer shows instead of a digest: what it consists of, rather than
 * which of its lines matter.
 */

import { BLOCK_BYTES, cleanBytes, countLineFeeds } from "../../../fd/system.ts";
import {
  DIFF_START,
  looksAligned,
  looksLikeJson,
  looksLikeListing,
  looksLikeSource,
  looksLikeTable,
  looksLikeYaml,
  XML_START,
} from "./known_starts.ts";
import {
  type BlockContent,
  type ContentOutline,
  latin1Of,
  type OutlinedContent,
  promptCollection,
} from "./outlined_content.ts";

/** How many of the first bytes decide the kind. */
const FIRST_BYTES = 4096;

/**
 * Outlines content in at most about `budgetChars`. Returns undefined, at once or later, if its kind is unknown.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if it cannot be read.
 */
export function outlineContent(
  open: BlockContent,
  budgetChars: number,
): Promise<ContentOutline | undefined> | undefined {
  if (open.byteCount === 0) return undefined;
  const first = latin1Of(open.block(0).subarray(0, FIRST_BYTES));
  const char = first.charAt(0);
  // Text with a few NULs is recognized later.
  const isBinary = first.startsWith("%PDF-") || first.includes("\0") || hasNuls(open);
  const kinds: (keyof typeof OUTLINERS)[] = [];
  if (isBinary) kinds.push("binary");
  else {
    if (looksLikeJson(first)) kinds.push("JSON");
    if ("dc-".includes(char) && DIFF_START.test(first)) kinds.push("diff");
    if ("\xef \n\r\t<".includes(char) && XML_START.test(first)) kinds.push("XML");
    if (looksLikeYaml(first)) kinds.push("YAML");
    if (looksLikeTable(first) || looksAligned(first)) kinds.push("table");
    if (looksLikeListing(first)) kinds.push("listing");
    if (looksLikeSource(first)) kinds.push("source");
  }
  if (kinds.length > 0) return firstOutline(open, budgetChars, kinds);
  const inner = innerDocument(open);
  return inner && outlineInner(inner, budgetChars);
}

/** Of longer content, as many blocks are looked at, at equal distances. */
const SAMPLED_BLOCKS = 8;

/** Whether a NUL is in the blocks that are looked at. */
function hasNuls(open: BlockContent): boolean {
  const last = open.blockCount - 1;
  for (let at = 0; at < SAMPLED_BLOCKS; at++) {
    const number = Math.round(at * last / (SAMPLED_BLOCKS - 1));
    if (open.mayHaveControls(number) && open.block(number).includes(0)) return true;
  }
  return false;
}

/** The outline of the first kind that the content turns out to be of, or else of a document within it. */
async function firstOutline(
  open: BlockContent,
  budgetChars: number,
  kinds: readonly (keyof typeof OUTLINERS)[],
): Promise<ContentOutline | undefined> {
  for (const kind of kinds) {
    const found = (await OUTLINERS[kind]())(storedContent(open), budgetChars);
    if (found !== undefined) return found;
  }
  return outlineInner(innerDocument(open), budgetChars);
}

/** Load what outlines content that turns out to be of a kind. */
const OUTLINERS = {
  binary: async () => (await import("./outline_binary.ts")).outlineBinary,
  JSON: async () => (await import("./outline_json.ts")).outlineJson,
  diff: async () => (await import("./outline_diff.ts")).outlineDiff,
  XML: async () => (await import("./outline_xml.ts")).outlineXml,
  YAML: async () => (await import("./outline_yaml.ts")).outlineYaml,
  listing: async () => (await import("./outline_listing.ts")).outlineListing,
  source: async () => (await import("./outline_source.ts")).outlineSource,
  table: async () => (await import("./outline_table.ts")).outlineTable,
};

/** Lines before a document that are shown with it. */
const LINES_BEFORE_SHOWN = 4;

/** Outlines a document within content, if it goes on to the end. */
async function outlineInner(
  inner: InnerDocument | undefined,
  budgetChars: number,
): Promise<ContentOutline | undefined> {
  if (inner === undefined) return undefined;
  const { kind, linesBefore, read } = inner;
  const outline = await OUTLINERS[kind]();
  // Many a log begins with a line that looks like a heading.
  const isLikely = kind !== "table" && kind !== "listing" || outline(read(MAX_BYTES_BEFORE), budgetChars);
  const found = isLikely ? outline(read(), budgetChars) : undefined;
  if (found === undefined || found.below === "digest") return undefined;
  const [heading = "", ...lines] = found.lines;
  const { shownLines = [] } = found;
  const before = Array.from({ length: Math.min(linesBefore, LINES_BEFORE_SHOWN) }, (_, at) => at + 1);
  const first = Math.max(1, (shownLines[0] ?? linesBefore + 1) - 2);
  return {
    ...found,
    lines: [linesBefore === 0 ? heading : `${heading}, from line ${linesBefore + 1} on`, ...lines],
    shownLines: [...before, ...shownLines],
    // A query takes only the whole content, and chars are counted otherwise there.
    readOn: { mode: "line", start: first, count: READ_LINES },
    query: undefined,
  };
}

const READ_LINES = 20;

function storedContent(open: BlockContent): OutlinedContent {
  const { byteCount, lineCount } = open;
  return {
    byteCount,
    lineCount,
    ...inBlocks(byteCount, (number) => open.block(number)),
    lineAt: (byteOffset) => open.lineAt(Math.min(byteOffset, byteCount - 1)),
    charAt: (byteOffset) => open.charAt(byteOffset),
  };
}

/** More bytes are worth a collection before them. */
const MIN_LONG_BYTES = 4 * 2 ** 20;

function inBlocks(
  byteCount: number,
  block: (number: number) => Uint8Array,
): Pick<OutlinedContent, "pieces" | "read"> {
  function* pieces(fromByte: number, toByte: number): Iterable<Uint8Array> {
    const to = Math.min(toByte, byteCount);
    // What is left of storing it would add to the first garbage of the outline.
    if (to - fromByte > MIN_LONG_BYTES) promptCollection(4);
    for (let at = fromByte; at < to;) {
      const number = Math.floor(at / BLOCK_BYTES);
      const start = number * BLOCK_BYTES;
      const bytes = block(number);
      yield bytes.subarray(at - start, to - start);
      at = start + bytes.length;
      // Lines are many times larger as strings. Of long ones each collection keeps one, which lives while it runs.
      const first = bytes.subarray(0, 1024);
      if (at < to) promptCollection(first.includes(0x0a) || first.includes(0x22) ? 1 : 1 / 8);
    }
  }
  return {
    pieces,
    read(fromByte, toByte) {
      const bytes = new Uint8Array(Math.max(0, Math.min(toByte, byteCount) - fromByte));
      let filled = 0;
      for (const piece of pieces(fromByte, toByte)) {
        bytes.set(piece, filled);
        filled += piece.length;
      }
      return bytes;
    },
  };
}

/** Larger content is not searched. */
const MAX_BYTES = 4 * 2 ** 20;
/** With more lines before it, or more bytes, a document is only a part of the content. */
const MAX_LINES_BEFORE = 128;
const MAX_BYTES_BEFORE = 12_288;

/** A document that may be in some content. */
interface InnerDocument {
  kind: (typeof FORMS)[number]["kind"] | "table" | "listing";
  linesBefore: number;
  /** Reads it, or what it has of so many first bytes. Its lines are numbered as in the content: those before it are empty. */
  read(most?: number): OutlinedContent;
}

/** How the first lines of documents start, by the first char if it tells, and what is in the last bytes. */
const FORMS = [
  { kind: "JSON", first: "[{", start: /^[[{](?:\s*$|\s*["[{])/, end: /[\]}]/ },
  { kind: "XML", first: "<", start: /^<(?:\?xml|[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=|>|\s*$))/, end: />/ },
  { kind: "diff", first: "dc", start: /^(?:diff -|commit [0-9a-f]{7,})/, end: /^/ },
  { kind: "YAML", first: undefined, start: /^(?:---\s*$|["'\w./-]+:(?:\s|$))/, end: /^/ },
] as const;
const END_BYTES = 200;
/** As many lines after the first one of YAML look like it, too, and one is nested: lines of a log (`web-1: started`) are not. */
const MORE_YAML = /^(?=(?:[^]*\n)?[ \t]+\S)(?:\s*(?:- \S|(?:- )?["'\w./-]+:(?:\s|$)).*\n){5}/;

/** A time, with a level or not, or a name with a mark behind it, as logs put them before each line; no compiler before each file. */
const LOG_PREFIX = /(?:\d\d:\d\d\S*(?: +(?:INFO|DEBUG|TRACE|NOTICE):?)?|\S+:\S+:|[|\]]:?) +$/;

/**
 * Finds a document in content that does not start with one: behind what a log puts before each line, in colours, or after other
 * lines, such as the warnings of the tool that wrote it.
 */
function innerDocument(open: BlockContent): InnerDocument | undefined {
  const { byteCount, lineCount, blockCount } = open;
  if (byteCount > MAX_BYTES) return undefined;
  const firstBytes = open.block(0).subarray(0, MAX_BYTES_BEFORE);
  const text = latin1Of(cleanBytes(firstBytes));
  const lines = text.split("\n");
  const prefix = prefixChars(lines);
  const own = lines.map((line) => line.slice(prefix));
  const isNested = own.some((line) => line[0] === " " || line[0] === "\t");
  const inner = (kind: InnerDocument["kind"], linesBefore: number): InnerDocument => ({
    kind,
    linesBefore,
    read(most = byteCount) {
      const bytes = cleanBytes(storedContent(open).read(0, most));
      return innerContent(bytes, linesBefore, prefix, lineCount);
    },
  });
  for (const form of FORMS) {
    const { kind, first, end } = form;
    const linesBefore = first === undefined && !isNested ? -1 : startOf(form, own);
    if (linesBefore < 0 || !end.test(latin1Of(open.block(blockCount - 1).subarray(-END_BYTES)))) continue;
    return inner(kind, linesBefore);
  }
  if (!LOG_PREFIX.test(lines[0]!.slice(0, prefix)) && text.length === firstBytes.length) return undefined;
  const ownText = own.join("\n");
  if (looksAligned(ownText)) return inner("table", 0);
  return looksLikeListing(ownText) ? inner("listing", 0) : undefined;
}

/** At which of the first lines a document of a form starts; -1 without one. */
function startOf({ kind, first, start }: (typeof FORMS)[number], lines: readonly string[]): number {
  for (let at = 0; at < lines.length && at <= MAX_LINES_BEFORE; at++) {
    const line = lines[at]!;
    if (first?.includes(line[0] ?? "\n") === false || !start.test(line)) continue;
    if (kind !== "YAML" || startsYaml(lines.slice(at))) return at;
  }
  return -1;
}

/** Whether lines that may be YAML go on with it, and not with the same key again, as in a log. */
function startsYaml([first = "", ...others]: readonly string[]): boolean {
  const key = `${first.slice(0, first.indexOf(":"))}:`;
  return MORE_YAML.test(`${others.join("\n")}\n`) &&
    !others.slice(0, 5).some((line) => line.startsWith(key));
}

/** Lines in memory without their first `prefix` bytes, the first ones empty; its chars are counted as bytes. */
function innerContent(
  bytes: Uint8Array,
  linesBefore: number,
  prefix: number,
  lineCount: number,
): OutlinedContent {
  /** The starts of every 64th line. */
  const starts: number[] = [];
  let byteCount = 0;
  for (let at = 0, line = 0; at <= bytes.length; line++) {
    const lineFeed = bytes.indexOf(0x0a, at);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    const from = line < linesBefore ? end : Math.min(at + prefix, end);
    if (line % 64 === 0) starts.push(byteCount);
    bytes.copyWithin(byteCount, from, end + 1);
    at = end + 1;
    byteCount += Math.min(at, bytes.length) - from;
  }
  return {
    byteCount,
    lineCount,
    ...inBlocks(byteCount, (number) => bytes.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES)),
    lineAt(byteOffset) {
      const near = starts.findLastIndex((start) => start <= byteOffset);
      return 64 * near + 1 + countLineFeeds(bytes.subarray(starts[near], Math.min(byteOffset, byteCount)));
    },
    charAt: (byteOffset) => byteOffset,
  };
}

/** The chars that all whole lines have before what they say: up to a space, equal but for their digits. */
function prefixChars(lines: readonly string[]): number {
  let common = lines.length > 1 ? lines[0]!.replace(/\d/g, "0") : "";
  for (let at = 1; at < lines.length - 1 && common !== ""; at++) {
    const other = lines[at]!.slice(0, common.length).replace(/\d/g, "0");
    while (!other.startsWith(common)) common = common.slice(0, -1);
  }
  // A long line has its document after a space.
  return lines.length < 4
    ? Math.max(0, lines.at(-1)!.search(/(?<=^.{0,64}\s)[[{]["{[]/))
    : common.lastIndexOf(" ") + 1;
}
