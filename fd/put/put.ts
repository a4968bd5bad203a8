/**
 * Stores bytes as they arrive, in one of four states:
 *
 *     passing   at most a threshold of chars: nothing is opened, and the bytes may be passed through instead
 *     held      at most a block: nothing is on the disk, since content that ends now takes one file (`put_whole.ts`)
 *     live      others see the fd and its content; if this process dies, it is `incomplete`
 *     capped    bytes beyond the size limit go to a tail on disk, which is joined to the head at the end
 *
 * Bytes of the first two states are read into the memory that the scan of live content uses, so they are never copied.
 * A writer must not wait while it holds bytes back: it calls `goLive` first.
 */

import { withRoom } from "../bytes/utf8_bytes.ts";
import { countChars } from "../bytes/utf8_chars.ts";
import { closeReader, syncDirectory, unlinkIfExists } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, ifPossible, orUndo, systemCode } from "../disk/errors.ts";
import { bytesIn, MEMORY_BYTES, windowIn } from "../index/stride_memory.ts";
import { writeCheckedLine } from "../store/checked_log.ts";
import { describeFd, type FdEntry, type PutEnd, sealLine } from "../records/fd_entry.ts";
import type { ClaimLine } from "../records/record_line.ts";
import { bindName } from "../store/bind_name.ts";
import { lastRun, noteRun, runName } from "../store/last_run.ts";
import { claimFd } from "../store/claim_id.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, shardPath } from "../store/store_paths.ts";
import { type CappedTail, type Ending, headBytesOf, joinTail, rangeOf, startTail } from "./capped_tail.ts";
import { type ContentSink, copyThrough, endSink, feedSink, openSink, windowOf } from "./content_sink.ts";
import { checkPutOptions, claimLine, type PutOptions } from "./put_options.ts";
import { fitsInRecord, putWhole } from "./put_whole.ts";

export { copyThrough, headBytesOf };

/** Bytes from which on the content of a shared store's fd is sent while more comes: a segment. */
const LARGE_BYTES = 8 * 2 ** 20;

/** A window smaller than this would take too many reads. */
const MIN_WINDOW_BYTES = 16_384;

/** The store of an fd, and its properties. */
interface Place {
  store: Store;
  options: PutOptions;
  /** A file with all of the content, to which no process writes any more: it is moved into the store if it is on the same disk. */
  written?: string | undefined;
  /** Names the runs of the command whose output it is. */
  run?: string | undefined;
}

type State =
  /** At most the threshold of chars came; without one, nothing. The first `underUpTo` bytes cannot have more chars. */
  | { kind: "passing"; underUpTo: number; place?: undefined; live?: undefined }
  | { kind: "held"; place: Place; live?: undefined }
  | { kind: "live"; place: Place; live: Live }
  /** Sealed or given up; without a place, it could not be found. */
  | { kind: "ended"; place: Place | undefined; live: Live | undefined };

/** The files of an fd that others can see. */
interface Live {
  path: string;
  recordFile: number;
  claim: ClaimLine;
  content: ContentSink;
  /** Whether the content's file is open. */
  isOpen: boolean;
  maxBytes: number;
  /** The bytes after the first `maxBytes`. */
  tail: CappedTail | undefined;
  ending: Ending | undefined;
  endFailure: unknown;
}

/** Starts a new fd, which is live at once. Throws {@link FdError} like {@link Put.goLive}. */
export function beginPut(store: Store, options: PutOptions): Put {
  const put = deferPut(store, options);
  put.goLive();
  return put;
}

/** Starts an fd that claims no id before it is sealed, has more than a block, or goes live. */
export function deferPut(store: Store, options: PutOptions): Put {
  const put = new Put(() => ({ store, options }));
  put.open();
  return put;
}

/** An fd being written. */
export class Put {
  /** N of `fd:N`; 0 before it is live or sealed. */
  id = 0;
  /** Bytes accepted so far, including those that the size limit drops. */
  byteCount = 0;
  private state: State;
  private memory = new Uint8Array(MEMORY_BYTES);

