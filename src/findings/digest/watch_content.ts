/**
 * Watches content go by, in pieces of any size, and walks its lines with a kernel (`line_kernel.as.ts`): what shapes and
 * kinds of lines there are, how many of each, and which are odd. The first lines of each kind with signs of failure are
 * judged here. Memory is bounded, and the results depend only on the content.
 */

import { Cleaning, type SeeOverwritten, startKernel } from "../../../fd/system.ts";
import { latin1Of, putLatin1 } from "../outline/outlined_content.ts";
import { judgeLine } from "./failure_signs.ts";
import { LINE_KERNEL_BASE64, PADDED_LINE_KERNEL_BASE64 } from "./line_kernel_wasm.ts";

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
  /** How many lines with signs are of its kind. */
  count: number;
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

/** Lines of a range that are of one shape or kind: how many, and the first. */
interface Alike {
  by: "shape" | "kind";
  count: number;
  line: number;
}

/** Rare lines, ascending. */
export interface RareLines {
  lines: readonly number[];
  /** Those that may have less than two bytes, and those that may count several things. */
  short: readonly number[];
  counting: readonly number[];
}

/** The text of a line, one char a byte, which is read when asked for. */
type TextOf = (line: number) => string | undefined;

/** The results of watching. */
export interface WatchedLines {
  byteCount: number;
  /** Whether there is nothing to clean; false, too, if the ends of overlong lines were not looked at. */
  isPlain: boolean;
  findings: Judged[];
  /** Whether any line may say that something passed. */
  hasPasses: boolean;
  /** Texts with signs that were written over in their line, of kinds that no whole line is of; in latin1. */
  overwritten: ReadonlyMap<number, readonly string[]>;
  /** How many lines have the shape of a line, or start like it; 0 if it cannot be read. */
  likeCount(line: number, by: "shape" | "lead", textOf: TextOf): number;
  /** The chars of a line, of one char a byte, before what it says: what a log puts before each line, such as a time. */
  bodyStart(text: string): number;
  /** The strongest sign in a line: where it starts; 0 without one. */
  strongestSign(line: Uint8Array): number;
  /**
   * The lines from `first` to `last` whose shape no other has, or that start as no other does while nearly all start alike. None
   * if there are too many shapes.
   */
  rareLines(by: "shape" | "lead", first: number, last: number): RareLines;
  /** Whether a line may say that something passed. */
  mayPass(line: number): boolean;
  /** The first lines that may be headings or tags of answers, and their forms, as the kernel makes them. */
  marked: readonly { line: number; form: number }[];
  /** The lines that are odd by a word or number, ascending. */
  odd: readonly number[];
  /**
   * The two kinds with the strongest findings of at least `least` lines from `first` to `last`, or the two most frequent shapes if
   * one may have half of the lines; none beyond {@link MAX_LINES}.
   */
  alike(first: number, last: number, by: "shape" | "kind", least: number): Alike[];
  /** How many lines from `first` to `last` are like none of these. */
  countOthers(first: number, last: number, alike: readonly Alike[]): number;
}

/** Sees content go by. */
export interface ContentWatcher {
  /** Takes the next bytes, which are valid until it returns. */
  see(bytes: Uint8Array): void;
  end(): WatchedLines;
}

/** Exports of the module, which `line_kernel.as.ts` documents. */
interface KernelExports {
  survey(start: number, from: number, to: number): number;
  walk(from: number, to: number, whole: number): number;
  peek(from: number, to: number): number;
  prefixOf(from: number, to: number): number;
  tally(from: number, to: number, which: number, least: number): void;
  countNexts(): void;
  countLeads(): void;
}

/** Addresses and sizes, as in the kernel. */
const STATE = 5120;
const RECORDS = 6144;
const RECORD_NUMBERS = 44;
const SHAPES = 0xa6000;
const SHAPE_NUMBERS = 5;
const KINDS = 0xb0000;
const KIND_NUMBERS = 4;
const MAX_KINDS = 0x7fff;
/** The places of the numbers of shape 0 and kind 0, which do not exist: they count from 1. */
const SHAPES_AT = SHAPES / 4 - SHAPE_NUMBERS;
const KINDS_AT = KINDS / 4 - KIND_NUMBERS;
const LINES = 0x130000;
const MAY_COUNT = 0x100;
const MAY_BE_SHORT = 0x200;
const MARKED = 0x1f4000;
const FIELDS = 0x1f6000;
const FIELD_SHAPES = 32;
const MAX_FIELDS = 24;
const FIELD_NUMBERS = 104;
const MAX_WORDS = 12;
const WORD_SLOTS = 16;
const SIZES_AT = 34;
const SIZES = 64;
const VALUES_AT = 98;
const MAX_VALUES = 3;
const TALLIED = STATE + 32;
const WINDOW = 0x250000;
const MAX_ENTRIES = 2047;
const MAX_LINES = 200_000;
/** The bytes of a line that are walked. */
const WINDOW_BYTES = 65_536;
const MEMORY_BYTES = WINDOW + 2 * 0x11000 + 16 * 16_384;

