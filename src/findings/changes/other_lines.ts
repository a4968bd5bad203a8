/**
 * Tells which changed lines of two runs may be findings in words that are not recognized. An answer counts findings as gone or new
 * only if each other line that changed is beside one that changed, passed, counts something, or is in both runs with
 * other measures.
 */

import { sayingOf, withoutCounts } from "../comparing/ignored_text.ts";
import { saysPassed } from "../digest/failure_signs.ts";
import { shapeOf } from "./named_lines.ts";
import { pairByKey } from "./pair_by_key.ts";
import { SNIPPET } from "./run_findings.ts";
import type { NumberedLine, UnorderedLines } from "./unordered_lines.ts";

/** The lines of the findings of one run. */
export interface FindingLines {
  all: ReadonlySet<number>;
  /** Those of findings that changed. */
  changed: ReadonlySet<number>;
  /** Of these, those that count nothing: lines beside them are about the same. */
  blocks: ReadonlySet<number>;
}

/** A changed line that names what no changed finding names. */
export interface UntoldLine extends NumberedLine {
  /** Whether it may be a finding. */
  isDoubtful: boolean;
}

/**
 * A word with a digit, a path or a word of several, and a word with a number behind it. The bounds change no name, but the time
 * that a line of a million letters or digits takes.
 */
export const NAME =
  /(?<!\p{L})(?=\S{0,99}\p{L})[\p{L}\p{N}]+(?:(?:[./_-]+[\p{L}\p{N}]+)+|(?<=\d)|(?<=\p{L}{3}) \d+)/gu;

/** The words of the names in what a line says, counts aside. */
export function namesOf(saying: string): string[] {
  return (withoutCounts(saying.slice(0, MAX_READ_CHARS)).text.match(NAME) ?? []).flatMap((name) =>
    name.split(/[ ./_-]+/)
  );
}

/** The saying without words for how grave it is; undefined if it has none, or tells too little. */
export function ungraded(saying: string): string | undefined {
  const start = saying.slice(0, MAX_READ_CHARS);
  const text = start.replace(GRADES, "").trim();
  return text !== start && (namesOf(text).length > 0 || WORDS.test(text)) ? text : undefined;
}

/** How grave something is, to a log, a linter, a scanner or a test. */
const GRADES =
  /(?<=-W)error(?:=|,-W)|(?<![\w-])(?:warn(?:ing)?|err(?:or)?|fatal|crit(?:ical)?|severe|alert|emerg(?:ency)?|low|minor|moderate|medium|high|major|blocker|fail(?:ed|ure)?|unresolved|timeout)(?![\w-])/gi;
const WORDS = /(?:\p{L}+\P{L}+){5}/u;

/** Of longer lines only the start is read, and none is the same as another. */
const MAX_READ_CHARS = 2000;

/** A changed line, and what it says. */
interface SaidLine extends NumberedLine {
  saying: string;
  names: readonly string[];
}

type Run = 0 | 1;

/** How many lines from a finding others are about the same. */
const REACH = 4;

/** The lines of two runs that are not equal, but for times and the like. */
export class OtherLines {
  private readonly lines: readonly SaidLine[][];
  private readonly known: readonly { lines: Set<number>; sayings: Set<string> }[];
  /** Those that the other run does not have with other measures. */
  private readonly unpaired: readonly SaidLine[][];
  /** Those of each run by what they say apart from how grave it is; made when asked for. */
  private readonly ungraded: Map<string | undefined, SaidLine[]>[] = [];

  constructor(private readonly others: UnorderedLines) {
    this.lines = [others.gone, others.fresh].map((lines) =>
      lines.map((line) => {
        const saying = sayingOf(line.text);
        return { ...line, saying, names: namesOf(saying) };
      })
    );
    this.known = this.lines.map((lines) => ({
      lines: new Set(lines.map(({ line }) => line)),
      sayings: new Set(lines.map(({ saying }) => saying)),
    }));
    this.unpaired = withoutMeasured(this.lines);
  }

