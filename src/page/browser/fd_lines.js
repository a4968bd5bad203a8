// The lines of an fd as a source of a row list.

import { blockSource } from "./block_source.js";
import { element, grouped } from "./element.js";
import { linksIn } from "./line_links.js";
import { ask } from "./request.js";

const BLOCK_LINES = 200;
/** Levels that are coloured. */
const LEVELS = ["error", "warn", "debug"];
/** An answer has no more lines. */
const READ_AT_ONCE = 500;

/** `onload` is called when lines have come, `onstate` with the state of the fd in each answer. */
export function fdLines({ fd, cwd, host }, { onload, onstate, onfailure }) {
  let sought = {};

  /** Draws a line by its index, which of a line that is not loaded may not be known. */
  function draw(row, line, index) {
    const title = "Put this line into the address";
    const number = element("span.number", { title }, index < 0 ? "" : grouped(index + 1));
    for (const level of LEVELS) row.classList.toggle(level, line?.l === level);
    row.classList.toggle("has-match", line?.m !== undefined);
    row.classList.toggle("has-finding", source.findings.has(index + 1));
    if (line === undefined) {
      row.replaceChildren(number, element("span.text.waiting", "…"));
      return;
    }
    row.replaceChildren(
      number,
      // Before the text, whose end is far away.
      ...line.cut ? [element("button.cut", { tabindex: "-1", type: "button" }, "whole line")] : [],
      element(
        "span.text",
        ...pieces(line, linksIn(line.t, host === undefined ? cwd : undefined)),
        line.cut && "…",
      ),
    );
  }

  const source = Object.assign(
    blockSource(BLOCK_LINES, {
      load: (first, count, signal) => readLines(fd, first, count, { sought, signal, onstate }),
      draw,
      onload,
      onfailure,
    }),
    {
      /** The numbers of lines that are marked as findings. */
      findings: new Set(),
      /** Loads again what is in view, with other marks. */
      mark(parameters) {
        sought = parameters;
        source.forget();
      },
    },
  );
  return source;
}

/** Returns `count` lines from index `first` on, or fewer at the end. Many, or long ones, come in several answers. */
export async function readLines(fd, first, count, { sought, signal, onstate } = {}) {
  const lines = [];
  for (let isOver = false; !isOver;) {
    const from = first + lines.length + 1;
    const asked = { fd, from, count: Math.min(READ_AT_ONCE, count - lines.length), ...sought };
    const answer = await ask("lines", asked, signal);
    lines.push(...answer.lines);
    const missing = Math.min(count, answer.total_lines - first) - lines.length;
    isOver = answer.lines.length === 0 || missing <= 0;
    if (isOver) onstate?.(answer);
  }
  return lines;
}

/** Controls that change the order in which the text of a line is shown. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text of a line, in its colours, with its matches marked, and its links. */
export function pieces({ t, m = [], s = [] }, links = []) {
  const edges = new Set([0, t.length, ...[...m, ...s, ...links].flatMap(([from, to]) => [from, to])]);
  const ordered = [...edges].sort((one, other) => one - other);
  const covers = (at) => ([from, to]) => from <= at && at < to;
  return ordered.slice(0, -1).map((from, at) => {
    const text = t.slice(from, ordered[at + 1]).replace(
      TURNING,
      (char) => `\\u${char.charCodeAt(0).toString(16)}`,
    );
    const [, , classes, colors] = s.find(covers(from)) ?? [];
    const isMatch = m.some(covers(from));
    const [, , href] = links.find(covers(from)) ?? [];
    // Elements that act may not be in the options of a list; the list follows a click, and a key.
    const linked = href === undefined ? text : element("span.link", { "data-href": href, title: href }, text);
    if (!isMatch && classes === undefined) return linked;
    const piece = element(isMatch ? "mark" : "span", { class: classes || undefined }, linked);
    if (colors?.fg !== undefined) piece.style.color = colors.fg;
    if (colors?.bg !== undefined) piece.style.backgroundColor = colors.bg;
    return piece;
  });
}
