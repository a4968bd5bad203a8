/**
 * Into the store: bytes → content file, scan and index → a sealed fd. Content is written once, as it arrives; nothing is
 * gathered in memory. Until the seal line stands in its record the fd is `live`; if this process dies first it is
 * `incomplete`, and what arrived stays readable.
 *
 * @module
 */

import { writeLine } from "../records/append_record.ts";
import { type CappedContent, type Ending, startContent } from "./capped_content.ts";
import { claimId } from "../store/claim_id.ts";
import {
  checkBytes,
  checkOptionalText,
  checkOptionalTexts,
  checkRecord,
  checkText,
  refuseArgument,
} from "../disk/check_argument.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, type SliceMode, systemCode } from "../disk/errors.ts";
import { describeFd, type FdEntry } from "../records/fd_entry.ts";
import { checkName } from "../store/fd_id.ts";
import { giveUpPut } from "./give_up_put.ts";
import { bindName } from "../store/bind_name.ts";
import type { Store } from "../store/open_store.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../bytes/page_rule.ts";
import type { ClaimLine, SealLine } from "../records/record_line.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { type PutEnd, sealLine } from "../records/seal_line.ts";
import { contentPath, shardPath } from "../store/store_paths.ts";
import { syncDirectory } from "../disk/sync_directory.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** Where an extracted fd came from: a slice of `id`, in the slice's own units. */
export interface FdParent {
  /** The fd it was taken from. */
  id: number;
  /** The unit of `start` and `count`. */
  mode: SliceMode;
  /** The first unit. */
  start: number;
  /** How many units. */
  count: number;
}

/** What is known of an fd before its first byte. */
export interface PutOptions {
  /** What the bytes are: `stdin`, `run`, `backup` … */
  source: string;
  /** Chars a page, 1 to 16777216; 4000 unless given. */
  pageSize?: number | undefined;
  /** The command whose output it is, word by word. */
  command?: string[] | undefined;
  /** Where that command runs. */
  cwd?: string | undefined;
  /** Names to bind once the fd is whole. */
  names?: string[] | undefined;
  /** The most bytes to keep, instead of the store's own limit; 0 for no cap. */
  maxBytes?: number | undefined;
  /** What it is extracted from. */
  parent?: FdParent | undefined;
  /** Whether content and record must be on the disk, and not only on their way, when `seal` returns. */
  durable?: boolean | undefined;
}

/** An fd that is being written. */
export interface Put {
  /** N of `fd:N`. Others see the fd from now on, as live. */
  readonly id: number;
  /** Where its content goes. */
  readonly contentPath: string;
  /** Bytes taken so far. */
  readonly byteCount: number;
  /** Room for the next bytes, at least 64 KiB, in the put's own memory. Valid until the next call. */
  window(): Uint8Array;
  /**
   * Takes the first `byteLength` bytes of the window.
   * @throws {FdError} `storage_full`, `write_error`. Of these bytes none was taken, or, where the cap lies within them, those
   * before it: `byteCount` tells. `seal` may still be called.
   */
  accept(byteLength: number): void;
  /** Takes bytes from elsewhere. */
  write(bytes: Uint8Array): void;
  /** All bytes taken so far, where they are few enough to be in memory still. Valid for good once it is sealed. */
  inMemory(): Uint8Array | undefined;
  /** What is still held of the bytes taken, in pieces, until it is sealed or abandoned: all but what a cap dropped. */
  held(): Iterable<Uint8Array>;
  /**
   * Ends the fd. After this, its content never changes.
   * @throws {FdError} `storage_full`, `write_error`: the fd is not ended, `held` has its bytes, and it may be sealed once
   * more, as incomplete: then, where there is no room to put the end of capped content beside its head, the head stands.
   */
  seal(end?: PutEnd): FdEntry;
  /** Whether it was sealed or abandoned. */
  readonly isEnded: boolean;
  /** Lets go of an fd that is not sealed: it is one whose writer died. */
  abandon(): void;
}

/**
 * Starts a new fd.
 *
 * @throws {FdError} `invalid_parameter` for a page size or name out of range; `permission_error`, `storage_full` or
 * `write_error` where the store cannot be written.
 */