  /** Whether a line is among those of one run, or one that says the same. */
  has(run: number, { line, text }: { line: number; text: string }): boolean {
    const { lines, sayings } = this.known[run]!;
    return lines.has(line) || sayings.has(sayingOf(text));
  }

  /** The line of the other run, not a finding there, that says the same as a finding but for how grave it is. */
  regraded(run: number, saying: string, findings: ReadonlySet<number>): NumberedLine | undefined {
    const key = ungraded(saying);
    if (key === undefined) return undefined;
    const other = 1 - run;
    const lines = this.ungraded[other] ??= Map.groupBy(this.lines[other]!, ({ saying }) => ungraded(saying));
    return lines.get(key)?.find(({ line }) => !findings.has(line));
  }

  /** Whether a line that only the second run has counts something. */
  get hasNewCount(): boolean {
    return this.lines[1]!.some(({ saying }) => withoutCounts(saying.slice(0, MAX_READ_CHARS)).count > 0);
  }

  /** Whether the second run may have ended early: it lacks many lines at the end, not only failures, or ends within a line. */
  get endsEarly(): boolean {
    const [lost, added] = this.unpaired.map((lines, run) => tailOf(lines, this.others.counts[run]!));
    const last = added![0]?.text ?? "";
    // Both have the line that counts.
    if (last !== "" && shapeOf(last) === shapeOf(lost!.at(-1)?.text ?? "")) return false;
    const isPart = last !== "" &&
      lost!.some(({ text }) => text.length > last.length && text.startsWith(last));
    const quiet = lost!.filter(({ text }) => saysPassed(text) || !/fail|error|warn/i.test(text));
    return added!.length <= 1 && (isPart || quiet.length >= MIN_TAIL);
  }

  /** The lines of a run that name what no changed finding names, or all if these name nothing. */
  untold(
    run: Run,
    findings: FindingLines,
    named: ReadonlySet<string>,
    withMeasured = false,
  ): UntoldLine[] {
    const alone = new Set((withMeasured ? this.lines : this.unpaired)[run]!.map(({ line }) => line));
    const untold = this.lines[run]!.filter(({ line, text, names }) => {
      if (findings.changed.has(line) || !/\S/.test(text)) return false;
      return names.length === 0
        ? named.size === 0 || alone.has(line)
        : names.some((name) => !named.has(name));
    });
    const details = this.detailsOf(run, findings.blocks);
    const texts = new Set(untold.map(({ text }) => text));
    const forms = Map.groupBy(texts, formOf);
    const { all, blocks } = findings;
    // Of a list, and of a table with a finding, each line may be one.
    const rows = new Set(
      this.lines[run]!.filter(({ line }) => blocks.has(line)).map(({ text }) => rowOf(text)),
    );
    const isListed = (text: string) => forms.get(formOf(text))!.length > 1 || rows.has(rowOf(text) ?? "");
    const isBeside = ({ line, text }: SaidLine) =>
      details.has(line) || isNear(line, blocks) && !isListed(text);
    // Source and frames are shown for a finding.
    const isQuoted = (line: SaidLine) =>
      blocks.size > 0 && isOfTrace(line) ||
      SNIPPET.test(line.text) && (blocks.size > 0 || isNear(line.line, all));
    const isHarmless = ({ text, saying, names }: SaidLine) =>
      !/\p{L}/u.test(text) || saysPassed(text) || COUNTER.test(text) ||
      names.length === 0 && withoutCounts(saying).count > 0;
    return untold.map((line) => ({
      ...line,
      isDoubtful: alone.has(line.line) && !all.has(line.line) && !isHarmless(line) && !isQuoted(line) &&
        !isBeside(line),
    }));
  }

