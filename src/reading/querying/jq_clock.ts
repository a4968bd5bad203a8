/**
 * Dates and times for jq, as glibc computes them. Its C library leaves the calendar to the host; here the time zone is
 * always UTC, so that a filter gives the same result everywhere. `jq_clock_test.ts` has results of jq on Linux.
 */

/**
 * `struct tm` as 32-bit words: the month from 0, the year from 1900, and whether summer time is in effect between the
 * last two.
 */
const TM = { second: 0, minute: 1, hour: 2, day: 3, month: 4, year: 5, weekday: 6, yearDay: 7, offset: 9 };
const IS_SUMMER = 8;

/** The word that has the address of the name of the time zone, and the number of words. */
export const ZONE = 10;
export const TM_WORDS = 11;

const MONTHS = "January February March April May June July August September October November December"
  .split(" ");
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_SECONDS = 86_400;
/** Days and years of the Gregorian calendar's cycle. */
const CYCLE_DAYS = 146_097;
const CYCLE_YEARS = 400;

/** A time has a year that `struct tm` cannot hold. jq fails then. */
export class YearOverflow extends Error {}

/** Days from 1970-01-01 to a day, whose month may be any number. */
function daysBefore(year: number, month: number, day: number): number {
  const cycle = Math.floor((year + Math.floor(month / 12)) / CYCLE_YEARS);
  const yearInCycle = year + Math.floor(month / 12) - cycle * CYCLE_YEARS;
  // Date takes the years 0 to 99 for 1900 to 1999.
  const days = Date.UTC(yearInCycle + CYCLE_YEARS, month - Math.floor(month / 12) * 12) /
    (DAY_SECONDS * 1000);
  return days + (cycle - 1) * CYCLE_DAYS + day - 1;
}

/** Fills `tm` with the UTC time `seconds` after 1970. Throws {@link YearOverflow}. */
export function breakDownTime(seconds: bigint, tm: Int32Array): void {
  const inDay = Number(((seconds % 86_400n) + 86_400n) % 86_400n);
  const days = Number((seconds - BigInt(inDay)) / 86_400n);
  const cycle = Math.floor(days / CYCLE_DAYS);
  const date = new Date((days - cycle * CYCLE_DAYS) * DAY_SECONDS * 1000);
  const year = date.getUTCFullYear() + cycle * CYCLE_YEARS;
  if (year - 1900 !== (year - 1900 | 0)) throw new YearOverflow();
  tm[TM.second] = inDay % 60;
  tm[TM.minute] = Math.floor(inDay / 60) % 60;
  tm[TM.hour] = Math.floor(inDay / 3600);
  tm[TM.day] = date.getUTCDate();
  tm[TM.month] = date.getUTCMonth();
  tm[TM.year] = year - 1900;
  // A cycle is a whole number of weeks.
  tm[TM.weekday] = date.getUTCDay();
  tm[TM.yearDay] = days - daysBefore(year, 0, 1);
  tm.fill(0, IS_SUMMER, ZONE);
}

/** Returns the seconds after 1970 of `tm`, read as UTC, and normalises `tm`; -1 if there is no such time. */
export function secondsOf(tm: Int32Array): bigint {
  const days = daysBefore(tm[TM.year]! + 1900, tm[TM.month]!, tm[TM.day]!);
  const inDay = tm[TM.hour]! * 3600 + tm[TM.minute]! * 60 + tm[TM.second]!;
  const seconds = BigInt(days) * 86_400n + BigInt(inDay);
  try {
    breakDownTime(seconds, tm);
    return seconds;
  } catch (thrown) {
    if (thrown instanceof YearOverflow) return -1n;
    throw thrown;
  }
}

