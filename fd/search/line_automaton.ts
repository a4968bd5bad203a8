/**
 * Matches a pattern against lines in time linear in their bytes, whatever the pattern. It tracks all states of the
 * program at once; each set of states (called "a state" below) is computed when first reached and cached in a table.
 * The alphabet is the contract's chars, so an ill-formed sequence is one U+FFFD as everywhere. Memory is bounded: a
 * table that grows too large, or whose states have too many steps, is discarded and restarted. If the table does not
 * pay off, because nearly every char creates a state, a stretch of the content is matched without it.
 *
 * Only whether a line matches is computed, never the longest or first match. So there is no second pass and no
 * capture, and a line of any length can be fed in pieces.
 *
 * Indexing with `!` is safe here: offsets are below `to`, states and classes below the table's size.
 */

import { charSet, isInSet, WORD_CLASS } from "./pattern_syntax.ts";
import { holds, MATCH_STEP, type Program } from "./pattern_program.ts";
import { stepBits } from "./step_bits.ts";
import { charEnd, codePointAt, startOfUnfinished } from "../bytes/utf8_chars.ts";

const LINE_FEED = 0x0a;

/** Table values other than a next state (which is 0 or more). */
const UNKNOWN = -1;
const MATCH = -2;
const NO_MATCH = -3;

/** Class of a line's end; chars have classes from 1. */
const END_CLASS = 0;

/** Maximum entries in the table before it is restarted: 4 MiB. */
const MAX_TABLE = 1 << 20;
/** Maximum total steps of all states in the table before it is restarted: each takes 4 bytes, in a list and a key. */
const MAX_TABLE_STEPS = 1 << 20;
const CODE_POINTS = 0x110000;
/** The first code point of two UTF-16 units; most contents have none from here on. */
const ASTRAL = 0x10000;

/** Table work, in steps visited, after which it is compared with the bytes matched. */
const WEIGHED_WORK = 1 << 16;
/** Cost of computing a set of steps, besides its steps. */
const SET_WORK = 16;
/**
 * Maximum work per byte for the table to pay off, besides the cost of a byte without it (a fraction of the steps).
 */
const MAX_WORK = 8;
/** Bytes matched without the table: at first, and at most (each time the table fails, twice as many). */
const FIRST_STRETCH = 1 << 14;
const LAST_STRETCH = 1 << 20;

/** Kinds of position at which a state waits, by what precedes it. */
const AFTER_START = 0;
const AFTER_OTHER = 1;
const AFTER_WORD = 2;

/** A set of steps that wait for the next char, in ascending order, and what came before. */
interface WaitingSteps {
  steps: Uint16Array;
  before: number;
}

/** Matches lines, whole or fed in pieces. */
export type LineAutomaton = ReturnType<typeof lineAutomaton>;

