/**
 * Watches content go by, in pieces of any size, and walks its lines with a kernel (`line_kernel.as.ts`): what shapes and
 * kinds of lines there are, how many of each, and which are odd. The first lines of each kind with signs of failure are
 * judged here. Memory is bounded, and the results depend only on the content.
 */

import { Cleaning, countLineFeeds } from "../../../fd/system.ts";
import { latin1Of } from "../outline/outlined_content.ts";
import { type Judged, judgeRecords } from "./judge_records.ts";
import { LAYOUT } from "./line_layout.ts";
import { LineMemory } from "./line_memory.ts";
import { commonPrefix } from "./line_prefix.ts";
import { WatchedLines } from "./watched_lines.ts";

/** Sees content go by. */
export interface ContentWatcher {
  /** Takes the next bytes, which are valid until it returns. */
  see(bytes: Uint8Array): void;
  end(): WatchedLines;
}

const LINE_FEED = 0x0a;
/** Bytes for which there is memory behind the window. */
const SPARE_BYTES = 3072;
/** The first bytes, whose lines show what is before each line. */
const PREFIX_BYTES = 4096;
/** Findings that are named where they are left out. */
const MIN_NAMED_STRENGTH = 35;
/** After this many lines of one kind, further ones are only counted. */
const MAX_OF_KIND = 4;
/** Content with a NUL among its first bytes is mostly shown as binary content, in which no lines are looked for. */
const BINARY_WITHIN_BYTES = 4096;

/**
 * Starts to watch content from its start; undefined if the runtime has no WebAssembly with SIMD. Of the lines of one kind the
 * first `mostOfKind` are judged. If it `leavesBinary`, it has not seen a byte of content that starts as binary content does.
 */
export function watchContent(mostOfKind = MAX_OF_KIND, leavesBinary = false): ContentWatcher | undefined {
  const memory = LineMemory.start(mostOfKind, mostOfKind > MAX_OF_KIND);
  return memory && new LineWatcher(memory, leavesBinary);
}

class LineWatcher implements ContentWatcher {
  private readonly findings: Judged[] = [];
  private readonly lost: LostRows;
  private hasNamed = false;
  private byteCount = 0;
  /** Whether binary content is left alone. */
  private isLeft = false;
  private cleaning: Cleaning | undefined;
  /** Whether it is known what is before each line: no line is walked before that. */
  private isPrefixKnown = false;
  /** Bytes in the window: of a line that is not whole, or those that just came. */
  private filled = 0;
  /** The bytes in the window whose masks are known. */
  private classified = 0;
  /** Whether the rest of an overlong line is passed over, and whether one was. */
  private isPassing = false;
  private hasPassed = false;

  constructor(private readonly memory: LineMemory, private readonly leavesBinary: boolean) {
    this.lost = new LostRows(memory);
  }

  see(bytes: Uint8Array): void {
    const startsBinary = this.leavesBinary && this.byteCount === 0 &&
      bytes.subarray(0, BINARY_WITHIN_BYTES).includes(0);
    this.isLeft ||= startsBinary;
    if (this.isLeft) return;
    this.byteCount += bytes.length;
    this.take(this.cleaning === undefined ? bytes : this.clean(this.cleaning, bytes));
  }

  end(): WatchedLines {
    const { memory, findings, lost, byteCount, hasNamed } = this;
    if (this.cleaning !== undefined) this.take(this.clean(this.cleaning));
    this.survey();
    this.walk(true);
    memory.end();
    for (const each of findings) each.count = memory.countOfKind(each.kind);
    const overwritten = lost.addTo(findings);
    const isPlain = this.cleaning === undefined && !this.hasPassed;
    return new WatchedLines(memory, { byteCount, isPlain, findings, overwritten, hasNamed });
  }

  private take(taken: Uint8Array): void {
    for (let at = 0; at < taken.length;) {
      if (this.isPassing) {
        const lineFeed = taken.indexOf(LINE_FEED, at);
        if (lineFeed < 0) return;
        this.isPassing = false;
        at = lineFeed + 1;
        continue;
      }
      const room = LAYOUT.WINDOW_BYTES - this.filled;
      const left = taken.length - at;
      // Bytes that are a few too many are taken with the others, if the line that was not whole is not overlong.
      const isWhole = left > room && left <= Math.min(room + SPARE_BYTES, LAYOUT.WINDOW_BYTES) &&
        taken.subarray(at, at + room).includes(LINE_FEED);
      const length = isWhole ? left : Math.min(room, left);
      const part = length === taken.length ? taken : taken.subarray(at, at + length);
      this.memory.bytes.set(part, LAYOUT.WINDOW + this.filled);
      this.filled += length;
      at += length;
      if (this.survey() && this.cleaning === undefined) return this.takeAgain(taken.subarray(at));
      this.walk(false);
      if (this.filled === LAYOUT.WINDOW_BYTES) {
        this.walk(true);
        this.isPassing = this.hasPassed = true;
      }
    }
  }

  /** Takes the window once more, and the bytes after it, which must be cleaned from there on. */
  private takeAgain(rest: Uint8Array): void {
    const stored = this.memory.bytes.slice(LAYOUT.WINDOW, LAYOUT.WINDOW + this.filled);
    this.filled = this.classified = 0;
    this.cleaning = new Cleaning((row, from, to, lineFeeds) => {
      this.lost.judge(row, from, to, lineFeeds + (this.isPassing ? 0 : 1), this.filled, this.isPrefixKnown);
    });
    this.take(this.clean(this.cleaning, stored));
    this.take(this.clean(this.cleaning, rest));
  }

