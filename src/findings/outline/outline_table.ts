/**
 * Outlines a table of delimited values, CSV or TSV: its columns with types, ranges and values, rows of another length, and
 * odd cells. Rows are read as objects, so that odd cells are found as in JSON.
 */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { alignedColumns, type TableColumns } from "./aligned_table.ts";
import { clip } from "./describe_paths.ts";
import {
  type ContentLine,
  type ContentOutline,
  copyOf,
  eachLine,
  LISTED_CHARS,
  MANY_LINES,
  type OutlinedContent,
  utf8Of,
} from "./outlined_content.ts";
import { outlinedPart, outlineOfLines } from "./outline_paths.ts";
import { OBJECT } from "./path_node.ts";
import { textPaths } from "./text_paths.ts";

const MAX_ROWS_SHOWN = 4;
/** The first rows of a table that is sorted from its largest one on. */
const MAX_FIRST_ROWS = 5;
/** Lines that one row may take, if a quoted cell has line ends. */
const MAX_LINES_OF_ROW = 100;
/** After this many quotes that are not closed, each line is a row. */
const MAX_OPEN_QUOTES = 20;

/** Outlines content that looks like a table, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineTable(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const first = firstLines(content);
  const table: TableColumns & { delimiter?: string } | undefined = delimitedColumns(first) ??
    alignedColumns(first);
  if (table === undefined) return undefined;
  const { linesBefore, headingLines, names, split } = table;
  const isAligned = table.delimiter === undefined;
  const largest = names.map(noneOf);
  const { paths, key, value } = textPaths();
  let rowCount = 0;
  let unfitCount = 0;
  let openQuotes = 0;
  const unfit: UnfitRow[] = [];
  let open: { line: ContentLine; text: string; lineCount: number } | undefined;

  /** Takes a row; without cells, a quote is open in it. */
  const takeRow = (line: ContentLine, byteLength: number, cells: readonly string[] | undefined): void => {
    if (cells === undefined) openQuotes++;
    rowCount++;
    if (cells === undefined || cells.length !== names.length) {
      unfitCount++;
      if (unfit.length < MAX_ROWS_SHOWN) unfit.push({ line, cellCount: cells?.length ?? 0 });
      return;
    }
    paths.open(OBJECT, line.byteOffset);
    for (let at = 0; at < cells.length; at++) {
      const cell = cells[at]!;
      // Neither a digit nor a minus: `true` is text, too.
      const first = cell.charCodeAt(0);
      const isText = first > 0x39 || first < 0x30 && first !== 0x2d;
      if (!isText) noteLargest(largest[at]!, cell, line, cells);
      key(names[at]!);
      value(cell, line.byteOffset, line.byteOffset + cell.length + 2, isText);
    }
    paths.close(line.byteOffset + byteLength);
  };
  eachLine(content, (line) => {
    if (line.number <= linesBefore + headingLines) return;
    const text = open === undefined ? line.text : `${open.text}\n${line.text}`;
    const cells = split(text);
    if (
      cells === undefined && !isAligned && openQuotes < MAX_OPEN_QUOTES &&
      (open?.lineCount ?? 1) < MAX_LINES_OF_ROW
    ) {
      open = { line: open?.line ?? line, text, lineCount: (open?.lineCount ?? 1) + 1 };
      return;
    }
    const row = open?.line ?? line;
    open = undefined;
    if (text !== "") takeRow(row, text.length, cells);
  });
  if (rowCount < 3 || unfitCount * 10 > rowCount) return undefined;
  const kind = isAligned ? "a table" : table.delimiter === "\t" ? "TSV" : "CSV";
  const heading = `${kind.replace("a ", "")}: ${groupedDigits(rowCount)} rows of ${names.length} columns${
    outlinedPart(content)
  }`;
  const outline = outlineOfLines(kind, heading, paths.root, content, budgetChars, (text) => text.trimEnd());
  const lines = [
    ...outline.lines.map((line) => line.replaceAll(/\bnull\b/g, "empty")),
    ...unfitLines(unfit, unfitCount, isAligned ? "other columns" : "an open quote", content),
  ];
  const top = largest.filter(({ name, line, isRising }) => line > 0 && !isRising && !NUMBER_OF.test(name))
    .slice(0, MAX_LARGEST);
  if (top.length > 0) {
    const named = top.map(({ name, written, line, row }) =>
      `${name} ${written} (line ${groupedDigits(line)}${row})`
    );
    lines.splice(1, 0, utf8Of(`largest: ${named.join(", ")}`));
  }
  const isFalling = largest.some(({ isFalling, size, last }) => isFalling && size > last);
  const firstRows = Array.from(
    { length: isFalling ? MAX_FIRST_ROWS : 1 },
    (_, at) => linesBefore + headingLines + 1 + at,
  );
  const shownLines = new Set([
    ...(isAligned ? [linesBefore + 1] : []),
    ...top.map(({ line }) => line),
    ...(isAligned ? firstRows : []),
    ...outline.shownLines ?? [],
    ...unfit.map(({ line }) => line.number),
  ]);
  const around = { mode: "line", start: Math.max(1, (unfit[0]?.line.number ?? 1) - 2), count: 5 } as const;
  const readOn = unfit.length > 0 ? around : outline.readOn ?? around;
  return {
    ...outline,
    lines,
    readOn,
    shownLines: [...shownLines],
    mostChars: isAligned ? LISTED_CHARS : undefined,
  };
}

/** A row with another number of cells than most. */
interface UnfitRow {
  line: ContentLine;
  cellCount: number;
}