/** Creates the automaton of `program`. Matches the first `bitsLeft` bytes without the table. */
export function lineAutomaton(program: Program, bitsLeft = 0) {
  const { steps } = program;
  const wordSet = charSet([WORD_CLASS], false, false);
  const looksAtWords = steps.some((step) => step.kind === "assert" && !step.at.startsWith("line_"));

  // Classes of chars that no set of the program distinguishes, numbered as they occur.
  const asciiClass = new Uint8Array(128);
  let classOfCodePoint = new Uint16Array(128);
  const classNumbers = new Map<string, number>();
  /** For each class from 1: which sets contain it. */
  const takenBy: boolean[][] = [[]];
  const isWordClass: boolean[] = [false];

  // Next state: table[state + class]. A state is a multiple of the row length.
  let rowLength = 16;
  let table = new Int32Array(0);
  let waiting: WaitingSteps[] = [];
  let stateNumbers = new Map<string, number>();
  let tableSteps = 0;
  let startState = 0;

  // Matching without the table; created when first needed.
  let bits: ReturnType<typeof stepBits> | undefined;
  let work = 0;
  let tabledBytes = 0;
  let stretch = FIRST_STRETCH;
  /** Number of transitions computed so far: the cost of the pattern beyond the bytes. */
  let followedCount = 0;

  // For each step, the walk in which it was last reached or settled: sets that are cleared by incrementing the walk.
  const reachedIn = new Float64Array(steps.length);
  const settledIn = new Float64Array(steps.length);
  let walk = 0;
  /** Steps that wait for a char, rather than being passed at once. */
  const isWaiting = steps.map((step) =>
    step.kind !== "split" && !(step.kind === "assert" && step.at === "line_start")
  );

  function classOf(codePoint: number): number {
    const known = classOfCodePoint[codePoint];
    if (known !== undefined && known > 0) return known;
    if (known === undefined) {
      const grown = new Uint16Array(codePoint < ASTRAL ? ASTRAL : CODE_POINTS);
      grown.set(classOfCodePoint);
      classOfCodePoint = grown;
    }
    const taken = program.sets.map((set) => isInSet(set, codePoint));
    const isWord = looksAtWords && isInSet(wordSet, codePoint);
    const key = `${taken.map(Number).join("")}${Number(isWord)}`;
    let found = classNumbers.get(key);
    if (found === undefined) {
      found = takenBy.length;
      classNumbers.set(key, found);
      takenBy.push(taken);
      isWordClass.push(isWord);
    }
    classOfCodePoint[codePoint] = found;
    return found;
  }

  function beginTable(): void {
    while (rowLength <= takenBy.length) rowLength *= 2;
    table = new Int32Array(rowLength * 16).fill(UNKNOWN);
    waiting = [];
    stateNumbers = new Map();
    tableSteps = 0;
    startState = stateOf(waitingAt([program.start], AFTER_START));
  }

  /**
   * Returns the state of `wait`, MATCH if it contains the end of the pattern, or NO_MATCH if it can no longer reach
   * it.
   */
  function stateOf(wait: WaitingSteps): number {
    // Steps are ascending, and the program's first step is its end.
    if (wait.steps[0] === MATCH_STEP) return MATCH;
    if (wait.steps.length === 0) return NO_MATCH;
    // Step numbers are small enough to be chars, which makes keys short and fast to build.
    const key = String.fromCharCode(wait.before, ...wait.steps);
    const known = stateNumbers.get(key);
    if (known !== undefined) return known;
    const state = waiting.length * rowLength;
    if (state + rowLength > table.length) {
      const grown = new Int32Array(table.length * 2).fill(UNKNOWN);
      grown.set(table);
      table = grown;
    }
    waiting.push(wait);
    tableSteps += wait.steps.length;
    stateNumbers.set(key, state);
    return state;
  }

  /**
   * Follows everything that does not depend on the next char: splits, and assertions about what came before. If
   * nothing looks at words, `before` matters only at the line's start, and all other positions share a state.
   */
  function waitingAt(from: readonly number[], before: number): WaitingSteps {
    const thisWalk = ++walk;
    const open = [...from];
    let waitingCount = 0;
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (reachedIn[number] === thisWalk) continue;
      reachedIn[number] = thisWalk;
      if (isWaiting[number]) waitingCount++;
      const step = steps[number]!;
      if (step.kind === "split") open.push(step.next, step.other);
      if (step.kind === "assert" && step.at === "line_start" && before === AFTER_START) open.push(step.next);
    }
    const found = new Uint16Array(waitingCount);
    let passed = 0;
    for (let at = 0; at < waitingCount; passed++) {
      if (reachedIn[passed] === thisWalk && isWaiting[passed]) found[at++] = passed;
    }
    work += SET_WORK + waitingCount + (passed >>> 3);
    return { steps: found, before };
  }

  /** Restarts the table if it is full. Returns whether it did. */
  function madeRoom(): boolean {
    const isFull = table.length >= MAX_TABLE && (waiting.length + 1) * rowLength > table.length;
    if (!isFull && tableSteps <= MAX_TABLE_STEPS) return false;
    beginTable();
    return true;
  }

  /** Computes and stores the state that follows `state` on a char of `charClass`. */
  function follow(state: number, charClass: number): number {
    const { steps: from, before } = waiting[state / rowLength]!;
    const isWordBefore = before === AFTER_WORD;
    const isEnd = charClass === END_CLASS;
    followedCount++;
    work += from.length;
    // Assertions about the next char can be settled now, which may reach further ones.
    const thisWalk = ++walk;
    const open = [...from];
    for (const number of from) settledIn[number] = thisWalk;
    const after: number[] = [];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const step = steps[number]!;
      if (step.kind === "chars" && !isEnd && takenBy[charClass]![step.setNumber]!) after.push(step.next);
      if (step.kind === "assert" && holds(step.at, isWordBefore, isWordClass[charClass]!, isEnd)) {
        for (const reached of waitingAt([step.next], before).steps) {
          if (settledIn[reached] === thisWalk) continue;
          settledIn[reached] = thisWalk;
          open.push(reached);
        }
      }
    }
    let next: number;
    if (settledIn[MATCH_STEP] === thisWalk) next = MATCH;
    else if (isEnd) next = NO_MATCH;
    else {
      // A match may start at any char, so the start waits there too.
      const beforeNext = isWordClass[charClass] ? AFTER_WORD : AFTER_OTHER;
      const wait = waitingAt([...after, program.start], beforeNext);
      if (madeRoom()) return stateOf(wait);
      next = stateOf(wait);
    }
    table[state + charClass] = next;
    return next;
  }

  /** Looks up the next state if the table may not have it yet, or the class may be too new for the table. */
  function advance(state: number, charClass: number): number {
    if (charClass >= rowLength) {
      const wait = waiting[state / rowLength]!;
      beginTable();
      return advance(stateOf(wait), charClass);
    }
    const known = table[state + charClass]!;
    return known === UNKNOWN ? follow(state, charClass) : known;
  }

  for (let codePoint = 0; codePoint < 128; codePoint++) {
    if (codePoint !== LINE_FEED) asciiClass[codePoint] = classOf(codePoint);
  }
  beginTable();

  /** Offset and state at which {@link runOver} stopped. */
  let stoppedAt = 0;
  let stoppedIn = 0;

  /**
   * Continues from `state` over `bytes[from, to)` until the line is decided, the next byte is a line feed, or the
   * bytes end.
   */
  function runOver(state: number, bytes: Uint8Array, from: number, to: number): void {
    if (bitsLeft <= 0) {
      runTable(state, bytes, from, to);
      if (work < WEIGHED_WORK) return;
    } else {
      stoppedAt = from;
      stoppedIn = state;
    }
    while (stoppedIn >= 0 && stoppedAt < to && bytes[stoppedAt] !== LINE_FEED) {
      if (work >= WEIGHED_WORK) weighTable();
      // The line's start has its own assertions, which only the table handles.
      if (bitsLeft <= 0) runTable(stoppedIn, bytes, stoppedAt, to);
      else if (stoppedIn === startState) runTable(stoppedIn, bytes, stoppedAt, charEnd(bytes, stoppedAt, to));
      else runBits(stoppedIn, bytes, stoppedAt, to);
    }
  }

  /** Like {@link runOver}, but also stops when the table must be weighed. */
  function runTable(state: number, bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to && state >= 0) {
      // The hot loop: no calls while chars are ASCII and states known.
      const known = table;
      const ascii = asciiClass;
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
        state = next === UNKNOWN ? advance(state, asciiClass[byte]!) : next;
        at++;
      } else {
        const end = charEnd(bytes, at, to);
        state = advance(state, classOf(codePointAt(bytes, at, end)));
        at = end;
      }
      if (work >= WEIGHED_WORK) break;
    }
    tabledBytes += at - from;
    stoppedAt = at;
    stoppedIn = state;
  }

  /** Switches to matching without the table if nearly every char created a state. */
  function weighTable(): void {
    const doesPay = work < tabledBytes * (MAX_WORK + (steps.length >>> 7));
    if (!doesPay) bitsLeft = stretch;
    stretch = doesPay ? FIRST_STRETCH : Math.min(stretch * 2, LAST_STRETCH);
    work = 0;
    tabledBytes = 0;
  }

  /**
   * Like {@link runOver}, without the table and for at most {@link bitsLeft} bytes. At a line feed, the line is
   * decided.
   */
  function runBits(state: number, bytes: Uint8Array, from: number, to: number): void {
    const walked = bits ??= stepBits(program, { takenBy, isWordClass, endClass: END_CLASS });
    const { steps: waitingSteps, before } = waiting[state / rowLength]!;
    walked.begin(waitingSteps);
    let isWordBefore = before === AFTER_WORD;
    let outcome = UNKNOWN;
    let at = from;
    const until = Math.min(to, from + bitsLeft);
    while (at < until && outcome === UNKNOWN) {
      const byte = bytes[at]!;
      if (byte === LINE_FEED) {
        outcome = walked.matchesAtEnd(isWordBefore) ? MATCH : NO_MATCH;
        break;
      }
      const end = byte < 128 ? at + 1 : charEnd(bytes, at, to);
      const charClass = byte < 128 ? asciiClass[byte]! : classOf(codePointAt(bytes, at, end));
      if (walked.take(charClass, isWordBefore)) outcome = MATCH;
      else if (walked.isDead()) outcome = NO_MATCH;
      isWordBefore = isWordClass[charClass]!;
      at = end;
    }
    bitsLeft -= at - from;
    stoppedAt = at;
    stoppedIn = outcome;
    if (outcome !== UNKNOWN) return;
    madeRoom();
    stoppedIn = stateOf({ steps: walked.waiting(), before: isWordBefore ? AFTER_WORD : AFTER_OTHER });
  }

  function matchesAtEnd(state: number): boolean {
    return (state >= 0 ? advance(state, END_CLASS) : state) === MATCH;
  }

  /**
   * Searches the whole lines `bytes[from, to)` (the last may lack its line feed) for a match. Returns the offset of a
   * byte of the first matching line (where the match was certain, or its line feed), or -1.
   */
  function nextMatch(bytes: Uint8Array, from: number, to: number): number {
    let lineFrom = from;
    while (lineFrom < to) {
      runOver(startState, bytes, lineFrom, to);
      if (stoppedIn === MATCH) return Math.min(stoppedAt, to - 1);
      let lineFeed = stoppedAt;
      if (stoppedIn === NO_MATCH) lineFeed = bytes.indexOf(LINE_FEED, stoppedAt);
      else if (matchesAtEnd(stoppedIn)) return Math.min(stoppedAt, to - 1);
      if (lineFeed < 0) return -1;
      lineFrom = lineFeed + 1;
    }
    return -1;
  }

  let lineState = 0;
  /** An incomplete char that the next piece may complete: at most 3 bytes, with space to complete it. */
  const partial = new Uint8Array(4);
  let partialCount = 0;

  /** Starts a line that is fed in pieces. */
  function beginLine(): void {
    lineState = startState;
    partialCount = 0;
  }

  /**
   * Feeds the next piece of the line, without its line feed. Returns the offset in `bytes` at which the match was
   * certain (or the last byte of the piece), or -1 if it is not certain yet.
   */
  function feedLine(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    if (partialCount > 0) {
      const partialBefore = partialCount;
      while (partialCount < partial.length && at < to) partial[partialCount++] = bytes[at++]!;
      if (startOfUnfinished(partial.subarray(0, partialCount)) === 0) return -1;
      const end = charEnd(partial, 0, partialCount);
      runOver(lineState, partial, 0, end);
      lineState = stoppedIn;
      partialCount = 0;
      at = from + end - partialBefore;
    }
    const end = at + startOfUnfinished(bytes.subarray(at, to));
    runOver(lineState, bytes, at, end);
    lineState = stoppedIn;
    partial.set(bytes.subarray(end, to));
    partialCount = to - end;
    return lineState === MATCH ? Math.min(stoppedAt, to - 1) : -1;
  }

  /** Ends the line. Returns whether it matches. */
  function endLine(): boolean {
    runOver(lineState, partial, 0, partialCount);
    return matchesAtEnd(stoppedIn);
  }

  return { nextMatch, beginLine, feedLine, endLine, followedCount: () => followedCount };
}
