/**
 * Removes from a line what should not count when outputs are compared: for `diff` times and durations, addresses, ids of
 * runs, whitespace and case; for the findings of two runs, further measures. A digit that is not listed here counts: it may
 * be part of a name.
 */

export interface Ignored {
  times: boolean;
  addresses: boolean;
  /** UUIDs, process ids that are called so, and names of temporary files. */
  ids: boolean;
  space: boolean;
  case: boolean;
}

const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|" +
  "Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY = "(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?";
const ZONE = "(?:\\s?(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d)(?: \\([A-Z]{3,5}\\)|\\[[A-Z]\\w+(?:/\\w+)*\\])?)?";
/** With seconds, since 12:34 is as often a place in a file. `file.ts:12:34:5` is not a time either. */
const CLOCK = "\\d{1,2}:\\d\\d:\\d\\d(?:[.,:]\\d+){0,2}(?:\\s?[AaPp][Mm]\\b)?";
const YEAR = "(?:19|20)\\d\\d";
const DATE = [
  `${WEEKDAY}(?:\\d{4}[-/.]\\d\\d[-/.]\\d\\d`,
  `${YEAR}-W\\d\\d(?:-\\d)?`,
  `\\d{1,2}[/-]${MONTH}[/-](?:\\d{4}|\\d\\d)`,
  `\\d{1,2}/\\d{1,2}/${YEAR}|\\d{1,2}\\.\\d{1,2}\\.${YEAR}`,
  // Without a year the month comes first: in a directory listing, "5 Nov 22" is a size and a date.
  `\\d{1,2} ${MONTH} \\d{4}|${MONTH} {1,2}\\d{1,2}(?:,? {1,2}\\d{4})?)`,
].join("|");
/** Dates that are as often something else if no time follows. */
const SHORT_DATE = "(?:\\d\\d-\\d\\d|\\d{1,2}/\\d{1,2}/\\d\\d|\\d{1,2}\\.\\d{1,2}\\.\\d\\d)";
/** After a date, 12:34 is a time. */
const CLOCK_OF_DATE = `(?:${CLOCK}|\\d{1,2}:\\d\\d(?:\\s?[AaPp][Mm]\\b)?)`;
const BASIC = `${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])`;
const BASIC_CLOCK = "(?:[01]\\d|2[0-3])[0-5]\\d(?:[0-5]\\d|60)(?:[.,]\\d+)?";
const UNIT = "(?:[nuµμm]s|[um]?s(?:ecs?|econds?)?|mins?|minutes?|hrs?|hours?|days?|weeks?|months?|years?|" +
  "(?:nano|micro|milli)s(?:econds?)?)";
/** `1h2m3.5s`, `2m 3s`, `0m1.234s`, `5d3h`: minutes alone do not count, since 64m is a size. */
const LONG_DURATION =
  "(?:(?:\\d+d ?)?(?:\\d+h ?)?\\d+m ?\\d+(?:\\.\\d+)?s|\\d+d ?\\d+h(?: ?\\d+m)?|\\d+h ?\\d+m)";
const NUMBER_WORD = "(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const DURATION = `(?:(?:< ?)?\\d+(?:[.,]\\d+){0,3}(?:e[+-]?\\d+)?(?: \\(\\d+\\.\\d+\\))? ?${UNIT}|` +
  `${NUMBER_WORD} (?:second|minute|hour|day|week|month|year)s?)(?![\\w-])`;

const NOT_IN_NAME = "(?<![\\w.:/-])";
const TIMES = new RegExp(
  [
    `(?<![\\w./-])${DATE}(?:[T :,]+${CLOCK_OF_DATE}${ZONE}(?: \\d{4}${ZONE})?)?(?!\\w|:\\d)`,
    `${NOT_IN_NAME}${SHORT_DATE}[ ,T]+${CLOCK_OF_DATE}${ZONE}(?!\\w|:\\d)`,
    // The letter before it is a level: klog, glog.
    `(?<=(?:^|[^\\w./-])[DIWEFC])(?:${YEAR})?\\d{4} ${CLOCK}(?!\\w)`,
    `${NOT_IN_NAME}${BASIC}[T _-]?${BASIC_CLOCK}${ZONE}(?![\\w.-])`,
    `(?<![\\w.:-])${CLOCK}${ZONE}(?!\\w|:\\d)`,
    // In the name of a file.
    "(?<!\\w)\\d{4}-\\d\\d-\\d\\dT\\d\\d[_-]\\d\\d[_-]\\d\\d(?:[_-]\\d+)?Z",
    // With a fraction or a half of the day, hours may be absent.
    `${NOT_IN_NAME}\\d{1,2}:\\d\\d(?:\\.\\d+|\\s?[AaPp][Mm])(?![\\w:])`,
    // The kernel: seconds since it started.
    "(?<![\\w\\])])\\[ *\\+?\\d+\\.\\d{6}\\]",
    `(?<![\\w.-])${LONG_DURATION}(?!\\w)`,
    "(?<![\\w.-])P(?:\\d+D)?T(?:\\d+(?:\\.\\d+)?[HMS])+(?!\\w)",
    `(?<![\\w.-])${DURATION}(?:(?:,? and |,? )${DURATION})*(?:, ${CLOCK})?`,
    // The value of a field that is called so.
    "(?<=\\b(?:[Dd]uration|[Ee]lapsed|took|[Tt]ime|[Uu]ptime)(?:_?(?:[mun]?s|secs?|seconds|millis))?(?:[\"']?[:=] ?[\"']?|(?<=_ms) ))\\d+(?:\\.\\d+)?(?![\\w.:-])",
    // Seconds, milliseconds, microseconds or nanoseconds since 1970, for the years 2001 to 2033.
    "(?<![\\w.-])1\\d{9}(?:\\d{3}|\\d{6}|\\d{9}|\\.\\d+)?(?![\\w.])",
  ].join("|"),
  "g",
);
/** Without any of these, a line has no time. */
const MAY_HAVE_TIME = /\d|\b(?:second|minute|hour|day|week|month|year)/;
const ADDRESSES = /\b0x[0-9a-fA-F]{4,16}\b/g;
/**
 * A temporary name begins with `tmp`, or has a digit before a letter among its last six letters and digits, or any among the
 * last eight of Python's. Below `/tmp`, where projects may be, it is not like a name with a number: `zone17b`.
 */
const randomName = (noName: string) =>
  `(?:tmp[._-]?\\w{6,}|(?:[\\w-]*[._-])?${noName}(?:(?=[A-Za-z]*\\d+[A-Za-z])[A-Za-z0-9]{6,}|(?=[a-z_]*\\d)(?=\\d*[a-z_])[a-z0-9_]{8}))`;
const NO_NAME = "(?![A-Za-z]?[a-z_]*[aeiouy][a-z_]*\\d+[a-z_]*(?!\\w))";
/** Replaces a time or an address: a char that no decoded line has. */
export const LEFT_OUT = "\ud800";
const UUID = "(?<![0-9A-Za-z])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![0-9A-Za-z])";
const HASH = "(?<!\\w)(?=\\d*[a-f])(?=[a-f]*\\d)[0-9a-f]{12,64}(?!\\w)";
/** Ids that a system chose: where two runs have the same, it is a name. */
export const CHOSEN_IDS = new RegExp(`${UUID}|${HASH}`, "g");
const IDS = new RegExp(
  [
    UUID,
    "(?<=\\b(?:[Pp]id|PID|tid|TID|[Pp]rocess|goroutine)(?:[ =:]|: |=\\[)?)\\d+(?!\\w)",
    "(?<===)\\d+(?===)|(?<=^thread '[^']*' \\()\\d+(?=\\) )|(?<=: line \\d+: +)\\d+(?= )",
    // Behind a time: `sshd[12]:`, `[12] ERROR`, `12 34 E`, `12#34:`, `12 --- [`.
    `(?<=^[\\s[(<]*${LEFT_OUT} [\\w.-]+ [\\w./-]+\\[)\\d+(?=\\]:)`,
    `(?<=^[DIWEFC]?[\\s[(<]*${LEFT_OUT}(?: UTC)?[\\]:]? +(?:[A-Z]+ +)?[[(]?)\\d+(?:#\\d+:(?: \\*\\d+)?|(?:[\\])]?| +\\d+)(?= +(?:[VDIWEF]\\b|TRACE|DEBUG|INFO|WARN|ERROR|FATAL|LOG:|---|\\[[A-Z]|[\\w.-]+:\\d+\\])))`,
    `(?<=^${LEFT_OUT} \\[[a-z]+\\] )\\d+#\\d+:(?: \\*\\d+)?`,
    "(?<=/tmp/)pytest-of-[\\w-]+/pytest-\\d+",
    `(?<=/tmp/)${randomName("")}(?![\\w-])`,
    `(?<=/tmp/)[\\w-]+\\.${NO_NAME}(?=[A-Za-z]*\\d)[A-Za-z0-9]{6,10}(?![\\w.-])`,
    "(?<=/)cc[A-Za-z0-9]{6}(?=\\.(?:o|s|ltrans)\\b)",
    // Below it, only what is not the name of a source file.
    `(?<=/tmp/(?:[\\w.-]+/){1,8})${randomName(NO_NAME)}(?![\\w.-])`,
  ].join("|"),
  "g",
);
const SPACES = /[ \t\r\n\v\f]+/g;

export function withoutIgnored(line: string, ignored: Ignored): string {
  let left = line;
  if (ignored.times && MAY_HAVE_TIME.test(left)) left = left.replace(TIMES, LEFT_OUT);
  if (ignored.addresses) left = left.replace(ADDRESSES, LEFT_OUT);
  if (ignored.ids) left = left.replace(IDS, LEFT_OUT);
  if (ignored.space) left = left.replace(SPACES, " ").trim();
  if (ignored.case) left = left.toLowerCase();
  return left;
}

/** Ignores text that changes from one run of a command to the next without meaning anything. */
export const VOLATILE = { times: true, addresses: true, ids: true } as const;

export const NOTHING_IGNORED: Ignored = {
  times: false,
  addresses: false,
  ids: false,
  space: false,
  case: false,
};

export const TOP_LEVEL_DOMAIN = "(?:com|net|org|io|dev|app|local|internal|lan|svc|cloud|test|example)\\b";
/** The end of a path whose last name has an ending, or is a `Makefile` or the like; not of a host. */
const PATH_END = `(?:\\w[\\w)\\]-]{0,80}\\.(?!${TOP_LEVEL_DOMAIN})[A-Za-z_]\\w{0,9}|[a-z]file)` +
  "[\"'`)\\]]{0,3}";
/** Lines and columns behind a path, or that are called so. */
const PLACES = new RegExp(
  [
    `(?<=${PATH_END}):\\d+(?:\\.\\d+-\\d+(?:\\.\\d+)?(?=: )|(?::\\d+)?(?:-\\d+)?(?!\\w))`,
    "(?<=/[\\w.-]{1,80}):\\d+:\\d+(?!\\w)",
    // A page of a manual: `man/tool.1:3: `.
    "(?<=/[\\w-]{0,80}[A-Za-z][\\w-]{0,80}\\.\\d\\w{0,2}):\\d+(?=: )",
    `(?<=${PATH_END}):\\(\\d+,\\d+\\)-\\(\\d+,\\d+\\)`,
    "(?<=\\.[A-Za-z]\\w{0,5})\\(\\d+,\\s?\\d+\\)(?=: )",
    // A method may have its parameter there: `RateTests.Rate(3)`.
    "(?<=\\.(?:[chmd]|cc|cpp|cxx|cs|vb|fs|[jt]sx?|hpp|pas|php|py|java|kt|swift|f90|nim|sql|xaml|proto))\\(\\d+(?:,\\s?\\d+)*\\)",
    `(?<=${PATH_END}) @ \\d+(?=:)|(?<=^[a-z]\\w{0,80}):\\d+(?=: \\w+_\\w)|\\{line,\\d+\\}`,
    "(?<=^\\W*(?:FAIL|FAILED|ERROR) +[\\w.]+):\\d+(?= +\\S+ )",
    "\\(\\d+:\\d+\\)|(?<=^\\s*(?:[A-Z]+\\d+ )?|\\bat )\\d+:\\d+(?:-\\d+:\\d+)?(?=\\s)",
    `(?<=(?:${PATH_END}|>)[,:]? (?:on |at |in )?|\\b(?:near|at|on|in|from) (?:\\S{1,80} )?)[Ll]ines? \\d+(?:-\\d+)?`,
    "\\b[Ll]ine:? \\d+(?=,? (?:col|char|pos))|(?<=line:? \\d+,? (?:at )?)(?:col(?:umn)?|char(?:acter)?s?|pos(?:ition)?):? \\d+(?:-\\d+)?",
    "(?<=\\bat |\\()(?:offset|position|byte|char(?:acter)?) \\d+",
    // A field: `line=3,col=4`, `"startLine": 3`, `lineno: 3`.
    "(?<=(?:\\b|_)(?:(?:start|end)_?)?(?:[Ll]ine|[Cc]ol(?:umn)?)(?:_?(?:no|num(?:ber)?))?[\"']?(?:=|: ?)[\"']?)\\d+(?![\\w.])",
  ].join("|"),
  "g",
);
/**
 * Numbers that tell the order of lines that have a name besides: `3)`, `not ok 3 - x`, `3/110 Test #3: x`, `[ 34%]`, `[gw3]`,
 * `(FAILED - 3)`.
 */
const ORDER = new RegExp(
  [
    "^\\s*\\d+\\)(?=\\s+\\S)",
    "(?<=^\\s*not ok )\\d+(?=\\s+(?:-\\s+)?[^\\s#-])",
    "^\\s*\\d+/\\d+ Test +#\\d+:(?= \\S)",
    "^\\s*[[(]? *\\d+(?:/| of )\\d+[\\])]?(?=\\s+\\S+\\s+\\S)",
    "(?<=\\] )\\( *\\d+/\\d+\\)(?= \\S)|(?<= )\\(\\d+ of \\d+\\)$|(?<=^[\u2716-\u2718] )\\d+(?= \\[)",
    "^\\s+\\d+ - (?=\\w\\S* \\()",
    "\\[ *\\d+%\\]|\\s{2,}\\d+%$|(?<=\\(FAILED) - \\d+(?=\\)$)|(?<=FAILED )\\[\\d+\\]$|^\\s*\\+\\d+(?: [~-]\\d+)*(?=: \\S)|(?<=^\\[[a-z]+)\\d+(?=\\])",
  ].join("|"),
  "g",
);
/** Hashes, ports that a system chose, tries, threads of a pool, degrees, ages before `ago`, and what a program measured. */
const MEASURES = new RegExp(
  [
    `(?<![\\w.])\\d+\\.\\d{4,}(?![\\w.])|${HASH}`,
    "(?<=(?:localhost|\\d\\.\\d{1,3}|::1?\\]|\\bport):? ?)(?:3(?:276[89]|27[7-9]\\d|2[89]\\d\\d|[3-9]\\d{3})|[45]\\d{4}|6[0-5]\\d{3})(?!\\w)",
    "(?<=\\b(?:[Rr]etr(?:y|ies)|[Aa]ttempt|[Tt]ry)[ :#=]{1,2})\\d+(?: ?/ ?| of )\\d+(?![\\w/])",
    "\\b(?:pool-\\d+-thread|exec|ForkJoinPool(?:[.-]commonPool|-\\d+)-worker)-\\d+(?!\\w)|ThreadPoolExecutor-\\d+_\\d+",
    `(?<![\\w.])-?\\d+(?:\\.\\d+)? ?\u00b0[CF]\\b|(?:\\d+ \\()?(?:\\b\\d+[smhdwy]|${LEFT_OUT})(?= ago\\b)`,
    "(?<=\\b(?:xid|lsn|sector|inode|seed)[ =])\\d+(?!\\w)",
    // The hashes in the name of a pod.
    "(?<=\\w-)(?:(?=\\d*[a-z])[b-df-hj-np-tv-xz\\d]{8,10}-(?=\\d*[a-z])[b-df-hj-np-tv-xz\\d]{5}|(?=[a-f]*\\d)(?=\\d*[a-f])[a-f\\d]{8,10}-(?=[a-z]*\\d)[a-z\\d]{5})(?!\\w)",
    // A hash of the content in the name of a bundle.
    "(?<=\\w[.-])(?:(?!0\\d+\\W)(?=[a-f]*\\d)[0-9a-f]{8,11}|(?=\\w*\\d)(?=\\w*[a-z])(?=\\w*[A-Z])\\w{8})(?=(?:\\.min)?\\.(?:[cm]?js|css|wasm|woff2?)\\b)",
    // The value of a field that is called so.
    `(?<=(?:^|[^\\w-])(?:(?:[a-z]+[-_.])?(?:seq|[pt]id|tries|retr(?:y|ies)|attempts?|try_number|xid|lsn|offset|bytes|rss|mem(?:ory)?|heap|cpu|latency|` +
    "goroutine|generation|resourceVersion)|\\w+_(?:ms|us|ns|secs?|bytes|[km]b|pct|percent)|[a-z]+(?:Time|Ms|Bytes)|" +
    "(?:x[-_])?(?:trace|span|req(?:uest)?|flow|correlation|session|conn(?:ection)?)[-_]?[iI][dD])[\"']?(?:=|: ?)[\"']?)(?:[0-9a-fA-F][0-9a-fA-F-]{0,63}|\\d+(?:\\.\\d+)?[a-zA-Z%]{0,3})(?![\\w.])",
  ].join("|"),
  "g",
);
/** Cells of a table that say how long ago: `36m`, `3d2h`, `12 (15s ago)`. In a line of text, `64m` is as often a size. */
const AGES = /(?<=^|\s{2})(?:\d+ \()?\d+[smhdwy](?:\d+[smhd])?(?: ago\)?)?(?=\s{2}|\s*$)/g;
/** Lines around a title, which are as long as there is room. */
const RULES = /^([=*#_-])\1{3,}\s|\s([=*#_-])\2{3,}$/g;
const LAST_TIME = new RegExp(`[\\s([]*${LEFT_OUT}[\\])]*\\.?$`);

/** Longer lines say all that they have. */
const MAX_SAYING_CHARS = 8192;

/**
 * Returns what a line of a run says: equal in another run if only times, places behind paths, order, hashes, ids of the
 * run or white space are others. A time at its end is left out.
 */
export function sayingOf(line: string): string {
  if (line.length > MAX_SAYING_CHARS) return line;
  return withoutIgnored(line.replace(AGES, LEFT_OUT), { ...NOTHING_IGNORED, ...VOLATILE, space: true })
    .replace(PLACES, "").replace(ORDER, "").replace(MEASURES, LEFT_OUT).replace(LAST_TIME, "").replace(
      RULES,
      "",
    )
    .replace(SPACES, " ").trim();
}

const THINGS =
  "(?:errors?|warnings?|failures?|tests?|specs?|examples?|suites?|assertions?|problems?|issues?|files?|findings?|diagnostics?|" +
  "offenses?|violations?|cases|runs?|jobs?|tasks?|targets?|steps?|scenarios?|checks?|modules?|packages?|subtests?|notes?|skips?|" +
  "deprecations?|vulnerabilities|hints?|infos?|successes|mutants?|lines?|contexts?|blocks?)";
const STATES =
  "(?:fail(?:ed|ing)?|pass(?:ed|ing)?|skipped|ignored|pending|todo|ok|succeeded|total|measured|filtered|cancelled|flaky|" +
  "incomplete|risky|fixable|more|xfailed|xpassed|deselected|rerun|broken|unexpected)";
const NUMBER = "(?:\\d+(?:,\\d{3}){0,3}|one)";
/** The text before a number that counts; a noun makes it a name: `zone 17 failed`. */
const COUNT_LEAD =
  `(?<=^(?:# )?|(?:[[({|,;]|(?<!\\w)=) *|[^\\w\\s:#-] +|(?:${THINGS}|results?|summary|total)[:)] +|\\bto [a-z]+ |` +
  "\\b(?:found|with|and|of|had|has|have|ran|are|is|were|was|all|only|executed|generated|passed|failed|after|reported|than|to|in|across|" +
  "checked|from|for|processed|collected|emitted|due|about|files|tests|suites|specs|examples|assertions) )";
const COUNTS = new RegExp(
  [
    `${COUNT_LEAD}${NUMBER}(?:(?: out)? of ${NUMBER})? +(?:[a-z]+(?:\\(s\\))? )?(?:${THINGS}|${STATES})\\b`,
    `(?<=\\S: )${NUMBER} (?:[a-z]+ )?${THINGS}\\b`,
    `(?<=(?<!failed )\\b(?:errors|warnings|failures|tests(?: run)?|assertions|total|skips|notices|deprecations|skipped|unreachable|passed|incomplete)(?: (?:found|detected|reported))?["']?\\s*[:=]\\s*["']?)${NUMBER}`,
    `(?<=\\b${STATES}["']?(?:=\\s*|\\s*:\\s*(?=\\d{1,9}\\s*(?:[,;|)]|\\(\\d))|(?<=[,;|]\\s*\\w+)\\s*:\\s*))${NUMBER}`,
    `(?<=^\\W*(?:${STATES} )?(?:[a-z]+s|${STATES}) +)${NUMBER}(?=\\W*$)`,
    `(?<=\\b(?:${THINGS}|${STATES}) \\()${NUMBER}(?=\\))`,
    `(?<=\\b(?:out|tests?) of )${NUMBER}|(?<=\\bfailed )\\d+/\\d+(?= )`,
    "(?<![\\w./-])\\d+(?:\\.\\d+)?%",
    "(?<![\\w./-])\\d+(?:[.,]\\d+){0,3} ?(?:[kKMGT]i?B|B|bytes)(?!\\w)",
    "^\\W*[Ll]ine \\d+(?=:)",
  ].join("|"),
  "gi",
);

/** The saying without its counts and sizes, and how many of them it has. */
export function withoutCounts(saying: string): { text: string; count: number } {
  let count = 0;
  const left = () => (count++, LEFT_OUT);
  const text = saying.replace(COUNTS, left).replace(ONLY_COUNT, left);
  return { text: text.replace(COUNT_LIST, LEFT_OUT), count };
}

/** In capitals, it may be a test that a number names: `FAILED: 3`. */
const ONLY_COUNT = /(?<=^\W*(?:[Ff]ail(?:ed|ing|ures?)?|[Ee]rrors?): )\d+(?=\W*$)/;
const COUNT_LIST = new RegExp(`${LEFT_OUT}(?:[\\s,;|/\xb7()]*(?:and )?${LEFT_OUT})+`, "g");
