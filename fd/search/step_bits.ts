/**
 * Matches a program over chars without a table of states: one bit for each step that can wait, all moved at once. For
 * patterns of which nearly every char creates a state, so that a table costs more than it saves.
 *
 * Bits are in the order of the pattern, so most steps lead to the next bit, and one shift moves 32 of them
 * (Baeza-Yates and Gonnet, "A new approach to text searching", 1992). Steps that lead elsewhere, too or instead, are
 * branches: each has the bits it sets, and the branches that then have nothing to add.
 *
 * Indexing with `!` is safe here: words and places are created for each other.
 */

import { type CharClasses, END_CLASS } from "./char_classes.ts";
import { holds, MATCH_STEP, type Program, type Step } from "./pattern_program.ts";

/** The bits of a program's steps: where each leads. */
interface StepPlan {
  /** The step at each place. Earlier parts of the pattern have higher step numbers. */
  stepAt: readonly number[];
  /** The place of each step that can wait, else -1. */
  placeOf: Int32Array;
  /** Places whose step continues at the next place. */
  shifted: Int32Array;
  /** Places whose step continues at itself. */
  repeated: Int32Array;
  /** Places that have a branch. */
  branching: Int32Array;
  /**
   * All branches in sequence: the ends of its sets and covers, then both, as pairs of word number and bits. Sets are the
   * bits that the branch sets; covers are places whose branches add nothing.
   */
  branches: Int32Array;
  /** For each place with a branch, where that begins in {@link branches}. */
  branchAt: Int32Array;
  /** Places at which the program starts. */
  started: Int32Array;
}

/** Sets a place in bits that are stored by word number. */
function addPlace(bits: Map<number, number>, place: number): void {
  bits.set(place >>> 5, (bits.get(place >>> 5) ?? 0) | 1 << (place & 31));
}

function setBit(bits: Int32Array, place: number): void {
  bits[place >>> 5]! |= 1 << (place & 31);
}

function planSteps({ steps, start }: Program): StepPlan {
  const stepAt: number[] = [];
  const placeOf = new Int32Array(steps.length).fill(-1);
  for (let number = steps.length - 1; number >= 0; number--) {
    const step = steps[number]!;
    if (step.kind === "split" || step.kind === "assert" && step.at === "line_start") continue;
    placeOf[number] = stepAt.length;
    stepAt.push(number);
  }
  const newBits = () => new Int32Array((stepAt.length + 31) >>> 5);
  const [shifted, repeated, branching, started] = [newBits(), newBits(), newBits(), newBits()];
  /** For each step to which branches lead, their places. */
  const placesOfBranch = new Map<number, number[]>();
  for (const [place, number] of stepAt.entries()) {
    const step = steps[number]!;
    if (step.kind === "match" || step.kind === "split") continue;
    const { isNext, isItself, branch } = waysFrom(steps, step.next, number, stepAt[place + 1]!);
    if (isNext) setBit(shifted, place);
    if (isItself) setBit(repeated, place);
    if (branch === undefined) continue;
    setBit(branching, place);
    placesOfBranch.set(branch, [...placesOfBranch.get(branch) ?? [], place]);
  }
  for (const number of reachedFrom(steps, start)) {
    if (placeOf[number]! >= 0) setBit(started, placeOf[number]!);
  }
  const lists = branchLists(steps, placeOf, placesOfBranch);
  return { stepAt, placeOf, shifted, repeated, branching, started, ...lists };
}

/** The ways from a step: to the next place, to itself, and to the start of a branch, if there is more. */
interface Ways {
  isNext: boolean;
  isItself: boolean;
  branch: number | undefined;
}

/**
 * The ways from step `number`, whose next is `target`. Paths of splits that lead to the step at the next place, `following`,
 * or back, are not branches: the copies of `x{0,9}` share the remaining one. A loop around nothing leads back to its own
 * split.
 */