const LINE_FEED = 0x0a;
const MIN_INT32 = -0x80000000;
const MIN_STRENGTH = 8;
/** Findings that are named where they are left out. */
const MIN_NAMED_STRENGTH = 35;

/** Content between these sizes is walked by a kernel that JavaScriptCore does not optimise: that costs 8 to 14 ms. */
const MIN_PADDED_BYTES = 98_304;
const MAX_PADDED_BYTES = 10_485_760;

/** Content with a NUL among its first bytes is mostly shown as binary content, in which no lines are looked for. */
const BINARY_WITHIN_BYTES = 4096;

/** After this many lines of one kind, further ones are only counted. */
const MAX_OF_KIND = 4;
/** Lines that start within so many bytes are decoded together. */
const NEAR_BYTES = 4096;
/** More than what is looked at before and behind a sign. */
const SIGN_CONTEXT = 128;
/** Kinds of rows that were written over, and the chars of one that are remembered. */
const MAX_LOST_KINDS = 256;
const LOST_CHARS = 240;
/** The chars of a long line that are judged at once, those around them that count, and how far signs are looked for. */
const PIECE_CHARS = 160;
const PIECE_CONTEXT = 48;
const MAX_PIECED = 262_144;
/** The share of the lines that start alike where one that does not is odd. */
const NEARLY_ALL = 0.9;

/**
 * Starts to watch content from its start; undefined if the runtime has no WebAssembly with SIMD. Of the lines of one kind the
 * first `mostOfKind` are judged. If it `leavesBinary`, it has not seen a byte of content that starts as binary content does.
 */
