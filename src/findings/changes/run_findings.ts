/** Reads the findings of a run's output: lines that report a failure, and what each says but for times, places and the like. */

import { LEFT_OUT, sayingOf, TOP_LEVEL_DOMAIN, withoutCounts } from "../comparing/ignored_text.ts";
import { saysPassed, verdictOf } from "../digest/failure_signs.ts";
import { MENTION_SHARE, reportedShare } from "../digest/mentioned_failures.ts";
import { watchContent } from "../digest/watch_content.ts";
import { type Weighed, weightOf } from "../digest/weigh_lines.ts";
import { latin1Of, utf8Of } from "../outline/outlined_content.ts";
import { reportLines } from "./json_reports.ts";
import { BELOW_ITS_FILE, FILE_HEADING } from "./unordered_lines.ts";

/** A line that reports a failure. */
export interface Said extends Weighed {
  text: string;
  /** Equal for lines that say the same. */
  saying: string;
  /** The service or process that wrote the line, as a log says before it. */
  sender: string;
  /** The line of source that is shown below it. */
  source: string;
  /** Made when asked for. */
  total?: Total;
  /** The first sign and what is before it, without names and numbers; without a sign, the kind. */
  form: string;
  /** The chars before the first sign. */
  signAt: number;
}

/** A finding as one that counts: without its counts, and the start of a line that begins with one. */
interface Total {
  text: string;
  lead: string | undefined;
  /** How many counts it has. */
  count: number;
}

/** The finding as one that counts. */
export function totalOf(said: Said): Total {
  if (said.total === undefined) {
    const { text, count } = withoutCounts(said.saying);
    // A measure at the start is not a count.
    const lead = TOTAL.test(said.saying) ? undefined : TOTAL.exec(text)?.[0];
    said.total = { text, lead: lead?.toLowerCase().replace(/ w\w+ /, " "), count };
  }
  return said.total;
}

const TOTAL = new RegExp(
  `^\\W*(?:(?:found|there w\\w+|tests?|total|results?|summary)\\b\\W*)?${LEFT_OUT}`,
  "i",
);

/** A count of failures in what a finding says. */
export const FAILURE_COUNT =
  /(?<![\w.-])(\d+) (?:[a-z]+ )?(?:fail(?:ed|ing|ures?)|errors?|problems?|issues?|violations?|offenses?)\b|\bfail(?:ed|ures?)?: *(\d+)/i;

/** With more findings, they are not compared. */
const MAX_FINDINGS = 10_000;
/** The strength from which on a line is a finding; one that starts with a place has it. */
const MIN_STRENGTH = 20;

