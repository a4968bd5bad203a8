/**
 * Compares a run of a command with the one before (contract, Capturing): which findings are gone, new and still there, and
 * which other lines changed. What is not certain is not counted: `change_text.ts` shows it.
 */

import { utf8Text } from "../../../fd/system.ts";
import { NOTHING_IGNORED, sayingOf, VOLATILE, withoutIgnored } from "../comparing/ignored_text.ts";
import { unifiedDiff } from "../comparing/unified_diff.ts";
import { type ChangedFindings, changedFindings, type Pair } from "./changed_findings.ts";
import { type FindingLines, namesOf, OtherLines, type UntoldLine } from "./other_lines.ts";
import { type Said, totalOf } from "./run_findings.ts";
import { areEqual, type UnorderedLines, unorderedLines } from "./unordered_lines.ts";
import { withUnreached } from "./unreached_findings.ts";

/** Changes from one run to the next. */
export interface ContentChange {
  /** Undefined if the contents have too many findings. */
  changed: ChangedFindings | undefined;
  /** The lines that one of the two has only, order, times and the like aside; undefined if they were not compared. */
  others: UnorderedLines | undefined;
  /** The lines of each run that name what no finding names. */
  untold: readonly UntoldLine[][];
  /** Whether no finding changed, but other lines did: findings in the same words may be about other things. */
  hasOthers?: boolean;
  /** With `hasOthers`: the rows of a diff, if they are few. */
  diff?: string[] | undefined;
}

/** In longer contents, only findings are compared. */
const MAX_LINED_BYTES = 2 ** 20;
/** Of contents with more lines that are not equal, only findings are compared. */
const MAX_UNEQUAL = 4000;

/** Compares the clean views of two contents. With `isCut`, the second run was stopped before its end. */
export function contentChange(before: Uint8Array, after: Uint8Array, isCut = false): ContentChange {
  const isShort = Math.max(before.length, after.length) <= MAX_LINED_BYTES;
  const others = isShort ? unorderedLines(before, after, MAX_UNEQUAL) : undefined;
  const lines = others && new OtherLines(others);
  const found = changedFindings(before, after, lines);
  const changed = found && withUnreached(found, lines, isCut);
  if (changed === undefined || others === undefined || lines === undefined) {
    return { changed, others, untold: [] };
  }
  const { gone, fresh, recounted, unclear, still } = changed;
  const named = new Set(
    [...gone, ...fresh, ...recounted.flat()].flatMap(({ text }) => namesOf(sayingOf(text))),
  );
  // A verdict that names nothing may be about what has other measures.
  const isVerdict = named.size === 0 && (gone.length === 0) !== (fresh.length === 0);
  const untoldIn = (run: 0 | 1, changed: readonly Said[]) =>
    lines.untold(run, findingLines(changed, recounted, still, run), named, isVerdict && changed.length === 0);
  const untold = [untoldIn(0, [...gone, ...unclear.gone]), untoldIn(1, [...fresh, ...unclear.fresh])];
  const areTotals = [...still, ...recounted].every(([said]) => totalOf(said).count > 0);
  const isUnchanged = [gone, fresh, unclear.gone, unclear.fresh].every(({ length }) => length === 0) &&
    (recounted.length === 0 || still.length === 0 && areTotals);
  // Lines that only moved may be below the heading of another file, or about another thing that they do not name.
  const isNamed = ({ saying }: Said) => /\w[./_]\w|\p{L}\d/u.test(saying);
  const mayMove = still.some(([said]) => areTotals || !isNamed(said)) && others.isMoved;
  const hasOthers = isUnchanged && (mayMove || !areEqual(others) || areRenumbered(still));
  const isShown = hasOthers ? !(areTotals && areEqual(others)) : others.isMoved && still.length === 0;
  const diff = isShown ? diffRows(before, after) : undefined;
  return { changed, others, untold, hasOthers, diff };
}

/** Whether findings say the same but for a number that is not of a place in a file, such as that of a statement. */
function areRenumbered(still: readonly Pair[]): boolean {
  const rawOf = ({ text }: Said) => withoutIgnored(text, { ...NOTHING_IGNORED, ...VOLATILE });
  return Map.groupBy(still, ([, { sender, saying }]) => `${sender}\n${saying}`).values().some((same) => {
    if (same.length < 2 || PLACED.test(same[0]![1].text)) return false;
    const [before, now] = [same.map(([each]) => rawOf(each)), same.map(([, each]) => rawOf(each))];
    return before.sort().join("\n") !== now.sort().join("\n");
  });
}

/** The lines of a run's findings, of which `changed` are gone or new. */
function findingLines(
  changed: readonly Said[],
  recounted: readonly Pair[],
  still: readonly Pair[],
  run: 0 | 1,
): FindingLines {
  const linesOf = (all: readonly Said[]) => new Set(all.map(({ line }) => line));
  const all = [...changed, ...recounted.map((pair) => pair[run])];
  // In the same words about other lines of source, it may be about another thing.
  const others = recounted.filter(([before, now]) => before.saying !== now.saying).map((pair) => pair[run]);
  // Of several that say the same, it may be another one.
  const sayings = new Set(changed.map(({ saying }) => saying));
  const same = still.map((pair) => pair[run]).filter(({ saying }) => sayings.has(saying));
  return {
    all: linesOf([...all, ...still.map((pair) => pair[run])]),
    changed: linesOf(all),
    blocks: linesOf([...changed, ...others, ...same].filter((said) => totalOf(said).count === 0)),
  };
}

/** The most lines without findings that are shown, and their chars. */
export const MAX_OTHERS = 20;
export const MAX_OTHER_CHARS = 2000;

/** A diff, with the line above each change, which may name what changed; undefined if it is long. */
function diffRows(before: Uint8Array, after: Uint8Array): string[] | undefined {
  const sideOf = (bytes: Uint8Array) => ({ name: "", bytes });
  const diff = unifiedDiff(sideOf(before), sideOf(after), 1, { ...NOTHING_IGNORED, ...VOLATILE });
  if (diff.length > MAX_OTHER_CHARS || diff.includes(0)) return undefined;
  const rows = utf8Text(diff).trimEnd().split("\n").slice(2);
  return rows.filter((row) => /^[-+]/.test(row)).length <= MAX_OTHERS ? rows : undefined;
}

/** A place in a file, which moves when lines are added above it. */
const PLACED = /\.\w{1,5}[:(]\d/;
