/**
 * Matches a pattern against lines in time linear in their bytes, whatever the pattern. It tracks all states of the
 * program at once; each set of states is computed when first reached and cached in a table (`state_table.ts`). The
 * alphabet is the contract's chars, so an ill-formed sequence is one U+FFFD as everywhere. If the table does not pay
 * off, because nearly every char creates a state, a stretch of the content is matched without it (`step_bits.ts`).
 *
 * Only whether a line matches is computed, never the longest or first match. So there is no second pass and no
 * capture, and a line of any length can be fed in pieces.
 *
 * Indexing with `!` is safe here: offsets are below `to`, states and classes below the table's size.
 */

import { CharClasses, END_CLASS } from "./char_classes.ts";
import type { Program } from "./pattern_program.ts";
import { AFTER_OTHER, AFTER_WORD, MATCH, NO_MATCH, StateTable, UNKNOWN } from "./state_table.ts";
import { StepBits } from "./step_bits.ts";
import { charEnd, codePointAt, startOfUnfinished } from "../bytes/utf8_chars.ts";

const LINE_FEED = 0x0a;

/** Table work, in steps visited, after which it is compared with the bytes matched. */
const WEIGHED_WORK = 1 << 16;
/**
 * Maximum work per byte for the table to pay off, besides the cost of a byte without it (a fraction of the steps).
 */
const MAX_WORK = 8;
/** Bytes matched without the table: at first, and at most (each time the table fails, twice as many). */
const FIRST_STRETCH = 1 << 14;
const LAST_STRETCH = 1 << 20;

/** Matches lines, whole or fed in pieces. */
export class LineAutomaton {
  private readonly classes: CharClasses;
  private readonly states: StateTable;
  /** Matching without the table; created when first needed. */
  private bits: StepBits | undefined;
  private tabledBytes = 0;
  private stretch = FIRST_STRETCH;

  /** Offset and state at which {@link runOver} stopped. */
  private stoppedAt = 0;
  private stoppedIn = 0;

  private lineState = 0;
  /** An incomplete char that the next piece may complete: at most 3 bytes, with space to complete it. */
  private readonly partial = new Uint8Array(4);
  private partialCount = 0;

  /** Matches the first `bitsLeft` bytes without the table. */
  constructor(private readonly program: Program, private bitsLeft = 0) {
    this.classes = new CharClasses(program);
    this.states = new StateTable(program, this.classes);
  }

  /** Number of transitions computed so far: the cost of the pattern beyond the bytes. */
  get followedCount(): number {
    return this.states.followedCount;
  }

  /**
   * Searches the whole lines `bytes[from, to)` (the last may lack its line feed) for a match. Returns the offset of a
   * byte of the first matching line (where the match was certain, or its line feed), or -1.
   */
  nextMatch(bytes: Uint8Array, from: number, to: number): number {
    let lineFrom = from;
    while (lineFrom < to) {
      this.runOver(this.states.startState, bytes, lineFrom, to);
      const { stoppedAt, stoppedIn } = this;
      if (stoppedIn === MATCH) return Math.min(stoppedAt, to - 1);
      let lineFeed = stoppedAt;
      if (stoppedIn === NO_MATCH) lineFeed = bytes.indexOf(LINE_FEED, stoppedAt);
      else if (this.matchesAtEnd(stoppedIn)) return Math.min(stoppedAt, to - 1);
      if (lineFeed < 0) return -1;
      lineFrom = lineFeed + 1;
    }
    return -1;
  }

  /** Starts a line that is fed in pieces. */
  beginLine(): void {
    this.lineState = this.states.startState;
    this.partialCount = 0;
  }

  /**
   * Feeds the next piece of the line, without its line feed. Returns the offset in `bytes` at which the match was
   * certain (or the last byte of the piece), or -1 if it is not certain yet.
   */
  feedLine(bytes: Uint8Array, from: number, to: number): number {
    const { partial } = this;
    let at = from;
    if (this.partialCount > 0) {
      const partialBefore = this.partialCount;
      while (this.partialCount < partial.length && at < to) partial[this.partialCount++] = bytes[at++]!;
      if (startOfUnfinished(partial.subarray(0, this.partialCount)) === 0) return -1;
      const end = charEnd(partial, 0, this.partialCount);
      this.runOver(this.lineState, partial, 0, end);
      this.lineState = this.stoppedIn;
      this.partialCount = 0;
      at = from + end - partialBefore;
    }
    const end = at + startOfUnfinished(bytes.subarray(at, to));
    this.runOver(this.lineState, bytes, at, end);
    this.lineState = this.stoppedIn;
    partial.set(bytes.subarray(end, to));
    this.partialCount = to - end;
    return this.lineState === MATCH ? Math.min(this.stoppedAt, to - 1) : -1;
  }

