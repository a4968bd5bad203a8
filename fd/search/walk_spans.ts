/**
 * Walks bytes of a line by all states of a program at once, each with its start, in order of preference: the matches are
 * those of Perl, RE2 and JavaScript (leftmost, repeats greedy or lazy as written), in time linear in the bytes for one
 * match, whatever the pattern.
 */

import { refuse } from "../disk/errors.ts";
import { CharClasses } from "./char_classes.ts";
import { holds, MATCH_STEP, type Program } from "./pattern_program.ts";
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

/** Walks lines for a program. `word`: no letter, mark, number or `_` may touch a match. `pattern` is for errors. */
export class SpanWalker {
  private readonly classes: CharClasses;
  private work = 0;
  /** Used again for each char: lists of their own would cost more than the walk. */
  private waiting: Waiting = { steps: [], starts: [] };
  private following: Waiting = { steps: [], starts: [] };
  private readonly open: number[] = [];
  /** The round in which a state was last reached; a round is one position of a line. */
  private readonly reachedIn: Float64Array;
  private round = 0;
  private readonly steps: Program["steps"];
  private readonly skipped: Uint8Array | undefined;

  constructor(
    private readonly program: Program,
    private readonly pattern: string,
    private readonly word = false,
  ) {
    this.steps = program.steps;
    this.classes = new CharClasses(program, word);
    this.reachedIn = new Float64Array(program.steps.length);
    this.skipped = charsWithoutStart(program, (codePoint) => this.taken(codePoint));
  }

  private taken(codePoint: number): readonly boolean[] {
    return this.classes.takenBy[this.classes.classOf(codePoint)]!;
  }

  private isWord(codePoint: number | undefined): boolean {
    return codePoint !== undefined && this.classes.isWord[this.classes.classOf(codePoint)]!;
  }

  private spend(amount: number): void {
    this.work += amount;
    if (this.work > MAX_WORK) {
      refuse("pattern", this.pattern, "a pattern with fewer matches per line, or plain text");
    }
  }

  /** Adds the states that `step` leads to without a char between `previous` and `next`, in order of preference. */
  private add(
    waiting: Waiting,
    step: number,
    startByte: number,
    previous: number | undefined,
    next: number | undefined,
    isEnd: boolean,
  ): void {
    this.open.push(step);
    for (let number = this.open.pop(); number !== undefined; number = this.open.pop()) {
      if (this.reachedIn[number] === this.round) continue;
      this.reachedIn[number] = this.round;
      const found = this.steps[number]!;
      if (found.kind === "split") this.open.push(found.other, found.next);
      else if (found.kind === "assert") {
        const isMet = found.at === "line_start"
          ? previous === undefined
          : holds(found.at, this.isWord(previous), this.isWord(next), isEnd);
        if (isMet) this.open.push(found.next);
      } else {
        waiting.steps.push(number);
        waiting.starts.push(startByte);
      }
      this.spend(1);
    }
  }

  /** Returns the preferred match that starts first in the stretch; it may be empty. */
  next({ bytes, from, to, before, endsLine }: Stretch): Span | undefined {
    let best: Span | undefined;
    empty(this.waiting);
    let previous = before;
    let at = from;
    let end = at < to ? charEnd(bytes, at, to) : at;
    let char = at < to ? codePointAt(bytes, at, end) : undefined;
    this.round++;
    for (;;) {
      if (best === undefined) {
        if (
          this.waiting.steps.length === 0 && this.skipped !== undefined && char !== undefined && char < 128
        ) {
          const skippedFrom = at;
          while (at < to && bytes[at]! < 128 && this.skipped[bytes[at]!] === 1) at++;
          if (at > skippedFrom) {
            previous = bytes[at - 1];
            end = at < to ? charEnd(bytes, at, to) : at;
            char = at < to ? codePointAt(bytes, at, end) : undefined;
            this.round++;
          }
        }
        if (!this.word || !this.isWord(previous)) {
          this.add(this.waiting, this.program.start, at, previous, char, endsLine && at === to);
        }
      } else if (this.waiting.steps.length === 0) return best;
      const afterEnd = end < to ? charEnd(bytes, end, to) : end;
      const after = end < to ? codePointAt(bytes, end, afterEnd) : undefined;
      empty(this.following);
      this.round++;
      for (let order = 0; order < this.waiting.steps.length; order++) {
        const number = this.waiting.steps[order]!;
        const startByte = this.waiting.starts[order]!;
        const step = this.steps[number]!;
        if (number === MATCH_STEP) {
          if (this.word && this.isWord(char)) continue;
          best = { fromByte: startByte, toByte: at };
          // Less preferred states no longer matter after a match.
          break;
        }
        if (step.kind === "chars" && char !== undefined && this.taken(char)[step.setNumber]!) {
          this.add(this.following, step.next, startByte, char, after, endsLine && end === to);
        }
      }
      if (at >= to) return best;
      [this.waiting, this.following] = [this.following, this.waiting];
      previous = char;
      at = end;
      end = afterEnd;
      char = after;
    }
  }

  /** Starts another content: work is bounded for each. */
  beginContent(): void {
    this.work = 0;
  }
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
