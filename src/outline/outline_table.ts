/**
 * Outlines a table of delimited values, CSV or TSV: its columns with types, ranges and values, rows of another length, and
 * odd cells. Rows are read as objects, so that odd cells are found as in JSON.
 */

import { groupedDigits } from "../answering/grouped_digits.ts";
import { clip, describePaths } from "./describe_paths.ts";
import { findOddities } from "./find_oddities.ts";
import { startPaths } from "./json_paths.ts";
import {
  type ContentLine,
  contentLines,
  type ContentOutline,
  lineStart,
  OUTLINED_BYTES,
  type OutlinedContent,
  utf8Of,
} from "./outlined_content.ts";
import { NULL, NUMBER, OBJECT, STRING } from "./path_node.ts";
import { showOddities } from "./show_oddities.ts";

const MAX_ROWS_SHOWN = 4;
const WANTED_CHARS = 900;
const SHARE_OF_COLUMNS = 0.65;
const ODD_CHARS = 500;
const SHARE_OF_ODD = 0.3;
const NUMERIC = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** Lines that one row may take, if a quoted cell has line ends. */
const MAX_LINES_OF_ROW = 100;
/** After this many quotes that are not closed, each line is a row. */
const MAX_OPEN_QUOTES = 20;

/** Outlines content that looks like a table, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineTable(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  if (!startsWithTable(firstLines(content))) return undefined;
  const paths = startPaths();
  let names: string[] | undefined;
  let delimiter = "";
  let rowCount = 0;
  let unfitCount = 0;
  let openQuotes = 0;
  const unfit: { line: ContentLine; cellCount: number }[] = [];
  let open: { line: ContentLine; text: string; lineCount: number } | undefined;
  let cell = "";
  const token = { text: () => utf8Of(cell), isCut: false };

  for (const line of contentLines(content)) {
    const text = open === undefined ? line.text : `${open.text}\n${line.text}`;
    if (names === undefined) {
      delimiter = delimiterOf(line.text) ?? "";
      names = delimiter === "" ? undefined : splitRow(withoutMark(line.text), delimiter)?.map(escaped);
      if (names === undefined) return undefined;
      continue;
    }
    const cells = splitRow(text, delimiter);
    if (cells === undefined && openQuotes < MAX_OPEN_QUOTES && (open?.lineCount ?? 1) < MAX_LINES_OF_ROW) {
      open = { line: open?.line ?? line, text, lineCount: (open?.lineCount ?? 1) + 1 };
      continue;
    }
    const row = open?.line ?? line;
    open = undefined;
    if (text === "") continue;
    if (cells === undefined) openQuotes++;
    rowCount++;
    if (cells === undefined || cells.length !== names.length) {
      unfitCount++;
      if (unfit.length < MAX_ROWS_SHOWN) unfit.push({ line: row, cellCount: cells?.length ?? 0 });
      continue;
    }
    paths.open(OBJECT, row.byteOffset);
    for (let at = 0; at < cells.length; at++) {
      cell = names[at]!;
      paths.key(hashOf(cell), token);
      const value = cells[at]!;
      const isNumber = NUMERIC.test(value);
      cell = isNumber ? value : value === "" ? "null" : escaped(value);
      const kind = isNumber ? NUMBER : value === "" ? NULL : STRING;
      paths.scalar(kind, hashOf(value), Number(value), value.length + 2, token, row.byteOffset);
    }
    paths.close(row.byteOffset + text.length);
  }
  if (names === undefined || rowCount < 3 || unfitCount * 10 > rowCount) return undefined;
  const shown = showOddities(
    findOddities(paths.root),
    content,
    Math.min(ODD_CHARS, budgetChars * SHARE_OF_ODD),
    (byteOffset) => lineStart(content, byteOffset),
  );
  const kind = delimiter === "\t" ? "TSV" : "CSV";
  const lines = [
    `${kind}: ${groupedDigits(rowCount)} rows of ${names.length} columns, ${
      groupedDigits(content.byteCount)
    } bytes${
      content.byteCount > OUTLINED_BYTES ? `, outlined: the first ${groupedDigits(OUTLINED_BYTES)} bytes` : ""
    }`,
  ];
  const columns = describePaths(paths.root, WANTED_CHARS, budgetChars * SHARE_OF_COLUMNS);
  for (const column of columns) lines.push(column.replaceAll(/\bnull\b/g, "empty"));
  if (shown.lines.length > 0) {
    lines.push(
      "odd:",
      ...shown.lines.map((line) => line.replace(" is null (", " is empty (")),
    );
  }
  for (const { line, cellCount } of unfit) {
    const cells = cellCount === 0 ? "an open quote" : `${cellCount} cells`;
    lines.push(
      `does not fit: line ${groupedDigits(line.number)} (${cells}): ${clip(utf8Of(line.text), 200)}`,
    );
  }
  if (unfitCount > unfit.length) {
    lines.push(`does not fit: ${groupedDigits(unfitCount - unfit.length)} more rows`);
  }
  const first = unfit[0]?.line.number ?? (shown.shownLines[0] ?? 1);
  return {
    kind,
    lines,
    readOn: { mode: "line", start: Math.max(1, first - 2), count: 5 },
    below: "findings",
    shownLines: [...shown.shownLines, ...unfit.map(({ line }) => line.number)],
  };
}

const FIRST_LINES = 40;

function firstLines(content: OutlinedContent): string[] {
  const lines: string[] = [];
  for (const { text } of contentLines(content)) {
    lines.push(text);
    if (lines.length === FIRST_LINES) break;
  }
  return lines;
}

function withoutMark(text: string): string {
  return text.startsWith("\xef\xbb\xbf") ? text.slice(3) : text;
}

/** Escapes a text as in a JSON string, without the quotes. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5 | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

const DELIMITERS = ["\t", ",", ";", "|"];
const MIN_COLUMNS = 3;
const MIN_ROWS = 4;
/** The name of a column. Sentences and numbers are not names. */
const NAME = /^[A-Za-z_#\x80-\xff][\w .()%/#:\x80-\xff-]{0,40}$/;

/** The cells of a row; undefined if a quoted cell is not closed. */
function splitRow(text: string, delimiter: string): string[] | undefined {
  const cells: string[] = [];
  for (let at = 0;;) {
    if (text[at] === '"') {
      let cell = "";
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        if (quote < 0) return undefined;
        cell += text.slice(from, quote);
        if (text[quote + 1] !== '"') {
          at = quote + 1;
          break;
        }
        cell += '"';
        from = quote + 2;
      }
      const next = text.indexOf(delimiter, at);
      cells.push(cell + text.slice(at, next < 0 ? undefined : next));
      if (next < 0) return cells;
      at = next + 1;
      continue;
    }
    const next = text.indexOf(delimiter, at);
    cells.push(text.slice(at, next < 0 ? undefined : next));
    if (next < 0) return cells;
    at = next + 1;
  }
}

/** The char that separates the names of columns in a heading; undefined if the text is not a heading. */
function delimiterOf(heading: string): string | undefined {
  const text = heading.startsWith("\xef\xbb\xbf") ? heading.slice(3) : heading;
  return DELIMITERS.find((delimiter) => {
    const names = splitRow(text, delimiter);
    return names !== undefined && names.length >= MIN_COLUMNS && new Set(names).size === names.length &&
      names.every((name) => NAME.test(name));
  });
}

/** Whether the first lines are a heading and rows of as many cells, of which some column has numbers only. */
function startsWithTable(firstLines: readonly string[]): boolean {
  const [heading, ...rows] = firstLines;
  const delimiter = heading === undefined ? undefined : delimiterOf(heading);
  if (delimiter === undefined || rows.length < MIN_ROWS) return false;
  const width = splitRow(heading!, delimiter)!.length;
  const fitting = rows.map((row) => splitRow(row, delimiter)).filter((cells) => cells?.length === width);
  if (fitting.length < MIN_ROWS || fitting.length < rows.length * 0.9) return false;
  for (let at = 0; at < width; at++) {
    if (fitting.every((cells) => /^-?[\d.]+$/.test(cells![at]!))) return true;
  }
  return false;
}
