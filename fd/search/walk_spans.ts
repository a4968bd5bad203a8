/**
 * Walks bytes of a line by all states of a program at once, each with its start, in order of preference: the matches are
 * those of Perl, RE2 and JavaScript (leftmost, repeats greedy or lazy as written), in time linear in the bytes for one
 * match, whatever the pattern.
 */

import { refuse } from "../disk/errors.ts";
import { holds, MATCH_STEP, type Program } from "./pattern_program.ts";
import { charSet, isInSet, WORD_CLASS } from "./pattern_syntax.ts";
import { charEnd, codePointAt } from "../bytes/utf8_chars.ts";

/** A range of a content. */
export interface Span {
  /** First byte, from 0. */
  fromByte: number;
  /** End, exclusive. */
  toByte: number;
}

/** The bytes of a line to walk, which start and end at a char. */
interface Stretch {
  bytes: Uint8Array;
  from: number;
  to: number;
  /** The code point before `from`; undefined at the line's start. */
  before: number | undefined;
  /** Whether the line ends at `to`. */
  endsLine: boolean;
}

/**
 * Maximum work on one content before a pattern is refused as too expensive: each match may look to the line's end.
 */
const MAX_WORK = 20_000_000;

/** States that wait at one position of a line, in order of preference, and their starts. */
interface Waiting {
  steps: number[];
  starts: number[];
}

/** Creates a walker. `word`: no letter, mark, number or `_` may touch a match. `pattern` is for errors. */
export function spanWalker(program: Program, pattern: string, word = false) {
  const { steps, start: firstStep, sets } = program;
  const wordSet = charSet([WORD_CLASS], false, false);
  const takenBy = new Map<number, readonly boolean[]>();
  const takenAscii: (readonly boolean[] | undefined)[] = [];
  let work = 0;
  /** Used again for each char: lists of their own would cost more than the walk. */
  let waiting: Waiting = { steps: [], starts: [] };
  let following: Waiting = { steps: [], starts: [] };
  const open: number[] = [];
  /** The round in which a state was last reached; a round is one position of a line. */
  const reachedIn = new Float64Array(steps.length);
  let round = 0;
  const skipped = charsWithoutStart(program, taken);

  function taken(codePoint: number): readonly boolean[] {
    const known = codePoint < 128 ? takenAscii[codePoint] : takenBy.get(codePoint);
    if (known !== undefined) return known;
    const found = [...sets, wordSet].map((set) => isInSet(set, codePoint));
    if (codePoint < 128) takenAscii[codePoint] = found;
    else takenBy.set(codePoint, found);
    return found;
  }

  function isWord(codePoint: number | undefined): boolean {
    return codePoint !== undefined && taken(codePoint)[sets.length]!;
  }

  function spend(amount: number): void {
    work += amount;
    if (work > MAX_WORK) refuse("pattern", pattern, "a pattern with fewer matches per line, or plain text");
  }

  /** Adds the states that `step` leads to without a char between `previous` and `next`, in order of preference. */
  function add(
    waiting: Waiting,
    step: number,
    startByte: number,
    previous: number | undefined,
    next: number | undefined,
    isEnd: boolean,
  ): void {
    open.push(step);
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (reachedIn[number] === round) continue;
      reachedIn[number] = round;
      const found = steps[number]!;
      if (found.kind === "split") open.push(found.other, found.next);
      else if (found.kind === "assert") {
        const isMet = found.at === "line_start"
          ? previous === undefined
          : holds(found.at, isWord(previous), isWord(next), isEnd);
        if (isMet) open.push(found.next);
      } else {
        waiting.steps.push(number);
        waiting.starts.push(startByte);
      }
      spend(1);
    }
  }

  /** Returns the preferred match that starts first in the stretch; it may be empty. */
  function next({ bytes, from, to, before, endsLine }: Stretch): Span | undefined {
    let best: Span | undefined;
    empty(waiting);
    let previous = before;
    let at = from;
    let end = at < to ? charEnd(bytes, at, to) : at;
    let char = at < to ? codePointAt(bytes, at, end) : undefined;
    round++;
    for (;;) {
      if (best === undefined) {
        if (waiting.steps.length === 0 && skipped !== undefined && char !== undefined && char < 128) {
          const skippedFrom = at;
          while (at < to && bytes[at]! < 128 && skipped[bytes[at]!] === 1) at++;
          if (at > skippedFrom) {
            previous = bytes[at - 1];
            end = at < to ? charEnd(bytes, at, to) : at;
            char = at < to ? codePointAt(bytes, at, end) : undefined;
            round++;
          }
        }
        if (!word || !isWord(previous)) add(waiting, firstStep, at, previous, char, endsLine && at === to);
      } else if (waiting.steps.length === 0) return best;
      const afterEnd = end < to ? charEnd(bytes, end, to) : end;
      const after = end < to ? codePointAt(bytes, end, afterEnd) : undefined;
      empty(following);
      round++;
      for (let order = 0; order < waiting.steps.length; order++) {
        const number = waiting.steps[order]!;
        const startByte = waiting.starts[order]!;
        const step = steps[number]!;
        if (number === MATCH_STEP) {
          if (word && isWord(char)) continue;
          best = { fromByte: startByte, toByte: at };
          // Less preferred states no longer matter after a match.
          break;
        }
        if (step.kind === "chars" && char !== undefined && taken(char)[step.setNumber]!) {
          add(following, step.next, startByte, char, after, endsLine && end === to);
        }
      }
      if (at >= to) return best;
      [waiting, following] = [following, waiting];
      previous = char;
      at = end;
      end = afterEnd;
      char = after;
    }
  }

  /** Starts another content: work is bounded for each. */
  function beginContent(): void {
    work = 0;
  }

  return { next, beginContent };
}

function empty({ steps, starts }: Waiting): void {
  steps.length = starts.length = 0;
}

/** For each ASCII char 1 if no match starts with it; undefined if a match may be empty, and so start anywhere. */
function charsWithoutStart(
  { steps, start }: Program,
  taken: (codePoint: number) => readonly boolean[],
): Uint8Array | undefined {
  const starting = new Set<number>();
  const open = [start];
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (number === MATCH_STEP) return undefined;
    if (starting.has(number)) continue;
    starting.add(number);
    const step = steps[number]!;
    if (step.kind === "split") open.push(step.next, step.other);
    else if (step.kind === "assert") open.push(step.next);
  }
  const skipped = new Uint8Array(128).fill(1);
  for (const number of starting) {
    const step = steps[number]!;
    if (step.kind !== "chars") continue;
    for (let char = 0; char < 128; char++) if (taken(char)[step.setNumber]!) skipped[char] = 0;
  }
  return skipped;
}
