/**
 * Tells which findings are gone, new and still there in the second of two runs. A finding is what its line says; a number that
 * may be part of a name counts. What is not certain is not counted.
 */

import { CHOSEN_IDS, sayingOf } from "../comparing/ignored_text.ts";
import { NamedLines, shapeOf } from "./named_lines.ts";
import { NAME, type OtherLines, ungraded } from "./other_lines.ts";
import { pairByKey } from "./pair_by_key.ts";
import { FAILURE_COUNT, findingsOf, type Said, totalOf } from "./run_findings.ts";

/** Findings, the heaviest first. */
export interface ChangedFindings extends Changed {
  /** Findings that say the same but for values and counts, or of other source: before, and now. */
  recounted: readonly Pair[];
  still: readonly Pair[];
  /** Findings of one run that may be those of the other with other values. */
  unclear: Changed;
  /** Whether the tool's own count contradicts what is gone or new: then all of it is unclear. */
  isContrary: boolean;
  /** Why findings may be absent, if the second run was stopped or ended early. */
  cut?: string | undefined;
}

interface Changed {
  gone: readonly Said[];
  fresh: readonly Said[];
}

export type Pair = readonly [before: Said, now: Said];

/** Compares two contents, each the clean view of a run's output, by their findings; undefined if they have too many. */
export function changedFindings(
  before: Uint8Array,
  after: Uint8Array,
  others?: OtherLines,
): ChangedFindings | undefined {
  const [allThen, allNow] = [findingsOf(before), findingsOf(after)];
  if (allThen === undefined || allNow === undefined) return undefined;
  // What a test is called is a finding where it failed, not where its name alone is.
  const failed = [...allThen, ...allNow].filter(({ saying }) => FAILED_END.test(saying));
  const names = new Set(failed.map(({ saying }) => saying.replace(FAILED_END, "")));
  const isMore = ({ saying }: Said) => !names.has(saying);
  const [then, now] = [allThen.filter(isMore), allNow.filter(isMore)];
  const { still, ...paired } = pairedFindings(then, now);
  const { regraded, ...left } = withoutRegraded(paired, [then, now], others);
  const recounted = [...paired.recounted, ...regraded];
  // Lines that both have: other lines told in one of them only that they are findings.
  const isRead = (run: number) => (said: Said) => idsOf(said) !== "" || others?.has(run, said) !== false;
  const read = { gone: left.gone.filter(isRead(0)), fresh: left.fresh.filter(isRead(1)) };
  const { sure, pairs } = told(read, still, () => new NamedLines([before, after]));
  const doubtful = otherwiseSaid(sure, [then, now]);
  const same = new Set(pairs.flat());
  const isApart = (said: Said) => !same.has(said);
  const [lost, added] = [left.gone.filter(isApart), left.fresh.filter(isApart)];
  const isContrary = still.length + lost.length + added.length > 0 &&
    isContradicted({ gone: lost, fresh: added }, [...still, ...recounted, ...pairs]);
  const certain = new Set(isContrary ? [] : [...sure.gone, ...sure.fresh]).difference(doubtful);
  const only = (isCertain: boolean) => ({
    gone: lost.filter((said) => certain.has(said) === isCertain).sort(heaviest),
    fresh: added.filter((said) => certain.has(said) === isCertain).sort(heaviest),
  });
  return {
    ...only(true),
    unclear: only(false),
    recounted: [...recounted, ...pairs],
    still: still.toSorted(([, one], [, other]) => heaviest(one, other)),
    isContrary,
  };
}

function heaviest(one: Said, other: Said): number {
  return other.weight - one.weight || one.line - other.line;
}

function idsOf({ text }: Said): string {
  return text.match(CHOSEN_IDS)?.join() ?? "";
}

/** Findings that say the same in both, or the same but for what they count; and the others. */
function pairedFindings(then: readonly Said[], now: readonly Said[]) {
  const still: Pair[] = [];
  const recounted: Pair[] = [];
  let left: Changed = { gone: then, fresh: now };
  const pair = (keyOf: (said: Said) => string | undefined, pairs: Pair[]) => {
    const paired = pairByKey(left.gone, left.fresh, (said) => {
      const key = keyOf(said);
      // In one run only, there may be enough lines to recognize the prefix of each.
      return key && `${said.sender} ${key}`.trim();
    });
    pairs.push(...paired.pairs);
    left = paired;
  };
  pair((said) => idsOf(said) && `${said.saying}\n${said.source}\n${idsOf(said)}`, still);
  // Those that both runs have are names.
  const nameOf = still.length > 0 ? idsOf : () => "";
  pair((said) => `${said.saying}\n${said.source}\n${nameOf(said)}`, still);
  // The same is said of other lines of source: it moved, or it is elsewhere, if nothing but the source names it.
  pair(
    (said) => said.source === "" || said.saying.search(NAME) >= 0 ? `${said.saying} ${nameOf(said)}` : "",
    recounted,
  );
  pair((said) => nameOf(said) && `${shapeOf(said.saying)} ${nameOf(said)}`, recounted);
  pair((said) => {
    const key = ungraded(said.saying);
    return key && `${key} ${nameOf(said)}`;
  }, recounted);
  // In other words at one place: what a linter quotes there.
  pair(({ text, signAt }) => signAt === 0 ? QUOTING.exec(text)?.[0] : undefined, recounted);
  for (const part of ["text", "lead"] as const) {
    const counts = [then, now].map((all) => Map.groupBy(all, (said) => totalOf(said)[part]));
    // One of many may be one that a number names.
    const isOne = (key: string) => counts.every((all) => all.get(key)?.length === 1);
    pair((said) => {
      const { count, [part]: key } = totalOf(said);
      return key !== undefined && count > 0 && (part === "text" && count > 1 || isOne(key)) ? key : undefined;
    }, recounted);
  }
  return { gone: left.gone, fresh: left.fresh, still, recounted };
}