/** A place in a file without an ending. */
const IN_FILE = /^(?:[\w./-]*\/)?[A-Z][a-z]*file:\d+/;
/** The same with a line only, if the line above is a heading that ends with a path. */
const IN_COLUMN = /^\s+\d+(?=\s{2,}\S)/;
/** A line that says where the one above it is. */
const ARROW = /^\s*(?:-->|\u2570|\u256d\u2500\[|,-\[)\s*([^\s:]+)(?=:\d)/;
/** The line below it says what it is about, unless that is a trace or a list: `3) Failure:`. */
const AWAITS =
  /^(?!.*\d failure|.*\b(?:errors|failures|failed(?! [a-z]*[^\W\ds]:$)|problems|issues|tests?|symbols|following)\b).*[^)]:$/i;
/** A line below it that says what it is about: javac, terraform. */
const SYMBOL = /^\s+symbol: |^[\s\u2502]*(?:on \S+ line \d+|with \S+,$)/;
/** The marks below a line of source; a finding that begins so is of the file in the last heading. */
const MARKS = /^[\s|\u2502>]*(?:\^|~~)[\s\^~-]*/;
const HEADING = /^In \S+ line \d+:$/;
/** The number before a line of source. */
const GUTTER = /^\s*>?\s*\d+\s*[|\u2502]/;
/** A test that begins, a line of TAP that names the test whose result is on the next, or the heading of a table. */
const TEST_NAME_OR_HEADING =
  /^\[ *RUN *\]|^=== RUN |^\s*# .*\n\s*(?:not )?ok\b|^\s*[|\xe2].*\n\s*(?:\xe2\x94[\x9c\x9d\xa0\xa3]|\xe2\x95[\x9e\x9f\xa0]|[|+][-=+|: ]+$)/;
/** Nothing of a kind, or nothing that failed: `# fail 0`, `Note: …`. */
const NONE =
  /^\W*(?:no (?:[a-z-]+ ){1,4}(?:found|detected|reported)\b|[a-z]+ 0(?:$|\W)|(?:[a-z]+ ){1,3}[a-z]*\s*[:=]\s*0(?:$|\s*\()|(?:note|hint|info|tip): )/i;
/** How far a run has come, and what failed so far. */
const PROGRESS = /\b\d+ (?:of|\/) \d+ \(\d+ (?:failed|errors?|failures?)\)/i;
const HOST = new RegExp(`^[\\w.-]+\\.${TOP_LEVEL_DOMAIN}:\\d`);
/** A line of source that is shown below a finding. */
export const SNIPPET =
  /^>\s{3}|^\s{2,}(?:\d+:|\u2771 \d+)\s|^\s*(?:\[\w+\]\s*)?(?:>?\s*\d+\s*[|\u2502]|[|\u2502]\s*[\^~+-])/;
/** A line that explains another finding. */
const NOTE = /\b(?:note|hint|help):/;
/** A line that starts with a place says more than one that only says that something failed. */
const PLACE_WEIGHT = 1.5;

/** The findings of the content, in order; undefined if they are too many to be compared. */
export function findingsOf(content: Uint8Array): Said[] | undefined {
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
  const bodies = lines.map((line, at) => line.slice(watched?.bodyStart(at + 1, line) ?? 0));
  const bodyAt = (line: number) => bodies[line - 1];
  const kinds = new Map<number, number>();
  let [file, heading, last] = ["", "", ""];
  /** The finding on the line above, or that awaits more; and the one of which source may be shown. */
  let above: Said | undefined;
  let recent: Said | undefined;
  for (const [at, body] of bodies.entries()) {
    const found = judged.get(at + 1) ?? NOT_JUDGED;
    const isBelow = report?.origins[at]?.isReported || IN_FILE.test(body) ||
      BELOW_ITS_FILE.test(body) && FILE_HEADING.test(file);
    const strength = strengthOf(lines[at]!, body, bodies[at + 1], found, isBelow);
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
    if (strength >= MIN_STRENGTH && !SNIPPET.test(said) && reportedShare(bodyAt, at + 1) > MENTION_SHARE) {
      kinds.set(found.kind, (kinds.get(found.kind) ?? 0) + 1);
      above = recent = findingAt(found, strength, at + 1, lines[at]!, body);
      if (BELOW_ITS_FILE.test(said)) locate(above, file);
      else if (IN_COLUMN.test(said) && FILE_HEADING.test(file)) {
        above.saying = sayingOf(said.replace(IN_COLUMN, ""));
        locate(above, file);
      } else if (heading !== "" && MARKS.test(said)) locate(above, heading);
      if (findings.push(...eachOf(above)) > MAX_FINDINGS) return undefined;
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

/** How surely a line, in latin1, reports a failure; its body is what is behind its prefix, and `next` the body of the next line. */
function strengthOf(
  line: string,
  body: string,
  next: string | undefined,
  { strength }: { strength: number },
  isBelow: boolean,
): number {
  if (strength < MIN_STRENGTH && !isBelow) return strength;
  const start = body.slice(0, MAX_JUDGED);
  // Marks of progress alone.
  if (!/\p{L}/u.test(utf8Of(start))) return 0;
  if (
    saysPassed(line.slice(0, MAX_JUDGED), true) || verdictOf(start) === "passed" || NONE.test(start) ||
    PROGRESS.test(start)
  ) {
    return 0;
  }
  // A port is not a line of a file.
  if (strength === MIN_STRENGTH && HOST.test(start)) return 0;
  if (TEST_NAME_OR_HEADING.test(`${body}\n${next ?? ""}`)) return 0;
  return Math.max(strength, isBelow ? MIN_STRENGTH : 0);
}

const MAX_JUDGED = 500;

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

const PASSING =
  /^#\d+ \d+\.\d+ |^\[\d+\/\d+\] |-[a-z\d]{8,10}-[a-z\d]{5}(?=[/\]])|\b(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{6,}\b|\b(?:info|debug)\b/gi;

/** The text that a log or a supervisor puts before a line, without times, numbers of steps, and the hash in the name of a pod. */
function senderOf(prefix: string): { sender: string; isTimed: boolean } {
  // A time at the end of a line would be left out.
  const saying = sayingOf(`${prefix.replace(PASSING, "")}|`).slice(0, -1);
  // Any other number may be part of a name: `shard 17: `.
  const name = saying.replaceAll(LEFT_OUT, "").replace(/\[\d+\]/g, "").trim();
  return { sender: name, isTimed: saying.includes(LEFT_OUT) };
}

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
