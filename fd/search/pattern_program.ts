/**
 * Compiles a pattern's tree to a program: the states of a nondeterministic automaton, which `line_automaton.ts` runs
 * all at once.
 */

import { refuse } from "../disk/errors.ts";
import type { Assertion, CharSet, PatternNode } from "./pattern_syntax.ts";

/** One state. `next` and `other` are indexes in the program; a split prefers `next` if preference matters. */
export type Step =
  | { kind: "chars"; setNumber: number; next: number }
  | { kind: "assert"; at: Assertion; next: number }
  | { kind: "split"; next: number; other: number }
  | { kind: "match" };

/** A compiled pattern. `sets` are distinct; steps refer to them by number. */
export type Program = Readonly<ReturnType<typeof compileProgram>>;

/** Index of the final step of every program. */
export const MATCH_STEP = 0;

/** Maximum steps in a program, and so the maximum work per char. */
const MAX_STEPS = 4000;

/** Whether an assertion holds between two chars, or a char and the line's end; not valid at a line's start. */
export function holds(at: Assertion, isWordBefore: boolean, isWordNext: boolean, isEnd: boolean): boolean {
  switch (at) {
    case "line_start":
      return false;
    case "line_end":
      return isEnd;
    case "boundary":
      return isWordBefore !== isWordNext;
    case "not_boundary":
      return isWordBefore === isWordNext;
    case "word_start":
      return !isWordBefore && isWordNext;
    case "word_end":
      return isWordBefore && !isWordNext;
  }
}

/** Counts the steps of `node`; never less than {@link compileProgram} emits. */
function stepCount(node: PatternNode): number {
  switch (node.kind) {
    case "chars":
    case "assert":
      return 1;
    case "concat":
      return node.parts.reduce((sum, part) => sum + stepCount(part), 0);
    case "either":
      return node.branches.reduce((sum, branch) => sum + stepCount(branch) + 1, 0);
    case "repeat": {
      const copies = node.most === Infinity ? node.least + 1 : node.most;
      return copies * (stepCount(node.node) + 1);
    }
  }
}

/** Compiles `root`. Throws `invalid_parameter` if it exceeds {@link MAX_STEPS} with its repeats expanded. */
export function compileProgram(root: PatternNode) {
  const count = stepCount(root);
  if (count > MAX_STEPS) {
    refuse("pattern", `a pattern of ${count} steps with its repeats expanded`, `at most ${MAX_STEPS} steps`, {
      isTooLarge: true,
    });
  }
  const steps: Step[] = [{ kind: "match" }];
  const sets: CharSet[] = [];
  const setNumbers = new Map<string, number>();

  function setNumberOf(set: CharSet): number {
    const known = setNumbers.get(set.key);
    if (known !== undefined) return known;
    sets.push(set);
    setNumbers.set(set.key, sets.length - 1);
    return sets.length - 1;
  }

  /** Emits `node` so that it continues at `next`. Returns its start. */
  function emit(node: PatternNode, next: number): number {
    switch (node.kind) {
      case "chars":
        return steps.push({ kind: "chars", setNumber: setNumberOf(node.set), next }) - 1;
      case "assert":
        return steps.push({ kind: "assert", at: node.at, next }) - 1;
      case "concat":
        return node.parts.reduceRight((after, part) => emit(part, after), next);
      case "either":
        return node.branches
          .map((branch) => emit(branch, next))
          .reduceRight((other, branch) => steps.push({ kind: "split", next: branch, other }) - 1);
      case "repeat": {
        let after = next;
        if (node.most === Infinity) {
          const loop: Step = { kind: "split", next, other: next };
          after = steps.push(loop) - 1;
          loop[node.lazy ? "other" : "next"] = emit(node.node, after);
        } else {
          for (let copy = node.least; copy < node.most; copy++) {
            const again = emit(node.node, after);
            const [first, other] = node.lazy ? [next, again] : [again, next];
            after = steps.push({ kind: "split", next: first, other }) - 1;
          }
        }
        for (let copy = 0; copy < node.least; copy++) after = emit(node.node, after);
        return after;
      }
    }
  }

  const start = emit(root, MATCH_STEP);
  return { steps, start, sets };
}
