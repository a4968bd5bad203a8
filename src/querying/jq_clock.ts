/**
 * Dates and times for jq, as glibc computes them. Its C library leaves the calendar to the host; here the time zone is
 * always UTC, so that a filter gives the same result everywhere. `jq_clock_test.ts` has results of jq on Linux.
 */

/** `struct tm` as 32-bit words: seconds, minutes, hours, day, month from 0, years from 1900, weekday, day of the year, … */
const TM = {
  second: 0,
  minute: 1,
  hour: 2,
  day: 3,
  month: 4,
  year: 5,
  weekday: 6,
  yearDay: 7,
  isDst: 8,
  offset: 9,
};

/** The word that has the address of the name of the time zone, and the number of words. */
export const ZONE = 10;
export const TM_WORDS = 11;

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
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
  tm[TM.isDst] = 0;
  tm[TM.offset] = 0;
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

/** Conversions of numbers: the least, the most, how many digits, and what is set. */
type NumberRule = readonly [
  least: number,
  most: number,
  digits: number,
  set: (value: number, read: ReadTime) => void,
];

/** A time while it is read, and what is known of it. */
interface ReadTime {
  tm: Int32Array;
  hasMonth?: boolean;
  hasDay?: boolean;
  hasWeekday?: boolean;
  hasYearDay?: boolean;
  /** Whether the weekday and the day of the year follow from what was read. */
  hasDate?: boolean;
  isHalf?: boolean;
  isAfternoon?: boolean;
  century?: number;
  /** Whether two digits give the year, which the century completes. */
  isShortYear?: boolean;
  weekNumber?: number;
  /** Whether it begins with Sunday. */
  isSundayWeek?: boolean;
}

const ignored = () => {};
const hour24: NumberRule = [0, 23, 2, (value, read) => {
  read.tm[TM.hour] = value;
  read.isHalf = false;
}];
const hour12: NumberRule = [1, 12, 2, (value, read) => {
  read.tm[TM.hour] = value % 12;
  read.isHalf = true;
}];
const dayOfMonth: NumberRule = [1, 31, 2, (value, read) => {
  read.tm[TM.day] = value;
  read.hasDay = read.hasDate = true;
}];
const setWeekday = (value: number, read: ReadTime): void => {
  read.tm[TM.weekday] = value;
  read.hasWeekday = true;
};

