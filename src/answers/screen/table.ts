/**
 * Tables that fit the width of a screen. The last column takes what is left and is cut; if little is left, columns that
 * matter less are left out.
 */

import { fitCells, textCells } from "./char_width.ts";
import type { Screen } from "./screen.ts";

/** A column. Its cells have no control chars. */
export interface Column<Row> {
  title: string;
  cell(row: Row): string;
  /** Paints a cell that was fitted and padded. */
  paint?: ((text: string, row: Row) => string) | undefined;
  /** Numbers end at the right. */
  isRight?: boolean | undefined;
  /** The order in which columns are left out of a narrow screen: the smallest first; absent: never. */
  rank?: number | undefined;
  /** The most cells that it takes, if it is not the last. */
  most?: number | undefined;
}

/** The cells between two columns. */
const GAP = 2;

/** The share of the screen that the last column gets at least, while another one can be left out. */
const MIN_SHARE = 1 / 3;

/** The table with a line for its titles, each with a line end. Columns without any text are left out. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { ink, columns: screenColumns }: Pick<Screen, "ink" | "columns">,
): string {
  const sized = columns.map((column) => {
    const cells = rows.map((row) => column.cell(row));
    let widest = 0;
    for (const cell of cells) widest = Math.max(widest, textCells(cell));
    const width = Math.min(column.most ?? Infinity, Math.max(widest, column.title.length));
    return { column, cells, isEmpty: widest === 0, width };
  });
  let shown = sized.filter(({ isEmpty }) => !isEmpty);
  for (;;) {
    const leastRank = Math.min(...shown.slice(0, -1).map(({ column }) => column.rank ?? Infinity));
    const last = shown.at(-1);
    if (last === undefined) return "";
    const left = screenColumns - widthBefore(shown);
    if (leastRank === Infinity || left >= Math.min(last.width, screenColumns * MIN_SHARE)) break;
    shown = shown.filter(({ column }) => column.rank !== leastRank);
  }
  const lastWidth = Math.max(
    1,
    Math.min(shown.at(-1)!.column.most ?? Infinity, screenColumns - widthBefore(shown)),
  );
  const line = (text: (at: number) => string, paint: (text: string, at: number) => string) =>
    `${
      shown.map(({ column, width }, at) => {
        const isLast = at === shown.length - 1;
        const fitted = fitCells(text(at), isLast ? lastWidth : width);
        const space = " ".repeat(Math.max(0, isLast ? 0 : width - textCells(fitted)));
        const painted = paint(fitted, at);
        return column.isRight === true ? space + painted : painted + space;
      }).join(" ".repeat(GAP)).trimEnd()
    }\n`;
  let lines = line((at) => shown[at]!.column.title, ink.heading);
  for (const [row, fields] of rows.entries()) {
    lines += line(
      (at) => shown[at]!.cells[row]!,
      (text, at) => shown[at]!.column.paint?.(text, fields) ?? text,
    );
  }
  return lines;
}

/** The cells of all columns but the last, with the gaps behind them. */
function widthBefore(shown: readonly { width: number }[]): number {
  return shown.slice(0, -1).reduce((sum, { width }) => sum + width + GAP, 0);
}
