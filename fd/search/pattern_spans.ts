/**
 * Finds where a pattern matches in a content, line by line: the same places as in Perl, RE2 and JavaScript (leftmost
 * match, repeats greedy or lazy as written), but in time linear in the line, whatever the pattern.
 *
 * The search automaton finds the lines that match. Only those are walked here, by all states of the program at once,
 * in order of preference, each with its start.
 *
 * @module
 */

import { fail } from "../disk/errors.ts";
import { codePointAt, lineAutomaton } from "./line_automaton.ts";
import { compileProgram, type Program } from "./pattern_program.ts";
import { type Assertion, charSet, isInSet, parsePattern, WORD_CLASS } from "./pattern_syntax.ts";
import { requiredText } from "./required_text.ts";
import { charEnd } from "../bytes/utf8_chars.ts";

/** A range of a content. */
export interface Span {
  /** First byte, from 0. */
  fromByte: number;
  /** End, exclusive. */
  toByte: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Maximum work on one content before a pattern is refused as too expensive: each match may look to the line's end.
 */
const MOST_WORK = 20_000_000;

/**
 * Returns the matches of `pattern` in `content`, in order, without overlaps and empty matches. A match never crosses
 * a line end; CR and LF of a CRLF are not part of the line.
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported (lookaround, backreferences) or takes too long.
 */
export function patternSpans(content: Uint8Array, pattern: string): Span[] {
  return spanFinder(pattern).spans(content);
}

/** Finds every match of one pattern. */
export interface SpanFinder {
  /** Text contained in every line with a match, or "" if none is obvious. */
  requiredText: string;
  /** Returns the matches in `content`, which must be whole lines. */
  spans(content: Uint8Array): Span[];
}

/** Like {@link patternSpans}, for content that arrives in several pieces of whole lines. */
export function spanFinder(pattern: string): SpanFinder {
  const root = parsePattern(pattern, false);
  const program = compileProgram(root);
  const automaton = lineAutomaton(program);
  const walk = spanWalker(program, pattern);

  function spans(content: Uint8Array): Span[] {
    const found: Span[] = [];
    for (let start = 0; start < content.length;) {
      const feed = content.indexOf(LINE_FEED, start);
      const next = feed === -1 ? content.length : feed + 1;
      let end = feed === -1 ? content.length : feed;
      if (end > start && content[end - 1] === CARRIAGE_RETURN) end--;
      if (start < end && automaton.nextMatch(content, start, end) >= 0) walk(content, start, end, found);
      start = next;
    }
    return found;
  }

  return { requiredText: requiredText(root), spans };
}

/** States that wait at one position of a line, in order of preference, and their starts. */
interface Waiting {
  steps: number[];
  starts: number[];
}

/** Creates the function that adds the spans of one line. */
function spanWalker({ steps, start: firstStep, sets }: Program, pattern: string) {
  const wordSet = charSet([WORD_CLASS], false, false);
  const takenBy = new Map<number, readonly boolean[]>();
  let work = 0;
  /** The round in which a state was last reached; a round is one position of a line. */
  const reachedIn = new Uint32Array(steps.length);
  let round = 0;

  function taken(codePoint: number): readonly boolean[] {
    let known = takenBy.get(codePoint);
    if (known === undefined) {
      known = [...sets, wordSet].map((set) => isInSet(set, codePoint));
      takenBy.set(codePoint, known);
    }
    return known;
  }

  function spend(amount: number): void {
    work += amount;
    if (work <= MOST_WORK) return;
    const wanted = "a pattern with fewer matches per line, or plain text";
    fail({ kind: "invalid_parameter", field: "pattern", got: pattern, wanted });
  }

  return function walk(bytes: Uint8Array, from: number, to: number, spans: Span[]): void {
    const chars: { atByte: number; codePoint: number }[] = [];
    for (let at = from; at < to;) {
      const end = charEnd(bytes, at, to);
      chars.push({ atByte: at, codePoint: codePointAt(bytes, at, end) });
      at = end;
    }
    const byteAt = (index: number) => chars[index]?.atByte ?? to;
    const isWordAt = (index: number) => {
      const char = chars[index];
      return char !== undefined && taken(char.codePoint)[sets.length]!;
    };

    function holds(assertion: Assertion, index: number): boolean {
      const before = isWordAt(index - 1);
      const after = isWordAt(index);
      switch (assertion) {
        case "line_start":
          return index === 0;
        case "line_end":
          return index === chars.length;
        case "boundary":
          return before !== after;
        case "not_boundary":
          return before === after;
        case "word_start":
          return !before && after;
        case "word_end":
          return before && !after;
      }
    }

    /** Adds the states that `step` leads to without a char, in order of preference. */
    function add(waiting: Waiting, step: number, startIndex: number, index: number): void {
      const open = [step];
      for (let number = open.pop(); number !== undefined; number = open.pop()) {
        if (reachedIn[number] === round) continue;
        reachedIn[number] = round;
        const found = steps[number]!;
        if (found.kind === "split") open.push(found.other, found.next);
        else if (found.kind === "assert") {
          if (holds(found.at, index)) open.push(found.next);
        } else {
          waiting.steps.push(number);
          waiting.starts.push(startIndex);
        }
        spend(1);
      }
    }

    /** Returns the preferred match that starts first at or after char `fromIndex`. */
    function nextSpan(fromIndex: number): { startIndex: number; endIndex: number } | undefined {
      let best: { startIndex: number; endIndex: number } | undefined;
      round++;
      let waiting: Waiting = { steps: [], starts: [] };
      for (let index = fromIndex; index <= chars.length; index++) {
        if (best === undefined) add(waiting, firstStep, index, index);
        else if (waiting.steps.length === 0) return best;
        const char = chars[index];
        const next: Waiting = { steps: [], starts: [] };
        round++;
        for (const [order, number] of waiting.steps.entries()) {
          const step = steps[number]!;
          const startIndex = waiting.starts[order]!;
          if (step.kind === "match") {
            best = { startIndex, endIndex: index };
            // Less preferred states no longer matter after a match.
            break;
          }
          if (step.kind === "chars" && char !== undefined && taken(char.codePoint)[step.setNumber]!) {
            add(next, step.next, startIndex, index + 1);
          }
        }
        waiting = next;
      }
      return best;
    }

    for (let index = 0; index <= chars.length;) {
      const span = nextSpan(index);
      if (span === undefined) return;
      const { startIndex, endIndex } = span;
      if (endIndex > startIndex) spans.push({ fromByte: byteAt(startIndex), toByte: byteAt(endIndex) });
      index = Math.max(endIndex, startIndex + (endIndex === startIndex ? 1 : 0));
    }
  };
}
