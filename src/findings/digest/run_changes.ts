/**
 * Compares a run of a command with the one before (contract, Capturing): the same content, or which findings are gone, new
 * and still there. A finding is what its line says: line numbers, order, times, durations, addresses and temporary names do
 * not count.
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  openContent,
  readSlice,
  readWhole,
  type Store,
} from "../../../fd/mod.ts";
import { cleanBytes, ifPossible, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import { agoText } from "../../answers/parts/moment_text.ts";
import { LEFT_OUT, NOTHING_IGNORED, VOLATILE, withoutIgnored } from "../comparing/ignored_text.ts";
import type { PreviewPart } from "../../calls/terms/answers.ts";
import type { NamedCall } from "../../calls/terms/next_call.ts";
import { watchContent } from "./watch_content.ts";
import { type Weighed, weightOf } from "./weigh_lines.ts";

/** A line that reports a failure. */
interface Said extends Weighed {
  text: string;
  /** Equal for lines that say the same. */
  saying: string;
  /** The first sign and what is before it, without names and numbers; without a sign, the kind. */
  form: string;
  /** The chars before the first sign. */
  signAt: number;
}

/** The run before, and what changed since. */
export interface RunChange {
  /** `fd:N` of the run before. */
  since: string;
  /** How long before it ran, such as `4 min ago`. */
  ago: string;
  isSame: boolean;
  /** Undefined if the contents are equal, or too long to be compared by what they say. */
  changed?: ChangedFindings | undefined;
}

/** Findings, the heaviest first. */
export interface ChangedFindings {
  gone: readonly Said[];
  fresh: readonly Said[];
  /** Findings that say the same but for numbers, such as counts: before, and now. */
  recounted: readonly Pair[];
  still: readonly Pair[];
}

type Pair = readonly [before: Said, now: Said];

/** In content of more bytes, or with more findings, findings are not compared. */
const MAX_COMPARED_BYTES = 8 * 2 ** 20;
const MAX_FINDINGS = 10_000;

/** The strength from which on a line is a finding; one that starts with a place has it. */
const MIN_STRENGTH = 20;

/** Compares `entry` with the run before; undefined if there is none, or one of the two is not whole. */
export function changeSince(store: Store, entry: FdEntry, nowMs: number): RunChange | undefined {
  const before = runBefore(store, entry);
  if (before === undefined) return undefined;
  // What is damaged is not compared.
  return ifPossible(() => {
    const isSame = haveSameContent(store, before, entry);
    const isLong = Math.max(before.byteCount, entry.byteCount) > MAX_COMPARED_BYTES;
    const changed = isSame || isLong
      ? undefined
      : changedFindings(cleanContent(store, before), cleanContent(store, entry));
    return { since: formatFd(before.id), ago: agoText(before.createdMs, nowMs), isSame, changed };
  });
}

function runBefore(store: Store, { before, state }: FdEntry): FdEntry | undefined {
  if (before === undefined || state !== "sealed") return undefined;
  const entry = ifPossible(() => findFd(store, formatFd(before)));
  return entry?.state === "sealed" ? entry : undefined;
}

function haveSameContent(store: Store, one: FdEntry, other: FdEntry): boolean {
  if (one.byteCount !== other.byteCount || one.sum !== other.sum) return false;
  const [first, second] = [openContent(store, one), openContent(store, other)];
  try {
    for (let block = 0; block < first.index.blockCount; block++) {
      if (!Buffer.from(first.block(block)).equals(second.block(block))) return false;
    }
    return true;
  } finally {
    first.close();
    second.close();
  }
}

/**
 * Compares two contents, each the clean view of a run's output, by their findings; undefined if they have too many.
 */
export function changedFindings(before: Uint8Array, after: Uint8Array): ChangedFindings | undefined {
  const [then, now] = [findingsOf(before), findingsOf(after)];
  if (then === undefined || now === undefined) return undefined;
  const still: Pair[] = [];
  const recounted: Pair[] = [];
  const gone: Said[] = [];
  const fresh: Said[] = [];
  const [alikeThen, alikeNow] = [Map.groupBy(then, withoutNumbers), Map.groupBy(now, withoutNumbers)];
  for (const key of new Set([...alikeThen.keys(), ...alikeNow.keys()])) {
    const [old, young] = [alikeThen.get(key) ?? [], alikeNow.get(key) ?? []];
    const isCounter = old.length === 1 && young.length === 1;
    const lost = paired(old, young, ({ saying }) => saying, still);
    const other = paired(
      lost.gone,
      lost.fresh,
      isCounter ? withoutNumbers : lastingNumbers(old, young),
      recounted,
    );
    gone.push(...other.gone);
    fresh.push(...other.fresh);
  }
  const heaviest = (one: Said, other: Said) => other.weight - one.weight || one.line - other.line;
  still.sort(([, one], [, other]) => heaviest(one, other));
  return { gone: gone.sort(heaviest), fresh: fresh.sort(heaviest), recounted, still };
}