export function watchContent(
  mostOfKind = MAX_OF_KIND,
  leavesBinary = false,
): ContentWatcher | undefined {
  const started = startKernel<KernelExports>(LINE_KERNEL_BASE64, MEMORY_BYTES);
  if (started === undefined) return undefined;
  const { exports: kernel, memory, buffer } = started;
  let walker: Pick<KernelExports, "survey" | "walk"> = kernel;
  const bytes = new Uint8Array(buffer);
  const numbers = new Int32Array(buffer);
  const shorts = new Uint16Array(buffer);
  numbers[STATE / 4 + 5] = mostOfKind;
  if (mostOfKind > MAX_OF_KIND) numbers[STATE / 4 + 3] = MIN_INT32;
  bytes[WINDOW - 1] = LINE_FEED;
  const findings: Judged[] = [];
  let hasNamed = false;
  let byteCount = 0;
  let isLeft = false;
  let cleaning: Cleaning | undefined;
  /** Bytes in the window: of a line that is not whole, or those that just came. */
  let filled = 0;
  /** The bytes in the window whose masks are known. */
  let classified = 0;
  /** Whether the rest of an overlong line is passed over. */
  let isPassing = false;
  let hasPassed = false;
  const lost = new Map<number, LostKind>();
  let lastLostLine = 0;
  let lastLostKind = 0;
  /** The bytes of the window, while rows are judged there. */
  let unwalked: Uint8Array | undefined;

  /** Judges the lines that were reported, and adds those with strong enough signs. */
  function judge(count: number, into: Judged[]): void {
    const end = RECORDS / 4 + count * RECORD_NUMBERS;
    const line = { text: "", lower: "", from: 0, to: 0 };
    let textFrom = 0;
    let textTo = 0;
    for (let record = RECORDS / 4; record < end; record += RECORD_NUMBERS) {
      const from = numbers[record + 1]!;
      const to = numbers[record + 2]!;
      const flags = numbers[record + 4]!;
      const signs = record + 7;
      const signsTo = signs + 3 * numbers[record + 5]!;
      if (to > textTo) {
        // Lines that are near are decoded at once, and of a long one what is around its signs.
        textFrom = from;
        for (
          let near = record;
          near < end && numbers[near + 1]! < from + NEAR_BYTES;
          near += RECORD_NUMBERS
        ) {
          textTo = numbers[near + 2]!;
        }
        if (to - from > NEAR_BYTES && flags <= 1 && signs < signsTo) {
          textFrom = Math.max(from, numbers[signs]! - SIGN_CONTEXT);
          textTo = Math.min(to, numbers[signsTo - 2]! + SIGN_CONTEXT);
        }
        line.text = latin1Of(bytes, textFrom, textTo);
        line.lower = line.text.toLowerCase();
      }
      line.from = from - textFrom;
      line.to = to - textFrom;
      const { strength, sign } = judgeLine(line, numbers, signs, signsTo, textFrom, flags);
      if (strength < MIN_STRENGTH) continue;
      const kind = numbers[record + 3]!;
      if (into === findings) {
        const isNamed = strength >= MIN_NAMED_STRENGTH;
        numbers[KINDS_AT + kind * KIND_NUMBERS + 3] = isNamed ? Math.round(strength * 1e6) : 0;
        hasNamed ||= isNamed;
      }
      const prefix = numbers[record + 6]!;
      into.push({
        line: numbers[record]!,
        strength,
        kind,
        count: 0,
        sign,
        signFrom: signs === signsTo ? 0 : prefix + numbers[signs]! - from,
        signTo: signs === signsTo ? 0 : prefix + numbers[signs + 1]! - from,
        isPlace: (flags & 1) === 1,
      });
    }
  }

  /** Looks at bytes as at a line. */
  function peekAt(row: Uint8Array, from: number, length: number): void {
    for (let at = 0; at < length; at++) bytes[WINDOW + at] = row[from + at]!;
    kernel.peek(WINDOW, put(length));
  }

  /** Judges a row that is written over. */
  const judgeLost: SeeOverwritten = (row, from, to, lineFeeds) => {
    unwalked ??= bytes.slice(WINDOW, WINDOW + filled);
    const length = Math.min(to - from, WINDOW_BYTES);
    peekAt(row, from, length);
    const line = numbers[STATE / 4]! + lineFeeds + (isPassing ? 0 : 1);
    const kind = numbers[RECORDS / 4 + 3]!;
    // A row that is drawn again is one.
    if (kind === 0 || lastLostKind === kind && lastLostLine === line) return;
    lastLostLine = line;
    lastLostKind = kind;
    const ofKind = lost.get(kind) ?? { count: 0, judged: [], texts: [] };
    if (ofKind.count++ === 0 && lost.size < MAX_LOST_KINDS) lost.set(kind, ofKind);
    if (ofKind.count > MAX_OF_KIND) return;
    judge(1, ofKind.judged);
    const judged = ofKind.judged[ofKind.texts.length];
    if (judged === undefined) return;
    judged.line = line;
    const text = latin1Of(bytes, WINDOW, WINDOW + length);
    ofKind.texts.push(around(text, judged.signFrom));
  };

  /** Cleans the next bytes of the content, or ends it. */
  function cleaned(stored?: Uint8Array): Uint8Array {
    cleaning ??= new Cleaning(judgeLost);
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
    for (let from = 0; from !== at;) {
      from = at;
      at = walker.walk(from, WINDOW + filled, isWhole ? 1 : 0);
      const count = numbers[STATE / 4 + 4]!;
      if (count === 0) break;
      judge(count, findings);
    }
    if (at === WINDOW) return;
    bytes.copyWithin(WINDOW, at, WINDOW + filled);
    filled = Math.max(0, filled - (at - WINDOW));
    classified = 0;
  }

  /** Finds line feeds and stems in the bytes of the window; returns whether there is a control character. */
  function survey(): boolean {
    const isPadded = byteCount > MIN_PADDED_BYTES && byteCount < MAX_PADDED_BYTES;
    if (isPadded !== (walker !== kernel)) {
      walker = isPadded ? startKernel<typeof walker>(PADDED_LINE_KERNEL_BASE64, 0, memory)!.exports : kernel;
      classified = 0;
    }
    bytes.fill(LINE_FEED, WINDOW + filled, WINDOW + filled + 128);
    // A stem may have been cut.
    const from = Math.max(0, classified - 64) & ~63;
    classified = filled;
    return walker.survey(WINDOW, WINDOW + from, WINDOW + filled) === 1;
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
        isPassing = hasPassed = true;
      }
    }
  }

  /** Puts a line into the window, if it is not there with so many bytes, and line feeds behind it; returns its end. */
  function put(line: string | number): number {
    const length = typeof line === "number" ? line : putLatin1(line, bytes, WINDOW, WINDOW_BYTES);
    bytes.fill(LINE_FEED, WINDOW + length, WINDOW + length + 128);
    return WINDOW + length;
  }

  /** How many lines the most frequent shape or start has: the number of a shape that counts those. */
  const highest = (counted: number): number => {
    let most = 0;
    const end = SHAPES / 4 + numbers[STATE / 4 + 1]! * SHAPE_NUMBERS;
    for (let at = SHAPES / 4 + counted; at < end; at += SHAPE_NUMBERS) {
      if (numbers[at]! > most) most = numbers[at]!;
    }
    return most;
  };
  /** The same of shapes, once it was asked. */
  let most = 0;

  /** Answers to what is asked afterwards. Closures as deep are in the bytecode; deeper ones are compiled when they are called. */
  const results = {
    likeCount(line, by, textOf) {
      let shape = shorts[LINES / 2 + 2 * line]!;
      if (line > MAX_LINES) {
        const text = textOf(line);
        if (text === undefined) return 0;
        shape = kernel.peek(WINDOW, put(text));
      }
      // Some lines have none.
      return shape === 0 ? 1 : numbers[SHAPES_AT + shape * SHAPE_NUMBERS + (by === "lead" ? 1 : 2)]!;
    },
    bodyStart: (text) => kernel.prefixOf(WINDOW, put(text)),
    strongestSign(line) {
      let strongest = 0;
      let place = 0;
      for (let at = 0; at < Math.min(line.length, MAX_PIECED); at += PIECE_CHARS) {
        const start = Math.max(0, at - PIECE_CONTEXT);
        peekAt(line, start, Math.min(at + PIECE_CHARS + PIECE_CONTEXT, line.length) - start);
        const [isPlace, count, first] = [RECORDS / 4 + 4, RECORDS / 4 + 5, RECORDS / 4 + 7];
        // What is said before a sign counts, so signs of the context were judged with the piece before.
        while (numbers[count]! > 0 && numbers[first]! - WINDOW < at - start) {
          numbers.copyWithin(first, first + 3, first + 3 * numbers[count]!--);
        }
        if (numbers[count] === 0 && (numbers[isPlace]! & 1) === 0) continue;
        const judged: Judged[] = [];
        judge(1, judged);
        const [found] = judged;
        if (found === undefined || found.strength <= strongest) continue;
        strongest = found.strength;
        place = start + found.signFrom;
      }
      return place;
    },
    rareLines(by, first, last) {
      const shapes = numbers[STATE / 4 + 1]!;
      const end = SHAPES / 4 + (shapes === MAX_ENTRIES ? 0 : shapes * SHAPE_NUMBERS);
      const lines: number[] = [];
      const short: number[] = [];
      const counting: number[] = [];
      const counted = by === "lead" ? 1 : 2;
      if (by === "lead" && highest(1) < numbers[STATE / 4]! * NEARLY_ALL) return { lines, short, counting };
      // In the order in which they came.
      for (let at = SHAPES / 4; at < end; at += SHAPE_NUMBERS) {
        if (numbers[at + counted]! > 1) continue;
        const line = numbers[at + 3]!;
        if (line < first || line > last) continue;
        const flags = numbers[at + 4]!;
        if ((flags & MAY_BE_SHORT) !== 0) short.push(line);
        if ((flags & MAY_COUNT) !== 0) counting.push(line);
        lines.push(line);
      }
      return { lines, short, counting };
    },
    mayPass: (line) => line > MAX_LINES || shorts[LINES / 2 + 2 * line + 1]! > MAX_KINDS,
    alike(first, last, by, least) {
      if (last > MAX_LINES || by === "kind" && !hasNamed) return [];
      if (by === "shape") {
        most ||= highest(2);
        if (most * 2 < last - first + 1) return [];
      }
      kernel.tally(first, last + 1, by === "shape" ? 0 : 2, least);
      const found: Alike[] = [];
      for (let at = TALLIED / 4; at < TALLIED / 4 + 8 && numbers[at] !== 0; at += 4) {
        found.push({ by, count: numbers[at + 1]!, line: numbers[at + 2]! });
      }
      return found;
    },
    countOthers(first, last, alike) {
      const counted = alike.reduce((sum, { count }) => sum + count, 0);
      // Lines of one kind may be of one of the shapes; those of two shapes, or of two kinds, differ.
      if (alike.every(({ by }) => by === alike[0]!.by)) return last - first + 1 - counted;
      const numberOf = (by: "shape" | "kind", at: number) => {
        const { line } = alike.filter((each) => each.by === by)[at] ?? { line: 0 };
        return line === 0
          ? -1
          : by === "shape"
          ? shorts[LINES / 2 + 2 * line]!
          : shorts[LINES / 2 + 2 * line + 1]! & MAX_KINDS;
      };
      const [oneShape, otherShape] = [numberOf("shape", 0), numberOf("shape", 1)];
      const [oneKind, otherKind] = [numberOf("kind", 0), numberOf("kind", 1)];
      let others = 0;
      for (let at = LINES / 2 + 2 * first; at <= LINES / 2 + 2 * last; at += 2) {
        const shape = shorts[at]!;
        const kind = shorts[at + 1]! & MAX_KINDS;
        if (shape !== oneShape && shape !== otherShape && kind !== oneKind && kind !== otherKind) others++;
      }
      return others;
    },
  } satisfies Partial<WatchedLines>;

  return {
    see(seen) {
      isLeft ||= leavesBinary && byteCount === 0 && seen.subarray(0, BINARY_WITHIN_BYTES).includes(0);
      if (isLeft) return;
      byteCount += seen.length;
      take(cleaning === undefined ? seen : cleaned(seen));
    },
    end() {
      if (cleaning !== undefined) take(cleaned());
      survey();
      walk(true);
      kernel.countNexts();
      kernel.countLeads();
      for (const each of findings) each.count = numbers[KINDS_AT + each.kind * KIND_NUMBERS + 1]!;
      const overwritten = new Map<number, string[]>();
      const hashes = new Set<number>();
      for (let kind = 1; lost.size > 0 && kind <= numbers[STATE / 4 + 2]!; kind++) {
        hashes.add(numbers[KINDS_AT + kind * KIND_NUMBERS]!);
      }
      let lostKind = MAX_KINDS;
      for (const [hash, { count, judged, texts }] of lost) {
        if (hashes.has(hash)) continue;
        lostKind++;
        for (const [at, finding] of judged.entries()) {
          findings.push({ ...finding, kind: lostKind, count });
          const onLine = overwritten.get(finding.line) ?? [];
          onLine.push(texts[at]!);
          overwritten.set(finding.line, onLine);
        }
      }
      if (lost.size > 0) findings.sort((one, other) => one.line - other.line);
      const marked: { line: number; form: number }[] = [];
      for (let at = MARKED / 4; marked.length < numbers[STATE / 4 + 6]!; at += 2) {
        marked.push({ line: numbers[at]!, form: numbers[at + 1]! });
      }
      return {
        byteCount,
        isPlain: cleaning === undefined && !hasPassed,
        hasPasses: numbers[STATE / 4 + 18] !== 0,
        findings,
        overwritten,
        marked,
        odd: oddLines(numbers),
        ...results,
      };
    },
  };
}

