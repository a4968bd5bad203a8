// The lines of an fd as a source of a row list: asked for in blocks as they come into view, and forgotten again.

import { element, grouped } from "./element.js";
import { ask } from "./request.js";

const BLOCK_LINES = 200;
const MAX_BLOCKS = 80;
const MAX_CALLS = 4;
/** After a failure, as when the server has ended, nothing is asked for that long. */
const PAUSE_MS = 2000;

/** `onload` is called when lines have come, `onstate` with the state of the fd in each answer. */
export function fdLines(fd, { onload, onstate, onfailure }) {
  let blocks = new Map();
  const calls = new Map();
  let sought = {};
  let wanted = [];
  let pausedUntil = 0;

  function blockOf(index) {
    return Math.floor(index / BLOCK_LINES);
  }

  async function load(number) {
    const abort = new AbortController();
    calls.set(number, abort);
    try {
      const lines = [];
      let answer;
      // Long lines come in several answers.
      do {
        const first = number * BLOCK_LINES + lines.length;
        const place = { fd, from: first + 1, count: BLOCK_LINES - lines.length };
        answer = await ask("lines", { ...place, ...sought }, abort.signal);
        if (calls.get(number) !== abort) return;
        lines.push(...answer.lines);
      } while (
        answer.lines.length > 0 && lines.length < BLOCK_LINES &&
        number * BLOCK_LINES + lines.length < answer.total_lines
      );
      blocks.delete(number);
      blocks.set(number, { lines, isStale: false });
      for (const oldest of blocks.keys()) {
        if (blocks.size <= MAX_BLOCKS) break;
        blocks.delete(oldest);
      }
      onstate(answer);
    } catch (thrown) {
      if (thrown.name !== "AbortError") {
        pausedUntil = performance.now() + PAUSE_MS;
        onfailure(thrown);
      }
    } finally {
      if (calls.get(number) === abort) calls.delete(number);
    }
    onload();
    loadWanted();
  }

  function loadWanted() {
    for (const number of wanted) {
      if (calls.size >= MAX_CALLS || performance.now() < pausedUntil) return;
      const isFresh = blocks.get(number)?.isStale === false;
      if (!isFresh && !calls.has(number)) void load(number);
    }
  }

  const source = {
    count: 0,
    /** The numbers of lines that are marked as findings. */
    findings: new Set(),
    row(index) {
      return blocks.get(blockOf(index))?.lines[index % BLOCK_LINES];
    },
    want(from, to) {
      const first = blockOf(from);
      const last = blockOf(Math.max(from, to - 1));
      const isNear = (number) => number >= first - 1 && number <= last + 1;
      const lastBlock = blockOf(Math.max(0, source.count - 1));
      wanted = [];
      for (let number = first; number <= last; number++) wanted.push(number);
      wanted.push(last + 1, first - 1);
      wanted = wanted.filter((number) => number >= 0 && number <= lastBlock);
      // What has been scrolled past is not waited for.
      for (const [number, abort] of calls) {
        if (isNear(number)) continue;
        abort.abort();
        calls.delete(number);
      }
      loadWanted();
    },
    /** Takes the lines that were added. The last one may have grown. */
    grow(count) {
      if (count === source.count) return;
      const last = blocks.get(blockOf(Math.max(0, source.count - 1)));
      if (last !== undefined) last.isStale = true;
      source.count = count;
    },
    /** Loads again what is in view, with other marks. */
    mark(parameters) {
      sought = parameters;
      for (const abort of calls.values()) abort.abort();
      calls.clear();
      blocks = new Map();
    },
    draw(row, line, index) {
      const number = element("span.number", grouped(index + 1));
      if (line === undefined) {
        row.replaceChildren(number, element("span.text.waiting", "…"));
        return;
      }
      row.replaceChildren(
        number,
        // Before the text, whose end is far away.
        ...line.cut ? [element("button.cut", { tabindex: "-1", type: "button" }, "whole line")] : [],
        element("span.text", ...pieces(line), ...line.cut ? ["…"] : []),
      );
      row.classList.toggle("has-match", line.m !== undefined);
      row.classList.toggle("has-finding", source.findings.has(index + 1));
    },
  };
  return source;
}

/** The text of a line, in its colours, with its matches marked. */
export function pieces({ t, m = [], s = [] }) {
  const edges = new Set([0, t.length, ...[...m, ...s].flatMap(([from, to]) => [from, to])]);
  const ordered = [...edges].sort((one, other) => one - other);
  const covers = (at) => ([from, to]) => from <= at && at < to;
  return ordered.slice(0, -1).map((from, at) => {
    const text = t.slice(from, ordered[at + 1]);
    const [, , classes, colors] = s.find(covers(from)) ?? [];
    const isMatch = m.some(covers(from));
    if (!isMatch && classes === undefined) return text;
    const piece = element(isMatch ? "mark" : "span", { class: classes || undefined }, text);
    if (colors?.fg !== undefined) piece.style.color = colors.fg;
    if (colors?.bg !== undefined) piece.style.backgroundColor = colors.bg;
    return piece;
  });
}