  /** `findPlace` is called once more than `thresholdChars` chars came or, without a threshold, for the first byte. */
  constructor(private readonly findPlace: () => Place, private readonly thresholdChars?: number) {
    this.state = { kind: "passing", underUpTo: thresholdChars ?? 0 };
  }

  /** Whether the threshold was not exceeded: sealing it stores it all the same. */
  get isPassing(): boolean {
    return this.state.kind === "passing" && this.thresholdChars !== undefined;
  }

  /** Whether bytes are held back that are to be stored. */
  get isHeld(): boolean {
    return this.state.kind === "held";
  }

  get isEnded(): boolean {
    return this.state.kind === "ended";
  }

  /** The store, once it is found. */
  get store(): Store | undefined {
    return this.state.place?.store;
  }

  /** The path of the content or, until it exists, of the store: for failures. */
  get contentPath(): string {
    return this.state.live?.path ?? this.store?.path ?? "the store";
  }

  /**
   * Finds the place and checks its options.
   *
   * @throws {FdError} `invalid_parameter`, and what finding it throws. Then there is nothing to seal.
   */
  open(): Place {
    if (this.state.place !== undefined) return this.state.place;
    const place = this.orEnd(() => checkedPlace(this.findPlace()));
    this.state = { kind: "held", place };
    return place;
  }

  /** Does `work`; if it fails, there is nothing to seal. */
  private orEnd<Result>(work: () => Result): Result {
    return orUndo(work, () => this.end());
  }

  private end(): void {
    const { place, live } = this.state;
    this.state = { kind: "ended", place, live };
  }

  /** Returns the put's own buffer for the next bytes, at least 16 KiB. Valid until the next call. */
  window(): Uint8Array {
    const { live } = this.state;
    if (live !== undefined) return windowOf(live.content);
    const window = windowIn(this.memory, this.byteCount);
    if (window.length >= MIN_WINDOW_BYTES) return window;
    this.memory = withRoom(this.memory, this.memory.length, this.memory.length * 2);
    return windowIn(this.memory, this.byteCount);
  }

  /**
   * Accepts the first `byteLength` bytes of the window.
   *
   * @throws {FdError} `storage_full`, `write_error`, and those of `open` and `goLive`; `byteCount` tells whether these
   * bytes are in `stored`. `seal` may still be called.
   */
  accept(byteLength: number): void {
    const { live } = this.state;
    if (live !== undefined) {
      this.feed(live, windowOf(live.content), byteLength);
      this.byteCount += byteLength;
      return;
    }
    this.byteCount += byteLength;
    if (this.staysPassing()) return;
    const { store, options } = this.open();
    if (!fitsInRecord(store, this.byteCount, options)) this.goLive();
  }

  private staysPassing(): boolean {
    const { state, byteCount, thresholdChars } = this;
    if (state.kind !== "passing" || thresholdChars === undefined) return false;
    if (byteCount <= state.underUpTo) return true;
    const charCount = countChars(bytesIn(this.memory, byteCount));
    // Each further byte adds at most one char.
    state.underUpTo = byteCount + thresholdChars - charCount;
    return charCount <= thresholdChars;
  }

  /** Accepts bytes from another buffer, at least as many as `byteCount` tells if it throws. */
  write(bytes: Uint8Array): void {
    copyThrough(bytes, this);
  }

  /**
   * Makes the fd, live, with the bytes so far.
   *
   * @throws {FdError} `permission_error`, `storage_full` or `write_error` if the store cannot be written. The bytes are
   * still in `stored`.
   */
  goLive(): void {
    if (this.state.live !== undefined || this.isEnded) return;
    const place = this.open();
    const live = this.orEnd(() => this.makeLive(place));
    this.state = { kind: "live", place, live };
    if (this.byteCount > 0) this.feed(live, bytesIn(this.memory, this.byteCount), this.byteCount);
  }

  /** Returns all bytes accepted so far, or undefined if they are too many to be in memory. Stays valid once sealed. */
  inMemory(): Uint8Array | undefined {
    const { live } = this.state;
    return live !== undefined && (live.content.long !== undefined || live.tail !== undefined)
      ? undefined
      : bytesIn(this.memory, this.byteCount);
  }

