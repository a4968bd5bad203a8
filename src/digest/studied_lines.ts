/**
 * Content or a piece of it, in memory, split into lines with their shapes.
 */

import { cleanBytes, nodeBuffer, startCleaning } from "../../fd/system.ts";
import { judgeLine, SIGN_HASHES } from "./failure_signs.ts";
import { kindOf, newLineScan, scanLine } from "./scan_line.ts";

/** Consecutive lines, as they are shown. */
export interface StudiedLines {
  /** The number of the first one, from 1. */
  firstLine: number;
  /** The clean view, and the same as text with one char a byte. */
  bytes: Uint8Array;
  text: string;
  /** The same lines as stored, if the clean view differs. */
  stored: Uint8Array | undefined;
  /** The start of each line in the text, and one more: the start of a line after the last. */
  starts: number[];
  shapes: number[];
  leads: number[];
  /** The kinds of lines with signs (see {@link kindOf}); 0 for others. */
  kinds: number[];
}

/** A line that looks like the report of a failure. */
export interface Finding {
  line: number;
  /** 1 to 100 (see {@link judgeLine}). */
  strength: number;
  /** Equal for lines that report the same about different things (see {@link kindOf}). */
  kind: number;
  /** Its strongest sign: equal for the same word. */
  sign: number;
}

/** Starts the study of content. */
export function newStudy() {
  return {
    totalLines: 0,
    pieces: [] as StudiedLines[],
    /** How many lines have a shape, and a lead. */
    shapes: new Map<number, number>(),
    leads: new Map<number, number>(),
    /** How many lines with signs are of a kind. */
    kinds: new Map<number, number>(),
    /** How many lines were judged. */
    judged: 0,
    findings: [] as Finding[],
  };
}

/** The results of studying the content. */
export type Study = ReturnType<typeof newStudy>;

/** After this many lines of one kind, further ones are only counted. */
const MAX_OF_KIND = 4;
/** The most lines that are judged. */
const MAX_JUDGED = 8192;
/** The most shapes that are counted. Content with more is probably no log, and each of its lines is rare. */
const MAX_SHAPES = 65_536;
const MIN_STRENGTH = 8;

/**
 * Studies consecutive lines, in order. `stored` ends at the end of a line or of the content. `lineCount` is the number of
 * lines, if it is known: the clean view of a last line without a line feed can be empty.
 */
