// Which lines of an fd a row list shows: all, with groups that fold; what matters; those of a level, or that match.

import { blockSource } from "./block_source.js";
import { foldedLines } from "./folded_lines.js";
import { ask } from "./request.js";

const BLOCK_LINES = 100;

/** What can be chosen, and whether only some lines are listed then. */
export const CHOICES = {
  all: "All lines",
  matters: "What matters",
  folded: "Sections folded",
  matches: "Matching lines",
  error: "Errors",
  warn: "Warnings, errors",
  info: "Without debug",
};
const LISTED = new Set(["matches", "error", "warn", "info"]);

/** The lines of an fd in a row list; lines have their numbers here, from 1. */
export class ShownLines {
  choice = "all";
  #list;
  #lines;
  #folded;
  #listed = undefined;
  /** The marks beside the scroll bar: lines, by the name of their colour. */
  #marks = {};

  constructor(list, lines) {
    this.#list = list;
    this.#lines = lines;
    this.#folded = foldedLines(lines);
    this.#folded.layOut();
    list.source = this.#folded;
  }

  get #source() {
    return this.#listed ?? this.#folded;
  }

  /** The current line; of a row that folds lines, its first. */
  get line() {
    return this.lineAt(this.#list.current);
  }

  /** The first and the last of the lines that are chosen. */
  get chosen() {
    return this.#list.chosen.map((row) => this.lineAt(row));
  }

  lineAt(row) {
    return this.#source.lineAt(row) + 1;
  }

  /** Lines that are not folded away, for a choice of rows. */
  get listedCount() {
    return this.#listed?.count;
  }

  get folds() {
    return this.#folded.folds;
  }

  set groups(groups) {
    this.#folded.groups = groups;
    if (this.choice === "all" || this.#listed !== undefined) this.#redraw();
    else this.show(this.choice);
  }

  /** Goes to a line; what it is folded in is unfolded, and if some lines are listed only, all are shown again. */
  goTo(line) {
    if (this.#listed !== undefined) this.show("all");
    if (!this.#folded.isShown(line - 1)) {
      this.#folded.reveal(line - 1);
      this.#redraw();
    }
    this.#list.goTo(this.#folded.rowOf(line - 1));
  }

  /** Shows what is loaded again, or what has come. */
  refresh() {
    this.#folded.layOut();
    this.#list.refresh();
  }

  mark(color, lines) {
    this.#marks[color] = lines;
    this.#drawMarks();
  }

  #drawMarks() {
    for (const [color, lines] of Object.entries(this.#marks)) {
      const isListed = this.#listed !== undefined;
      this.#list.mark(color, isListed ? [] : lines.map((line) => this.#folded.rowOf(line - 1)));
    }
  }

  #redraw() {
    this.#list.refresh();
    this.#drawMarks();
  }

  /** After another choice of rows, the same line is the current one. */
  #placed(line) {
    this.#redraw();
    this.#list.goTo(this.#folded.rowOf(line - 1));
  }

  /** Folds what the current row folds, or unfolds it; returns the group, if there is one. */
  toggle() {
    if (this.#listed !== undefined) return undefined;
    const fold = this.#folded.foldAt(this.#list.current);
    if (fold === undefined) return undefined;
    this.#folded.fold([fold], !fold.isClosed);
    this.#redraw();
    return fold;
  }

  /** Folds all groups or, if they are, unfolds them; returns whether they are folded now. */
  toggleAll() {
    const { line, folds } = this;
    const isClosed = !folds.every((fold) => fold.isClosed);
    this.#folded.fold(folds, isClosed);
    this.#placed(line);
    return isClosed;
  }

  /** Shows all lines, what matters, or the headings of sections; the current line stays. */
  show(choice) {
    const { line } = this;
    this.choice = choice;
    this.#leaveListed();
    this.#folded.showsGaps = choice === "matters";
    const sections = this.#folded.folds.filter(({ isGap }) => !isGap);
    this.#folded.fold(sections, choice === "folded");
    this.#placed(line);
  }

  #leaveListed() {
    if (this.#listed === undefined) return;
    this.#listed = undefined;
    this.#list.source = this.#folded;
  }

  /** Lists the lines of a search in the fd only, the first at or after the current one; `sought` marks them. */
  async list(choice, { search, found, sought }, onfailure) {
    const { line } = this;
    const [draw, list] = [this.#lines.draw, this.#list];
    const listed = Object.assign(
      blockSource(BLOCK_LINES, {
        load: async (first, count, signal) =>
          (await ask("matching", { search, from: first + 1, count, ...sought }, signal)).lines,
        draw: (drawn, row) => draw(drawn, row, (row?.n ?? 0) - 1),
        onload: () => {
          list.refresh();
          list.onmove();
        },
        onfailure,
      }),
      { count: found, highest: this.#lines.count, lineAt: (row) => (listed.row(row)?.n ?? 1) - 1 },
    );
    const { number = 1 } = await ask("match", { search, line: line - 1, way: "next" });
    this.choice = choice;
    this.#listed = listed;
    list.source = listed;
    this.#drawMarks();
    list.goTo(number - 1);
  }
}

/** Whether a choice lists some lines only. */
export function isListing(choice) {
  return LISTED.has(choice);
}