  /** Yields the bytes in order, in pieces, until the put is sealed or abandoned: all except those dropped by the cap. */
  *stored(): Iterable<Uint8Array> {
    const bytes = this.inMemory();
    if (bytes !== undefined) yield bytes;
    const { live } = this.state;
    if (bytes !== undefined || live === undefined) return;
    const { content, isOpen, path, tail, ending } = live;
    const isJoined = ending?.gap !== undefined;
    const file = isOpen && !isJoined ? content.file : disk.open(path, "r");
    try {
      yield* rangeOf(file, 0, ending?.totals.byteCount ?? content.byteCount);
    } finally {
      if (file !== content.file) closeReader(file);
    }
    if (!isJoined && tail !== undefined) yield* tail.last(tail.storedByteCount);
  }

  /**
   * Ends the fd. Its content never changes after this.
   *
   * @throws {FdError} `storage_full`, `write_error`: the fd is not sealed, `stored` still yields its bytes, and unless
   * it `isEnded` it may be sealed once more as incomplete. Then, if there is no space to join the tail of capped
   * content, the content is its first bytes.
   */
  seal(end: PutEnd = {}): FdEntry {
    if (this.isEnded) throw new Error("an fd is sealed once");
    const place = this.open();
    const { store, options, run } = place;
    let entry: FdEntry;
    if (this.state.live === undefined && fitsInRecord(store, this.byteCount, options)) {
      entry = this.orEnd(() => putWhole(store, bytesIn(this.memory, this.byteCount), options, end));
      this.end();
      this.id = entry.id;
    } else {
      this.goLive();
      entry = this.sealLive(this.state.live!, place, end);
    }
    if (run !== undefined) noteRun(store, run, entry.id);
    return entry;
  }

  /** Closes an unsealed fd, leaving it like one whose writer died. */
  abandon(): void {
    if (this.isEnded) return;
    this.end();
    const { live } = this.state;
    if (live === undefined) return;
    if (live.isOpen) closeReader(live.content.file);
    live.isOpen = false;
    live.tail?.close();
    closeReader(live.recordFile);
  }

  private makeLive(place: Place): Live {
    const { store, options, written } = place;
    const maxBytes = options.maxBytes || Infinity;
    const isWhole = written !== undefined && disk.stat(written).size <= maxBytes;
    const claim = claimLine(options);
    const { id, recordFile } = claimFd(store, options.source);
    const path = contentPath(store.path, id);
    claim.host = store.backend.host;
    let content: ContentSink;
    try {
      const index = indexPath(store.path, id);
      content = openSink(path, index, claim.page_size, this.memory, isWhole ? written : undefined);
    } catch (thrown) {
      if (systemCode(thrown) !== "EEXIST") return refuseClaimed(recordFile, claim, thrown, path);
      // Content exists without a record: another fd's record was lost. Its id is not reused, and the new fd gets
      // another.
      closeReader(recordFile);
      return this.makeLive(place);
    }
    try {
      writeCheckedLine(recordFile, claim);
    } catch (thrown) {
      closeReader(content.file);
      unlinkIfExists(path);
      return refuseClaimed(recordFile, undefined, thrown, path);
    }
    this.id = id;
    return {
      path,
      recordFile,
      claim,
      content,
      isOpen: true,
      maxBytes,
      tail: undefined,
      ending: undefined,
      endFailure: undefined,
    };
  }

  /** Stores the first `byteLength` bytes of `window`, or none of them if it throws. */
  private feed(live: Live, window: Uint8Array, byteLength: number): void {
    const { content, maxBytes, path } = live;
    const before = content.byteCount;
    const headLength = live.tail === undefined ? Math.min(byteLength, maxBytes - before) : 0;
    try {
      if (headLength < byteLength) this.addToTail(live, window.subarray(headLength, byteLength));
      if (headLength > 0) feedSink(content, window, headLength);
    } catch (thrown) {
      // A tail may only follow a whole head, and an empty one is dropped.
      if (content.byteCount < maxBytes || live.tail?.byteCount === 0) {
        live.tail?.close();
        live.tail = undefined;
      }
      fail(failureOfSystem(thrown, "write", "store", path, "content"));
    }
    if (before < LARGE_BYTES && content.byteCount >= LARGE_BYTES) {
      this.store!.backend.grow(this.id, maxBytes === Infinity ? Infinity : headBytesOf(maxBytes));
    }
  }

