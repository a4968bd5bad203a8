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

import { holds, MATCH_STEP, type Program } from "./pattern_program.ts";

/** Classes of chars, numbered as in the automaton; more may be added while it runs. */
interface CharClasses {
  /** For each class, which sets of the program contain it. */
  takenBy: readonly (readonly boolean[])[];
  isWordClass: readonly boolean[];
  /** Class of a line's end. */
  endClass: number;
}

/** Sets a place in bits that are stored by word number. */
function addPlace(bits: Map<number, number>, place: number): void {
  bits.set(place >>> 5, (bits.get(place >>> 5) ?? 0) | 1 << (place & 31));
}

/**
 * Creates the bits of `program`: the steps that wait for the next char, within a line. A match may start at any char; the first char of a line must be handled elsewhere.
 */
export function stepBits(program: Program, { takenBy, isWordClass, endClass }: CharClasses) {
  const { steps } = program;
  /** The step at each place. Earlier parts of the pattern have higher step numbers. */
  const stepAt: number[] = [];
  const placeOf = new Int32Array(steps.length).fill(-1);
  for (let number = steps.length - 1; number >= 0; number--) {
    const step = steps[number]!;
    if (step.kind === "split" || step.kind === "assert" && step.at === "line_start") continue;
    placeOf[number] = stepAt.length;
    stepAt.push(number);
  }
  const wordCount = (stepAt.length + 31) >>> 5;
  const newBits = () => new Int32Array(wordCount);
  const setBit = (bits: Int32Array, place: number) => {
    bits[place >>> 5]! |= 1 << (place & 31);
  };

  /** Returns all steps reached from `from` without a char, including itself. Not valid at a line's start. */
  function reachedFrom(from: number): Set<number> {
    const reached = new Set([from]);
    for (const number of reached) {
      const step = steps[number]!;
      if (step.kind === "split") reached.add(step.next).add(step.other);
    }
    return reached;
  }

  /** Places whose step continues at the next place. */
  const shifted = newBits();
  /** Places whose step continues at itself. */
  const repeated = newBits();
  /** Places that have a branch. */
  const branching = newBits();
  /** For each step to which branches lead, their places. */
  const placesOfBranch = new Map<number, number[]>();
  for (const [place, number] of stepAt.entries()) {
    const step = steps[number]!;
    if (step.kind === "match" || step.kind === "split") continue;
    const following = stepAt[place + 1]!;
    let target = step.next;
    // Paths of splits that lead to the next place, or back, are not branches: the copies of `x{0,9}` share the
    // remaining one. A loop around nothing leads back to its own split.
    const passed = new Set<number>();
    const isSimple = (way: number) => way === following || way === number || passed.has(way);
    const pass = (way: number) => {
      if (way === following) setBit(shifted, place);
      else if (way === number) setBit(repeated, place);
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
    else {
      setBit(branching, place);
      placesOfBranch.set(target, [...placesOfBranch.get(target) ?? [], place]);
    }
  }
  // All branches in sequence: the ends of its sets and covers, then both, as pairs of word number and bits. Sets are
  // the bits that the branch sets; covers are places whose branches add nothing.
  const branches: number[] = [];
  const branchAt = new Int32Array(stepAt.length);
  for (const [target, places] of placesOfBranch) {
    const sets = new Map<number, number>();
    const covers = new Map<number, number>();
    for (const number of reachedFrom(target)) {
      if (placeOf[number]! >= 0) addPlace(sets, placeOf[number]!);
      for (const place of placesOfBranch.get(number) ?? []) addPlace(covers, place);
    }
    const from = branches.length;
    const setsTo = from + 2 + 2 * sets.size;
    branches.push(setsTo, setsTo + 2 * covers.size);
    for (const [word, bits] of [...sets, ...covers]) branches.push(word, bits);
    for (const place of places) branchAt[place] = from;
  }
  const lists = Int32Array.from(branches);

  const started = newBits();
  for (const number of reachedFrom(program.start)) {
    if (placeOf[number]! >= 0) setBit(started, placeOf[number]!);
  }
  const canDie = started.every((bits) => bits === 0);
  const hasAssertions = stepAt.some((number) => steps[number]!.kind === "assert");

  /** For each class seen, the places that match it. */
  const takenAt: Int32Array[] = [];
  function placesThatTake(charClass: number): Int32Array {
    const bits = newBits();
    for (const [place, number] of stepAt.entries()) {
      const step = steps[number]!;
      if (step.kind === "chars" && takenBy[charClass]![step.setNumber]!) setBit(bits, place);
    }
    return takenAt[charClass] = bits;
  }

  /** The assertions that hold, by what precedes and follows. */
  const holdingAt: Int32Array[] = [];
  function placesThatHold(charClass: number, isWordBefore: boolean): Int32Array {
    const isEnd = charClass === endClass;
    const isWordNext = isWordClass[charClass]!;
    const key = Number(isWordBefore) + 2 * Number(isWordNext) + 4 * Number(isEnd);
    const known = holdingAt[key];
    if (known !== undefined) return known;
    const bits = newBits();
    for (const [place, number] of stepAt.entries()) {
      const step = steps[number]!;
      if (step.kind === "assert" && holds(step.at, isWordBefore, isWordNext, isEnd)) setBit(bits, place);
    }
    return holdingAt[key] = bits;
  }

  let current = newBits();
  let next = newBits();
  /** Branches still to be followed. */
  const open = newBits();
  const matchWord = placeOf[MATCH_STEP]! >>> 5;
  const matchBit = 1 << (placeOf[MATCH_STEP]! & 31);

  /** Follows the assertions that hold, and those they lead to. */
  function settle(charClass: number, isWordBefore: boolean): void {
    const holding = placesThatHold(charClass, isWordBefore);
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
        for (let at = from + 2; at < lists[from]!; at += 2) reach(lists[at]!, lists[at + 1]!);
      }
    }
  }

  /** Starts with these steps. */
  function begin(waiting: Uint16Array): void {
    current.fill(0);
    for (const number of waiting) setBit(current, placeOf[number]!);
  }

  /** Consumes a char. Returns whether the line now matches for certain. */
  function take(charClass: number, isWordBefore: boolean): boolean {
    if (hasAssertions) {
      settle(charClass, isWordBefore);
      if ((current[matchWord]! & matchBit) !== 0) return true;
    }
    const taken = takenAt[charClass] ?? placesThatTake(charClass);
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
        const setsTo = lists[at]!;
        const coversTo = lists[at + 1]!;
        for (at += 2; at < setsTo; at += 2) next[lists[at]!]! |= lists[at + 1]!;
        for (; at < coversTo; at += 2) open[lists[at]!]! &= ~lists[at + 1]!;
        left = open[word]!;
      }
    }
    [current, next] = [next, current];
    return (current[matchWord]! & matchBit) !== 0;
  }

  /** Returns the waiting steps in ascending order. */
  function waiting(): Uint16Array {
    const found: number[] = [];
    for (let place = stepAt.length - 1; place >= 0; place--) {
      if ((current[place >>> 5]! & 1 << (place & 31)) !== 0) found.push(stepAt[place]!);
    }
    return Uint16Array.from(found);
  }

  return {
    begin,
    take,
    /** Whether no step waits any longer. */
    isDead: () => canDie && current.every((bits) => bits === 0),
    /** Whether the line matches if it ends here. */
    matchesAtEnd(isWordBefore: boolean): boolean {
      settle(endClass, isWordBefore);
      return (current[matchWord]! & matchBit) !== 0;
    },
    waiting,
  };
}
