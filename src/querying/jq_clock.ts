/**
 * Dates and times for jq. Its C library leaves the calendar to the host; here the time zone is always UTC, so that a
 * filter gives the same result everywhere.
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

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;

/** Fills `tm` with the UTC time `seconds` after 1970. */
export function breakDownTime(seconds: number, tm: Int32Array): void {
  const date = new Date(seconds * 1000);
  tm[TM.second] = date.getUTCSeconds();
  tm[TM.minute] = date.getUTCMinutes();
  tm[TM.hour] = date.getUTCHours();
  tm[TM.day] = date.getUTCDate();
  tm[TM.month] = date.getUTCMonth();
  tm[TM.year] = date.getUTCFullYear() - 1900;
  tm[TM.weekday] = date.getUTCDay();
  tm[TM.yearDay] = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0)) / DAY_MS);
  tm[TM.isDst] = 0;
  tm[TM.offset] = 0;
}

/** Returns the seconds after 1970 of `tm`, read as UTC, and normalises `tm`; -1 if there is no such time. */
export function secondsOf(tm: Int32Array): number {
  const milliseconds = Date.UTC(
    tm[TM.year]! + 1900,
    tm[TM.month]!,
    tm[TM.day]!,
    tm[TM.hour]!,
    tm[TM.minute]!,
    tm[TM.second]!,
  );
  if (Number.isNaN(milliseconds)) return -1;
  breakDownTime(milliseconds / 1000, tm);
  return milliseconds / 1000;
}

/** Matches a conversion such as `%H` at the start of `text`, and sets `tm`. */
type Conversion = (text: string, tm: Int32Array) => string | undefined;

function digits(most: number, set: (value: number, tm: Int32Array) => void): Conversion {
  const pattern = new RegExp(`^\\s*([0-9]{1,${most}})`);
  return (text, tm) => {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    set(Number(match[1]), tm);
    return match[0];
  };
}

function name(names: readonly string[], word: number): Conversion {
  return (text, tm) => {
    const match = /^[A-Za-z]{3,}/.exec(text)?.[0];
    const index = match === undefined ? -1 : names.indexOf(match.slice(0, 3).toLowerCase());
    if (index < 0) return undefined;
    tm[word] = index;
    return match;
  };
}

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  Y: digits(4, (value, tm) => tm[TM.year] = value - 1900),
  y: digits(2, (value, tm) => tm[TM.year] = value < 69 ? value + 100 : value),
  m: digits(2, (value, tm) => tm[TM.month] = value - 1),
  d: digits(2, (value, tm) => tm[TM.day] = value),
  e: digits(2, (value, tm) => tm[TM.day] = value),
  H: digits(2, (value, tm) => tm[TM.hour] = value),
  I: digits(2, (value, tm) => tm[TM.hour] = value % 12),
  M: digits(2, (value, tm) => tm[TM.minute] = value),
  S: digits(2, (value, tm) => tm[TM.second] = value),
  j: digits(3, (value, tm) => {
    tm[TM.month] = 0;
    tm[TM.day] = value;
  }),
  s: digits(15, (value, tm) => breakDownTime(value, tm)),
  b: name(MONTHS, TM.month),
  B: name(MONTHS, TM.month),
  h: name(MONTHS, TM.month),
  a: name(WEEKDAYS, TM.weekday),
  A: name(WEEKDAYS, TM.weekday),
  p: (text, tm) => {
    const match = /^[AaPp][Mm]/.exec(text)?.[0];
    if (match !== undefined && match.toLowerCase() === "pm") tm[TM.hour] = tm[TM.hour]! + 12;
    return match;
  },
  Z: (text) => /^[A-Za-z]+/.exec(text)?.[0],
  z: (text, tm) => {
    const match = /^(?:Z|([+-])([0-9]{2}):?([0-9]{2}))/.exec(text);
    if (match === null) return undefined;
    const [whole, sign, hours, minutes] = match;
    const seconds = sign === undefined ? 0 : Number(hours) * 3600 + Number(minutes) * 60;
    tm[TM.offset] = sign === "-" ? -seconds : seconds;
    return whole;
  },
  n: (text) => /^\s*/.exec(text)![0],
  t: (text) => /^\s*/.exec(text)![0],
  "%": (text) => text.startsWith("%") ? "%" : undefined,
};

/** Conversions that abbreviate others. */
const SHORT: Readonly<Record<string, string>> = {
  T: "%H:%M:%S",
  R: "%H:%M",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  c: "%a %b %e %H:%M:%S %Y",
  r: "%I:%M:%S %p",
};

/**
 * Reads `text` by `format` into `tm` as strptime(3) does, without its locale's words. Returns how many chars of `text`
 * were read, or undefined if it does not fit.
 */
export function readTime(text: string, format: string, tm: Int32Array): number | undefined {
  const pattern = format.replace(/%([TRDFcr])/g, (_, letter: string) => SHORT[letter]!);
  let rest = text;
  for (const part of pattern.match(/%[EO]?.|\s+|[^%\s]/gs) ?? []) {
    const taken = part.startsWith("%")
      ? CONVERSIONS[part.at(-1)!]?.(rest, tm)
      : part.trim() === ""
      ? /^\s*/.exec(rest)![0]
      : rest.startsWith(part)
      ? part
      : undefined;
    if (taken === undefined) return undefined;
    rest = rest.slice(taken.length);
  }
  // Weekday and day of the year follow from the date, and the date from %j.
  secondsOf(tm);
  return text.length - rest.length;
}
