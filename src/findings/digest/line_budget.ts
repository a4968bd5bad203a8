/** The chars that a digest may take, and the lines that were shown for them. */

import { bodyOf, type Study } from "./studied_lines.ts";

/** Chars that are shown of one line. */
export const MAX_LINE_CHARS = 320;
/** About the chars that the line for a gap takes. */
export const GAP_CHARS = 110;

/** About the chars that a line takes in the digest. */
export function lineCost(study: Study, line: number): number {
  const bytes = bodyOf(study, line) ?? "";
  return Math.min(bytes.replace(/[\x80-\xbf]+/g, "").length, MAX_LINE_CHARS) + String(line).length + 2;
}

/** Lines to show, as far as there is room. Those `before` were shown by earlier answers. */
export class LineBudget {
  /** All lines that were shown, the most important ones first. */
  readonly shown: Set<number>;

  constructor(readonly study: Study, public left: number, readonly before: ReadonlySet<number>) {
    this.shown = new Set(before);
  }

  /** The chars that a line adds: none if it is shown already. */
  costOf(line: number): number {
    return this.shown.has(line) ? 0 : lineCost(this.study, line);
  }

  /** The chars that it takes to say what is left out around a line, if none next to it is shown. */
  gapCostOf(line: number): number {
    return this.shown.has(line) || this.shown.has(line - 1) || this.shown.has(line + 1) ? 0 : GAP_CHARS;
  }

  /** Shows a line, unless it is too long to be read. */
  show(line: number): void {
    if (bodyOf(this.study, line) === undefined) return;
    this.left -= this.costOf(line);
    this.shown.add(line);
  }

  /** Shows lines in their order, up to the first one for which there is no room. */
  showFitting(lines: Iterable<number>): void {
    for (const line of lines) {
      if (this.costOf(line) > this.left) return;
      this.show(line);
    }
  }

  /** The lines that earlier answers did not show. */
  added(): number[] {
    return [...this.shown].slice(this.before.size);
  }
}
