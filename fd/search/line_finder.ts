/**
 * Finds matching lines in bytes that are whole lines: by plain search if the pattern is plain text; by plain search
 * confirmed by the automaton if the pattern requires some text; otherwise by the automaton. If case is ignored, plain
 * search is that of a native expression.
 */

import { refuse } from "../disk/errors.ts";
import { Buffer } from "node:buffer";
import { LineAutomaton } from "./line_automaton.ts";
import { compileProgram } from "./pattern_program.ts";
import {
  charSet,
  checkPatternSize,
  isPlainText,
  parsePattern,
  parsePlainText,
  type PatternNode,
  WORD_CLASS,
} from "./pattern_syntax.ts";
import { requiredRun } from "./required_text.ts";

const LINE_FEED = 0x0a;

/** A pattern, and how it matches. */
export interface PatternOptions {
  /**
   * RE2 syntax (no lookaround, no backreferences); `\w`, `\b` and `[[:alpha:]]` follow Unicode. Several patterns
   * match where any of them does.
   */
  pattern: string | readonly string[];
  /** Treat patterns as plain text. */
  fixed?: boolean | undefined;
  /** Match letters of either case, by Unicode. */
  ignoreCase?: boolean | undefined;
  /** Match only if no letter, mark, number or `_` touches the match. */
  word?: boolean | undefined;
}

export interface LineFinder {
  /**
   * Returns the offset of a byte of the first matching line in `bytes[from, to)`, where the match is (or ends), or
   * -1. `from` must be the start of a line; the range must be whole lines, of which the last may lack its line feed.
   * The content of a buffer must not change between calls with it.
   */
  next(bytes: Buffer, from: number, to: number): number;
  /** For lines too long to buffer. */
  automaton(): LineAutomaton;
  /** The parsed pattern. */
  root: PatternNode;
}

/** Returns the start of the line that contains byte `at`; `from` is the start of that or an earlier line. */
export function lineStart(bytes: Buffer, at: number, from: number): number {
  return at === from ? from : Math.max(from, bytes.lastIndexOf(LINE_FEED, at - 1) + 1);
}

/** Returns the end of the line that contains byte `at` (after its line feed, or `to`). */
export function lineEnd(bytes: Buffer, at: number, to: number): number {
  const lineFeed = bytes.indexOf(LINE_FEED, at);
  return lineFeed < 0 ? to : Math.min(lineFeed + 1, to);
}

/** Wraps a pattern so that no word continues on either side. */
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

function parsedPattern(pattern: string, { fixed, ignoreCase }: PatternOptions): PatternNode {
  const parse = fixed === true || isPlainText(pattern) ? parsePlainText : parsePattern;
  return parse(pattern, ignoreCase === true);
}

/** The tree of all patterns, of which a line or a match has any. Throws `invalid_parameter`. */
export function parsedPatterns(options: PatternOptions): PatternNode {
  const patterns = typeof options.pattern === "string" ? [options.pattern] : options.pattern;
  checkPatternSize(patterns);
  const branches = patterns.map((pattern) => parsedPattern(pattern, options));
  if (branches.length === 0) refuse("pattern", "none", "one");
  return branches.length === 1 ? branches[0]! : { kind: "either", branches };
}

/** Creates a finder. Throws `invalid_parameter` for a pattern that is invalid or not supported. */
export function lineFinder(options: PatternOptions): LineFinder {
  const parsed = parsedPatterns(options);
  const root = options.word === true ? asWord(parsed) : parsed;
  const program = compileProgram(root);
  let made: LineAutomaton | undefined;
  // Plain text in short lines needs none.
  const automaton = () => made ??= new LineAutomaton(program);
  const run = requiredRun(parsed);
  if (run === undefined) {
    return { next: (bytes, from, to) => automaton().nextMatch(bytes, from, to), automaton, root };
  }
  const { sought, isAll } = run;
  const nextRun = typeof sought === "string" ? nextOfText(Buffer.from(sought)) : nextOfExpression(sought);

  function nextConfirmed(bytes: Buffer, from: number, to: number): number {
    let lineFrom = from;
    for (let at = nextRun(bytes, from, to); at >= 0; at = nextRun(bytes, lineFrom, to)) {
      const start = lineStart(bytes, at, lineFrom);
      lineFrom = lineEnd(bytes, at, to);
      const match = automaton().nextMatch(bytes, start, lineFrom);
      if (match >= 0) return match;
      if (lineFrom >= to) return -1;
    }
    return -1;
  }

  return { next: isAll && options.word !== true ? nextRun : nextConfirmed, automaton, root };
}

function nextOfText(needle: Buffer): LineFinder["next"] {
  return (bytes, from, to) => {
    const at = bytes.indexOf(needle, from);
    return at >= 0 && at + needle.length <= to ? at : -1;
  };
}

function nextOfExpression(expression: RegExp): LineFinder["next"] {
  let text = "";
  let textBytes: Buffer | undefined;
  let textFrom = 0;
  let textTo = 0;
  return (bytes, from, to) => {
    if (bytes !== textBytes || to !== textTo || from < textFrom) {
      text = bytes.toString("latin1", from, to);
      textBytes = bytes;
      textFrom = from;
      textTo = to;
    }
    expression.lastIndex = from - textFrom;
    return expression.test(text) ? Math.min(textFrom + expression.lastIndex, to - 1) : -1;
  };
}