/** The lines about the `count` rows that do not fit; `without` says what one without cells has. */
function unfitLines(
  rows: readonly UnfitRow[],
  count: number,
  without: string,
  { lineCount }: OutlinedContent,
): string[] {
  const lines = rows.map(({ line, cellCount }) => {
    const cells = cellCount === 0 ? without : `${cellCount} cells`;
    const text = lineCount >= MANY_LINES ? "" : `: ${clip(utf8Of(line.text), 200)}`;
    return `does not fit: line ${groupedDigits(line.number)} (${cells})${text}`;
  });
  const more = count - rows.length;
  return more > 0 ? [...lines, `does not fit: ${groupedDigits(more)} more rows`] : lines;
}

const FIRST_LINES = 40;
/** As many rows as there must be are looked at even if they have more. */
const FIRST_CHARS = 262_144;

function firstLines(content: OutlinedContent): string[] {
  const lines: string[] = [];
  let left = FIRST_CHARS;
  eachLine(content, ({ text }) => {
    left -= text.length;
    return lines.push(text) < FIRST_LINES && (left > 0 || lines.length <= MIN_ROWS);
  });
  return lines;
}

/** The heading without a byte order mark, and without the sign of a comment. */
function headingIn(text: string): string {
  return text.replace(/^(?:\xef\xbb\xbf)?(?:# *(?=\w))?/, "");
}

const DELIMITERS = ["\t", ",", ";", "|"];
const MIN_COLUMNS = 3;
const MIN_ROWS = 4;
/** The name of a column. Sentences and numbers are not names. */
const NAME = /^[A-Za-z_#\x80-\xff][\w .()%/#:\x80-\xff-]{0,40}$/;

/** The cells of a row; undefined if a quoted cell is not closed. */
function splitRow(text: string, delimiter: string): string[] | undefined {
  return text.includes('"') ? splitQuoted(text, delimiter) : text.split(delimiter);
}

function splitQuoted(text: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0;;) {
    let quoted = "";
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end < 0) return undefined;
      quoted = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    }
    const next = text.indexOf(delimiter, at);
    cells.push(quoted + text.slice(at, next < 0 ? undefined : next));
    if (next < 0) return cells;
    at = next + 1;
  }
}

/** The index of the first quote that is not doubled; -1 for none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** The char that separates the names of columns in a heading; undefined if the text is not a heading. */
function delimiterOf(heading: string): string | undefined {
  const text = headingIn(heading);
  return DELIMITERS.find((delimiter) => {
    const names = splitRow(text, delimiter);
    return names !== undefined && names.length >= MIN_COLUMNS && new Set(names).size === names.length &&
      names.every((name) => NAME.test(name));
  });
}

const MAX_SHOWN_ROW = 160;
/** Columns whose largest rows are named, and names of those that count or name something else than a size. */
const MAX_LARGEST = 4;
const NUMBER_OF =
  /^(?:p?pid|u?id|line|port|date|time|start|node|device|inode|nice|pri|index|#|tag|version|revision)$/i;
const SIZE = /^(\d[\d.]*)\s?([KMGTP]?)i?B?%?(?: \(.*)?$/i;

interface Largest {
  name: string;
  size: number;
  written: string;
  line: number;
  /** The first cells, if the row may be too long to be shown. */
  row: string;
  /** Whether each row has as much as the one before it, or more; or less. */
  isRising: boolean;
  isFalling: boolean;
  last: number;
}

function noneOf(name: string): Largest {
  return { name, size: -Infinity, written: "", line: 0, row: "", isRising: true, isFalling: true, last: NaN };
}

/** Notes the row with the largest number or size of a column. */
function noteLargest(column: Largest, cell: string, row: ContentLine, cells: readonly string[]): void {
  const [, number, unit = ""] = SIZE.exec(cell) ?? [];
  if (number === undefined) return;
  const size = Number.parseFloat(number) * 1024 ** ("KMGTP".indexOf(unit.toUpperCase() || "-") + 1);
  column.isRising &&= !(size < column.last);
  column.isFalling &&= !(size > column.last);
  column.last = size;
  if (!(size > column.size)) return;
  const name = row.text.length > MAX_SHOWN_ROW ? `: ${cells.slice(0, 2).join(" ")}` : "";
  Object.assign(column, { size, line: row.number, written: copyOf(cell.slice(0, 40)), row: copyOf(name) });
}

/**
 * The columns, if the first lines are a heading, which may be the last comment, and rows of as many cells, of which some column
 * has numbers only; undefined if they are not.
 */
function delimitedColumns(firstLines: readonly string[]): TableColumns & { delimiter: string } | undefined {
  const first = firstLines.findIndex((line) => !/^(?:\xef\xbb\xbf)?#/.test(line));
  const comments = first > 0 && delimiterOf(firstLines[first]!) === undefined
    ? first - 1
    : Math.max(0, first);
  const [heading, ...rows] = firstLines.slice(comments);
  const delimiter = heading === undefined ? undefined : delimiterOf(heading);
  if (delimiter === undefined || rows.length < MIN_ROWS) return undefined;
  const names = splitRow(headingIn(heading!), delimiter)!;
  const fitting = rows.map((row) => splitRow(row, delimiter))
    .filter((cells) => cells?.length === names.length);
  if (fitting.length < MIN_ROWS || fitting.length < rows.length * 0.9) return undefined;
  const isNumeric = names.some((_, at) => fitting.every((cells) => /^-?[\d.]+$/.test(cells![at]!)));
  const split = (row: string) => splitRow(row, delimiter);
  return isNumeric ? { linesBefore: comments, headingLines: 1, delimiter, names, split } : undefined;
}
