/**
 * Compares a run of a command with the one before (contract, Capturing): the same content, or which findings are gone, new
 * and still there. A finding is what its line says (`sayingOf`); a number that may be part of a name counts.
 */

import { cleanBytes, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import {
  LEFT_OUT,
  NOTHING_IGNORED,
  sayingOf,
  UUIDS,
  VOLATILE,
  withoutCounts,
  withoutIgnored,
} from "../comparing/ignored_text.ts";
import { unifiedDiff } from "../comparing/unified_diff.ts";
import { NamedLines, shapeOf } from "../comparing/named_lines.ts";
import {
  BELOW_ITS_FILE,
  FILE_HEADING,
  type NumberedLine,
  type UnorderedLines,
  unorderedLines,
} from "../comparing/unordered_lines.ts";
import { counted, groupedDigits } from "../../answers/parts/grouped_digits.ts";
import type { PreviewPart } from "../../calls/terms/answers.ts";
import { latin1Of, utf8Of } from "../outline/outlined_content.ts";
import { reportLines } from "./json_reports.ts";
import { verdictOf } from "./failure_signs.ts";
import { MENTION_SHARE, reportedShare } from "./mentioned_failures.ts";
import { watchContent } from "./watch_content.ts";
import { type Weighed, weightOf } from "./weigh_lines.ts";

/** A line that reports a failure. */
interface Said extends Weighed {
  text: string;
  /** Equal for lines that say the same. */
  saying: string;
  /** The service or process that wrote the line, as a log says before it. */
  sender: string;
  /** The line above it, and the line of source that is shown below it. */
  lineAbove: string;
  source: string;
  /** Made when asked for. */
  total?: Total;
  /** The first sign and what is before it, without names and numbers; without a sign, the kind. */
  form: string;
  /** The chars before the first sign. */
  signAt: number;
}

/** Changes from one run to the next. */
export interface ContentChange {
  /** Undefined if the contents have too many findings. */
  changed: ChangedFindings | undefined;
  /** The lines that one of the two has only, order, times and the like aside; undefined if they were not compared. */
  others: UnorderedLines | undefined;
  /** With `hasOthers`: the rows of a diff, if they are few. */
  diff?: string[] | undefined;
  /** Whether lines changed, but no finding: they may report a failure in other words. */
  hasOthers: boolean;
}

/** Findings, the heaviest first. */
export interface ChangedFindings extends Changed {
  /** Findings that say the same but for values and counts, or of other source: before, and now. */
  recounted: readonly Pair[];
  still: readonly Pair[];
  /** Findings of one run that may be those of the other with other numbers. */
  unclear: Changed;
  /** Whether the tool's own count contradicts what is gone or new: then all of it is unclear. */
  isContrary: boolean;
  /** Whether findings may be absent because the second run was stopped. */
  isCut: boolean;
}

interface Changed {
  gone: readonly Said[];
  fresh: readonly Said[];
}

type Pair = readonly [before: Said, now: Said];

/** With more findings, they are not compared. */
const MAX_FINDINGS = 10_000;

/** The strength from which on a line is a finding; one that starts with a place has it. */
const MIN_STRENGTH = 20;

/** Compares the clean views of two contents. With `isCut`, the second run was stopped before its end. */
export function contentChange(before: Uint8Array, after: Uint8Array, isCut = false): ContentChange {
  const changed = changedFindings(before, after, isCut);
  const isShort = Math.max(before.length, after.length) <= MAX_LINED_BYTES;
  const { gone, fresh, recounted, unclear, still } = changed ?? NO_CHANGE;
  const isChanged = [gone, fresh, unclear.gone, unclear.fresh].some(({ length }) => length > 0);
  const others = isShort && changed !== undefined
    ? unorderedLines(before, after, Infinity, isChanged ? MAX_UNEQUAL : undefined)
    : undefined;
  if (changed === undefined || isChanged) {
    return { changed, others, hasOthers: false };
  }
  const areTotals = [...still, ...recounted].every(([{ saying }]) => withoutCounts(saying).count > 0);
  const isUnchanged = recounted.length === 0;
  // Lines that only moved may be below the heading of another file, or about another thing that they do not name.
  const isNamed = ({ saying }: Said) => /\w[./_]\w|\p{L}\d/u.test(saying);
  const mayMove = still.some(([said]) => areTotals || !isNamed(said)) && others?.isMoved !== false;
  const hasOthers = !areEqual(others) && (isUnchanged || still.length === 0 && areTotals) ||
    isUnchanged && (mayMove || areAlike(still));
  // Where nothing but counts are findings, lines that moved say the same.
  const areCounts = areTotals && still.length + recounted.length > 0;
  const isDiffShown = (hasOthers || still.length === 0) && !(areCounts && areEqual(others));
  return { changed, others, diff: isDiffShown ? diffRows(before, after) : undefined, hasOthers };
}

/** A diff, with the line above each change, which may name what changed; undefined if it is long. */
function diffRows(before: Uint8Array, after: Uint8Array): string[] | undefined {
  if (Math.max(before.length, after.length) > MAX_LINED_BYTES) return undefined;
  const sideOf = (bytes: Uint8Array) => ({ name: "", bytes });
  const diff = unifiedDiff(sideOf(before), sideOf(after), 1, { ...NOTHING_IGNORED, ...VOLATILE });
  if (diff.length > MAX_OTHER_CHARS || diff.includes(0)) return undefined;
  const rows = utf8Text(diff).trimEnd().split("\n").slice(2);
  return rows.filter((row) => /^[-+]/.test(row)).length <= MAX_OTHERS ? rows : undefined;
}

/** The words of the names in a line, times, places and counts aside. */
function namesOf(text: string): string[] {
  return (withoutCounts(sayingOf(text)).text.match(NAME) ?? []).flatMap((name) => name.split(/[ ./_-]+/));
}

/** In longer contents, only findings are compared. */
const MAX_LINED_BYTES = 2 ** 20;
/** If findings changed, other lines are not looked for among more that differ in times and the like. */
const MAX_UNEQUAL = 2000;

function areEqual(lines: UnorderedLines | undefined): boolean {
  return lines?.gone.length === 0 && lines.fresh.length === 0;
}

/** A place in a file, which moves when lines are added above it. */
const PLACED = /\.\w{1,5}[:(]\d/;

/** Whether some findings say the same, but what tells them apart, a line above or the number of a statement, is not the same. */
function areAlike(still: readonly Pair[]): boolean {
  const contextOf = ({ lineAbove, text }: Said) =>
    `${sayingOf(lineAbove)}\n${withoutIgnored(text, { ...NOTHING_IGNORED, ...VOLATILE })}`;
  return Map.groupBy(still, ([, { sender, saying }]) => `${sender}\n${saying}`).values().some((same) => {
    if (same.length < 2 || PLACED.test(same[0]![1].text)) return false;
    const [before, now] = [same.map(([each]) => contextOf(each)), same.map(([, each]) => contextOf(each))];
    return before.sort().join("\n") !== now.sort().join("\n");
  });
}

/**
 * Compares two contents, each the clean view of a run's output, by their findings; undefined if they have too many.
 */
export function changedFindings(
  before: Uint8Array,
  after: Uint8Array,
  isCut = false,
): ChangedFindings | undefined {
  const [then, now] = [findingsOf(before), findingsOf(after)];
  if (then === undefined || now === undefined) return undefined;
  // What a test is called is a finding where it failed, not where its name alone stands.
  const names = new Set(
    [...then, ...now].map(({ saying }) => saying).filter((saying) => FAILED_END.test(saying)),
  );
  const named = new Set([...names].map((saying) => saying.replace(FAILED_END, "")));
  const isMore = ({ saying }: Said) => !named.has(saying);
  const still: Pair[] = [];
  const recounted: Pair[] = [];
  let left = { gone: then.filter(isMore), fresh: now.filter(isMore) };
  const pair = (keyOf: (said: Said) => string | undefined, pairs: Pair[]) => {
    const keyWithSender = (said: Said) => {
      const key = keyOf(said);
      // In one run only, there may be enough lines to recognize the prefix of each.
      return key === undefined ? undefined : `${said.sender} ${key} ${idsOf(said)}`.trim();
    };
    left = paired(left.gone, left.fresh, keyWithSender, pairs);
  };
  let idsOf = ({ text }: Said) => text.match(UUIDS)?.join() ?? "";
  pair((said) => idsOf(said) === "" ? undefined : `${said.saying}\n${said.source}`, still);
  // UUIDs that both runs have are names.
  if (still.length === 0) idsOf = () => "";
  pair(({ saying, source }) => `${saying}\n${source}`, still);
  // The same is said of other lines of source: it moved, or it is elsewhere, if nothing but the source names it.
  pair(({ saying, source }) => source === "" || saying.search(NAME) >= 0 ? saying : undefined, recounted);
  pair((said) => idsOf(said) === "" ? undefined : shapeOf(said.saying), recounted);
  // In other words at one place: what a linter quotes there.
  pair(({ text, signAt }) => signAt === 0 ? QUOTING.exec(text)?.[0] : undefined, recounted);
  for (const part of ["total", "lead"] as const) {
    const [older, newer] = [then, now].map((all) => Map.groupBy(all, (said) => totalOf(said)[part]));
    // One of many may be one that a number names.
    const isOne = (key: string) => older!.get(key)?.length === 1 && newer!.get(key)?.length === 1;
    pair((said) => {
      const { count, [part]: key } = totalOf(said);
      return key !== undefined && count > 0 && (part === "total" && count > 1 || isOne(key))
        ? key
        : undefined;
    }, recounted);
  }
  const misread = misreadIn(left, [then, now], [before, after]);
  const isRead = (said: Said) => !misread.has(said);
  const isMisread = (said: Said) => misread.has(said);
  const read = { gone: left.gone.filter(isRead), fresh: left.fresh.filter(isRead) };
  const { sure, unclear } = cleared(read, still, () => new NamedLines([before, after]), recounted);
  unclear.gone.push(...left.gone.filter(isMisread), ...(isCut ? sure.gone : []));
  unclear.fresh.push(...left.fresh.filter(isMisread));
  if (isCut) sure.gone = [];
  const rest = { gone: [...sure.gone, ...unclear.gone], fresh: [...sure.fresh, ...unclear.fresh] };
  // Counts alone say of no finding that it is gone, new or left.
  const areCounts = rest.gone.length + rest.fresh.length + still.length === 0;
  const isContrary = !areCounts && isContradicted(rest, [...still, ...recounted]);
  const heaviest = (one: Said, other: Said) => other.weight - one.weight || one.line - other.line;
  still.sort(([, one], [, other]) => heaviest(one, other));
  const sorted = ({ gone, fresh }: Changed) => ({
    gone: gone.toSorted(heaviest),
    fresh: fresh.toSorted(heaviest),
  });
  return {
    ...sorted(isContrary ? NO_CHANGE : sure),
    unclear: sorted(isContrary ? rest : unclear),
    recounted,
    still,
    isContrary,
    isCut: isCut && unclear.gone.length > 0,
  };
}

/** Findings whose lines are in both contents as often, but of which other lines told in one of them that they are findings. */
function misreadIn(
  { gone, fresh }: Changed,
  findings: readonly Said[][],
  contents: readonly Uint8Array[],
): Set<Said> {
  const all = [...gone, ...fresh];
  if (all.length === 0 || Math.max(...contents.map(({ length }) => length)) > MAX_LINED_BYTES) {
    return new Set();
  }
  const sayings = new Set(all.map(({ text }) => sayingOf(text)));
  // Most lines begin otherwise, and need no saying.
  const wordOf = (text: string) => /\p{L}{3,}/u.exec(text)?.[0];
  const words = new Set(all.map(({ text }) => wordOf(text)));
  const countsOf = (texts: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const text of texts) {
      if (!words.has(wordOf(text))) continue;
      const saying = sayingOf(text);
      if (sayings.has(saying)) counts.set(saying, (counts.get(saying) ?? 0) + 1);
    }
    return counts;
  };
  const [linesThen, linesNow] = contents.map((content) => countsOf(utf8Text(content).split("\n")));
  const [then, now] = findings.map((each) => countsOf(each.map(({ text }) => text)));
  return new Set(all.filter(({ text }) => {
    const saying = sayingOf(text);
    return linesThen!.has(saying) && linesThen!.get(saying) === linesNow!.get(saying) &&
      then!.get(saying) !== now!.get(saying);
  }));
}

/** Findings that are surely gone or new, those that may be each other with other values, and, in `pairs`, those that are. */
function cleared(
  left: Changed,
  still: readonly Pair[],
  namesOf: () => NamedLines,
  pairs: Pair[],
): { sure: Changed; unclear: { gone: Said[]; fresh: Said[] } } {
  // With what is before each line, of which one run may tell more.
  const textOf = ({ text }: Said) => sayingOf(text);
  const shapeIn = new Map([...left.gone, ...left.fresh].map((said) => [said, shapeOf(textOf(said))]));
  const [lost, added] = [left.gone, left.fresh].map((all) => Map.groupBy(all, (said) => shapeIn.get(said)!));
  const shapes = [...lost!.keys()].filter((shape) => added!.has(shape));
  if (shapes.length === 0) return { sure: left, unclear: { gone: [], fresh: [] } };
  const names = namesOf();
  // Measures would be others in these, too.
  const stable = new Set(still.map(([, said]) => shapeOf(textOf(said))));
  const nameIn = new Map<string, (text: string) => string>();
  const unclear = new Set(shapes.filter((shape) => {
    const [before, now] = [lost, added].map((all) => all!.get(shape)!.map(textOf));
    const name = names.nameIn(before!, now!);
    if (name !== undefined) nameIn.set(shape, name);
    return name === undefined && !names.areDistinct(before!, now!, stable.has(shape));
  }));
  const { gone, fresh } = paired(left.gone, left.fresh, (said) => {
    const shape = shapeIn.get(said)!;
    const name = nameIn.get(shape);
    return name && `${shape} ${name(textOf(said))}`;
  }, pairs);
  const only = (all: readonly Said[], isUnclear: boolean) =>
    all.filter((said) => unclear.has(shapeIn.get(said)!) === isUnclear);
  const changeOf = (isUnclear: boolean) => ({ gone: only(gone, isUnclear), fresh: only(fresh, isUnclear) });
  return { sure: changeOf(false), unclear: changeOf(true) };
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

const FAILURE_COUNT =
  /(?<![\w.-])(\d+) (?:[a-z]+ )?(?:fail(?:ed|ing|ures?)|errors?|problems?|issues?|violations?|offenses?)\b|\bfail(?:ed|ures?)?: *(\d+)/i;

/** The mark that a runner puts behind the name of a test that failed. */
const FAILED_END = /\s*(?:\((?:FAILED|ERROR)\)|\*+ FAILED \*+|\[E\])$/;

/** The finding as one that counts: without its counts, and the start of a line that begins with one. */
interface Total {
  total: string;
  lead: string | undefined;
  count: number;
}

function totalOf(said: Said): Total {
  if (said.total === undefined) {
    const { text, count } = withoutCounts(said.saying);
    said.total = {
      total: text,
      lead: TOTAL.exec(text)?.[0].toLowerCase().replace(/ w\w+ /, " "),
      count,
    };
  }
  return said.total;
}

/** The place and the first words of a finding below its file. */
const QUOTING = /^\S+: (?:[A-Z]+\d+ )?\d+:\d+ +(?:\S+ +){4}\S+/;
/**
 * A word with a digit, a path or a word of several, and a word with a number behind it. The bounds change no name, but the time
 * that a line of a million letters or digits takes.
 */
const NAME =
  /(?<!\p{L})(?=\S{0,99}\p{L})[\p{L}\p{N}]+(?:(?:[./_-]+[\p{L}\p{N}]+)+|(?<=\d)|(?<=\p{L}{3}) \d+)/gu;
const TOTAL = new RegExp(
  `^\\W*(?:(?:found|there w\\w+|tests?|total|results?|summary)\\b\\W*)?${LEFT_OUT}`,
  "i",
);

/** Adds to `pairs` what has the same key, in order; returns the others, and what has none. */
function paired(
  then: readonly Said[],
  now: readonly Said[],
  keyOf: (said: Said) => string | undefined,
  pairs: Pair[],
) {
  const waiting = Map.groupBy(now, keyOf);
  const gone = then.filter((said) => {
    const key = keyOf(said);
    const same = key === undefined ? undefined : waiting.get(key)?.shift();
    if (same !== undefined) pairs.push([said, same]);
    return same === undefined;
  });
  return { gone, fresh: [...waiting.values()].flat() };
}

/** The same with a line only, if the line above is a heading that ends with a path. */
const IN_COLUMN = /^\s+\d+(?=\s{2,}\S)/;
/** A line that says where the one above it is. */
const ARROW = /^\s*(?:-->|\u2570|\u256d\u2500\[|,-\[)\s*([^\s:]+)/;
/** The line below it says what it is about, unless that is a trace or a list: `3) Failure:`. */
const AWAITS =
  /^(?!.*\d failure|.*\b(?:errors|failures|failed(?! [a-z]*[^\W\ds]:$)|problems|issues|tests?|symbols|following)\b).*[^)]:$/i;
/** A line below it that says what it is about: javac, terraform. */
const SYMBOL = /^\s+symbol: |^[\s\u2502]*(?:on \S+ line \d+|with \S+,$)/;
/** The marks below a line of source; a finding that begins so is of the file in the last heading. */
const MARKS = /^[\s|\u2502>]*[\^~]+[\s\^~-]*/;
const HEADING = /^In \S+ line \d+:$/;
/** A test that begins, a line of TAP that names the test whose result is on the next, or the heading of a table. */
const TEST_NAME_OR_HEADING =
  /^\[ *RUN *\]|^=== RUN |^\s*# .*\n\s*(?:not )?ok\b|^\s*[|\xe2].*\n\s*(?:\xe2\x94[\x9c\x9d\xa0\xa3]|\xe2\x95[\x9e\x9f\xa0]|[|+][-=+|: ]+$)/;
/** The number before a line of source. */
const GUTTER = /^\s*>?\s*\d+\s*[|\u2502]/;
/** Nothing of a kind, or nothing that failed: `# fail 0`, `Note: …`. */
const NONE =
  /^\W*(?:[a-z]+ 0(?:$|\W)|(?:[a-z]+ ){1,3}[a-z]*\s*[:=]\s*0(?:$|\s*\()|(?:note|hint|info|tip): )/i;
/** A test that passed, behind its place or a label: `rate_test.c:170:zone_40:PASS`, `core: PASSED: zone 40`. */
const PASSED_AT_PLACE = /^(?!.*(?:fail|error)).*:\s*PASS(?:ED)?(?:$|:)/;
/** How far a run has come, and what failed so far. */
const PROGRESS = /\b\d+ (?:of|\/) \d+ \(\d+ (?:failed|errors?|failures?)\)/i;
/** A line of source that is shown below a finding. */
const SNIPPET =
  /^\s{2,}(?:\d+:|\u2771 \d+)\s|^\s*(?:\[\w+\]\s*)?(?:>?\s*\d+\s*[|\u2502]|[|\u2502]\s*[\^~+-])/;
/** The end of a line that a program wrote about its own source. */
const AT_PLACE = /\bat \S+ line \d+\.?$|^==\d+==\s+at 0x/;

/** The start of a line: `src/a.js: line 3, col 10, `. */
const LINE_AND_COLUMN = /^[^\s:]{1,200}\.\w{1,6}: line \d+, col/;

/** A line that explains another finding. */
const NOTE = /\b(?:note|hint|help):/;
/** A line that starts with a place says more than one that only says that something failed. */
const PLACE_WEIGHT = 1.5;

/** The findings of the content, in order; undefined if they are too many to be compared. */
function findingsOf(content: Uint8Array): Said[] | undefined {
  const report = reportLines(content);
  const bytes = report?.bytes ?? content;
  const findings: Said[] = [];
  const watcher = watchContent(ALL_OF_KIND);
  watcher?.see(bytes);
  const watched = watcher?.end();
  const judged = new Map(watched?.findings.map((finding) => [finding.line, finding]));
  const lines = latin1Of(bytes).split("\n");
  if (lines.at(-1) === "") lines.pop();
  // Times, and names of services and processes, are no part of what a line says.
  const bodies = lines.map((line) => line.slice(watched?.bodyStart(line) ?? 0));
  const bodyAt = (line: number) => bodies[line - 1];
  const kinds = new Map<number, number>();
  let [file, heading, last] = ["", "", ""];
  /** The finding on the line above, or that awaits more; and the one of which source may be shown. */
  let above: Said | undefined;
  let recent: Said | undefined;
  for (const [at, body] of bodies.entries()) {
    const found = judged.get(at + 1) ?? NOT_JUDGED;
    const origin = report?.origins[at];
    const isBelow = origin?.isReported || BELOW_ITS_FILE.test(body) && FILE_HEADING.test(file);
    // The mark may be in what is before each line.
    const isPassed = PASSED_AT_PLACE.test(lines[at]!.slice(0, 500));
    const strength = isPassed ? 0 : strengthOf(body, bodies[at + 1], found, isBelow);
    const said = utf8Of(body);
    if (above !== undefined) {
      const arrow = ARROW.exec(said)?.[1];
      if (arrow !== undefined) locate(above, arrow);
      else if (strength < MIN_STRENGTH && AWAITS.test(above.text.trimEnd()) && said.trim() !== "") {
        above.saying += ` ${sayingOf(said.replace(GUTTER, ""))}`;
        above.text = `${above.text.trim()} ${said.trim()}`;
      }
      if (!AWAITS.test(above.text.trimEnd())) above = undefined;
    }
    // What is shown of the source is indented, or has its number before it.
    if (body === "" || /^[^\s|>\u2502]/.test(said) && !GUTTER.test(said)) recent = undefined;
    if (HEADING.test(said)) heading = said;
    if (recent !== undefined && SYMBOL.test(said)) {
      recent.saying += ` ${sayingOf(said)}`;
      recent.text += ` ${said.trim()}`;
    }
    const isReport = strength >= MIN_STRENGTH && !SNIPPET.test(said) &&
      reportedShare(bodyAt, at + 1) > MENTION_SHARE;
    if (isReport) {
      kinds.set(found.kind, (kinds.get(found.kind) ?? 0) + 1);
      above = recent = findingAt(found, strength, at + 1, lines[at]!, body);
      above.lineAbove = last;
      if (BELOW_ITS_FILE.test(said)) locate(above, file);
      else if (IN_COLUMN.test(said) && FILE_HEADING.test(file)) {
        above.saying = sayingOf(said.replace(IN_COLUMN, ""));
        locate(above, file);
      }
      if (MARKS.test(said)) locate(above, heading);
      findings.push(...eachOf(above));
      if (findings.length > MAX_FINDINGS) return undefined;
    } else if (/\w/.test(said) && !BELOW_ITS_FILE.test(said)) file = said;
    if (recent !== undefined && MARKS.test(said)) recent.source ||= last.replace(GUTTER, "").trim();
    last = said;
  }
  for (const said of findings) {
    said.weight *= weightOf(said.strength, kinds.get(said.kind)!);
    if (report !== undefined) said.line = report.origins[said.line - 1]!.line;
  }
  return findings;
}

/** How surely a line, in latin1, reports a failure. */
function strengthOf(
  body: string,
  next: string | undefined,
  { strength }: { strength: number },
  isBelow: boolean,
): number {
  const isAtPlace = isBelow || AT_PLACE.test(body.slice(-200)) || LINE_AND_COLUMN.test(body);
  if (strength < MIN_STRENGTH && !isAtPlace) return strength;
  const line = body.slice(0, 500);
  // Marks of progress alone.
  if (!/\p{L}/u.test(utf8Of(line))) return 0;
  if (verdictOf(line) === "passed" || NONE.test(line) || PROGRESS.test(line)) return 0;
  if (TEST_NAME_OR_HEADING.test(`${body}\n${next ?? ""}`)) return 0;
  return Math.max(strength, isAtPlace ? MIN_STRENGTH : 0);
}

function findingAt(
  { sign, kind, isPlace, signFrom, signTo }: typeof NOT_JUDGED,
  strength: number,
  line: number,
  latin1: string,
  body: string,
): Said {
  const bodyFrom = latin1.length - body.length;
  const before = utf8Of(latin1.slice(bodyFrom, signFrom));
  const { sender, isTimed } = senderOf(latin1.slice(0, bodyFrom));
  return {
    line,
    text: utf8Of(latin1),
    saying: isTimed ? sayingBehindTime(utf8Of(body)) : sayingOf(utf8Of(body)),
    sender,
    lineAbove: "",
    source: "",
    weight: NOTE.test(before) ? 1 / PLACE_WEIGHT : isPlace && signTo > signFrom ? PLACE_WEIGHT : 1,
    strength,
    sign,
    kind,
    form: signTo === 0
      ? `${kind}`
      : before.replace(/[\p{L}\p{N}_./-]+/gu, "a") + latin1.slice(signFrom, signTo + 1),
    signAt: utf8Of(latin1.slice(0, signFrom)).length,
  };
}

/** The saying of a line behind a time, where a number may be that of a process. */
function sayingBehindTime(text: string): string {
  const [saying, timed] = [sayingOf(text), sayingOf(`00:00:00 ${text}`)];
  const leftOut = (each: string) => each.split(LEFT_OUT).length;
  return leftOut(timed) > leftOut(saying) + 1 ? timed : saying;
}

/** The text that a log or a supervisor puts before a line, without times and numbers of steps, and without the hash in the name of a pod. */
function senderOf(prefix: string): { sender: string; isTimed: boolean } {
  // A time at the end of a line would be left out.
  const saying = sayingOf(`${prefix.replace(PASSING, "")}|`).slice(0, -1);
  // Any other number may be part of a name: `shard 17: `.
  const name = saying.replaceAll(LEFT_OUT, "").replace(/\[\d+\]/g, "").trim();
  return { sender: name, isTimed: saying.includes(LEFT_OUT) };
}

const PASSING =
  /^#\d+ \d+\.\d+ |^\[\d+\/\d+\] |-[a-z\d]{8,10}-[a-z\d]{5}(?=[/\]])|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,}\b|\b(?:info|debug)\b/gi;

/** The finding, or each test of a list of numbers or names: `Failed tests:  3, 7-9`. */
function eachOf(said: Said): Said[] {
  const names = FAILED_NAMES.exec(said.saying)?.[1]?.split(/[ ,]+/) ?? [];
  if (names.length > 0) {
    const textOf = (name: string) => names.length > 1 ? `${said.text} (${name})` : said.text;
    return names.map((name) => ({ ...said, saying: `failed test ${name}`, text: textOf(name) }));
  }
  const list = FAILED_LIST.exec(said.saying)?.[1];
  if (list === undefined) return [said];
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    const count = Math.min(last - first + 1, MAX_LISTED);
    return Array.from({ length: count }, (_, at) => ({
      ...said,
      saying: `failed test #${first + at}`,
      text: /\d\D+\d/.test(list) ? `${said.text} (${first + at})` : said.text,
    }));
  });
}

const FAILED_NAMES =
  /^fail(?:ed|ing|ures?) (?:test|suite|spec|case|file|target|module|package)(?:s|\(s\)):? ((?:\p{L}[^\s,:]*[._\/\d][^\s,:]*(?:[ ,]+|$))+)$/iu;
const FAILED_LIST = /^failed tests?:? ((?:\d+(?:-\d+)?(?:, ?|$))+)$/i;
const MAX_LISTED = 1000;

/** Every line is judged. */
const ALL_OF_KIND = 2 ** 31 - 1;

const NOT_JUDGED = { strength: 0, kind: 0, sign: 0, signFrom: 0, signTo: 0, isPlace: false };

/** Says of a finding in which file it is. */
function locate(said: Said, file: string): void {
  said.saying += ` ${sayingOf(file)}`;
  said.weight *= PLACE_WEIGHT;
  said.text = `${file}: ${said.text.trim()}`;
}

/** Findings that are shown of each way in which they changed, and the chars of each. */
const MAX_SHOWN = 10;
/** Of those with other numbers; and of those that are left, if there are new ones. */
const MAX_LEFT_SHOWN = 8;
const MAX_SHOWN_CHARS = 200;

/** The part of a preview that shows what changed, and what is left; undefined if there is nothing to show. */
export function changePart({ changed, others, diff }: Partial<ContentChange>): PreviewPart | undefined {
  const { fresh, gone, recounted, unclear, still } = changed ?? NO_CHANGE;
  const left = still.map(([, now]) => now);
  const pick = picker([...fresh, ...gone, ...unclear.fresh, ...unclear.gone, ...left]);
  const shown = ({ text, signAt }: Said) => {
    // Names are often at the start.
    const half = MAX_SHOWN_CHARS / 2;
    return text.length > MAX_SHOWN_CHARS && signAt > half
      ? `${text.slice(0, half - 20)}\u2026${text.slice(signAt - 20, signAt + half)}`
      : text.slice(0, MAX_SHOWN_CHARS);
  };
  const rows = (what: string, all: number, picked: readonly Said[], textOf = shown) => [
    ...picked.map((said) => `${what} ${said.line}:${textOf(said)}`),
    ...(all > picked.length ? [`${what} and ${all - picked.length} more`] : []),
  ];
  // Equal words are about other lines of source.
  const nowOf = (pairs: readonly Pair[]) =>
    pairs.slice(0, MAX_LEFT_SHOWN).map(([before, now]) => {
      const [was, text] = [shown(before).trim(), shown(now)];
      return was === text.trim()
        ? { ...now, text: `${text.trimEnd()} ${now.source} (was ${before.source})` }
        : { ...now, text: `${text} (was ${was})` };
    });
  const heavy = left.filter(({ weight }, _, { 0: heaviest, length }) =>
    length <= MAX_LEFT_SHOWN || weight > heaviest!.weight / 3
  );
  const lines = [
    ...rows("now ", recounted.length, nowOf(recounted), ({ text }) => text),
    ...rows("new ", fresh.length, pick(fresh, MAX_SHOWN)),
    ...rows("gone", gone.length, pick(gone, MAX_SHOWN)),
    ...rows("+", unclear.fresh.length, pick(unclear.fresh, MAX_SHOWN)),
    ...rows("-", unclear.gone.length, pick(unclear.gone, MAX_SHOWN)),
    ...(diff ?? (others === undefined ? [] : otherRows(others, [
      [...gone, ...unclear.gone, ...recounted.map(([before]) => before)],
      [...fresh, ...unclear.fresh, ...recounted.map(([, now]) => now)],
    ]))),
    ...rows("left", left.length, pick(heavy, fresh.length > 0 ? MAX_LEFT_SHOWN : MAX_SHOWN)),
  ];
  if (lines.length === 0) return undefined;
  const body = cleanBytes(utf8Bytes(`${lines.join("\n")}\n`));
  return { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
}

/** The most lines without findings that are shown, and their chars. */
const MAX_OTHERS = 20;
const MAX_OTHER_CHARS = 2000;

/**
 * Rows for lines that one of two runs has only, besides the findings that changed: those with a name that none of these has,
 * or if they have no names, all.
 */
function otherRows(others: UnorderedLines, changed: readonly [before: Said[], now: Said[]]): string[] {
  const named = new Set(changed.flat().flatMap(({ text }) => namesOf(text)));
  const isNamed = ({ text }: NumberedLine) => namesOf(text).some((name) => !named.has(name));
  const isUntold = (line: NumberedLine) => named.size === 0 ? /\S/.test(line.text) : isNamed(line);
  const untold = [others.gone, others.fresh].flatMap((all, way) => {
    const found = new Set(changed[way]!.map(({ line }) => line));
    return all.filter((line) => !found.has(line.line) && isUntold(line))
      .map((line) => ({ ...line, sign: "-+"[way]! }));
  });
  const lines = rarest(untold).sort((one, other) =>
    one.line - other.line || (one.sign < other.sign ? 1 : -1)
  );
  const isAlone = new Set(lines.map(({ text }) => text));
  const rows: string[] = [];
  for (let from = 0, to = 0; from < lines.length; from = to) {
    while (++to < lines.length && lines[to]!.line <= lines[to - 1]!.line + 1);
    const hunk = lines.slice(from, to);
    const starts = ["-", "+"].flatMap((sign) => {
      const first = hunk.find((row) => row.sign === sign);
      return first === undefined ? [] : [`${sign}${first.line} `];
    });
    const { heading, text, above } = hunk[0]!;
    rows.push(`@@ ${starts.join("")}@@`);
    // The line above may name what a line without a name is about.
    const context = heading !== "" ? heading : namesOf(text).length === 0 ? above : "";
    if (namesOf(context).length > 0 && !isAlone.has(context)) rows.push(` ${context}`);
    for (const sign of ["-", "+"]) {
      rows.push(...hunk.flatMap((row) => row.sign === sign ? [sign + row.text] : []));
    }
  }
  const more = untold.length - lines.length;
  if (more > 0 && rows.length > 0) rows.push(`… ${counted(more, "line", groupedDigits)} more`);
  return rows.join("\n").length <= MAX_OTHER_CHARS ? rows : [];
}

/** Lines of the shapes that the fewest of many lines have, or all if they are few: what is alike in most differs in values only. */
function rarest<Line extends NumberedLine>(lines: readonly Line[]): Line[] {
  const shapes = [...Map.groupBy(lines, ({ text }) => shapeOf(text)).values()]
    .sort((one, other) => one.length - other.length);
  const rare: Line[] = [];
  for (const alike of shapes) {
    if (rare.length + alike.length > MAX_OTHERS) return rare;
    rare.push(...alike);
  }
  return rare;
}

const NO_CHANGE: ChangedFindings = {
  gone: [],
  fresh: [],
  unclear: { gone: [], fresh: [] },
  recounted: [],
  still: [],
  isContrary: false,
  isCut: false,
};

/**
 * Picks findings that name the most that those picked before do not, so that a failure that several lines tell of takes the
 * place of one. A name is a word that not all findings of the form have.
 */
function picker(all: readonly Said[]) {
  const wordsOf = ({ saying }: Said) =>
    new Set(saying.toLowerCase().split(/[^\p{L}\p{N}_]+/u).flatMap((word) => [word, ...word.split("_")]));
  const names = new Map<string, string[]>();
  for (const form of Map.groupBy(all, ({ form }) => form).values()) {
    const sayings = new Map(form.map((said) => [said.saying, wordsOf(said)]));
    const counts = new Map<string, number>();
    for (const word of sayings.values().flatMap((words) => words)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const isAlone = sayings.size === 1 && form.length < MAX_ALONE;
    for (const [saying, words] of sayings) {
      names.set(saying, [...words].filter((word) => isAlone || counts.get(word)! < sayings.size));
    }
  }
  return (from: readonly Said[], most: number): Said[] => {
    const picked = new Map<string, Said>();
    const named = new Map<string, number>();
    const valueOf = ({ saying, weight }: Said) => {
      let value = 0;
      for (const name of names.get(saying)!) value += NEWS[named.get(name) ?? 0] ?? 0;
      return weight * Math.min(value, MAX_NAMES);
    };
    while (picked.size < most) {
      let best: Said | undefined;
      let bestValue = picked.size === 0 ? -1 : 0;
      for (const said of from) {
        const value = picked.has(said.saying) ? 0 : valueOf(said);
        if (value > bestValue) [best, bestValue] = [said, value];
      }
      if (best === undefined) break;
      picked.set(best.saying, best);
      for (const name of names.get(best.saying)!) named.set(name, (named.get(name) ?? 0) + 1);
    }
    return [...picked.values()];
  };
}

/** As many lines that say the same tell nothing of what failed. */
const MAX_ALONE = 3;
/** The worth of a name that was in none of those picked before, and in one. */
const NEWS = [1, 0.7];
/** More names than these do not make a finding tell more. */
const MAX_NAMES = 2;

/** Forms of findings that are counted apart, and the chars of the example of each. */
const MAX_FORMS = 3;
const MAX_EXAMPLE_CHARS = 48;

/** The counts of a change, for a sentence. */
export function changeCounts(
  changed: ChangedFindings,
  others?: UnorderedLines,
  hasOthers = false,
): string {
  const { gone, fresh, recounted, unclear, still, isContrary, isCut } = changed;
  const left = still.length + recounted.length;
  const doubts = Math.max(unclear.gone.length, unclear.fresh.length);
  if (isCut) {
    return `this run was stopped: ${counted(doubts, "finding", groupedDigits)} may not have been reached; ` +
      `besides these ${fresh.length} new, ${left} left`;
  }
  if (isContrary || doubts > 0 && gone.length + fresh.length + left === 0) {
    return "lines changed; which findings are gone or new is unclear";
  }
  const of = gone.length + left;
  const counts = of + fresh.length === 0
    ? "no finding recognized in either"
    : hasOthers
    ? `${
      counted(of, "finding", groupedDigits)
    } in the same words, but other lines changed; which are gone or new is unclear`
    : doubts > 0
    ? `${counted(doubts, "finding", groupedDigits)} may be others, or the same with other numbers; ` +
      `besides these ${gone.length} gone, ${fresh.length} new, ${left} left`
    : `${gone.length} of ${of} findings gone, ${fresh.length} new, ${left} left${
      recounted.length > 0 ? `, ${recounted.length} of them changed` : ""
    }${formCounts(changed)}`;
  const isSaid = areEqual(others) && (of + fresh.length === 0 || others?.isMoved === false);
  const order = others?.isMoved ? "the order of lines, " : "";
  return `${counts}${isSaid ? `; only ${order}times, ids and the like differ` : ""}`;
}

/** How many findings of the heaviest forms that changed are left, if there is more than one form. */
function formCounts({ gone, fresh, recounted, still }: ChangedFindings): string {
  const pairs = [...still, ...recounted].map(([before]) => before);
  const ways = [pairs, gone, fresh].flatMap((all, way) => all.map((said) => ({ said, way })));
  const forms = [...Map.groupBy(ways, ({ said }) => said.form).values()].map((form) => {
    const sayings = new Set(form.map(({ said }) => said.saying));
    // What is printed twice, as in a summary, is one; what is always said in the same words is as many as there are lines.
    const counted = sayings.size === 1 ? form : form.filter(({ said }) => sayings.delete(said.saying));
    const [left, lost, added] = [0, 1, 2].map((wanted) => counted.filter(({ way }) => way === wanted).length);
    const { said } = form.find(({ way }) => way > 0) ?? form[0]!;
    return { said, left: left!, of: left! + lost!, added: added! };
  });
  const changed = forms.filter(({ left, of, added }) => left < of || added > 0)
    .sort((one, other) => other.said.weight - one.said.weight);
  if (forms.length < 2) return "";
  // Of forms that changed alike, the one with the fewest lines is nearest to a line a failure.
  const apart = new Map<number, (typeof forms)[number]>();
  for (const form of changed) {
    const share = form.of === 0 ? Infinity : (form.left + form.added * 1e6) / form.of;
    const known = apart.get(share);
    if (known === undefined || form.of + form.added < known.of + known.added) apart.set(share, form);
  }
  const texts = [...apart.values()].slice(0, MAX_FORMS).map(({ said, left, of, added }) => {
    const text = said.text.trim().replace(/^\S*\//, "");
    const example = text.length > MAX_EXAMPLE_CHARS ? `${text.slice(0, MAX_EXAMPLE_CHARS)}\u2026` : text;
    const counts = [...(of > 0 ? [`${left} of ${of} left`] : []), ...(added > 0 ? [`${added} new`] : [])];
    return `like "${example}": ${counts.join(", ")}`;
  });
  return texts.length === 0 ? "" : ` (${texts.join("; ")})`;
}
