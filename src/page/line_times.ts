/**
 * Times of the lines of a log: how many lines there are in each stretch of time, and the first line of a moment. Lines
 * are looked up by halving, so that a log of any size is read at a few hundred places only.
 */

import { type FdEntry, type Store, usedContent } from "../../fd/mod.ts";
import { textIn, UiFault } from "./check_request.ts";
import { linesAt } from "./line_rows.ts";
import { pageText } from "./page_text.ts";

/** A moment as a log writes it, in milliseconds: since 1970 in the log's own zone, since midnight, or since some start. */
interface Moment {
  ms: number;
  form: TimeForm;
}

/** Whether there is a date; a time of the day alone; or only seconds. */
type TimeForm = "date" | "clock" | "seconds";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/** Syslog writes no year. */
const SOME_YEAR = 2000;

const MONTH = `(?<month>${MONTHS.join("|")})`;
const CLOCK = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?(?![\d:])`;
/** A date before the time of the day: ISO 8601, Apache, syslog, glog; or none. */
const FORMS = [
  String.raw`(?<!\d)(?<year>\d{4})[-/](?<month>\d\d)[-/](?<day>\d\d)[T ]`,
  String.raw`(?<day>\d\d)/${MONTH}/(?<year>\d{4}):`,
  String.raw`^${MONTH} +(?<day>\d{1,2}) `,
  String.raw`^[IWEFD](?<month>\d\d)(?<day>\d\d) `,
  String.raw`(?<![\d:.])`,
].map((date) => RegExp(date + CLOCK));
/** Seconds since some start, as the kernel writes them. */
const SECONDS = /^\[? *(\d+\.\d{3,6})\]? /;
const EPOCH = /(?<![\w.-])(1\d{9})\.?(\d{9}|\d{6}|\d{1,3}|)(?![\w.])/;
/** Chars of a line in which its time is. */
const LOOKED_AT = 160;

/** The first time in a line. */
export function timeIn(line: string): Moment | undefined {
  const text = line.slice(0, LOOKED_AT);
  const found = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found !== undefined) {
    const { year = SOME_YEAR, month, day, hour, minute, second, fraction = 0 } = found;
    const named = MONTHS.indexOf(month ?? "");
    const date = month === undefined
      ? Date.UTC(1970)
      : Date.UTC(Number(year), named < 0 ? Number(month) - 1 : named, Number(day));
    const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(`${second}.${fraction}`);
    return { ms: date + Math.round(seconds * 1000), form: month === undefined ? "clock" : "date" };
  }
  const [, since] = SECONDS.exec(text) ?? [];
  if (since !== undefined) return { ms: Number(since) * 1000, form: "seconds" };
  const [, epoch, fraction] = EPOCH.exec(text) ?? [];
  return epoch === undefined
    ? undefined
    : { ms: Math.round(Number(`${epoch}.${fraction}`) * 1000), form: "date" };
}

/** Stretches of the whole time of a log, and lines of it that are looked at to tell whether it is one. */
const STRETCHES = 60;
const SAMPLES = 120;
/** The least share of these that have times, and the most that go back in time. */
const MOST_HAVE = 0.6;
const MOST_BACK = 0.05;
const MIN_LINES = 50;
/** Lines from which a time is looked for: a message may have several. */
const NEAR_LINES = 30;

/** The lines of each stretch of time: the first of each, and one beyond the last. */
interface TimeBars {
  form: TimeForm;
  fromMs: number;
  toMs: number;
  firsts: number[];
}

/** Times of lines by their numbers, each looked up once. */
function timesOf(store: Store, entry: FdEntry) {
  const content = usedContent(store, entry);
  const known = new Map<number, Moment & { line: number } | undefined>();
  return {
    [Symbol.dispose]: () => content[Symbol.dispose](),
    /** The time of a line, or of the next one that has one, with the number of that line. */
    async at(line: number) {
      if (!known.has(line)) {
        const count = Math.min(NEAR_LINES, entry.lineCount - line + 1);
        const texts = await linesAt(store, content, line, count);
        const at = texts.findIndex((text) => timeIn(text) !== undefined);
        known.set(line, at < 0 ? undefined : { ...timeIn(texts[at]!)!, line: line + at });
      }
      return known.get(line);
    },
  };
}

/** The first line from `low` to `high` at or after a moment; `high` if there is none before it. */
async function lineAfter(
  times: ReturnType<typeof timesOf>,
  ms: number,
  low: number,
  high: number,
): Promise<number> {
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const moment = await times.at(middle);
    if (moment !== undefined && moment.ms < ms) low = middle + 1;
    else high = middle;
  }
  return (await times.at(low))?.line ?? low;
}

/** How the lines of an fd are spread over time; undefined if its lines have no times that ascend. */
export async function timeBars(store: Store, entry: FdEntry): Promise<TimeBars | undefined> {
  const { lineCount } = entry;
  if (lineCount < MIN_LINES) return undefined;
  using times = timesOf(store, entry);
  const sampled: { line: number; ms: number }[] = [];
  let form: TimeForm | undefined;
  let [back, latest] = [0, -Infinity];
  for (let sample = 0; sample < SAMPLES; sample++) {
    const line = 1 + Math.floor(sample / (SAMPLES - 1) * (lineCount - 1));
    const moment = await times.at(line);
    form ??= moment?.form;
    if (moment === undefined || moment.form !== form) continue;
    if (moment.ms < latest) back++;
    latest = Math.max(latest, moment.ms);
    sampled.push({ line, ms: latest });
  }
  if (sampled.length < SAMPLES * MOST_HAVE || back > SAMPLES * MOST_BACK) return undefined;
  const [fromMs, toMs] = [sampled[0]!.ms, latest];
  if (form === undefined || toMs <= fromMs) return undefined;
  const firsts = [1];
  for (let bar = 1; bar < STRETCHES; bar++) {
    const ms = fromMs + bar / STRETCHES * (toMs - fromMs);
    const low = sampled.findLast((sample) => sample.ms < ms)?.line ?? 1;
    const high = sampled.find((sample) => sample.ms >= ms)?.line ?? lineCount;
    firsts.push(Math.max(firsts.at(-1)!, await lineAfter(times, ms, low, high)));
  }
  return { form, fromMs, toMs, firsts: [...firsts, lineCount + 1] };
}

/** The first line at or after the moment `at`: a date with a time, or a time, which is of the first day that has it. */
export async function lineOfTime(store: Store, query: URLSearchParams): Promise<{ line: number }> {
  const entry = await pageText(store, query);
  const written = textIn(query, "at").trim();
  const sought = timeIn(written.replace(/(?<=^|[T ])\d:/, "0$&").replace(/(?:^|[T ])\d\d:\d\d$/, "$&:00"));
  using times = timesOf(store, entry);
  const first = await times.at(1);
  if (sought === undefined || first === undefined) {
    throw new UiFault(400, `Invalid time ${JSON.stringify(written)}: expected one such as 14:05:30`);
  }
  const day = 86_400_000;
  const onFirstDay = Math.floor(first.ms / day) * day + sought.ms;
  const ms = sought.form !== "clock" || first.form !== "date"
    ? sought.ms
    : onFirstDay < Math.floor(first.ms / 1000) * 1000
    ? onFirstDay + day
    : onFirstDay;
  return { line: await lineAfter(times, ms, 1, Math.max(1, entry.lineCount)) };
}
