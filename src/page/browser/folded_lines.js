// Lines of which some are folded, as a source of a row list: a row is a line, or stands for a group of lines. The groups come
// from the server. A gap of the first answer has a row of its own above its lines; a section is folded by its heading, the
// line above it.

import { counted, element, grouped } from "./element.js";

const SECOND_MS = 1000;

/** The rows of `lines`, a source of lines by their index. */
export function foldedLines(lines) {
  /** By the lines that they are seen at, a gap before a section; a heading has one section. All indices are from 0. */
  let folds = [];
  /** Runs of rows, in order: `count` lines from `line` on, or the row of a gap. */
  let runs = [];
  /** Sections that are seen, by the line of their heading. */
  let heads = new Map();
  let showsGaps = false;
  let count = 0;

  function layOut() {
    runs = [];
    heads = new Map();
    let [line, row] = [0, 0];
    const add = (to, fold) => {
      const size = fold === undefined ? to - line : 1;
      if (size <= 0) return;
      runs.push({ row, line, count: size, fold });
      row += size;
      if (fold === undefined) line = to;
    };
    for (const fold of folds) {
      if (fold.head < line || fold.isGap && !showsGaps) continue;
      add(fold.from);
      if (fold.isGap) add(fold.from, fold);
      else heads.set(fold.head, fold);
      if (fold.isClosed) line = fold.to + 1;
    }
    add(lines.count);
    count = row;
  }

  /** The last run that begins at or before `value`, by `key`. */
  function runAt(key, value) {
    let [low, high] = [0, runs.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (runs[middle][key] <= value) low = middle;
      else high = middle - 1;
    }
    return runs[low];
  }

  /** The group that a row folds, if it does. */
  function foldAt(row) {
    const run = runAt("row", row);
    return run?.fold ?? heads.get(source.lineAt(row));
  }

  function drawGap(drawn, fold) {
    drawn.classList.remove("error", "warn", "debug", "has-match", "has-finding");
    drawn.replaceChildren(
      element("span.number", ""),
      element("span.text.gap", mark(fold), element("bdi", fold.label)),
    );
  }

  const source = {
    get count() {
      return count;
    },
    get highest() {
      return lines.count;
    },
    /** The index of the line of a row; of a gap, its first. */
    lineAt(row) {
      const run = runAt("row", row);
      return run === undefined ? 0 : run.line + (run.fold === undefined ? row - run.row : 0);
    },
    /** The row of a line, or the one that it is folded in. */
    rowOf(line) {
      const run = runAt("line", line);
      return run === undefined ? 0 : run.row + Math.min(run.count - 1, line - run.line);
    },
    /** Whether a line is a row of its own. */
    isShown(line) {
      const run = runAt("line", line);
      return run?.fold === undefined && line < (run?.line ?? 0) + (run?.count ?? 0);
    },
    row(row) {
      const run = runAt("row", row);
      if (run?.fold !== undefined) return run.fold;
      const line = source.lineAt(row);
      const head = heads.get(line);
      // What a heading says is known before its line is loaded; folded, it is all that is shown of it.
      return head?.isClosed === true ? { t: head.label } : lines.row(line) ?? (head && { t: head.label });
    },
    want([[from, to]]) {
      const wanted = [];
      for (let row = from; row < to;) {
        const run = runAt("row", row);
        const size = Math.min(to, run.row + run.count) - row;
        if (run.fold === undefined) wanted.push([source.lineAt(row), source.lineAt(row) + size]);
        row += size;
      }
      lines.want(wanted);
    },
    draw(drawn, row, index) {
      const fold = foldAt(index);
      drawn.classList.toggle("has-fold", fold !== undefined);
      if (fold?.isGap) return drawGap(drawn, fold);
      lines.draw(drawn, row, source.lineAt(index));
      if (fold === undefined) return;
      const text = drawn.querySelector(".text");
      text.prepend(mark(fold));
      if (fold.isClosed) text.append(element("span.fold-facts", ` · ${factsOf(fold)}`));
    },
    foldAt,
    get folds() {
      return folds.filter(({ isGap }) => showsGaps || !isGap);
    },
    /** Takes the groups of the server: gaps, and sections below headings; lines from 1. */
    set groups({ gaps, sections }) {
      const foldOf = (isGap) => ({ from, to, label, ms }) => {
        return { from: from - 1, to: to - 1, head: isGap ? from - 1 : from - 2, label, ms, isGap };
      };
      const begun = new Set();
      const isFirst = ({ head, isGap }) => !begun.has(`${head}${isGap}`) && begun.add(`${head}${isGap}`);
      folds = [...gaps.map(foldOf(true)), ...sections.map(foldOf(false))].sort((one, other) =>
        one.head - other.head || Number(other.isGap) - Number(one.isGap) || other.to - one.to
      ).filter(isFirst);
      layOut();
    },
    /** Whether lines that a first answer leaves out have a row that folds them; they are then folded. */
    set showsGaps(shows) {
      showsGaps = shows;
      source.fold(folds.filter(({ isGap }) => isGap), shows);
    },
    fold(some, isClosed) {
      for (const fold of some) fold.isClosed = isClosed;
      layOut();
    },
    /** Unfolds whatever a line is in. */
    reveal(line) {
      source.fold(folds.filter(({ from, to }) => from <= line && line <= to), false);
    },
    layOut,
  };
  return source;
}

/** Says that a row folds lines; an element that acts may not be in the options of a list, which follows a click, and keys. */
function mark({ isClosed }) {
  const sign = element("span", { "aria-hidden": "true" }, isClosed ? "▸" : "▾");
  return element("span.fold", sign, " ", element("span.unseen", isClosed ? "folded " : "unfolded "));
}

/** How many lines a section has, and how long it took. */
function factsOf({ from, to, ms }) {
  const size = counted(to - from + 1, "line");
  const seconds = Math.round(ms / SECOND_MS);
  const minutes = Math.floor(seconds / 60);
  return !(seconds > 0)
    ? size
    : `${size} · ${minutes > 0 ? `${grouped(minutes)} min ` : ""}${seconds % 60} s`;
}