/** Conversions of numbers: the part of a time, the least, the most, how many digits, and what is taken off. */
const NUMBERS = {
  Y: ["year", 0, 9999, 4],
  y: ["shortYear", 0, 99, 2],
  C: ["century", 0, 99, 2],
  m: ["month", 1, 12, 2, 1],
  d: ["day", 1, 31, 2],
  e: ["day", 1, 31, 2],
  H: ["hour", 0, 23, 2],
  k: ["hour", 0, 23, 2],
  I: ["halfHour", 1, 12, 2],
  l: ["halfHour", 1, 12, 2],
  M: ["minute", 0, 59, 2],
  S: ["second", 0, 61, 2],
  j: ["yearDay", 1, 366, 3, 1],
  u: ["weekday", 1, 7, 1],
  w: ["weekday", 0, 6, 1],
  U: ["sundayWeek", 0, 53, 2],
  W: ["mondayWeek", 0, 53, 2],
  V: ["ignored", 0, 53, 2],
  g: ["ignored", 0, 99, 2],
} as const;

/** The parts that were read. The century completes a short year; of weekdays Sunday is 0 or 7. */
type Parts = { -readonly [Part in (typeof NUMBERS)[keyof typeof NUMBERS][0]]?: number } & {
  isAfternoon?: boolean;
};

/** Conversions that abbreviate others. */
const SHORT: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  R: "%H:%M",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  F: "%Y-%m-%d",
  c: "%a %b %e %H:%M:%S %Y",
  r: "%I:%M:%S %p",
};

const SPACE = /^[ \t\n\v\f\r]*/;
/** A conversion of something else than a number: its form, and what it sets. */
type Conversion = readonly [form: RegExp, set?: (text: string, parts: Parts, tm: Int32Array) => void];

/** The conversion of names, which may be cut to three letters. */
function nameOf(part: "weekday" | "month", names: readonly string[]): Conversion {
  const start = (text: string) => text.slice(0, 3).toLowerCase();
  return [
    new RegExp(`^(?:${names.map((name) => `${name}|${name.slice(0, 3)}`).join("|")})`, "i"),
    (text, parts) => parts[part] = names.findIndex((name) => start(name) === start(text)),
  ];
}

