/**
 * Removes from a line what should not count when outputs are compared: times and durations, addresses, ids of runs,
 * whitespace, case.
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
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|" +
  "Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)";
const WEEKDAY = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?";
const ZONE = "(?:\\s?(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d))?";
/** With seconds, since 12:34 is as often a place in a file. `file.ts:12:34:5` is not a time either. */
const CLOCK = "\\d{1,2}:\\d\\d:\\d\\d(?:[.,]\\d+)?(?:\\s?[AaPp][Mm]\\b)?";
const DATE = [
  "(?:\\d{4}[-/.]\\d\\d[-/.]\\d\\d",
  `\\d{1,2}[/-]${MONTH}[/-]\\d{4}`,
  // Without a year the month comes first: in a directory listing, "5 Nov 22" is a size and a date.
  `(?:${WEEKDAY},? )?(?:\\d{1,2} ${MONTH} \\d{4}|${MONTH} {1,2}\\d{1,2}(?:,? {1,2}\\d{4})?))`,
].join("|");
/** After a date, 12:34 is a time. */
const CLOCK_OF_DATE = `(?:${CLOCK}|\\d{1,2}:\\d\\d)`;
const UNIT =
  "(?:ns|us|µs|μs|ms|s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?|(?:nano|micro|milli)s(?:econds?)?)";
/** `1h2m3.5s`, `2m 3s`, `0m1.234s`: seconds are required, since 64m is a size. */
const LONG_DURATION = "(?:\\d+d ?)?(?:\\d+h ?)?\\d+m ?\\d+(?:\\.\\d+)?s";

const TIMES = new RegExp(
  [
    `(?<![\\w.:/-])${DATE}(?:[T :,]+${CLOCK_OF_DATE}${ZONE}(?: \\d{4})?)?(?![\\w:])`,
    `(?<![\\w.:-])${CLOCK}${ZONE}(?![\\w:])`,
    `(?<![\\w.-])${LONG_DURATION}(?!\\w)`,
    `(?<![\\w.-])\\d+(?:[.,]\\d+)* ?${UNIT}(?![\\w-])`,
    // Seconds, milliseconds, microseconds or nanoseconds since 1970, for the years 2001 to 2033.
    "(?<![\\w.-])1\\d{9}(?:\\d{3}|\\d{6}|\\d{9}|\\.\\d+)?(?![\\w.])",
  ].join("|"),
  "g",
);
const ADDRESSES = /\b0x[0-9a-fA-F]{4,16}\b/g;
/**
 * A temporary name begins with `tmp`, or has a digit before a letter among its last letters and digits: six, or eight
 * of Python's.
 */
const RANDOM =
  "(?:tmp[._-]?\\w{6,}|(?:[\\w-]*[._-])?(?:(?=[A-Za-z]*\\d+[A-Za-z])[A-Za-z0-9]{6,}|(?=[a-z_]*\\d+[a-z_])[a-z0-9_]{8}))";
const IDS = new RegExp(
  [
    "(?<![\\w-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\\w-])",
    "(?<=\\b(?:pid|PID|Pid)(?:[ =:]|: |=\\[)?)\\d+(?!\\w)",
    `(?<=/tmp/)${RANDOM}(?![\\w-])`,
    // Below it, where projects may be, only what is not the name of a source file.
    `(?<=/tmp/(?:[\\w.-]+/){1,8})${RANDOM}(?![\\w.-])`,
  ].join("|"),
  "g",
);
const SPACES = /[ \t\r\n\v\f]+/g;

/** Replaces a time or an address: a char that no decoded line has. */
export const LEFT_OUT = "\ud800";

export function withoutIgnored(line: string, ignored: Ignored): string {
  let left = line;
  if (ignored.times && /\d/.test(left)) left = left.replace(TIMES, LEFT_OUT);
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
