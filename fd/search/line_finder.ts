/**
 * Finds lines that match, in bytes that are whole lines: by plain search where the pattern is plain text, by the
 * automaton elsewhere, and by plain search for text that the pattern requires, confirmed by the automaton, where
 * it requires some.
 *
 * @module
 */

import { checkText } from "../disk/check_argument.ts";
import { Buffer } from "node:buffer";
import { type LineAutomaton, lineAutomaton } from "./line_automaton.ts";
import { compileProgram } from "./pattern_program.ts";
import {
  charSet,
  isPlainText,
  parsePattern,
  parsePlainText,
  type PatternNode,
  WORD_CLASS,
} from "./pattern_syntax.ts";
import { requiredText } from "./required_text.ts";

const LINE_FEED = 0x0a;

/** What to look for. */
export interface PatternOptions {
  /** As RE2 writes them (no lookaround, no backreferences); `\w`, `\b` and `[[:alpha:]]` go by Unicode. */
  pattern: string;
  /** The pattern is plain text. */
  fixed?: boolean | undefined;
  /** Letters match in either case. */
  ignoreCase?: boolean | undefined;
  /** A match must not touch a letter, mark, number or `_` outside it. */
  word?: boolean | undefined;
}

/** Finds lines that match. */
export interface LineFinder {
  /**
   * The offset of a byte of the first matching line in `bytes[from, to)`, where the match is (or ends); -1 for
   * none. `from` is where a line starts; the range holds whole lines, the last perhaps without its line feed.
   */
  next(bytes: Buffer, from: number, to: number): number;
  /** For lines too long to be held whole. */
  automaton: LineAutomaton;
}

/** Where the line starts that holds the byte at `at`, when lines up to `from` are known to end before it. */
export function lineStart(bytes: Buffer, at: number, from: number): number {
  return at === from ? from : Math.max(from, bytes.lastIndexOf(LINE_FEED, at - 1) + 1);
}

/** Where the line ends (after its line feed, or at `to`) that holds the byte at `at`. */
export function lineEnd(bytes: Buffer, at: number, to: number): number {
  const lineFeed = bytes.indexOf(LINE_FEED, at);
  return lineFeed < 0 ? to : Math.min(lineFeed + 1, to);
}

/** The pattern between two places where no word goes on. */
function asWord(root: PatternNode): PatternNode {
  const outside: PatternNode = { kind: "chars", set: charSet([WORD_CLASS], true, false) };
  return {
    kind: "concat",
    parts: [
      { kind: "either", branches: [{ kind: "assert", at: "line_start" }, outside] },
      root,
      { kind: "either", branches: [outside, { kind: "assert", at: "line_end" }] },
    ],
  };
}

/** Makes the finder. Throws `invalid_parameter` for a pattern that cannot be read or is not supported. */
export function lineFinder(options: PatternOptions): LineFinder {
  const { pattern } = options;
  checkText("pattern", pattern);
  const ignoreCase = options.ignoreCase === true;
  const isPlain = options.fixed === true || isPlainText(pattern);
  const parsed = isPlain ? parsePlainText(pattern, ignoreCase) : parsePattern(pattern, ignoreCase);
  const root = options.word === true ? asWord(parsed) : parsed;
  const automaton = lineAutomaton(compileProgram(root));
  const needleText = requiredText(parsed);
  if (needleText === "") return { next: automaton.nextMatch, automaton };
  const needle = Buffer.from(needleText);
  const isNeedleAll = isPlain && options.word !== true && needleText === pattern;

  function nextPlain(bytes: Buffer, from: number, to: number): number {
    const at = bytes.indexOf(needle, from);
    return at >= 0 && at + needle.length <= to ? at : -1;
  }

  function nextConfirmed(bytes: Buffer, from: number, to: number): number {
    let lineFrom = from;
    for (let at = nextPlain(bytes, from, to); at >= 0; at = nextPlain(bytes, lineFrom, to)) {
      const start = lineStart(bytes, at, lineFrom);
      lineFrom = lineEnd(bytes, at, to);
      const match = automaton.nextMatch(bytes, start, lineFrom);
      if (match >= 0) return match;
      if (lineFrom >= to) return -1;
    }
    return -1;
  }

  return { next: isNeedleAll ? nextPlain : nextConfirmed, automaton };
}
