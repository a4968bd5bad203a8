/**
 * Content, or a piece of it, split into lines in memory, each with its shape.
 *
 * @module
 */

import { nodeBuffer } from "../../fd/mod.ts";
import { judgeLine, SIGN_HASHES } from "./failure_signs.ts";
import { newLineScan, scanLine } from "./scan_line.ts";

/** Consecutive lines, as they are shown. */
export interface StudiedLines {
  /** The number of the first one, from 1. */
  firstLine: number;
  /** One char a byte of the clean view. */
  text: string;
  /** Where each line starts in the text, and one more: where a line after the last would. */
  starts: number[];
  shapes: number[];
}

/** A line that looks like the report of a failure. */
export interface Finding {
  line: number;
  /** 1 to 100 (see {@link judgeLine}). */
  strength: number;
  shape: number;
  /** Its strongest sign: equal for the same word. */
  sign: number;
}

/** What is known of all lines of one shape. */
export interface ShapeCount {
  count: number;
  /** How many lines of it were judged. */
  judged: number;
}

/** Everything that was learnt of the content. */
export interface Study {
  totalLines: number;
  pieces: StudiedLines[];
  shapes: Map<number, ShapeCount>;
  findings: Finding[];
}

/** Lines of one shape that are judged; of the others it is only known that there are more. */
const MOST_JUDGED = 12;
/** Shapes that are counted. Content of more is hardly a log, and every line of it is rare. */
const MOST_SHAPES = 65_536;
const LEAST_STRENGTH = 8;

/** Starts the study of content. */
export function newStudy(): Study {
  return { totalLines: 0, pieces: [], shapes: new Map(), findings: [] };
}

/**
 * Studies consecutive lines, in order. `bytes` ends where a line ends, or with the content. `lineCount` is how many lines
 * they are, if that is known: of a last line without a line feed the clean view may leave nothing.
 */
export function studyLines(study: Study, bytes: Uint8Array, firstLine: number, lineCount?: number): void {
  const { Buffer } = nodeBuffer();
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const piece: StudiedLines = { firstLine, text, starts: [], shapes: [] };
  for (let at = 0; at < text.length;) {
    const lineFeed = text.indexOf("\n", at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    piece.starts.push(at);
    piece.shapes.push(studyLine(study, text, at, end, firstLine + piece.shapes.length));
    at = end + 1;
  }
  if (lineCount !== undefined && piece.shapes.length < lineCount) {
    piece.starts.push(text.length);
    piece.shapes.push(0);
  }
  const isOpen = !text.endsWith("\n") || piece.starts.at(-1) === text.length;
  piece.starts.push(isOpen ? text.length + 1 : text.length);
  study.pieces.push(piece);
}

const SCAN = newLineScan();

function studyLine(study: Study, text: string, from: number, to: number, line: number): number {
  scanLine(text, from, to, SIGN_HASHES, SCAN);
  const { shape } = SCAN;
  let known = study.shapes.get(shape);
  if (known === undefined) {
    known = { count: 0, judged: 0 };
    if (study.shapes.size < MOST_SHAPES) study.shapes.set(shape, known);
  }
  known.count++;
  if (SCAN.signCount === 0 && !SCAN.isPlace) return shape;
  if (known.judged === MOST_JUDGED) return shape;
  known.judged++;
  const { strength, sign } = judgeLine(text, from, to, SCAN);
  if (strength >= LEAST_STRENGTH) study.findings.push({ line, strength, shape, sign });
  return shape;
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

/** How many lines of the content have the shape of `line`; 0 if it was not studied. */
export function likeCount(study: Study, line: number): number {
  const piece = pieceOf(study, line);
  return piece === undefined ? 0 : study.shapes.get(piece.shapes[line - piece.firstLine]!)?.count ?? 1;
}