function waysFrom(steps: readonly Step[], target: number, number: number, following: number): Ways {
  const ways: Ways = { isNext: false, isItself: false, branch: undefined };
  const passed = new Set<number>();
  const isSimple = (way: number) => way === following || way === number || passed.has(way);
  const pass = (way: number) => {
    ways.isNext ||= way === following;
    ways.isItself ||= way === number && way !== following;
  };
  for (let found = steps[target]!; found.kind === "split" && !passed.has(target); found = steps[target]!) {
    passed.add(target);
    if (isSimple(found.next)) {
      pass(found.next);
      target = found.other;
    } else if (isSimple(found.other)) {
      pass(found.other);
      target = found.next;
    } else {
      passed.delete(target);
      break;
    }
  }
  if (isSimple(target)) pass(target);
  else ways.branch = target;
  return ways;
}

/** Returns all steps reached from `from` without a char, including itself. Not valid at a line's start. */
function reachedFrom(steps: readonly Step[], from: number): Set<number> {
  const reached = new Set([from]);
  for (const number of reached) {
    const step = steps[number]!;
    if (step.kind === "split") reached.add(step.next).add(step.other);
  }
  return reached;
}

function branchLists(
  steps: readonly Step[],
  placeOf: Int32Array,
  placesOfBranch: ReadonlyMap<number, readonly number[]>,
): Pick<StepPlan, "branches" | "branchAt"> {
  const branches: number[] = [];
  const branchAt = new Int32Array(steps.length);
  for (const [target, places] of placesOfBranch) {
    const sets = new Map<number, number>();
    const covers = new Map<number, number>();
    for (const number of reachedFrom(steps, target)) {
      if (placeOf[number]! >= 0) addPlace(sets, placeOf[number]!);
      for (const place of placesOfBranch.get(number) ?? []) addPlace(covers, place);
    }
    const from = branches.length;
    const setsTo = from + 2 + 2 * sets.size;
    branches.push(setsTo, setsTo + 2 * covers.size);
    for (const [word, bits] of [...sets, ...covers]) branches.push(word, bits);
    for (const place of places) branchAt[place] = from;
  }
  return { branches: Int32Array.from(branches), branchAt };
}

/**
 * The bits of a program: the steps that wait for the next char, within a line. A match may start at any char; the first
 * char of a line must be handled elsewhere.
 */
export class StepBits {
  private readonly plan: StepPlan;
  private readonly wordCount: number;
  private readonly canDie: boolean;
  private readonly hasAssertions: boolean;
  private current: Int32Array;
  private next: Int32Array;
  /** Branches still to be followed. */
  private readonly open: Int32Array;
  /** For each class seen, the places that match it. */
  private readonly takenAt: Int32Array[] = [];
  /** The assertions that hold, by what precedes and follows. */
  private readonly holdingAt: Int32Array[] = [];

  constructor(private readonly program: Program, private readonly classes: CharClasses) {
    const plan = this.plan = planSteps(program);
    this.wordCount = plan.started.length;
    this.canDie = plan.started.every((bits) => bits === 0);
    this.hasAssertions = plan.stepAt.some((number) => program.steps[number]!.kind === "assert");
    [this.current, this.next, this.open] = [this.newBits(), this.newBits(), this.newBits()];
  }

  /** Starts with these steps. */
  begin(waiting: Uint16Array): void {
    this.current.fill(0);
    for (const number of waiting) setBit(this.current, this.plan.placeOf[number]!);
  }

