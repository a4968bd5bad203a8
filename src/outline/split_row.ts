/** Splits rows of delimited values, and distinguishes tables from other text by their first lines. */

const DELIMITERS = ["\t", ",", ";", "|"];
const MIN_COLUMNS = 3;
const MIN_ROWS = 4;
/** The name of a column. Sentences and numbers are not names. */
const NAME = /^[A-Za-z_#\x80-\xff][\w .()%/#:\x80-\xff-]{0,40}$/;

/** The cells of a row; undefined if a quoted cell is not closed. */
export function splitRow(text: string, delimiter: string): string[] | undefined {
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
export function delimiterOf(heading: string): string | undefined {
  const text = heading.startsWith("\xef\xbb\xbf") ? heading.slice(3) : heading;
  return DELIMITERS.find((delimiter) => {
    const names = splitRow(text, delimiter);
    return names !== undefined && names.length >= MIN_COLUMNS && new Set(names).size === names.length &&
      names.every((name) => NAME.test(name));
  });
}

/** Whether the first lines are a heading and rows of as many cells, of which some column has numbers only. */
export function startsWithTable(firstLines: readonly string[]): boolean {
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
