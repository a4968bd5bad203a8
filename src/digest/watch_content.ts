/**
 * Watches content go by, in pieces of any size, and walks its lines with a kernel (`line_kernel.as.ts`): what shapes and
 * kinds of lines there are, how many of each, and which are odd. The first lines of each kind with signs of failure are
 * judged here. Memory is bounded, and the results depend only on the content.
 */

import {
  type Cleaning,
  nodeBuffer,
  type SeeOverwritten,
  startCleaning,
  startKernel,
} from "../../fd/system.ts";
import { judgeLine, type LineSigns, MAX_SIGNS, WORDS } from "./failure_signs.ts";
import { LINE_KERNEL_BASE64 } from "./line_kernel_wasm.ts";

/** A line that looks like the report of a failure. */
export interface Finding {
  line: number;
  /** 1 to 100 (see {@link judgeLine}). */
  strength: number;
  /** Equal for lines that report the same about different things. */
  kind: number;
  /** Its strongest sign: equal for the same word. */
  sign: number;
}

/** A line that was judged. */
interface Judged extends Finding {
  /** The place of its first sign, in chars of one byte; both 0 if it has only a place. */
  signFrom: number;
  signTo: number;
  isPlace: boolean;
}

/** Rows of one kind that were written over: how many, and the first with what they say. */
interface LostKind {
  count: number;
  judged: Judged[];
  texts: string[];
}

/** Lines of a range that are of one shape or kind: how many, the first, and the kind; of a shape, its number. */
export interface Alike {
  count: number;
  line: number;
  which: number;
}

/** A line among all lines. */
export interface Look {
  /** The chars before what it says: what a log puts before each line, such as a time. */
  bodyStart: number;
  /** How many lines have its shape, and how many start like it. */
  likeCount: number;
  leadCount: number;
}

/** The results of watching. */
export interface WatchedLines {
  byteCount: number;
  findings: Judged[];
  /** Texts with signs that were written over in their line, of kinds that no whole line is of; in latin1. */
  overwritten: ReadonlyMap<number, readonly string[]>;
  /** How many lines with signs are of a kind. */
  kinds: ReadonlyMap<number, number>;
  /** Looks at a line, which has one char a byte. */
  look(text: string): Look;
  /** The first sign in a line of one char a byte: where it starts; 0 without one. */
  firstSign(text: string): number;
  /**
   * The lines whose shape at most `most` lines have, or those that start as at most `most` lines do while nearly all others
   * start alike; ascending. Undefined if there are too many shapes.
   */
  rareLines(most: number, by?: "lead"): number[] | undefined;
  /** The first lines that start as headings do (content_parts.ts). */
  markedLines(): number[];
  /** The lines that are odd by a word or number, ascending. */
  oddLines(): number[];
  /** The shapes, or kinds, of the lines from `first` to `last`, the most frequent first; none beyond {@link MAX_LINES}. */
  alike(first: number, last: number, by: "shape" | "kind"): Alike[];
}

/** Sees content go by. */
export interface ContentWatcher {
  /** Takes the next bytes, which are valid until it returns. */
  see(bytes: Uint8Array): void;
  end(): WatchedLines;
}

/** Exports of the module, which `line_kernel.as.ts` documents. */
interface KernelExports {
  learn(from: number, to: number): void;
  survey(start: number, from: number, to: number): number;
  walk(from: number, to: number, whole: number): number;
  peek(from: number, to: number): number;
  tally(from: number, to: number, which: number): number;
}

/** Addresses and sizes, as in the kernel. */
const STATE = 5120;
const RECORDS = 6144;
const RECORD_NUMBERS = 44;
const SHAPES = 0x140000;
const SHAPE_NUMBERS = 6;
const KINDS = 0x2c0000;
const KIND_NUMBERS = 3;
const MARKED = 0x448000;
const FIELDS = 0x450000;
const FIELD_SHAPES = 32;
const MAX_FIELDS = 24;
const FIELD_NUMBERS = 166;
const MAX_WORDS = 12;
const SIZES_AT = 38;
const SIZES = 64;
const TALLY = 0x4d0000;
const WINDOW = 0x560000;
const MAX_ENTRIES = 65_535;
const MAX_LINES = 200_000;
/** The bytes of a line that are walked. */
const WINDOW_BYTES = 65_536;
const MEMORY_BYTES = 0x5a0000 + 16 * 16_384;

