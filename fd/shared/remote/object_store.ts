/**
 * An object store as the shared store uses it: whole objects, ranges, ordered listings, and the two conditions that S3
 * stores keep (create only if absent, replace only what was seen). Knows nothing of fds.
 *
 * Requests are repeated on network errors, 5xx, 429 and 409, and each has a deadline. The methods throw:
 *
 * - `store_unreachable`: the network or the server failed, also after repetitions;
 * - `store_denied`: no credentials, wrong ones, or no permission;
 * - `store_unfit`: the store's answer breaks a promise, which the failure names;
 * - the reason of the store's signal once that is aborted.
 */

/** Bytes that may be sent. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** An object without its bytes. */
export interface ObjectFacts {
  /** Of the bytes and the metadata; changes with each write. Opaque, without quotes. */
  etag: string;
  /** Of the whole object, whatever range was asked for. */
  byteCount: number;
  /** When the object was written, by the store's clock, which counts whole seconds. */
  modifiedAtMs: number;
  /** When the store answered, by its clock. The difference of the two is an age that no host's clock can falsify. */
  serverNowMs: number;
}

/** An object, or a range of it. */
export interface ObjectPart extends ObjectFacts {
  bytes: Bytes;
}

/** An object in a listing. */
export interface ListedObject {
  /** Without the store's prefix. */
  key: string;
  etag: string;
  byteCount: number;
  modifiedAtMs: number;
}

/** A part of the list of objects. */
export interface Listing {
  /** In the order of the keys' UTF-8 bytes. */
  objects: ListedObject[];
  /** Whether the store has more after the last of them. */
  isCut: boolean;
  serverNowMs: number;
}

/** Bytes of an object. */
export interface ObjectRange {
  /** The first byte, from 0. */
  from: number;
  byteCount: number;
}

/** The outcome of a write. */
export interface Written {
  etag: string;
  serverNowMs: number;
  /** Of the new version, if the bucket keeps old ones. */
  versionId?: string | undefined;
  /** The `Server` header. */
  server?: string | undefined;
}

/** Whether an object is the result of this write; `start` has its first 4 KiB. */
export type OwnWrite = (start: Uint8Array) => boolean;

/** Keys are relative to the store's prefix, and hold `A-Z a-z 0-9 . _ - /` only. */
export interface ObjectStore {
  /** Id of the shared store, 24 hex digits; undefined until it is known. Fd objects say which store they are of. */
  storeId?: string | undefined;
  /** Keys that encrypt what is stored, by id; undefined if it is stored as it is. */
  readonly keys?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Id of the key that the store was made with, once the store is known. */
  keyId?: string | undefined;
  /** Returns null if there is no such key. A range that ends after the object is shortened; one after it is empty. */
  get(key: string, range?: ObjectRange): Promise<ObjectPart | null>;
  /** Returns null if there is no such key. */
  head(key: string): Promise<ObjectFacts | null>;
  /**
   * Creates an object, or returns null if the key exists (`If-None-Match: *`). If an answer was lost, the object is read
   * back, and `isOwn` decides whether this call made it; by default, if it has exactly `bytes`. Bytes that two writers
   * may both store need a nonce; if another writer may replace them at once, `isOwn` looks for the nonce. With
   * `endsAfter` this is a trial of a race: the last byte is sent after that, and a lost answer is not settled.
   */
  create(key: string, bytes: Bytes, isOwn?: OwnWrite, endsAfter?: Promise<void>): Promise<Written | null>;
  /**
   * Replaces the object that has `etag`, or returns null if it has another one or is gone (`If-Match`). Lost answers are
   * settled as those of {@link ObjectStore.create}.
   */
  replace(
    key: string,
    bytes: Bytes,
    etag: string,
    isOwn?: OwnWrite,
    endsAfter?: Promise<void>,
  ): Promise<Written | null>;
  /** Writes an object, whatever the key has. */
  put(key: string, bytes: Bytes): Promise<Written>;
  /**
   * Removes an object, whatever its etag, if there is one. There is no conditional removal: MinIO and others ignore the
   * condition. To remove only what was seen, replace it by a tombstone.
   */
  remove(key: string): Promise<void>;
  /**
   * Lists the objects whose keys start with `prefix`, those after the key `after` if it is given, at most `most` of them
   * (1 to 1000, the default). The keys are the prefix, one after the other: no folders.
   */
  list(prefix: string, after?: string, most?: number): Promise<Listing>;
}

/** Lists all objects whose keys start with `prefix`, those after the key `after` if it is given, a page at a time. */
export async function* listPages(
  objects: ObjectStore,
  prefix: string,
  after?: string,
): AsyncGenerator<Listing, void> {
  for (let from = after;;) {
    const listing = await objects.list(prefix, from);
    yield listing;
    if (!listing.isCut) return;
    from = listing.objects.at(-1)?.key;
  }
}