/** Adds to `pairs` what has the same key, in order; returns the others. */
function paired(then: readonly Said[], now: readonly Said[], keyOf: (said: Said) => string, pairs: Pair[]) {
  const waiting = Map.groupBy(now, keyOf);
  const gone = then.filter((said) => {
    const same = waiting.get(keyOf(said))?.shift();
    if (same !== undefined) pairs.push([said, same]);
    return same === undefined;
  });
  return { gone, fresh: [...waiting.values()].flat() };
}

/** Numbers, hexadecimal ids, and names in temporary directories. */
const NUMBERS =
  /\b(?=[a-f]*\d)[\da-f]{6,}\b|(?<=\/tmp\/(?:[\w.-]+\/){0,8})[\w-]+(?![\w./-])|\d+(?:[.,]\d+)*/g;

function withoutNumbers({ saying }: Said): string {
  return saying.replace(NUMBERS, "0");
}

/**
 * Findings that are alike but for numbers are about the same thing if those numbers are equal that say what it is about. A
 * number that no finding has both before and now does not: a process id, a measured value.
 */
function lastingNumbers(then: readonly Said[], now: readonly Said[]): (said: Said) => string {
  const numbersOf = ({ saying }: Said) => saying.match(NUMBERS) ?? [];
  const before = then.map(numbersOf);
  const lasting = now.map(numbersOf).reduce((found, numbers) => {
    numbers.forEach((number, at) => {
      if (number !== LEFT_OUT && before.some((other) => other[at] === number)) found.add(at);
    });
    return found;
  }, new Set<number>());
  return (said) =>
    lasting.size === 0 ? said.saying : numbersOf(said).filter((_, at) => lasting.has(at)).join(" ");
}

/** A place in a file: `:12`, `:12:34`, `(12,34)`, `line 12`, `12:34` at the start. */
const PLACE = /(?<=[\w)\]"'`>]):\d+(?::\d+)?\b|\(\d+(?:,\s?\d+)?\)|\bline \d+\b|^\s*\d+:\d+(?=\s)/g;
/** Numbers that tell the order: `3)`, `not ok 3`, `3/110 Test #3:`, `[ 34%]`; and a process: `==3==`, `[gw3]`. */
const ORDER =
  /^\s*\d+\)|(?<=^\s*not ok )\d+|^\s*\d+\/\d+(?=\s)|#\d+(?=:)|\[ *\d+%\]|==\d+==|(?<=^\[[a-z]+)\d+(?=\])/g;

/** A line that has only a place on the line above it to say where: `3:5  error`. */
const BELOW_ITS_FILE = /^\s+\d+:\d+\s/;
/** A line that says where the one above it is. */
const ARROW = /^\s*(?:-->|\u2570|\u256d\u2500\[|,-\[)\s*([^\s:]+)/;
/** The line below it says what it is about, unless that is a trace: `3) Failure:`. */
const AWAITS = /[^)]:$/;
/** A line of source that is shown below a finding. */
const SNIPPET = /^\s*(?:\[\w+\]\s*)?(?:>?\s*\d+\s*[|\u2502]|[|\u2502]\s*[\^~+-])/;
/** The end of a line that a program wrote about its own source. */
const AT_PLACE = /\bat \S+ line \d+\.?$/;

/** A line that explains another finding. */
const NOTE = /\b(?:note|hint|help):/;
/** A line that starts with a place says more than one that only says that something failed. */
const PLACE_WEIGHT = 1.5;

function cleanContent(store: Store, entry: FdEntry): Uint8Array {
  return cleanBytes(readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount })));
}