const LINE_FEED = 0x0a;
const MIN_INT32 = -0x80000000;
const MIN_STRENGTH = 8;

/** After this many lines of one kind, further ones are only counted. */
const MAX_OF_KIND = 4;
/** Kinds of rows that were written over, and the chars of one that are remembered. */
const MAX_LOST_KINDS = 256;
const LOST_CHARS = 240;
/** The share of the lines that start alike where one that does not is odd. */
const NEARLY_ALL = 0.9;

/**
 * Starts to watch content from its start; undefined if the runtime has no WebAssembly with SIMD. Of the lines of one kind the
 * first `mostOfKind` are judged.
 */
export function watchContent(mostOfKind = MAX_OF_KIND): ContentWatcher | undefined {
  const started = startKernel<KernelExports>(LINE_KERNEL_BASE64, MEMORY_BYTES);
  if (started === undefined) return undefined;
  const { exports: kernel, buffer } = started;
  const bytes = new Uint8Array(buffer);
  const numbers = new Int32Array(buffer);
  kernel.learn(WINDOW, WINDOW + nodeBuffer().Buffer.from(buffer, WINDOW).write(WORDS, "latin1"));
  writeStems(bytes);
  numbers[STATE / 4 + 5] = mostOfKind;
  if (mostOfKind > MAX_OF_KIND) numbers[STATE / 4 + 3] = MIN_INT32;
  bytes[WINDOW - 1] = LINE_FEED;
  const findings: Judged[] = [];
  const signs: LineSigns = {
    count: 0,
    from: new Int32Array(MAX_SIGNS),
    to: new Int32Array(MAX_SIGNS),
    hash: new Int32Array(MAX_SIGNS),
    isPlace: false,
  };
  let byteCount = 0;
  let cleaning: Cleaning | undefined;
  /** Bytes in the window: of a line that is not whole, or those that just came. */
  let filled = 0;
  /** The bytes in the window whose masks are known. */
  let classified = 0;
  /** Whether the rest of an overlong line is passed over. */
  let isPassing = false;
  const lost = new Map<number, LostKind>();
  let lastLost = { line: 0, kind: 0 };
  /** The bytes of the window, while rows are judged there. */
  let unwalked: Uint8Array | undefined;

  /** Judges a line; returns whether it has strong enough signs. */
  function judge(record: number, into: Judged[]): boolean {
    const [line, from, to, kind, isPlace, count, prefix] = numbers.subarray(record, record + 7);
    signs.count = count!;
    signs.isPlace = isPlace === 1;
    for (let sign = 0; sign < count!; sign++) {
      const at = record + 7 + 3 * sign;
      signs.from[sign] = numbers[at]! - from!;
      signs.to[sign] = numbers[at + 1]! - from!;
      signs.hash[sign] = numbers[at + 2]!;
    }
    const text = nodeBuffer().Buffer.from(buffer, from, to! - from!).toString("latin1");
    const { strength, sign } = judgeLine(text, signs);
    if (strength < MIN_STRENGTH) return false;
    const [signFrom, signTo] = count === 0 ? [0, 0] : [prefix! + signs.from[0]!, prefix! + signs.to[0]!];
    into.push({ line: line!, strength, kind: kind!, sign, signFrom, signTo, isPlace: signs.isPlace });
    return true;
  }

  /** Judges a row that is written over. */
  const judgeLost: SeeOverwritten = (row, lineFeeds) => {
    unwalked ??= bytes.slice(WINDOW, WINDOW + filled);
    const length = Math.min(row.length, WINDOW_BYTES);
    bytes.set(length < row.length ? row.subarray(0, length) : row, WINDOW);
    peek(length);
    const line = numbers[STATE / 4]! + lineFeeds + (isPassing ? 0 : 1);
    const kind = numbers[RECORDS / 4 + 3]!;
    // A row that is drawn again is one.
    if (kind === 0 || lastLost.kind === kind && lastLost.line === line) return;
    lastLost = { line, kind };
    const ofKind = lost.get(kind) ?? { count: 0, judged: [], texts: [] };
    if (ofKind.count++ === 0 && lost.size < MAX_LOST_KINDS) lost.set(kind, ofKind);
    if (ofKind.count > MAX_OF_KIND || !judge(RECORDS / 4, ofKind.judged)) return;
    const judged = ofKind.judged[ofKind.judged.length - 1]!;
    judged.line = line;
    const text = nodeBuffer().Buffer.from(buffer, WINDOW, length).toString("latin1");
    ofKind.texts.push(around(text, judged.signFrom));
  };

  /** Cleans the next bytes of the content, or ends it. */
  function cleaned(stored?: Uint8Array): Uint8Array {
    cleaning ??= startCleaning(judgeLost);
    const clean = stored === undefined ? cleaning.end() : cleaning.clean(stored);
    if (unwalked === undefined) return clean;
    bytes.set(unwalked, WINDOW);
    classified = 0;
    unwalked = undefined;
    return clean;
  }

  /** Walks the lines of the window. */
  function walk(isWhole: boolean): void {
    let at = WINDOW;
    for (;;) {
      const from = at;
      at = kernel.walk(at, WINDOW + filled, isWhole ? 1 : 0);
      const count = numbers[STATE / 4 + 4]!;
      for (let record = 0; record < count; record++) judge(RECORDS / 4 + record * RECORD_NUMBERS, findings);
      if (at === from || count === 0) break;
    }
    if (at === WINDOW) return;
    bytes.copyWithin(WINDOW, at, WINDOW + filled);
    filled = Math.max(0, filled - (at - WINDOW));
    classified = 0;
  }

  /** Finds line feeds and stems in the bytes of the window; returns whether there is a control character. */
  function survey(): boolean {
    bytes.fill(LINE_FEED, WINDOW + filled, WINDOW + filled + 128);
    // A stem may have been cut.
    const from = Math.max(0, classified - 64) & ~63;
    classified = filled;
    return kernel.survey(WINDOW, WINDOW + from, WINDOW + filled) === 1;
  }

  function take(taken: Uint8Array): void {
    for (let at = 0; at < taken.length;) {
      if (isPassing) {
        const lineFeed = taken.indexOf(LINE_FEED, at);
        if (lineFeed < 0) return;
        isPassing = false;
        at = lineFeed + 1;
        continue;
      }
      const length = Math.min(WINDOW_BYTES - filled, taken.length - at);
      bytes.set(length === taken.length ? taken : taken.subarray(at, at + length), WINDOW + filled);
      filled += length;
      at += length;
      if (survey() && cleaning === undefined) {
        const stored = bytes.slice(WINDOW, WINDOW + filled);
        filled = classified = 0;
        take(cleaned(stored));
        take(cleaned(taken.subarray(at)));
        return;
      }
      walk(false);
      if (filled === WINDOW_BYTES) {
        walk(true);
        isPassing = true;
      }
    }
  }

  /** Scans a line by itself. Returns the number of its shape. */
  function peekAt(text: string): number {
    const length = Math.min(text.length, WINDOW_BYTES);
    nodeBuffer().Buffer.from(buffer, WINDOW, length).write(text, "latin1");
    return peek(length);
  }

  /** Scans the line of so many bytes that is in the window. */
  function peek(length: number): number {
    bytes.fill(LINE_FEED, WINDOW + length, WINDOW + length + 128);
    return kernel.peek(WINDOW, WINDOW + length);
  }

  const shapeCount = () => numbers[STATE / 4 + 1]!;
  const shapeAt = (number: number) => SHAPES / 4 + (number - 1) * SHAPE_NUMBERS;
  let leads: Map<number, number> | undefined;
  /** How many lines start alike, by the hash of that. */
  const leadCounts = () => {
    if (leads !== undefined) return leads;
    leads = new Map();
    for (let each = 1; each <= shapeCount(); each++) {
      const at = shapeAt(each);
      leads.set(numbers[at + 1]!, (leads.get(numbers[at + 1]!) ?? 0) + numbers[at + 2]!);
    }
    return leads;
  };

  return {
    see(seen) {
      byteCount += seen.length;
      take(cleaning === undefined ? seen : cleaned(seen));
    },
    end() {
      if (cleaning !== undefined) take(cleaned());
      survey();
      walk(true);
      const kinds = new Map<number, number>();
      for (let number = 0; number < numbers[STATE / 4 + 2]!; number++) {
        const at = KINDS / 4 + number * KIND_NUMBERS;
        kinds.set(numbers[at]!, numbers[at + 1]!);
      }
      const overwritten = new Map<number, string[]>();
      for (const [kind, { count, judged, texts }] of lost) {
        if (kinds.has(kind)) continue;
        kinds.set(kind, count);
        for (const [at, finding] of judged.entries()) {
          findings.push(finding);
          const onLine = overwritten.get(finding.line) ?? [];
          onLine.push(texts[at]!);
          overwritten.set(finding.line, onLine);
        }
      }
      if (lost.size > 0) findings.sort((one, other) => one.line - other.line);
      return {
        byteCount,
        findings,
        overwritten,
        kinds,
        look(text) {
          const number = peekAt(text);
          const bodyStart = numbers[RECORDS / 4 + 6]!;
          if (number === 0) return { bodyStart, likeCount: 1, leadCount: 1 };
          if (leads === undefined) {
            leads = new Map();
            for (let each = 1; each <= shapeCount(); each++) {
              const at = shapeAt(each);
              leads.set(numbers[at + 1]!, (leads.get(numbers[at + 1]!) ?? 0) + numbers[at + 2]!);
            }
          }
          const at = shapeAt(number);
          return { bodyStart, likeCount: numbers[at + 2]!, leadCount: leads.get(numbers[at + 1]!)! };
        },
        firstSign(text) {
          peekAt(text);
          return numbers[RECORDS / 4 + 5] === 0 ? 0 : numbers[RECORDS / 4 + 7]! - WINDOW;
        },
        rareLines(most, by) {
          if (shapeCount() === MAX_ENTRIES) return undefined;
          const ofLead = by === "lead" ? leadCounts() : undefined;
          const nearlyAll = numbers[STATE / 4]! * NEARLY_ALL;
          if (ofLead !== undefined && !ofLead.values().some((count) => count >= nearlyAll)) return undefined;
          const lines: number[] = [];
          for (let number = 1; number <= shapeCount(); number++) {
            const at = shapeAt(number);
            const count = numbers[at + 2]!;
            if ((ofLead?.get(numbers[at + 1]!) ?? count) > most) continue;
            lines.push(numbers[at + 3]!);
            if (count > 1) lines.push(numbers[at + 4]!);
          }
          return lines.sort((one, other) => one - other);
        },
        markedLines: () => [...numbers.subarray(MARKED / 4, MARKED / 4 + numbers[STATE / 4 + 6]!)],
        oddLines: () => oddLines(numbers),
        alike(first, last, by) {
          if (last > MAX_LINES) return [];
          const highest = kernel.tally(first, last + 1, by === "shape" ? 0 : 2);
          const found: Alike[] = [];
          for (let number = 1; number <= highest; number++) {
            const [count, line] = [numbers[TALLY / 4 + 2 * number]!, numbers[TALLY / 4 + 2 * number + 1]!];
            const which = by === "shape" ? number : numbers[KINDS / 4 + (number - 1) * KIND_NUMBERS]!;
            if (count > 0) found.push({ count, line, which });
          }
          return found.sort((one, other) => other.count - one.count || one.line - other.line);
        },
      };
    },
  };
}