  private addToTail(live: Live, bytes: Uint8Array): void {
    live.tail ??= startTail(this.store!, live.maxBytes - headBytesOf(live.maxBytes));
    live.tail.add(bytes);
  }

  private sealLive(live: Live, { store, options }: Place, end: PutEnd): FdEntry {
    const { id } = this;
    const { recordFile, claim, path } = live;
    let seal;
    try {
      const { totals, gap } = this.endContent(live, options.durable === true, end.incomplete !== true);
      seal = sealLine(totals, end, gap);
      writeCheckedLine(recordFile, seal);
      if (options.durable === true) {
        disk.fsync(recordFile);
        syncDirectory(shardPath(store.path, id));
      }
      this.end();
      live.tail?.close();
      disk.close(recordFile);
    } catch (thrown) {
      return fail(failureOfSystem(thrown, "write", "seal", path));
    }
    // In a shared store, names wait until other hosts can read the fd (`share_sealed.ts`).
    if (seal.ended === "whole" && store.backend.isDoneWhenSealed) {
      for (const name of options.names ?? []) bindName(store, name, id);
    }
    return describeFd(store, id, { claim, digest: undefined, object: undefined }, seal, path);
  }

  /** Ends the content and closes its file. If its tail cannot be joined, incomplete content is its first bytes. */
  private endContent(live: Live, durable: boolean, isComplete: boolean): Ending {
    const { content, tail, maxBytes } = live;
    // The scan can end only once, so a second call reports the first error.
    if (live.endFailure !== undefined) throw live.endFailure;
    try {
      live.ending ??= { totals: endSink(content, durable), gap: undefined };
      // The store was deleted during a long output: the content has no name left to read it by.
      if (content.long !== undefined && live.isOpen && disk.fstat(content.file).nlink === 0) {
        throw Object.assign(new Error("the content was removed"), { code: "ENOENT" });
      }
    } catch (thrown) {
      live.endFailure = thrown;
      throw thrown;
    }
    let { ending } = live;
    if (tail !== undefined && ending.gap === undefined) {
      try {
        ending = live.ending = joinTail(this.store!, this.id, content, { maxBytes, tail });
      } catch (thrown) {
        if (isComplete || (systemCode(thrown) === undefined && !(thrown instanceof FdError))) throw thrown;
        ending = { ...ending, gap: { at_byte: maxBytes, dropped_bytes: tail.byteCount } };
      }
    }
    if (live.isOpen) {
      live.isOpen = false;
      disk.close(content.file);
    }
    return ending;
  }
}

/** The place with all that its options leave open. */
function checkedPlace({ store, options, written }: Place): Place {
  checkPutOptions(options);
  const maxBytes = options.maxBytes ?? store.limits.maxBytes;
  const { command, cwd } = options;
  // Commands of several hosts run in directories that differ.
  const isComparable = command !== undefined && cwd !== undefined && store.backend.host === undefined;
  const run = isComparable ? runName(command, cwd) : undefined;
  const before = run === undefined ? undefined : lastRun(store, run);
  return { store, options: { ...options, maxBytes, before }, written, run };
}

/** Abandons an id whose content file cannot be created. Records the claim if possible, to say what it was for. */
function refuseClaimed(
  recordFile: number,
  claim: ClaimLine | undefined,
  thrown: unknown,
  path: string,
): never {
  if (claim !== undefined) ifPossible(() => writeCheckedLine(recordFile, claim));
  closeReader(recordFile);
  return fail(failureOfSystem(thrown, "write", "create the content", path, "content"));
}
