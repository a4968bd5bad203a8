// The whole of a long line, in a dialog: rows of equal length, read as they come into view.

import { blockSource } from "./block_source.js";
import { element, grouped, say, showDialog } from "./element.js";
import { ask } from "./request.js";

const BLOCK_ROWS = 100;

const HINT =
  "As stored. Control characters are shown as \\x1b; the number is the place of a row's first character.";

/** Shows line `line` (from 1) of an fd. */
export async function showLongLine(fd, line) {
  const onfailure = (thrown) => say(thrown.message);
  const rowsFrom = (row, count, signal) => ask("long", { fd, line, row, count }, signal);
  const facts = await rowsFrom(0, 1).catch(onfailure);
  if (facts === undefined) return;
  const list = element("row-list", { label: `Line ${line} of ${fd}` });
  const title = element("h2", `${fd}, line ${grouped(line)}: ${grouped(facts.chars)} characters`);
  showDialog("long-line", `Line ${grouped(line)} of ${fd}`, [title, element("p.hint", HINT), list]);
  const source = blockSource(BLOCK_ROWS, {
    load: async (...place) => (await rowsFrom(...place)).rows,
    draw(row, text, index) {
      const number = element("span.number", grouped(index * facts.rowChars));
      row.replaceChildren(number, element("span.text", text ?? "…"));
    },
    onload: () => list.refresh(),
    onfailure,
  });
  source.count = facts.totalRows;
  list.source = source;
  list.focus();
}
