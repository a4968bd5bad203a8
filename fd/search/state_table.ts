/**
 * The deterministic automaton of a program, made as it is needed: a state is a set of steps that wait for the next char, and
 * a table has the state that follows each on each class of chars. A table that grows too large, or whose states have too
 * many steps, is discarded and restarted.
 *
 * Indexing with `!` is safe here: states and classes are below the table's size.
 */

import { type CharClasses, END_CLASS } from "./char_classes.ts";
import { holds, MATCH_STEP, type Program } from "./pattern_program.ts";

/** Table values other than a next state (which is 0 or more). */
export const UNKNOWN = -1;
export const MATCH = -2;
export const NO_MATCH = -3;

/** Kinds of position at which a state waits, by what precedes it. */
const AFTER_START = 0;
export const AFTER_OTHER = 1;
export const AFTER_WORD = 2;

/** Maximum entries in the table before it is restarted: 4 MiB. */
const MAX_TABLE = 1 << 20;
/** Maximum total steps of all states in the table before it is restarted: each takes 4 bytes, in a list and a key. */
const MAX_TABLE_STEPS = 1 << 20;
/** Cost of computing a set of steps, besides its steps. */
const SET_WORK = 16;

/** A set of steps that wait for the next char, in ascending order, and what came before. */
interface WaitingSteps {
  steps: Uint16Array;
  before: number;
}

export class StateTable {
  /** The next state is at the state, which is a multiple of the row length, plus the class. */
  table = new Int32Array(0);
  startState = 0;
  /** Work on the table since it was last weighed, in steps visited. */
  work = 0;
  /** Number of transitions computed so far: the cost of the pattern beyond the bytes. */
  followedCount = 0;
  private rowLength = 16;
  private waiting: WaitingSteps[] = [];
  private stateNumbers = new Map<string, number>();
  private stepCount = 0;
  private walk = 0;
  // For each step, the walk in which it was last reached or settled: sets that are cleared by incrementing the walk.
  private readonly reachedIn: Float64Array;
  private readonly settledIn: Float64Array;
  /** Steps that wait for a char, rather than being passed at once. */
  private readonly isWaiting: readonly boolean[];

  constructor(private readonly program: Program, private readonly classes: CharClasses) {
    const { steps } = program;
    this.reachedIn = new Float64Array(steps.length);
    this.settledIn = new Float64Array(steps.length);
    this.isWaiting = steps.map((step) =>
      step.kind !== "split" && !(step.kind === "assert" && step.at === "line_start")
    );
    this.begin();
  }

  /** The steps of a state. */
  waitingIn(state: number): WaitingSteps {
    return this.waiting[state / this.rowLength]!;
  }

  /**
   * Returns the state of `wait`, MATCH if it contains the end of the pattern, or NO_MATCH if it can no longer reach
   * it.
   */
  stateOf(wait: WaitingSteps): number {
    // Steps are ascending, and the program's first step is its end.
    if (wait.steps[0] === MATCH_STEP) return MATCH;
    if (wait.steps.length === 0) return NO_MATCH;
    // Step numbers are small enough to be chars, which makes keys short and fast to build.
    const key = String.fromCharCode(wait.before, ...wait.steps);
    const known = this.stateNumbers.get(key);
    if (known !== undefined) return known;
    const state = this.waiting.length * this.rowLength;
    if (state + this.rowLength > this.table.length) {
      const grown = new Int32Array(this.table.length * 2).fill(UNKNOWN);
      grown.set(this.table);
      this.table = grown;
    }
    this.waiting.push(wait);
    this.stepCount += wait.steps.length;
    this.stateNumbers.set(key, state);
    return state;
  }

  /** Looks up the next state if the table may not have it yet, or the class may be too new for the table. */
  advance(state: number, charClass: number): number {
    if (charClass >= this.rowLength) {
      const wait = this.waitingIn(state);
      this.begin();
      return this.advance(this.stateOf(wait), charClass);
    }
    const known = this.table[state + charClass]!;
    return known === UNKNOWN ? this.follow(state, charClass) : known;
  }

  /** Restarts the table if it is full. Returns whether it did. */
  madeRoom(): boolean {
    const { table, waiting, rowLength } = this;
    const isFull = table.length >= MAX_TABLE && (waiting.length + 1) * rowLength > table.length;
    if (!isFull && this.stepCount <= MAX_TABLE_STEPS) return false;
    this.begin();
    return true;
  }

  private begin(): void {
    while (this.rowLength <= this.classes.takenBy.length) this.rowLength *= 2;
    this.table = new Int32Array(this.rowLength * 16).fill(UNKNOWN);
    this.waiting = [];
    this.stateNumbers = new Map();
    this.stepCount = 0;
    this.startState = this.stateOf(this.waitingAt([this.program.start], AFTER_START));
  }

  /**
   * Follows everything that does not depend on the next char: splits, and assertions about what came before. If
   * nothing looks at words, `before` matters only at the line's start, and all other positions share a state.
   */
  private waitingAt(from: readonly number[], before: number): WaitingSteps {
    const { reachedIn, isWaiting, program: { steps } } = this;
    const thisWalk = ++this.walk;
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
    this.work += SET_WORK + waitingCount + (passed >>> 3);
    return { steps: found, before };
  }

  /** Computes and stores the state that follows `state` on a char of `charClass`. */
  private follow(state: number, charClass: number): number {
    this.followedCount++;
    const after = this.stepsAfter(state, charClass);
    let next: number;
    if (after === MATCH) next = MATCH;
    else if (charClass === END_CLASS) next = NO_MATCH;
    else {
      // A match may start at any char, so the start waits there too.
      const beforeNext = this.classes.isWord[charClass] ? AFTER_WORD : AFTER_OTHER;
      const wait = this.waitingAt([...after, this.program.start], beforeNext);
      if (this.madeRoom()) return this.stateOf(wait);
      next = this.stateOf(wait);
    }
    this.table[state + charClass] = next;
    return next;
  }

  /** The steps behind those of `state` that take a char of `charClass`, or MATCH if the pattern's end is reached before it. */
  private stepsAfter(state: number, charClass: number): number[] | typeof MATCH {
    const { steps: from, before } = this.waitingIn(state);
    const { settledIn, classes: { takenBy, isWord }, program: { steps } } = this;
    const isWordBefore = before === AFTER_WORD;
    const isEnd = charClass === END_CLASS;
    this.work += from.length;
    // Assertions about the next char can be settled now, which may reach further ones.
    const thisWalk = ++this.walk;
    const open = [...from];
    for (const number of from) settledIn[number] = thisWalk;
    const after: number[] = [];
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      const step = steps[number]!;
      if (step.kind === "chars" && !isEnd && takenBy[charClass]![step.setNumber]!) after.push(step.next);
      if (step.kind === "assert" && holds(step.at, isWordBefore, isWord[charClass]!, isEnd)) {
        for (const reached of this.waitingAt([step.next], before).steps) {
          if (settledIn[reached] === thisWalk) continue;
          settledIn[reached] = thisWalk;
          open.push(reached);
        }
      }
    }
    return settledIn[MATCH_STEP] === thisWalk ? MATCH : after;
  }
}