/** The text of a row, of one char a byte, around its sign. */
function around(text: string, sign: number): string {
  const from = Math.max(0, Math.min(sign - LOST_CHARS / 2, text.length - LOST_CHARS));
  return text.slice(from, from + LOST_CHARS).trim();
}

/** Minimum number of similar lines for one to be odd. */
const MIN_ALIKE = 20;
/** The most frequent shapes, of which all fields are compared; of others, those that have few values. */
const MAX_SHAPES = 4;
/** Lines that may have the odd word or number. */
const MAX_ODD = 2;
/**
 * An odd number is this many powers of two above all others; more, and not in thousandths, if numbers of as many
 * digits were passed over.
 */
const MIN_ABOVE = 2;
const MIN_ABOVE_DIGITS = 4;
const SIZE_OF_ONE = 10;

/**
 * Finds the odd lines among many that are built alike: a word in a place where all others have one of a few words (one
 * `degraded` among thousands of `ok`), or a number far above all others in its place (the one slow request).
 */
function oddLines(numbers: Int32Array): number[] {
  const fieldsNumbers = 2 + (MAX_FIELDS + 1) * FIELD_NUMBERS;
  const counts = SHAPES_AT + 2;
  const shapes: { at: number; count: number; number: number }[] = [];
  for (let each = 0; each < FIELD_SHAPES; each++) {
    const at = FIELDS / 4 + each * fieldsNumbers;
    const number = numbers[at]!;
    if (number === 0) continue;
    const count = numbers[counts + number * SHAPE_NUMBERS]!;
    if (count >= MIN_ALIKE) shapes.push({ at: at + 2, count, number });
  }
  shapes.sort((one, other) => other.count - one.count || one.number - other.number);
  const odd = new Set<number>();
  const values = new Set<number>();
  for (let rank = 0; rank < shapes.length; rank++) {
    const { at, number } = shapes[rank]!;
    const isSampled = numbers[at - 1] === 1;
    for (let field = 0; field < MAX_FIELDS; field++) {
      const from = at + field * FIELD_NUMBERS;
      // The first field without words is behind the last token.
      if (numbers[from] === 0) break;
      const word = rareValue(numbers, from, from + 2, WORD_SLOTS);
      const value = isSampled ? undefined : rareValue(numbers, from + 1, from + VALUES_AT);
      for (const each of [word, value]) if (each !== undefined) values.add(numbers[each + 1]! >> 2);
      if (rank >= MAX_SHAPES) continue;
      for (const each of oddLinesOf(numbers.subarray(from, from + FIELD_NUMBERS), isSampled)) odd.add(each);
    }
    const next = at + MAX_FIELDS * FIELD_NUMBERS;
    const follower = rareValue(numbers, next + 1, next + VALUES_AT);
    if (follower === undefined || numbers[counts + numbers[follower]! * SHAPE_NUMBERS]! < MIN_ALIKE) continue;
    // The end of a list, or of all records, does not count.
    const line = numbers[follower + 1]! >> 2;
    const slots = [0, 2, 4].map((slot) => next + VALUES_AT + slot);
    const isList = slots.some((slot) => numbers[slot] === number);
    if (!isList && slots.some((slot) => numbers[slot + 1]! >> 2 > line)) values.add(line);
  }
  if (values.size <= MAX_ODD) { for (const line of values) odd.add(line); }
  return [...odd].sort((one, other) => one - other);
}