/** The text of a row, of one char a byte, around its sign. */
function around(text: string, sign: number): string {
  const from = Math.max(0, Math.min(sign - LOST_CHARS / 2, text.length - LOST_CHARS));
  return text.slice(from, from + LOST_CHARS).trim();
}

/** Address of the tables of stems, and then of the stems: mask and value. */
const STEMS = 5376;

/**
 * Stems of strong signs, each from the second byte of a word on; `?` matches any byte. Lines of a familiar look are walked if
 * they have one that the others do not have. The first three bytes of stems in one bucket are looked for in all combinations.
 */
const BUCKETS = [
  ["rror", "ille"],
  ["orru", "bort"],
  ["xcep", "imeo"],
  ["riti", '" 5?'],
  ["atal", "nval"],
  ["egfa", "eadl"],
  ["anic", "anno", "enie", "efus"],
  ["ail?", "nexp"],
];

function writeStems(memory: Uint8Array): void {
  const words = new DataView(memory.buffer);
  let address = STEMS + 96;
  for (const [bucket, stems] of BUCKETS.entries()) {
    for (const stem of stems) {
      for (let at = 0; at < 4; at++) {
        const code = stem.charCodeAt(at);
        if (stem[at] === "?") continue;
        words.setUint8(address + at, 0xff);
        words.setUint8(address + 4 + at, code);
        if (at === 3) continue;
        memory[STEMS + 32 * at + (code & 15)]! |= 1 << bucket;
        memory[STEMS + 32 * at + 16 + (code >> 4 | 2)]! |= 1 << bucket;
      }
      address += 8;
    }
  }
}

