/**
 * Stores bytes: content file, scan and index, then a sealed fd. Content is written once, as it arrives, and not
 * collected in memory. Until the seal line is in its record the fd is `live`; if this process dies first, it is
 * `incomplete`, and the content so far is readable.
 */

import { writeLine } from "../records/append_record.ts";
import { type CappedContent, type Ending, headBytesOf, startContent } from "./capped_content.ts";
export { headBytesOf } from "./capped_content.ts";
import { claimId, claimOffline } from "../store/claim_id.ts";
import { checkBytes } from "../disk/check_argument.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { describeFd, type FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "./give_up_put.ts";
import { bindName } from "../store/bind_name.ts";
import type { Store } from "../store/open_store.ts";
import { checkPutOptions, claimLine, type PutOptions } from "./put_options.ts";
import { fitsInRecord, putWhole } from "./put_whole.ts";
import type { ClaimLine, SealLine } from "../records/record_line.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { type PutEnd, sealLine } from "../records/seal_line.ts";
import { contentPath, shardPath } from "../store/store_paths.ts";
import { syncDirectory } from "../disk/sync_directory.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** Bytes from which on the content of a shared store's fd is sent while more comes: a segment. */
const LARGE_BYTES = 8 * 2 ** 20;

/** An fd being written. */
export interface Put {
  /** N of `fd:N`. The fd is visible to others from now on, as live. */
  readonly id: number;
  readonly contentPath: string;
  /** Bytes accepted so far. */
  readonly byteCount: number;
  /** Returns the put's own buffer for the next bytes, at least 64 KiB. Valid until the next call. */
  window(): Uint8Array;
  /**
   * Accepts the first `byteLength` bytes of the window.
   *
   * @throws {FdError} `storage_full`, `write_error`. Then none of these bytes was accepted or, if the cap lies within
   * them, only those before it: see `byteCount`. `seal` may still be called.
   */
  accept(byteLength: number): void;
  /** Accepts bytes from another buffer. */
  write(bytes: Uint8Array): void;
  /**
   * Returns all bytes accepted so far, or undefined if they are too many to be in memory. Stays valid once sealed.
   */
  inMemory(): Uint8Array | undefined;
  /** Yields the stored bytes in pieces, until the put is sealed or abandoned: all except those dropped by the cap. */
  stored(): Iterable<Uint8Array>;
  /**
   * Ends the fd. Its content never changes after this.
   *
   * @throws {FdError} `storage_full`, `write_error`: the fd is not sealed, `stored` still yields its bytes, and it
   * may be sealed once more as incomplete. Then, if there is no space to join the tail of capped content, the content
   * is its first bytes.
   */
  seal(end?: PutEnd): FdEntry;
  readonly isEnded: boolean;
  /** Closes an unsealed fd, leaving it like one whose writer died. */
  abandon(): void;
}

/**
 * Starts a new fd.
 *
 * @throws {FdError} `invalid_parameter` for an invalid page size or name; `permission_error`, `storage_full` or
 * `write_error` if the store cannot be written.
 */
export function beginPut(store: Store, options: PutOptions): Put {
  const pageSize = checkPutOptions(options);
  const names = options.names ?? [];
  const maxBytes = options.maxBytes ?? store.limits.maxBytes;
  const writer = thisWriter();
  const { id, recordFile } = store.shared === undefined
    ? claimId(store)
    : claimOffline(store, store.shared, options.source);
  const path = contentPath(store.path, id);
  const claim = claimLine(options, pageSize, writer);
  let content: CappedContent;
  try {
    content = startContent(store, id, { pageSize, maxBytes });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") return refuseClaimed(recordFile, claim, thrown, path);
    // Content exists without a record: another fd's record was lost. Its id is not reused, and the new fd gets
    // another.
    closeReader(recordFile);
    return beginPut(store, options);
  }
  try {
    writeLine(recordFile, claim);
  } catch (thrown) {
    content.close();
    unlinkIfExists(path);
    return refuseClaimed(recordFile, undefined, thrown, path);
  }

  const durable = options.durable ?? false;
  let isEnded = false;
  let isSmall = store.shared !== undefined;
  const accept = (byteLength: number, window?: Uint8Array): void => {
    try {
      content.accept(byteLength, window);
    } catch (thrown) {
      fail(failureOfSystem(thrown, "write", "store", path));
    }
    if (isSmall && content.byteCount >= LARGE_BYTES) {
      isSmall = false;
      store.shared?.grows(id, maxBytes === 0 ? Infinity : headBytesOf(maxBytes));
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
    stored: content.stored,
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
      const lastId = store.shared === undefined ? id : store.shared.sealed(id);
      if (seal.ended === "whole") { for (const name of names) bindName(store, name, lastId); }
      const lastPath = lastId === id ? path : contentPath(store.path, lastId);
      return describeFd(store, lastId, { claim, digest: undefined, object: undefined }, seal, lastPath);
    },
    abandon() {
      if (isEnded) return;
      isEnded = true;
      content.close();
      closeReader(recordFile);
    },
  };
}

/** Abandons an id whose content file cannot be created. Records the claim if possible, to say what it was for. */
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

/** Stores `bytes` as a new fd. `end` describes how the command that wrote them ended. */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions, end?: PutEnd): FdEntry {
  checkBytes("bytes", bytes);
  checkPutOptions(options);
  if (fitsInRecord(store, bytes.length, options)) return putWhole(store, bytes, options, end);
  const put = beginPut(store, options);
  try {
    put.write(bytes);
    return put.seal(end);
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
}