/**
 * The address of that value of a field, of few, that hardly a line has, if all others are frequent. Their number is at
 * `countAt`, and they are in the slots at `from`.
 */
function rareValue(
  numbers: Int32Array,
  countAt: number,
  from: number,
  slots = MAX_VALUES,
): number | undefined {
  if (numbers[countAt]! < 2 || numbers[countAt]! > MAX_VALUES) return undefined;
  let rare: number | undefined;
  for (let value = from; value < from + 2 * slots; value += 2) {
    const lines = numbers[value + 1]! & 3;
    if (lines === 0 || lines > MAX_ODD) continue;
    if (rare !== undefined) return undefined;
    rare = value;
  }
  return rare;
}

/**
 * The odd lines by one field: the number of words, then slots of words with how many lines and the last one, then
 * sizes with the same.
 */
function oddLinesOf(field: Int32Array, isSampled: boolean): number[] {
  const odd: number[] = [];
  const words = field[0]!;
  if (words > 1 && words <= MAX_WORDS) {
    for (let word = 0; word < WORD_SLOTS; word++) {
      const counted = field[3 + 2 * word]!;
      if ((counted & 3) > 0 && (counted & 3) <= MAX_ODD) odd.push(counted >> 2);
    }
  }
  const sizes: number[] = [];
  for (let size = SIZES - 1; size >= 0; size--) if (field[SIZES_AT + size] !== 0) sizes.push(size);
  const [top = 0, below = top] = sizes;
  const atTop = field[SIZES_AT + top]! & 3;
  const atBelow = field[SIZES_AT + below]! & 3;
  const isAbove = isSampled
    ? below >= SIZE_OF_ONE && top - below >= MIN_ABOVE_DIGITS
    : top - below >= MIN_ABOVE;
  const isOneAbove = atTop <= MAX_ODD && below > 0 && isAbove;
  const odder = isOneAbove || atTop < atBelow ? top : below;
  // Or all others are of one size. Of one size alone, none is odd.
  if (isOneAbove || (isAbove || !isSampled) && sizes.length === 2 && Math.min(atTop, atBelow) <= MAX_ODD) {
    odd.push(field[SIZES_AT + odder]! >> 2);
  }
  return odd.length > 2 * MAX_ODD ? [] : odd;
}