/** Minimum number of similar lines for one to be odd. */
const MIN_ALIKE = 80;
/** Shapes that are compared, the most frequent ones. */
const MAX_SHAPES = 4;
/** Lines that may have the odd word or number. */
const MAX_ODD = 2;
/** An odd number is this many powers of two above all others. */
const MIN_ABOVE = 2;

/**
 * Finds the odd lines among many that are built alike: a word in a place where all others have one of a few words (one
 * `degraded` among thousands of `ok`), or a number far above all others in its place (the one slow request).
 */
function oddLines(numbers: Int32Array): number[] {
  const fieldsNumbers = 2 + MAX_FIELDS * FIELD_NUMBERS;
  const shapes: { at: number; count: number; number: number }[] = [];
  for (let each = 0; each < FIELD_SHAPES; each++) {
    const at = FIELDS / 4 + each * fieldsNumbers;
    const number = numbers[at]!;
    if (number === 0) continue;
    const count = numbers[SHAPES / 4 + (number - 1) * SHAPE_NUMBERS + 2]!;
    if (count >= MIN_ALIKE) shapes.push({ at: at + 2, count, number });
  }
  shapes.sort((one, other) => other.count - one.count || one.number - other.number);
  const odd = new Set<number>();
  for (const { at } of shapes.slice(0, MAX_SHAPES)) {
    for (let field = 0; field < MAX_FIELDS; field++) {
      const from = at + field * FIELD_NUMBERS;
      for (const line of oddLinesOf(numbers.subarray(from, from + FIELD_NUMBERS))) odd.add(line);
    }
  }
  return [...odd].sort((one, other) => one - other);
}

/** The odd lines by one field: the number of words, the words with how many lines and the last one, then sizes with the same. */
function oddLinesOf(field: Int32Array): number[] {
  const odd: number[] = [];
  const words = field[0]!;
  if (words > 1 && words <= MAX_WORDS) {
    for (let word = 0; word < words; word++) {
      if (field[3 + 3 * word]! <= MAX_ODD) odd.push(field[4 + 3 * word]!);
    }
  }
  const countOf = (size: number) => field[SIZES_AT + 2 * size]!;
  let top = SIZES - 1;
  while (top > 0 && countOf(top) === 0) top--;
  let below = top - 1;
  while (below > 0 && countOf(below) === 0) below--;
  if (countOf(top) <= MAX_ODD && below > 0 && top - below >= MIN_ABOVE) {
    odd.push(field[SIZES_AT + 2 * top + 1]!);
  }
  return odd.length > 2 * MAX_ODD ? [] : odd;
}