/** Findings that the other run has as lines of another gravity, which it does not count as findings; and the rest. */
function withoutRegraded(
  { gone, fresh }: Changed,
  runs: readonly (readonly Said[])[],
  others: OtherLines | undefined,
) {
  const found = runs.map((all) => new Set(all.map(({ line }) => line)));
  const [lost, added] = [gone, fresh].map((all, run) =>
    all.map((said) => ({ said, other: others?.regraded(run, said.saying, found[1 - run]!) }))
  );
  const pairs = (all: typeof lost, pairOf: (said: Said, other: Said) => Pair) =>
    all!.flatMap(({ said, other }) => other === undefined ? [] : [pairOf(said, { ...said, ...other })]);
  const rest = (all: typeof lost) => all!.flatMap(({ said, other }) => other === undefined ? [said] : []);
  const regraded = [
    ...pairs(lost, (said, other) => [said, other]),
    ...pairs(added, (said, other) => [other, said]),
  ];
  return { gone: rest(lost), fresh: rest(added), regraded };
}

/** The place and the first words of a finding below its file. */
const QUOTING = /^\S+: (?:[A-Z]+\d+ )?\d+:\d+ +(?:\S+ +){4}\S+/;

/** The mark that a runner puts behind the name of a test that failed. */
const FAILED_END = /\s*(?:\((?:FAILED|ERROR)\)|\*+ FAILED \*+|\[E\])$/;

/** Tells findings that differ in numbers only: which are surely gone or new, and which are the same with other values. */
function told(
  left: Changed,
  still: readonly Pair[],
  namesOf: () => NamedLines,
): { sure: Changed; pairs: Pair[] } {
  // With what is before each line, of which one run may tell more.
  const textOf = ({ text }: Said) => sayingOf(text);
  const lineOf = ({ line }: Said) => line;
  const shapeIn = new Map([...left.gone, ...left.fresh].map((said) => [said, shapeOf(textOf(said))]));
  const [lost, added] = [left.gone, left.fresh].map((all) => Map.groupBy(all, (said) => shapeIn.get(said)!));
  const shapes = [...lost!.keys()].filter((shape) => added!.has(shape));
  if (shapes.length === 0) return { sure: left, pairs: [] };
  const names = namesOf();
  // Measures would be others in these, too.
  const stable = new Set(still.map(([, said]) => shapeOf(textOf(said))));
  const nameIn = new Map<string, (text: string) => string>();
  const unclear = new Set(shapes.filter((shape) => {
    const [then, now] = [lost!.get(shape)!, added!.get(shape)!];
    const name = names.nameIn(then.map(textOf), now.map(textOf));
    if (name !== undefined) nameIn.set(shape, name);
    const isStable = () => stable.has(shape) && !names.isInPlace(then.map(lineOf), now.map(lineOf));
    return name === undefined && !names.areDistinct(then.map(textOf), now.map(textOf), isStable);
  }));
  const { gone, fresh, pairs } = pairByKey(left.gone, left.fresh, (said) => {
    const shape = shapeIn.get(said)!;
    const name = nameIn.get(shape);
    return name && `${shape} ${name(textOf(said))}`;
  });
  const isSure = (said: Said) => !unclear.has(shapeIn.get(said)!);
  return { sure: { gone: gone.filter(isSure), fresh: fresh.filter(isSure) }, pairs };
}

/** Whether what a tool counts as failures grew without a new finding, or shrank though none is gone. */
function isContradicted({ gone, fresh }: Changed, pairs: readonly Pair[]): boolean {
  const countOf = (said: Said) => {
    const [, before, behind] = (totalOf(said).count > 0 && FAILURE_COUNT.exec(said.saying)) || [];
    return Number(before ?? behind);
  };
  return pairs.some(([before, now]) => {
    const grown = countOf(now) - countOf(before);
    return grown > 0 && fresh.length === 0 || grown < 0 && gone.length === 0;
  });
}

/** Findings of one run that may be some of the other in other words: as many of each run have an identifier that both have. */
function otherwiseSaid({ gone, fresh }: Changed, runs: readonly Said[][]): Set<Said> {
  const counts = runs.map((run) => Map.groupBy(run.flatMap((said) => identifiersOf(said)), (name) => name));
  const [lost, added] = [gone, fresh].map((all) => new Set(all.flatMap((said) => identifiersOf(said))));
  const shared = lost!.intersection(added!);
  for (const name of shared) {
    const [before, now] = counts.map((all) => all.get(name)!.length);
    if (before !== now || before! > MAX_SAME) shared.delete(name);
  }
  return new Set([...gone, ...fresh].filter((said) => identifiersOf(said).some((name) => shared.has(name))));
}

function identifiersOf({ saying }: Said): string[] {
  const words = saying.split(/[^\p{L}\p{N}_.:/-]+/u).filter((word) => !PATH.test(word));
  return [...new Set(words.flatMap((word) => word.split("/")).filter((part) => IDENTIFIER.test(part)))];
}

/** A name of more findings is that of a host or a version. */
const MAX_SAME = 4;
const PATH = /^\/|\/.*\//;
/** A word with a number, but not a file, an address, the code of a rule or the kind of an error. */
const IDENTIFIER =
  /^(?![A-Z]+-?\d+:?$|0x|.*(?:Error|Exception|Warning):?$)(?!.*\.[a-z]\w{0,4}(?::\d+)*:?$)(?=.*\d)(?:.*\p{L}|.{6})/u;