const NUMBERS: Readonly<Record<string, NumberRule>> = {
  Y: [0, 9999, 4, (value, read) => {
    read.tm[TM.year] = value - 1900;
    read.isShortYear = false;
    read.hasDate = true;
  }],
  y: [0, 99, 2, (value, read) => {
    read.tm[TM.year] = value >= 69 ? value : value + 100;
    read.isShortYear = read.hasDate = true;
  }],
  C: [0, 99, 2, (value, read) => {
    read.century = value;
    read.hasDate = true;
  }],
  m: [1, 12, 2, (value, read) => {
    read.tm[TM.month] = value - 1;
    read.hasMonth = read.hasDate = true;
  }],
  d: dayOfMonth,
  e: dayOfMonth,
  H: hour24,
  k: hour24,
  I: hour12,
  l: hour12,
  M: [0, 59, 2, (value, { tm }) => tm[TM.minute] = value],
  S: [0, 61, 2, (value, { tm }) => tm[TM.second] = value],
  j: [1, 366, 3, (value, read) => {
    read.tm[TM.yearDay] = value - 1;
    read.hasYearDay = true;
  }],
  u: [1, 7, 1, (value, read) => setWeekday(value % 7, read)],
  w: [0, 6, 1, setWeekday],
  U: [0, 53, 2, (value, read) => {
    read.weekNumber = value;
    read.isSundayWeek = true;
  }],
  W: [0, 53, 2, (value, read) => read.weekNumber = value],
  V: [0, 53, 2, ignored],
  g: [0, 99, 2, ignored],
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

/** Reads a conversion at the start of `text`. Returns how many chars it takes, or undefined if it does not fit. */
function readConversion(letter: string, text: string, read: ReadTime): number | undefined {
  const rule = NUMBERS[letter];
  if (rule !== undefined) return readNumber(rule, text, read);
  switch (letter) {
    case "%":
      return text.startsWith("%") ? 1 : undefined;
    case "n":
    case "t":
      return SPACE.exec(text)![0].length;
    case "a":
    case "A":
      return readName(WEEKDAYS, text, (value) => setWeekday(value, read));
    case "b":
    case "B":
    case "h":
      return readName(MONTHS, text, (value) => {
        read.tm[TM.month] = value;
        read.hasMonth = read.hasDate = true;
      });
    case "p": {
      const match = /^[ap]m/i.exec(text)?.[0];
      if (match !== undefined) read.isAfternoon = match.toLowerCase() === "pm";
      return match?.length;
    }
    case "G":
      return /^[0-9]+/.exec(text)?.[0].length;
    case "s": {
      const match = /^[0-9]+/.exec(text)?.[0];
      if (match !== undefined) breakDownTime(BigInt(match), read.tm);
      return match?.length;
    }
    case "Z":
      return /^[ \t\n\v\f\r]*[^ \t\n\v\f\r]*/.exec(text)![0].length;
    case "z":
      return readOffset(text, read.tm);
    default:
      return undefined;
  }
}

function readNumber(
  [least, most, digits, set]: NumberRule,
  text: string,
  read: ReadTime,
): number | undefined {
  let at = /^ */.exec(text)![0].length;
  const from = at;
  let value = 0;
  while (at - from < digits && /[0-9]/.test(text[at] ?? "") && (at === from || value * 10 <= most)) {
    value = value * 10 + Number(text[at++]);
  }
  if (at === from || value < least || value > most) return undefined;
  set(value, read);
  return at;
}

function readName(names: readonly string[], text: string, set: (index: number) => void): number | undefined {
  const lower = text.toLowerCase();
  for (const [index, name] of names.entries()) {
    for (const form of [name, name.slice(0, 3)]) {
      if (!lower.startsWith(form.toLowerCase())) continue;
      set(index);
      return form.length;
    }
  }
  return undefined;
}

function readOffset(text: string, tm: Int32Array): number | undefined {
  const match = /^[ \t\n\v\f\r]*(?:(Z)|([+-])([0-9]{2})(?::?([0-9]{2}))?)/.exec(text);
  if (match === null) return undefined;
  const [whole, isUtc, sign, hours = 0, minutes = 0] = match;
  if (
    Number(minutes) >= 60 ||
    isUtc === undefined && /^[0-9]$/.test(text[whole.length] ?? "") && match[4] === undefined
  ) {
    return undefined;
  }
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  tm[TM.offset] = sign === "-" ? -seconds : seconds;
  return whole.length;
}

/**
 * Reads `text` by `format` into `tm` as glibc's strptime does in the C locale. Returns how many chars of `text` were read,
 * or undefined if it does not fit.
 */
export function readTime(text: string, format: string, tm: Int32Array): number | undefined {
  const read: ReadTime = { tm };
  const pattern = format.replace(
    /%[-_0^#]*(?:E?([Xxc])|([TRDFr]))/g,
    (_, one, other) => SHORT[one ?? other]!,
  );
  let rest = text;
  for (const part of pattern.match(/%[-_0^#]*[EO]?.|[ \t\n\v\f\r]+|./gsu) ?? []) {
    if (/^%[^EO]*(?:E[^cCYxX]|O[^bBhdeHImMSUVWwy])/.test(part)) return undefined;
    const taken = part.length > 1 && part.startsWith("%")
      ? readConversion(part.at(-1)!, rest, read)
      : /^[ \t\n\v\f\r]/.test(part)
      ? SPACE.exec(rest)![0].length
      : rest.startsWith(part)
      ? part.length
      : undefined;
    if (taken === undefined) return undefined;
    rest = rest.slice(taken);
  }
  complete(read);
  return text.length - rest.length;
}

/** Sets what follows from what was read. */
function complete(read: ReadTime): void {
  const { tm, century, weekNumber } = read;
  if (read.isHalf === true && read.isAfternoon === true) tm[TM.hour] = tm[TM.hour]! + 12;
  if (century !== undefined) {
    tm[TM.year] = (read.isShortYear === true ? tm[TM.year]! % 100 : 0) + (century - 19) * 100;
  }
  const year = tm[TM.year]! + 1900;
  const setDate = (yearDay: number): void => {
    const date = new Date(Date.UTC(year % CYCLE_YEARS + 2000, 0, yearDay + 1));
    if (read.hasMonth !== true) tm[TM.month] = date.getUTCMonth();
    if (read.hasDay !== true) tm[TM.day] = date.getUTCDate();
  };
  if (read.hasDate === true && read.hasWeekday !== true) {
    if (!(read.hasMonth === true && read.hasDay === true) && read.hasYearDay === true) {
      setDate(tm[TM.yearDay]!);
    }
    tm[TM.weekday] = ((daysBefore(year, tm[TM.month]!, tm[TM.day]!) + 4) % 7 + 7) % 7;
  }
  if (read.hasDate === true && read.hasYearDay !== true) {
    tm[TM.yearDay] = daysBefore(year, tm[TM.month]!, tm[TM.day]!) - daysBefore(year, 0, 1);
  }
  if (weekNumber !== undefined && read.hasWeekday === true) {
    const first = read.isSundayWeek === true ? 0 : 1;
    const inWeek = (tm[TM.weekday]! - first + 7) % 7;
    const january = ((daysBefore(year, 0, 1) + 4) % 7 + 7) % 7;
    if (read.hasYearDay !== true) {
      tm[TM.yearDay] = (7 - (january - first)) % 7 + (weekNumber - 1) * 7 + inWeek;
    }
    if (!(read.hasMonth === true && read.hasDay === true)) setDate(tm[TM.yearDay]!);
  }
}