/** The findings of the content, in order; undefined if they are too many to be compared. */
function findingsOf(bytes: Uint8Array): Said[] | undefined {
  const findings: Said[] = [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const watcher = watchContent(ALL_OF_KIND);
  watcher?.see(bytes);
  const judged = new Map(watcher?.end().findings.map((finding) => [finding.line, finding]));
  const kinds = new Map<number, number>();
  let file = "";
  let above: Said | undefined;
  for (let line = 1, from = 0; from < text.length; line++) {
    const lineFeed = text.indexOf("\n", from);
    const to = lineFeed < 0 ? text.length : lineFeed;
    const isAtPlace = AT_PLACE.test(text.slice(Math.max(from, to - 200), to));
    const found = judged.get(line) ?? NOT_JUDGED;
    const { sign, kind, isPlace } = found;
    const strength = isAtPlace ? Math.max(found.strength, MIN_STRENGTH) : found.strength;
    const said = utf8Text(bytes.subarray(from, to));
    if (above !== undefined) {
      const arrow = ARROW.exec(said)?.[1];
      if (arrow !== undefined) locate(above, arrow);
      else if (strength < MIN_STRENGTH && AWAITS.test(above.saying) && said.trim() !== "") {
        above.saying += ` ${sayingOf(said)}`;
        above.text = `${above.text.trim()} ${said.trim()}`;
      }
      if (!AWAITS.test(above.saying)) above = undefined;
    }
    if (strength >= MIN_STRENGTH && !SNIPPET.test(said)) {
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const [signFrom, signTo] = [from + found.signFrom, from + found.signTo];
      const before = utf8Text(bytes.subarray(from, signFrom));
      above = {
        line,
        text: said,
        saying: sayingOf(said),
        weight: NOTE.test(before) ? 1 / PLACE_WEIGHT : isPlace && signTo > from ? PLACE_WEIGHT : 1,
        strength,
        sign,
        kind,
        form: signTo === from
          ? `${kind}`
          : before.replace(/[\p{L}\p{N}_./-]+/gu, "a") + text.slice(signFrom, signTo + 1),
        signAt: before.length,
      };
      if (BELOW_ITS_FILE.test(said)) locate(above, file);
      findings.push(above);
      if (findings.length > MAX_FINDINGS) return undefined;
    } else if (to > from && !BELOW_ITS_FILE.test(said)) file = said;
    from = to + 1;
  }
  for (const said of findings) said.weight *= weightOf(said.strength, kinds.get(said.kind)!);
  return findings;
}

/** Every line is judged. */
const ALL_OF_KIND = 2 ** 31 - 1;

const NOT_JUDGED = { strength: 0, kind: 0, sign: 0, signFrom: 0, signTo: 0, isPlace: false };

/** Longer lines say all that they have. */
const MAX_SAYING_CHARS = 8192;

function sayingOf(text: string): string {
  if (text.length > MAX_SAYING_CHARS) return text;
  return withoutIgnored(text, IGNORED).replace(PLACE, "").replace(ORDER, "");
}

/** Says of a finding in which file it is. */
function locate(said: Said, file: string): void {
  said.saying += ` ${file}`;
  said.weight *= PLACE_WEIGHT;
  said.text = `${file}: ${said.text.trim()}`;
}

const IGNORED = { ...NOTHING_IGNORED, ...VOLATILE, space: true };

/** Findings that are shown of each way in which they changed, and the chars of each. */
const MAX_SHOWN = 10;
/** Of those with other numbers; and of those that are left, if there are new ones. */
const MAX_LEFT_SHOWN = 5;
const MAX_SHOWN_CHARS = 140;

/** The part of a preview that shows what changed, and what is left; undefined if there is no finding. */
export function changePart({ fresh, gone, recounted, still }: ChangedFindings): PreviewPart | undefined {
  const left = still.map(([, now]) => now).filter((said, _, [heaviest]) =>
    said.weight > heaviest!.weight / 3
  );
  const pick = picker([...fresh, ...gone, ...still.map(([, now]) => now)]);
  const shown = ({ text, signAt }: Said) => {
    const from = text.length > MAX_SHOWN_CHARS && signAt > MAX_SHOWN_CHARS / 2
      ? signAt - MAX_SHOWN_CHARS / 2
      : 0;
    return (from > 0 ? "\u2026" : "") + text.slice(from, from + MAX_SHOWN_CHARS);
  };
  const rows = (what: string, all: readonly Said[], most = MAX_SHOWN) => {
    const first = pick(all, most);
    const more = all.length - first.length;
    return [
      ...first.map((said) => `${what} ${said.line}:${shown(said)}`),
      ...(more > 0 ? [`${what} and ${more} more`] : []),
    ];
  };
  const lines = [
    ...recounted.slice(0, MAX_LEFT_SHOWN).map(([before, now]) =>
      `now  ${now.line}:${shown(now)} (was ${shown(before).trim()})`
    ),
    ...rows("new ", fresh),
    ...rows("gone", gone),
    ...rows("left", left, fresh.length > 0 ? MAX_LEFT_SHOWN : MAX_SHOWN),
  ];
  if (lines.length === 0) return undefined;
  const body = cleanBytes(utf8Bytes(`${lines.join("\n")}\n`));
  return { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
}

/**
 * Picks findings that name the most that those picked before do not, so that a failure that several lines tell of takes the
 * place of one. A name is a word that not all findings of the form have.
 */
function picker(all: readonly Said[]) {
  const wordsOf = ({ saying }: Said) => new Set(saying.toLowerCase().split(/[^\p{L}\p{N}]+/u));
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

/** The sentence about a change. */
export function changeSentence(change: RunChange, fd: string): (string | NamedCall)[] {
  const said = changeCounts(change);
  if (change.isSame) return [`${said}.`];
  return [`${said}${change.changed === undefined ? ": " : "; all changes: "}`, diffOf(change.since, fd), "."];
}

/** The part of the sentence before the call that shows all changes. */
export function changeCounts({ since, ago, isSame, changed }: RunChange): string {
  if (isSame) return `The same as ${since}, ${ago}`;
  if (changed === undefined) return `It differs from ${since}, ${ago}`;
  const { gone, fresh, recounted, still } = changed;
  const left = still.length + recounted.length;
  const of = gone.length + left;
  const counts = of + fresh.length === 0
    ? "no finding in either"
    : `${gone.length} of ${of} findings gone, ${fresh.length} new, ${left} left${formCounts(changed)}`;
  return `Since ${since}, ${ago}: ${counts}`;
}

/** The call that shows all changes. */
export function diffOf(since: string, fd: string): NamedCall {
  return { command: "diff", args: { old_fd: since, new_fd: fd } };
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
