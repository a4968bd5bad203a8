// The whole of a long line, in a dialog: rows of equal length, read as they come into view.

import { element, grouped, say, showDialog } from "./element.js";
import { ask } from "./request.js";

const BLOCK_ROWS = 100;

/** Shows line `line` (from 1) of an fd. */
export async function showLongLine(fd, line) {
  let first;
  try {
    first = await ask("long", { fd, line, row: 0, count: BLOCK_ROWS });
  } catch (thrown) {
    say(thrown.message);
    return;
  }
  const list = element("row-list", { label: `Line ${line} of ${fd}` });
  showDialog("long-line", `Line ${grouped(line)} of ${fd}`, [
    element("h2", `${fd}, line ${grouped(line)}: ${grouped(first.chars)} characters`),
    element(
      "p.hint",
      "As stored. Control characters are shown as \\x1b; the number is the place of a row's first character.",
    ),
    list,
  ]);
  list.source = rowsOf(fd, line, first, () => list.refresh());
  list.focus();
}

function rowsOf(fd, line, first, onload) {
  const blocks = new Map([[0, first.rows]]);
  const asked = new Set([0]);
  return {
    count: first.totalRows,
    row: (index) => blocks.get(Math.floor(index / BLOCK_ROWS))?.[index % BLOCK_ROWS],
    want(from, to) {
      for (let block = Math.floor(from / BLOCK_ROWS); block * BLOCK_ROWS < to; block++) {
        if (asked.has(block)) continue;
        asked.add(block);
        ask("long", { fd, line, row: block * BLOCK_ROWS, count: BLOCK_ROWS }).then(({ rows }) => {
          blocks.set(block, rows);
          onload();
        }, (thrown) => say(thrown.message));
      }
    },
    draw(row, text, index) {
      row.replaceChildren(
        element("span.number", grouped(index * first.rowChars)),
        element("span.text", text ?? "…"),
      );
    },
  };
}
