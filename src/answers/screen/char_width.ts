/**
 * The cells that text takes on a terminal: two for the wide chars of East Asia and for emoji, none for marks that combine,
 * one for others. Terminals differ for sequences that join (a family, a flag): each char counts by itself, so a line may
 * be shorter than it could be, never longer than the screen.
 */

/** Blocks of wide chars (East Asian Width W and F); emoji are asked of the engine, which knows the newest. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6b],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2fb],
  [0x20000, 0x3fffd],
];

const EMOJI = /^\p{Emoji_Presentation}/u;
const COMBINING = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** The cells of one char, given as its code point. */
function charCells(codePoint: number): number {
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1;
  const char = String.fromCodePoint(codePoint);
  if (COMBINING.test(char)) return 0;
  if (codePoint < 0x1100) return 1;
  return WIDE.some(([first, last]) => codePoint >= first && codePoint <= last) || EMOJI.test(char) ? 2 : 1;
}

/**
 * The cells of `text`, which has no control chars.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { textCells } from "./char_width.ts";
 * assertEquals(textCells("make"), 4);
 * assertEquals(textCells("漢字🙂"), 6);
 * ```
 */
export function textCells(text: string): number {
  let cells = 0;
  for (const char of text) cells += charCells(char.codePointAt(0)!);
  return cells;
}

/** `text` in at most `cells` cells: its start, and `…` if something is left out. */
export function fitCells(text: string, cells: number): string {
  if (text.length <= cells / 2 || textCells(text) <= cells) return text;
  if (cells < 1) return "";
  let used = 0;
  let kept = "";
  for (const char of text) {
    const width = charCells(char.codePointAt(0)!);
    if (used + width > cells - 1) break;
    used += width;
    kept += char;
  }
  return `${kept}…`;
}

/** The rows that `text`, a line without its line end, takes on a screen of `columns`. */
export function rowsOf(text: string, columns: number): number {
  return Math.max(1, Math.ceil(textCells(text) / columns));
}
