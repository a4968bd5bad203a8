/** Content that is edited in memory, in a buffer that grows: an edit moves the bytes behind it. */

import type { Span } from "../../../fd/mod.ts";
import { byteSearch, countLineFeeds } from "../../../fd/system.ts";

/** The number of matches, and the offsets of the first ones. */
export interface Places {
  count: number;
  first: number[];
}

export interface PlaceRequest {
  /** Search at or after this byte (default 0). */
  fromByte?: number | undefined;
  /** Whether overlapping matches count: `aa` is in `aaa` twice. */
  overlapping: boolean;
  /** The number of offsets to return; other matches are only counted. */
  keep: number;
  /** Stop after this many. */
  most?: number | undefined;
  /** Whether a match is only the end of what is replaced, so that it may begin inside CRLF. */
  isEnd?: boolean | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/** A text that is edited. Offsets are bytes of the current text. */
export class EditedText {
  /** The text is the first `byteCount` of these. */
  #buffer: Uint8Array;
  /** Whether the buffer may be written: the given content may not. */
  #isOwn = false;
  #byteCount: number;
  /** The LFs of the first bytes: operations that follow each other count on from there. */
  #counted = { toByte: 0, feedCount: 0 };

  /** Starts with `content`, which must not change afterwards. */
  constructor(content: Uint8Array) {
    this.#buffer = content;
    this.#byteCount = content.length;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** All bytes, valid until the next edit. The caller must not modify them. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#byteCount);
  }

  /** Copies a range. */
  slice(fromByte: number, toByte: number): Uint8Array {
    return this.bytes().slice(fromByte, Math.max(fromByte, toByte));
  }

  /** Replaces the bytes from `fromByte` to before `toByte` by `added`. */
  replace(fromByte: number, toByte: number, added: Uint8Array): void {
    if (fromByte === toByte && added.length === 0) return;
    if (fromByte < this.#counted.toByte) this.#counted = { toByte: 0, feedCount: 0 };
    const before = this.bytes();
    this.#byteCount += added.length - (toByte - fromByte);
    if (!this.#isOwn || this.#byteCount > this.#buffer.length) {
      // Room for further edits, of which each would otherwise copy everything.
      this.#buffer = new Uint8Array(Math.ceil(this.#byteCount * (this.#isOwn ? 1.5 : 1.05)) + 64);
      this.#isOwn = true;
      this.#buffer.set(before.subarray(0, fromByte));
      this.#buffer.set(before.subarray(toByte), fromByte + added.length);
    } else this.#buffer.copyWithin(fromByte + added.length, toByte, before.length);
    this.#buffer.set(added, fromByte);
  }

  /** Replaces everything by `content`, which must not change afterwards. */
  replaceWhole(content: Uint8Array): void {
    this.#buffer = content;
    this.#byteCount = content.length;
    this.#isOwn = false;
    this.#counted = { toByte: 0, feedCount: 0 };
  }

  /** Replaces the spans, which are in order and do not overlap, by `added`. */
  replaceSpans(spans: readonly Span[], added: Uint8Array): void {
    if (spans.length === 1) return this.replace(spans[0]!.fromByte, spans[0]!.toByte, added);
    const removed = spans.reduce((sum, { fromByte, toByte }) => sum + toByte - fromByte, 0);
    // Filled in place: a view of each piece between millions of matches would take more memory than the content.
    const replaced = new Uint8Array(this.#byteCount - removed + spans.length * added.length);
    let from = 0;
    let to = 0;
    for (const { fromByte, toByte } of spans) {
      replaced.set(this.#buffer.subarray(from, fromByte), to);
      to += fromByte - from;
      replaced.set(added, to);
      to += added.length;
      from = toByte;
    }
    replaced.set(this.#buffer.subarray(from, this.#byteCount), to);
    this.replaceWhole(replaced);
  }

  /** Finds `sought`, which must not be empty. A match never begins inside CRLF: replacing it would leave a lone CR. */
  places(
    sought: Uint8Array,
    { fromByte = 0, overlapping, keep, most = Infinity, isEnd }: PlaceRequest,
  ): Places {
    const found: Places = { count: 0, first: [] };
    const search = byteSearch(sought);
    const next = (at: number) => search.next(this.#buffer, at, this.#byteCount);
    for (let end = next(fromByte); end !== -1; end = next(end)) {
      const start = end - sought.length;
      if (isEnd !== true && sought[0] === LF && this.#buffer[start - 1] === CR) continue;
      found.count++;
      if (found.first.length < keep) found.first.push(start);
      if (found.count >= most) break;
      if (!overlapping) search.forget();
    }
    return found;
  }

  /** Runs of whole lines, in order, that include every line with `required`. Each is valid until the next edit. */
  *linesWith(required: Uint8Array): Iterable<{ fromByte: number; bytes: Uint8Array }> {
    if (required.length === 0) return yield { fromByte: 0, bytes: this.bytes() };
    const search = byteSearch(required);
    for (let to = 0;;) {
      const end = search.next(this.#buffer, to, this.#byteCount);
      if (end === -1) return;
      const fromByte = this.lineStart(end - required.length);
      const feed = this.nextFeed(end);
      to = feed === -1 ? this.#byteCount : feed + 1;
      search.forget();
      yield { fromByte, bytes: this.#buffer.subarray(fromByte, to) };
    }
  }

  /** The first LF at or after `offset`; -1 if there is none. */
  nextFeed(offset: number): number {
    return this.bytes().indexOf(LF, offset);
  }

  /** The start of the line that `offset` is in. */
  lineStart(offset: number): number {
    return this.#buffer.subarray(0, offset).lastIndexOf(LF) + 1;
  }

  /** The number of LFs before `offset`. */
  feedsBefore(offset: number): number {
    if (offset < this.#counted.toByte) this.#counted = { toByte: 0, feedCount: 0 };
    const { toByte, feedCount } = this.#counted;
    const counted = feedCount + countLineFeeds(this.#buffer.subarray(toByte, offset));
    this.#counted = { toByte: offset, feedCount: counted };
    return counted;
  }
}