  /** Ends the line. Returns whether it matches. */
  endLine(): boolean {
    this.runOver(this.lineState, this.partial, 0, this.partialCount);
    return this.matchesAtEnd(this.stoppedIn);
  }

  private matchesAtEnd(state: number): boolean {
    return (state >= 0 ? this.states.advance(state, END_CLASS) : state) === MATCH;
  }

  /**
   * Continues from `state` over `bytes[from, to)` until the line is decided, the next byte is a line feed, or the
   * bytes end.
   */
  private runOver(state: number, bytes: Uint8Array, from: number, to: number): void {
    const { states } = this;
    if (this.bitsLeft <= 0) {
      this.runTable(state, bytes, from, to);
      if (states.work < WEIGHED_WORK) return;
    } else {
      this.stoppedAt = from;
      this.stoppedIn = state;
    }
    while (this.stoppedIn >= 0 && this.stoppedAt < to && bytes[this.stoppedAt] !== LINE_FEED) {
      if (states.work >= WEIGHED_WORK) this.weighTable();
      const { stoppedAt, stoppedIn } = this;
      // The line's start has its own assertions, which only the table handles.
      if (this.bitsLeft <= 0) this.runTable(stoppedIn, bytes, stoppedAt, to);
      else if (stoppedIn === states.startState) {
        this.runTable(stoppedIn, bytes, stoppedAt, charEnd(bytes, stoppedAt, to));
      } else this.runBits(stoppedIn, bytes, stoppedAt, to);
    }
  }

  /** Like {@link runOver}, but also stops when the table must be weighed. */
  private runTable(state: number, bytes: Uint8Array, from: number, to: number): void {
    const { states, classes } = this;
    const { ascii } = classes;
    let at = from;
    while (at < to && state >= 0) {
      // The hot loop: no calls while chars are ASCII and states known.
      const known = states.table;
      let byte = 0;
      let next = UNKNOWN;
      while (at < to) {
        byte = bytes[at]!;
        if (byte >= 128) break;
        next = known[state + ascii[byte]!]!;
        if (next < 0) break;
        state = next;
        at++;
      }
      if (at >= to || byte === LINE_FEED) break;
      if (byte < 128) {
        state = next === UNKNOWN ? states.advance(state, ascii[byte]!) : next;
        at++;
      } else {
        const end = charEnd(bytes, at, to);
        state = states.advance(state, classes.classOf(codePointAt(bytes, at, end)));
        at = end;
      }
      if (states.work >= WEIGHED_WORK) break;
    }
    this.tabledBytes += at - from;
    this.stoppedAt = at;
    this.stoppedIn = state;
  }

  /** Switches to matching without the table if nearly every char created a state. */
  private weighTable(): void {
    const { states, program: { steps } } = this;
    const doesPay = states.work < this.tabledBytes * (MAX_WORK + (steps.length >>> 7));
    if (!doesPay) this.bitsLeft = this.stretch;
    this.stretch = doesPay ? FIRST_STRETCH : Math.min(this.stretch * 2, LAST_STRETCH);
    states.work = 0;
    this.tabledBytes = 0;
  }

  /**
   * Like {@link runOver}, without the table and for at most {@link bitsLeft} bytes. At a line feed, the line is
   * decided.
   */
  private runBits(state: number, bytes: Uint8Array, from: number, to: number): void {
    const { classes, states } = this;
    const walked = this.bits ??= new StepBits(this.program, classes);
    const { steps: waitingSteps, before } = states.waitingIn(state);
    walked.begin(waitingSteps);
    let isWordBefore = before === AFTER_WORD;
    let outcome = UNKNOWN;
    let at = from;
    const until = Math.min(to, from + this.bitsLeft);
    while (at < until && outcome === UNKNOWN) {
      const byte = bytes[at]!;
      if (byte === LINE_FEED) {
        outcome = walked.matchesAtEnd(isWordBefore) ? MATCH : NO_MATCH;
        break;
      }
      const end = byte < 128 ? at + 1 : charEnd(bytes, at, to);
      const charClass = byte < 128 ? classes.ascii[byte]! : classes.classOf(codePointAt(bytes, at, end));
      if (walked.take(charClass, isWordBefore)) outcome = MATCH;
      else if (walked.isDead()) outcome = NO_MATCH;
      isWordBefore = classes.isWord[charClass]!;
      at = end;
    }
    this.bitsLeft -= at - from;
    this.stoppedAt = at;
    this.stoppedIn = outcome;
    if (outcome !== UNKNOWN) return;
    states.madeRoom();
    this.stoppedIn = states.stateOf({
      steps: walked.waiting(),
      before: isWordBefore ? AFTER_WORD : AFTER_OTHER,
    });
  }
}
