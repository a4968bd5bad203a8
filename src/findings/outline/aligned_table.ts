/**
 * Finds the columns of a table whose cells stand below each other, as `ps`, `docker images`, `kubectl get`, `pip list`, `dpkg -l`
 * and `psql` write it: by the rule below its heading, or by what is blank in all of its first lines.
 */

/** How the rows of a table are split. */
export interface TableColumns {
  /** Lines before the heading, and from it to the first row. */
  linesBefore: number;
  headingLines: number;
  names: string[];
  /** The cells of a row; undefined if it does not fit. */
  split(row: string): string[] | undefined;
}

/** The heading is one of so many first lines. */
const MAX_LINE = 6;
const MIN_COLUMNS = 3;
const MIN_ROWS = 8;
/** The share of the first rows that must fit. */
const MIN_FITTING = 0.9;
const RULE = /^[ |]*[-=+]{2,}[ |+-]+[-=]{2}[-=+| ]*$/;
/** Names of columns, of which most begin with a capital or a sign. */
const HEADING = /^\s*[A-Z%#\xe2][^\s]*(?:\s+\S+){2,}\s*$/;
const CAPITAL = /^[A-Z%#]/;

/** The columns of the table that content starts with; undefined for other content. */
export function alignedColumns(firstLines: readonly string[]): TableColumns | undefined {
  for (let at = 0; at < Math.min(MAX_LINE, firstLines.length); at++) {
    const rule = firstLines[at + 1] ?? "";
    const isRuled = RULE.test(rule);
    if (!isRuled && !isHeading(firstLines[at]!)) continue;
    const rows = firstLines.slice(at + (isRuled ? 2 : 1)).filter((row) => row.trim() !== "");
    if (rows.length < MIN_ROWS) return undefined;
    const heading = firstLines[at]!;
    const starts = isRuled ? startsOfRule(rule) : startsOfBlanks(heading, rows);
    const aligned = columnsAt(heading, starts, at, isRuled ? 2 : 1);
    const columns = aligned && wordColumns(aligned, heading, rows) || aligned;
    const fitting = rows.filter((row) => columns?.split(row) !== undefined);
    // In other content the first line says what the others say.
    const isRow = columns?.names.some((name, column) =>
      fitting.filter((row) => columns.split(row)![column] === name).length * 2 > rows.length
    );
    return fitting.length >= rows.length * MIN_FITTING && isRow === false ? columns : undefined;
  }
  return undefined;
}

function isHeading(line: string): boolean {
  if (!HEADING.test(line)) return false;
  const words = wordsOf(line);
  return words.filter((word) => CAPITAL.test(word)).length >= words.length * 0.7;
}

/** The starts of the runs of a rule; between those of `=` may be others. */
function startsOfRule(rule: string): number[] {
  return [...rule.matchAll(rule.includes("=") ? /=+/g : /-+/g)].map(({ index }) => index);
}

/** The places at which something follows on what is blank in the heading and all rows, up to the last name. */
function startsOfBlanks(heading: string, rows: readonly string[]): number[] {
  const last = heading.trimEnd().lastIndexOf(" ") + 1;
  const starts: number[] = [];
  let wasBlank = true;
  for (let at = 0; at <= last; at++) {
    const isBlank = [heading, ...rows].every((line) => (line[at] ?? " ") === " ");
    if (wasBlank && !isBlank) starts.push(at);
    wasBlank = isBlank;
  }
  return starts;
}

/** The columns by words, if names that stand together have as many words below them: nothing is blank between these. */
function wordColumns(
  aligned: TableColumns,
  heading: string,
  rows: readonly string[],
): TableColumns | undefined {
  const together = aligned.names.flatMap((name, at) =>
    name.includes(" ") ? [{ words: wordsOf(name).length, at }] : []
  );
  const fits = (row: string) => {
    const cells = aligned.split(row);
    return together.every(({ words, at }) => {
      const own = wordsOf(cells?.[at] ?? "").length;
      return own === words || at === aligned.names.length - 1 && own > words;
    });
  };
  if (together.length === 0 || rows.filter(fits).length < rows.length * MIN_FITTING) return undefined;
  const names = wordsOf(heading);
  return { ...aligned, names, split: (row) => splitWords(row, names.length) };
}

function wordsOf(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** The words of a row, the last with all that follows; undefined if there are too few. */
function splitWords(row: string, count: number): string[] | undefined {
  const words = wordsOf(row);
  return words.length < count ? undefined : [...words.slice(0, count - 1), words.slice(count - 1).join(" ")];
}

function columnsAt(
  heading: string,
  starts: readonly number[],
  linesBefore: number,
  headingLines: number,
): TableColumns | undefined {
  const cellsAt = (line: string) =>
    starts.map((start, at) =>
      line.slice(at === 0 ? 0 : start, starts[at + 1]).replace(/^[\s|]+|[\s|]+$/g, "")
    );
  const names = cellsAt(heading).map((name, at) => name || `column ${at + 1}`);
  if (names.length < MIN_COLUMNS || new Set(names).size < names.length) return undefined;
  const split = (row: string): string[] | undefined => {
    if (starts.every((start) => start === 0 || " |".includes(row[start - 1] ?? " "))) {
      const cells = cellsAt(row);
      return cells.filter((cell) => cell !== "").length < 2 ? undefined : cells;
    }
    // A long cell moves those behind it.
    return splitWords(row, names.length);
  };
  return { linesBefore, headingLines, names, split };
}