  /** The lines of a run below one of its findings that changed, all changed up to there and indented more. */
  private detailsOf(run: Run, blocks: ReadonlySet<number>): Set<number> {
    const details = new Set<number>();
    let lead: NumberedLine | undefined;
    let last = 0;
    for (const other of this.lines[run]!) {
      if (blocks.has(other.line)) lead = other;
      else if (other.line - last > MAX_HOLE) lead = undefined;
      last = other.line;
      if (lead !== undefined && indentOf(other.text) > indentOf(lead.text)) details.add(other.line);
    }
    return details;
  }
}

/** Lines of a block that are equal to others. */
const MAX_HOLE = 3;

/** Whether a line is a frame of a trace, or the source below one. */
function isOfTrace({ text, above }: NumberedLine): boolean {
  return FRAME.test(text) || FRAME.test(above) && indentOf(text) > indentOf(above);
}

function indentOf(text: string): number {
  return text.search(/\S/);
}

const MIN_TAIL = 10;

/** The last of `count` lines, as far as four of five are among `lines`. */
function tailOf(lines: readonly SaidLine[], count: number): readonly SaidLine[] {
  let from = lines.length;
  // Some lines, such as those without text, are equal to others.
  while (from > 0 && count - lines[from - 1]!.line <= 1.25 * (lines.length - from)) from--;
  return lines.slice(from);
}

function isNear(line: number, all: ReadonlySet<number>): boolean {
  for (let at = line - REACH; at <= line + REACH; at++) if (all.has(at)) return true;
  return false;
}

/** The text without its names. */
function formOf(text: string): string {
  return shapeOf(text.slice(0, MAX_READ_CHARS).replace(NAME, "0"));
}

/** The marks between the words of a row of a table; undefined for other text. */
function rowOf(text: string): string | undefined {
  const marks = text.slice(0, MAX_READ_CHARS).replace(/[\p{L}\p{N}][^\s|,;\u2502]*|\s+/gu, "");
  return marks.length < MIN_MARKS ? undefined : marks;
}

const MIN_MARKS = 3;

/** How far a run has come. */
const COUNTER =
  /\b\d+ (?:of|\/) \d+(?: \(|$)|^\W*(?:compil|check|build|link|runn|test|collect|download|fetch|install|load|process|generat|pack|copy)ing /i;
const FRAME =
  /^\s*(?:at |by |from |File ")|^\w+ at \S+:\d+$|\(\S{1,200}:\d+\)$|^In file included|: In (?:function|member|instantiation)|:\d+: {3}required from/;

/** The lines of each run that are not in the other with the same names, but other measures, or but for what a program chose or counted. */
function withoutMeasured([before, now]: readonly SaidLine[][]): SaidLine[][] {
  const textOf = ({ saying, heading }: SaidLine) => `${sayingOf(heading)}\n${saying}`;
  const isLong = ({ saying }: SaidLine) => saying.length > MAX_READ_CHARS;
  const left = pairByKey(before!, now!, (line) => {
    if (isLong(line) || line.names.length === 0) return undefined;
    return `${shapeOf(textOf(line))}\n${line.names.join(" ")}`;
  });
  const short = [...left.gone, ...left.fresh].filter((line) => !isLong(line));
  const rests = new Map(short.map((line) => [line, textOf(line).replace(CHOSEN, "0")]));
  const counts = [left.gone, left.fresh].map((lines) => Map.groupBy(lines, (line) => rests.get(line)));
  const { gone, fresh } = pairByKey(left.gone, left.fresh, (line) => {
    const rest = rests.get(line);
    return counts.every((all) => all.get(rest)?.length === 1) ? rest : undefined;
  });
  return [gone, fresh];
}

/**
 * A long number, a word of letters and digits mixed, and a number that does not name: not part of a word or path, nor behind a
 * word.
 */
const CHOSEN =
  /\d{7,}|(?<!\w)(?=\w{0,40}\d\w{0,40}[A-Za-z]\w{0,40}\d|\w{0,40}[A-Z]\d\w{0,40}[a-z])\w{8,}|(?<![\p{L}\p{N}_[(/.-]|\p{L}{3} )\d+(?:\.\d+)*(?![\p{L}_/])/gu;