const WEEKDAY = nameOf("weekday", WEEKDAYS);
const MONTH = nameOf("month", MONTHS);
const OTHERS: Readonly<Record<string, Conversion>> = {
  "%": [/^%/],
  n: [SPACE],
  t: [SPACE],
  a: WEEKDAY,
  A: WEEKDAY,
  b: MONTH,
  B: MONTH,
  h: MONTH,
  p: [/^[ap]m/i, (text, parts) => parts.isAfternoon = /^p/i.test(text)],
  G: [/^[0-9]+/],
  s: [/^[0-9]+/, (text, _, tm) => breakDownTime(BigInt(text), tm)],
  Z: [/^[ \t\n\v\f\r]*[^ \t\n\v\f\r]*/],
  z: [
    /^[ \t\n\v\f\r]*(?:Z|[+-][0-9]{2}(?::?[0-5][0-9]|(?!:?[6-9][0-9]|[0-9])))/,
    (text, _, tm) => {
      const [, sign, hours = 0, minutes = 0] = /([+-])(..):?(..)?/.exec(text) ?? [];
      tm[TM.offset] = (sign === "-" ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
    },
  ],
};

/** Reads a conversion at the start of `text`. Returns how many chars it takes, or undefined if it does not fit. */
function readConversion(letter: string, text: string, parts: Parts, tm: Int32Array): number | undefined {
  if (!Object.hasOwn(OTHERS, letter)) return readNumber(letter, text, parts);
  const [form, set] = OTHERS[letter]!;
  const found = form.exec(text)?.[0];
  if (found !== undefined) set?.(found, parts, tm);
  return found?.length;
}

function readNumber(letter: string, text: string, parts: Parts): number | undefined {
  if (!Object.hasOwn(NUMBERS, letter)) return undefined;
  const [part, least, most, digits, less = 0] = NUMBERS[letter as keyof typeof NUMBERS];
  const [spaces] = /^ */.exec(text)!;
  let written = "";
  for (const char of text.slice(spaces.length, spaces.length + digits)) {
    if (!/[0-9]/.test(char) || written !== "" && Number(written) * 10 > most) break;
    written += char;
  }
  const value = Number(written);
  if (written === "" || value < least || value > most) return undefined;
  Object.assign(parts, { [part]: value - less });
  return spaces.length + written.length;
}

/**
 * Reads `text` by `format` into `tm` as glibc's strptime does in the C locale. Returns how many chars of `text` were read,
 * or undefined if it does not fit.
 */
export function readTime(text: string, format: string, tm: Int32Array): number | undefined {
  const parts: Parts = {};
  const pattern = format.replace(
    /%[-_0^#]*(?:E?([Xxc])|([TRDFr]))/g,
    (_, one, other) => SHORT[one ?? other]!,
  );
  let rest = text;
  for (const part of pattern.match(/%[-_0^#]*[EO]?.|[ \t\n\v\f\r]+|./gsu) ?? []) {
    if (/^%[^EO]*(?:E[^cCYxX]|O[^bBhdeHImMSUVWwy])/.test(part)) return undefined;
    const taken = part.length > 1 && part.startsWith("%")
      ? readConversion(part.at(-1)!, rest, parts, tm)
      : /^[ \t\n\v\f\r]/.test(part)
      ? SPACE.exec(rest)![0].length
      : rest.startsWith(part)
      ? part.length
      : undefined;
    if (taken === undefined) return undefined;
    rest = rest.slice(taken);
  }
  complete(parts, tm);
  return text.length - rest.length;
}

/** Sets what was read, and what follows from it. */
function complete(parts: Parts, tm: Int32Array): void {
  const { century, shortYear, year: whole, halfHour, isAfternoon, weekday, sundayWeek, mondayWeek } = parts;
  const set = (part: keyof typeof TM, value: number | undefined): void => {
    if (value !== undefined) tm[TM[part]] = value;
  };
  const ofShort = shortYear === undefined || shortYear >= 69 ? shortYear : shortYear + 100;
  const ofCentury = century === undefined ? undefined : (shortYear ?? 0) + (century - 19) * 100;
  set("year", ofCentury ?? ofShort ?? (whole === undefined ? undefined : whole - 1900));
  set("hour", halfHour === undefined ? parts.hour : halfHour % 12 + (isAfternoon === true ? 12 : 0));
  for (const part of ["month", "day", "minute", "second", "yearDay"] as const) set(part, parts[part]);
  set("weekday", weekday === undefined ? undefined : weekday % 7);
  const year = tm[TM.year]! + 1900;
  const weekdayOf = (days: number) => ((days + 4) % 7 + 7) % 7;
  /** The month and day of a day of the year, as far as they were not read. */
  const setDate = (yearDay: number): void => {
    const date = new Date(Date.UTC(year % CYCLE_YEARS + 2000, 0, yearDay + 1));
    if (parts.month === undefined) set("month", date.getUTCMonth());
    if (parts.day === undefined) set("day", date.getUTCDate());
  };
  const hasDate = [whole, shortYear, century, parts.month, parts.day].some((part) => part !== undefined);
  if (hasDate && weekday === undefined && parts.yearDay !== undefined) setDate(parts.yearDay);
  const days = daysBefore(year, tm[TM.month]!, tm[TM.day]!);
  if (hasDate && weekday === undefined) set("weekday", weekdayOf(days));
  if (hasDate && parts.yearDay === undefined) set("yearDay", days - daysBefore(year, 0, 1));
  const week = sundayWeek ?? mondayWeek;
  if (week === undefined || weekday === undefined) return;
  const first = sundayWeek === undefined ? 1 : 0;
  const january = weekdayOf(daysBefore(year, 0, 1));
  const yearDay = (7 - (january - first)) % 7 + (week - 1) * 7 + (tm[TM.weekday]! - first + 7) % 7;
  if (parts.yearDay === undefined) set("yearDay", yearDay);
  setDate(tm[TM.yearDay]!);
}