  /** Consumes a char. Returns whether the line now matches for certain. */
  take(charClass: number, isWordBefore: boolean): boolean {
    if (this.hasAssertions) {
      this.settle(charClass, isWordBefore);
      if (this.hasMatch()) return true;
    }
    const { current, next, open, wordCount } = this;
    const { shifted, repeated, branching, started, branches, branchAt } = this.plan;
    const taken = this.takenAt[charClass] ?? this.placesThatTake(charClass);
    let carried = 0;
    for (let word = 0; word < wordCount; word++) {
      const moved = current[word]! & taken[word]!;
      open[word] = moved & branching[word]!;
      const bits = moved & shifted[word]!;
      next[word] = started[word]! | moved & repeated[word]! | bits << 1 | carried;
      carried = bits >>> 31;
    }
    for (let word = 0; word < wordCount; word++) {
      let left = open[word]!;
      while (left !== 0) {
        // The lowest bit, first in the pattern: what it leads to covers most.
        let at = branchAt[word * 32 + 31 - Math.clz32(left & -left)]!;
        const setsTo = branches[at]!;
        const coversTo = branches[at + 1]!;
        for (at += 2; at < setsTo; at += 2) next[branches[at]!]! |= branches[at + 1]!;
        for (; at < coversTo; at += 2) open[branches[at]!]! &= ~branches[at + 1]!;
        left = open[word]!;
      }
    }
    [this.current, this.next] = [next, current];
    return this.hasMatch();
  }

  /** Whether no step waits any longer. */
  isDead(): boolean {
    return this.canDie && this.current.every((bits) => bits === 0);
  }

  /** Whether the line matches if it ends here. */
  matchesAtEnd(isWordBefore: boolean): boolean {
    this.settle(END_CLASS, isWordBefore);
    return this.hasMatch();
  }

  /** Returns the waiting steps in ascending order. */
  waiting(): Uint16Array {
    const { stepAt } = this.plan;
    const found: number[] = [];
    for (let place = stepAt.length - 1; place >= 0; place--) {
      if ((this.current[place >>> 5]! & 1 << (place & 31)) !== 0) found.push(stepAt[place]!);
    }
    return Uint16Array.from(found);
  }

  private newBits(): Int32Array {
    return new Int32Array(this.wordCount);
  }

  private hasMatch(): boolean {
    const place = this.plan.placeOf[MATCH_STEP]!;
    return (this.current[place >>> 5]! & 1 << (place & 31)) !== 0;
  }

  private placesThatTake(charClass: number): Int32Array {
    const taken = this.classes.takenBy[charClass]!;
    return this.takenAt[charClass] = this.placesOf((step) => step.kind === "chars" && taken[step.setNumber]!);
  }

  private placesThatHold(charClass: number, isWordBefore: boolean): Int32Array {
    const isEnd = charClass === END_CLASS;
    const isWordNext = this.classes.isWord[charClass]!;
    const key = Number(isWordBefore) + 2 * Number(isWordNext) + 4 * Number(isEnd);
    return this.holdingAt[key] ??= this.placesOf((step) =>
      step.kind === "assert" && holds(step.at, isWordBefore, isWordNext, isEnd)
    );
  }

  private placesOf(isWanted: (step: Step) => boolean): Int32Array {
    const bits = this.newBits();
    for (const [place, number] of this.plan.stepAt.entries()) {
      if (isWanted(this.program.steps[number]!)) setBit(bits, place);
    }
    return bits;
  }

  /** Follows the assertions that hold, and those they lead to. */
  private settle(charClass: number, isWordBefore: boolean): void {
    const { current, open, wordCount } = this;
    const { shifted, branching, branches, branchAt } = this.plan;
    const holding = this.placesThatHold(charClass, isWordBefore);
    /** The first word with open assertions. */
    let first = 0;
    function reach(word: number, bits: number): void {
      const reached = bits & ~current[word]!;
      if (reached === 0) return;
      current[word]! |= reached;
      open[word]! |= reached & holding[word]!;
      if (word < first && open[word] !== 0) first = word;
    }
    for (let word = 0; word < wordCount; word++) open[word] = current[word]! & holding[word]!;
    while (first < wordCount) {
      const word = first;
      const bits = open[word]!;
      if (bits === 0) {
        first++;
        continue;
      }
      open[word] = 0;
      const moved = bits & shifted[word]!;
      reach(word, moved << 1);
      if (moved < 0) reach(word + 1, 1);
      for (let left = bits & branching[word]!; left !== 0; left &= left - 1) {
        const from = branchAt[word * 32 + 31 - Math.clz32(left & -left)]!;
        for (let at = from + 2; at < branches[from]!; at += 2) reach(branches[at]!, branches[at + 1]!);
      }
    }
  }
}