  /** Cleans the next bytes of the content, or ends it. Rows that are written over are judged in the window. */
  private clean(cleaning: Cleaning, stored?: Uint8Array): Uint8Array {
    const clean = stored === undefined ? cleaning.end() : cleaning.clean(stored);
    if (this.lost.restoreWindow()) this.classified = 0;
    return clean;
  }

  /** Finds line feeds in the bytes of the window; returns whether there is a control character. */
  private survey(): boolean {
    const known = this.classified;
    this.classified = this.filled;
    return this.memory.survey(known, this.filled);
  }

  /** Walks the lines of the window, once enough of them are there. */
  private walk(isWhole: boolean): void {
    if (!this.isPrefixKnown) {
      if (this.filled < PREFIX_BYTES && !isWhole) return;
      const to = LAYOUT.WINDOW + Math.min(this.filled, PREFIX_BYTES);
      const first = latin1Of(this.memory.bytes, LAYOUT.WINDOW, to).split("\n");
      this.memory.setPrefix(commonPrefix(first.slice(0, -1)));
      this.isPrefixKnown = true;
    }
    let walked = 0;
    for (let from = -1; from !== walked;) {
      from = walked;
      const { at, reported } = this.memory.walk(from, this.filled, isWhole);
      walked = at;
      if (reported === 0) break;
      this.judge(reported);
    }
    if (walked === 0) return;
    this.memory.bytes.copyWithin(LAYOUT.WINDOW, LAYOUT.WINDOW + walked, LAYOUT.WINDOW + this.filled);
    this.filled = Math.max(0, this.filled - walked);
    this.classified = 0;
  }

  private judge(reported: number): void {
    for (const judged of judgeRecords(this.memory, reported)) {
      const isNamed = judged.strength >= MIN_NAMED_STRENGTH;
      this.memory.rankKind(judged.kind, isNamed ? Math.round(judged.strength * 1e6) : 0);
      this.hasNamed ||= isNamed;
      this.findings.push(judged);
    }
  }
}

/** Rows of one kind that were written over: how many, and the first with what they say. */
interface LostKind {
  count: number;
  judged: Judged[];
  texts: string[];
}

/** Kinds of rows that were written over, and the chars of one that are remembered. */
const MAX_LOST_KINDS = 256;
const LOST_CHARS = 240;

/** The rows with signs that were written over: progress bars, and failures that they hide. */
class LostRows {
  /** By the hash of their kind. */
  private readonly kinds = new Map<number, LostKind>();
  private lastLine = 0;
  private lastKind = 0;
  /** The bytes of the window, while rows are judged there. */
  private window: Uint8Array | undefined;

  constructor(private readonly memory: LineMemory) {}

  /**
   * Judges a row, which is `linesAhead` lines behind the last one in the window. That has `filled` bytes, of whole lines only
   * if they are not `walked` yet.
   */
  judge(
    row: Uint8Array,
    from: number,
    to: number,
    linesAhead: number,
    filled: number,
    areWalked: boolean,
  ): void {
    const { memory } = this;
    this.window ??= memory.bytes.slice(LAYOUT.WINDOW, LAYOUT.WINDOW + filled);
    const length = Math.min(to - from, LAYOUT.WINDOW_BYTES);
    memory.peekAt(row, from, from + length);
    const line = memory.line + (areWalked ? 0 : countLineFeeds(this.window)) + linesAhead;
    const kind = memory.numbers[LAYOUT.RECORDS / 4 + 3]!;
    // A row that is drawn again is one.
    if (kind === 0 || this.lastKind === kind && this.lastLine === line) return;
    this.lastLine = line;
    this.lastKind = kind;
    const ofKind = this.kinds.get(kind) ?? { count: 0, judged: [], texts: [] };
    if (ofKind.count++ === 0 && this.kinds.size < MAX_LOST_KINDS) this.kinds.set(kind, ofKind);
    if (ofKind.count > MAX_OF_KIND) return;
    const [judged] = judgeRecords(memory, 1);
    if (judged === undefined) return;
    ofKind.judged.push({ ...judged, line });
    ofKind.texts.push(around(latin1Of(memory.bytes, LAYOUT.WINDOW, LAYOUT.WINDOW + length), judged.signFrom));
  }

  /** Puts the bytes of the window back if rows were judged there; returns whether they were. */
  restoreWindow(): boolean {
    if (this.window === undefined) return false;
    this.memory.bytes.set(this.window, LAYOUT.WINDOW);
    this.window = undefined;
    return true;
  }

  /** Adds those of kinds that no whole line is of to `findings`. Returns their texts by line. */
  addTo(findings: Judged[]): Map<number, string[]> {
    const overwritten = new Map<number, string[]>();
    if (this.kinds.size === 0) return overwritten;
    const whole = new Set<number>();
    for (let kind = 1; kind <= this.memory.kindCount; kind++) whole.add(this.memory.kindHash(kind));
    let lostKind: number = LAYOUT.MAX_KINDS;
    for (const [hash, { count, judged, texts }] of this.kinds) {
      if (whole.has(hash)) continue;
      lostKind++;
      for (const [at, finding] of judged.entries()) {
        findings.push({ ...finding, kind: lostKind, count });
        overwritten.set(finding.line, [...overwritten.get(finding.line) ?? [], texts[at]!]);
      }
    }
    findings.sort((one, other) => one.line - other.line);
    return overwritten;
  }
}

/** The text of a row, of one char a byte, around its sign. */
function around(text: string, sign: number): string {
  const from = Math.max(0, Math.min(sign - LOST_CHARS / 2, text.length - LOST_CHARS));
  return text.slice(from, from + LOST_CHARS).trim();
}