export function beginPut(store: Store, options: PutOptions): Put {
  checkOptions(options);
  const pageSize = checkPageSize(options.pageSize ?? DEFAULT_PAGE_SIZE);
  const names = options.names ?? [];
  for (const name of names) checkName(name);
  const maxBytes = options.maxBytes ?? store.limits.maxBytes;
  const writer = thisWriter();
  const { id, recordFile } = claimId(store);
  const path = contentPath(store.path, id);
  const claim: ClaimLine = {
    event: "claim",
    at: Date.now(),
    source: options.source,
    page_size: pageSize,
    command: options.command,
    cwd: options.cwd,
    parent: options.parent,
    writer,
  };
  let content: CappedContent;
  try {
    content = startContent(store, id, { pageSize, maxBytes });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") return refuseClaimed(recordFile, claim, thrown, path);
    // Content without a record: the id was somebody's, whose record is lost. It is not given again, and nobody's name is
    // put to that content.
    closeReader(recordFile);
    return beginPut(store, options);
  }
  try {
    writeLine(recordFile, claim);
  } catch (thrown) {
    content.close();
    unlinkIfThere(path);
    return refuseClaimed(recordFile, undefined, thrown, path);
  }

  const durable = options.durable ?? false;
  let isEnded = false;
  const accept = (byteLength: number, window?: Uint8Array): void => {
    try {
      content.accept(byteLength, window);
    } catch (thrown) {
      fail(failureOfSystem(thrown, "write", "store", path));
    }
  };
  const endContent = (isComplete: boolean): Ending => {
    try {
      return content.end({ durable, joinsTail: true });
    } catch (thrown) {
      if (isComplete || (systemCode(thrown) === undefined && !(thrown instanceof FdError))) throw thrown;
      return content.end({ durable, joinsTail: false });
    }
  };

  return {
    id,
    contentPath: path,
    get byteCount() {
      return content.byteCount;
    },
    window: content.window,
    accept: (byteLength) => accept(byteLength),
    write(bytes) {
      checkBytes("bytes", bytes);
      for (let at = 0; at < bytes.length;) {
        const window = content.window();
        const length = Math.min(window.length, bytes.length - at);
        window.set(bytes.subarray(at, at + length));
        accept(length, window);
        at += length;
      }
    },
    inMemory: content.inMemory,
    held: content.held,
    get isEnded() {
      return isEnded;
    },
    seal(end = {}) {
      if (isEnded) throw new Error("an fd is sealed once");
      let seal: SealLine;
      try {
        const { totals, gap } = endContent(end.incomplete !== true);
        seal = sealLine(totals, end, gap);
        writeLine(recordFile, seal);
        if (durable) {
          disk.fsync(recordFile);
          syncDirectory(shardPath(store.path, id));
        }
        isEnded = true;
        content.close();
        disk.close(recordFile);
      } catch (thrown) {
        return fail(failureOfSystem(thrown, "write", "seal", path));
      }
      if (seal.ended === "whole") { for (const name of names) bindName(store, name, id); }
      return describeFd(store, id, { claim, digest: undefined }, seal, path);
    },
    abandon() {
      if (isEnded) return;
      isEnded = true;
      content.close();
      closeReader(recordFile);
    },
  };
}

/** Lets go of an id whose content cannot be written; the claim, where it can still be, says whose it was. */
function refuseClaimed(
  recordFile: number,
  claim: ClaimLine | undefined,
  thrown: unknown,
  path: string,
): never {
  try {
    if (claim !== undefined) writeLine(recordFile, claim);
  } catch (thrownByClaim) {
    if (systemCode(thrownByClaim) === undefined) throw thrownByClaim;
  } finally {
    closeReader(recordFile);
  }
  return fail(failureOfSystem(thrown, "write", "create the content", path));
}

/** Refuses options of the wrong types, before an id is taken for them. */
function checkOptions(options: PutOptions): void {
  checkRecord("options", options);
  const { source, command, cwd, names, maxBytes } = options;
  checkText("source", source);
  checkOptionalTexts("command", command);
  checkOptionalText("cwd", cwd);
  checkOptionalTexts("names", names);
  if (maxBytes !== undefined && !(typeof maxBytes === "number" && maxBytes >= 0)) {
    refuseArgument("max_bytes", maxBytes, "a number of bytes, 0 for no cap");
  }
}

function checkPageSize(pageSize: number): number {
  if (Number.isInteger(pageSize) && pageSize >= MIN_PAGE_SIZE && pageSize <= MAX_PAGE_SIZE) return pageSize;
  return fail({
    kind: "invalid_parameter",
    field: "page_size",
    got: String(pageSize),
    wanted: `a whole number of chars from ${MIN_PAGE_SIZE} to ${MAX_PAGE_SIZE}`,
  });
}

/** Stores `bytes` as a new fd; `end` says how the command ended that wrote them. */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions, end?: PutEnd): FdEntry {
  checkBytes("bytes", bytes);
  const put = beginPut(store, options);
  try {
    put.write(bytes);
    return put.seal(end);
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
}