export function studyLines(study: Study, stored: Uint8Array, firstLine: number, lineCount?: number): void {
  const bytes = cleanBytes(stored);
  const { Buffer } = nodeBuffer();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const piece: StudiedLines = {
    firstLine,
    bytes,
    text,
    stored: bytes === stored ? undefined : stored,
    starts: [],
    shapes: [],
    leads: [],
    kinds: [],
  };
  for (let at = 0; at < text.length;) {
    const lineFeed = text.indexOf("\n", at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    piece.starts.push(at);
    piece.kinds.push(studyLine(study, piece, at, end));
    piece.shapes.push(SCAN.shape);
    piece.leads.push(SCAN.lead);
    at = end + 1;
  }
  if (lineCount !== undefined && piece.shapes.length < lineCount) {
    piece.starts.push(text.length);
    piece.shapes.push(0);
    piece.leads.push(0);
    piece.kinds.push(0);
  }
  const isOpen = !text.endsWith("\n") || piece.starts.at(-1) === text.length;
  piece.starts.push(isOpen ? text.length + 1 : text.length);
  study.pieces.push(piece);
}

const SCAN = newLineScan();

/** A time, perhaps with a date and in brackets, and the numbered name of a process before a bar (`web-1  | `). */
const PREFIXES =
  /(?:\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?(?:[ \t]|(?=\n|$))|[A-Za-z][\w.-]*[-_.]\d+ *\|(?: |(?=\n|$)))+/y;

/**
 * The offset at which the line of `text` at `from` starts behind what a log or a supervisor puts before it. Lines are judged and
 * compared without that; their own indentation stays.
 */
function bodyStart(text: string, from: number): number {
  PREFIXES.lastIndex = from;
  return PREFIXES.test(text) ? PREFIXES.lastIndex : from;
}

/** Counts and judges one line; leaves its shape and lead in {@link SCAN}. Returns its kind. */
function studyLine(study: Study, piece: StudiedLines, start: number, to: number): number {
  const { bytes, text, firstLine, shapes } = piece;
  const from = bodyStart(text, start);
  scanLine(bytes, from, to, SIGN_HASHES, SCAN);
  countOne(study.shapes, SCAN.shape);
  countOne(study.leads, SCAN.lead);
  if (SCAN.signCount === 0 && !SCAN.isPlace) return 0;
  const kind = kindOf(bytes, from, to, SCAN);
  const count = countOne(study.kinds, kind);
  if (count > MAX_OF_KIND || study.judged === MAX_JUDGED) return kind;
  study.judged++;
  const { strength, sign } = judgeLine(text, from, to, SCAN);
  if (strength >= MIN_STRENGTH) {
    study.findings.push({ line: firstLine + shapes.length, strength, kind, sign });
  }
  return kind;
}

/** Counts one more of `key`; returns how many there are. */
function countOne(counts: Map<number, number>, key: number): number {
  const count = (counts.get(key) ?? 0) + 1;
  if (count > 1 || counts.size < MAX_SHAPES) counts.set(key, count);
  return count;
}

/** The piece that has `line`; undefined if it was not studied. */
export function pieceOf({ pieces }: Study, line: number): StudiedLines | undefined {
  for (const piece of pieces) {
    if (line >= piece.firstLine && line < piece.firstLine + piece.shapes.length) return piece;
  }
  return undefined;
}

/** The text of `line`, without its line end; undefined if it was not studied. */
export function textOf(study: Study, line: number): string | undefined {
  const piece = pieceOf(study, line);
  if (piece === undefined) return undefined;
  const at = line - piece.firstLine;
  return piece.text.slice(piece.starts[at], piece.starts[at + 1]! - 1);
}

/** The text of `line` behind its prefixes (see {@link bodyStart}); undefined if it was not studied. */
export function bodyOf(study: Study, line: number): string | undefined {
  const piece = pieceOf(study, line);
  if (piece === undefined) return undefined;
  const at = line - piece.firstLine;
  return piece.text.slice(bodyStart(piece.text, piece.starts[at]!), piece.starts[at + 1]! - 1);
}

/** How many lines of the content have the shape of `line`; 0 if it was not studied. */
export function likeCount(study: Study, line: number): number {
  const piece = pieceOf(study, line);
  return piece === undefined ? 0 : study.shapes.get(piece.shapes[line - piece.firstLine]!) ?? 1;
}

/** How many lines of the content start like `line`; 0 if it was not studied. */
export function leadCount(study: Study, line: number): number {
  const piece = pieceOf(study, line);
  return piece === undefined ? 0 : study.leads.get(piece.leads[line - piece.firstLine]!) ?? 1;
}

const LINE_FEED = 0x0a;

/** Counts the chars that the clean view leaves out of `lines`, which ascend. */
export function leftOutChars({ pieces }: Study, lines: readonly number[]): number {
  let count = 0;
  for (const { firstLine, shapes, stored } of pieces) {
    if (stored === undefined) continue;
    let from = 0;
    let next = firstLine;
    for (const line of lines) {
      if (line < firstLine || line >= firstLine + shapes.length) continue;
      for (; next < line; next++) from = stored.indexOf(LINE_FEED, from) + 1;
      const to = stored.indexOf(LINE_FEED, from);
      const cleaning = startCleaning();
      cleaning.clean(stored.subarray(from, to < 0 ? stored.length : to + 1));
      cleaning.end();
      count += cleaning.leftOutChars;
    }
  }
  return count;
}
