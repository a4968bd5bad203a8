/**
 * The shared store behind a store that is its cache: an ordinary store in which parts may be missing. Readers have them
 * prepared before they read: nothing is fetched while they do.
 */

import type { FdFailure } from "../failures.ts";

/** A part of a shared store. */
export type SharedPart =
  /** The record of an fd, as new as reading needs it. */
  | { kind: "record"; id: number }
  /** The pages of an fd's index that have the entries of blocks: of one if no count is given. */
  | { kind: "index"; id: number; block: number; blockCount?: number | undefined }
  /** Blocks of an fd's content: one if no count is given. */
  | { kind: "block"; id: number; block: number; blockCount?: number | undefined }
  /** The binding of a name. */
  | { kind: "name"; name: string }
  | { kind: "names" }
  /** The records of all fds, or of the newest. */
  | { kind: "records"; most?: number | undefined };

/** Gets blocks `[fromBlock, toBlock)`, or their entries, before they are read; undefined if nothing has to be waited for. */
export type Prepare = (fromBlock: number, toBlock: number) => Promise<void> | undefined;

/** The index of content, some of whose pages may be missing. */
export interface PartIndex {
  readonly blockCount: number;
  at(block: number): unknown;
}

/** Reads a block and checks it; throws `store_corrupt` for a hole. Into `memory` if that is given and long enough. */
export type ReadChecked = (block: number, memory?: Uint8Array) => Uint8Array;

/** The shared store behind a cache. All methods throw `FdError` `store_unreachable` and the like. */
export interface SharedSide {
  /**
   * Gets a part before it is needed, if it is not there or may be out of date. Never throws: `need` says what failed. Of
   * blocks, only the file is prepared (`fd/slices/cached_content.ts` fills it).
   */
  prepare(part: SharedPart): Promise<void>;
  /** Called before a part is read; throws if preparing it failed. */
  need(part: SharedPart): void;
  /** Why the store could not be asked for a part when it was prepared, although the cached copy counts. */
  unasked(part: SharedPart): FdFailure | undefined;
  /** Whether content of an fd is fetched: not that of an fd which only this host has. */
  fetches(id: number): boolean;
  /** Prepares index pages of an fd; `reopen` is called when some were fetched. */
  entriesOf(id: number, index: PartIndex, reopen: () => void): Prepare;
  /** Prepares and reads blocks of an fd (`fd/slices/cached_content.ts`, which a local store does not load). */
  blocksOf(
    id: number,
    index: PartIndex,
    prepareEntries: Prepare,
    read: ReadChecked,
  ): { prepare: Prepare; block(block: number): Uint8Array };
  /** Returns the records that were prepared last. */
  records(): SharedRecords;
  /** Returns the name of this host. */
  hostName(): string;
  /** Returns the highest id that is known to be taken. */
  highestId(): number;
  /** Returns an id for a new fd from `source`, which no other host will take (`fd_id.ts`). */
  offlineId(source: string): number;
  /** Returns the writer of an fd that has not ended; undefined if that is this host. */
  writtenElsewhere(id: number): Elsewhere | undefined;
  /** Whether other hosts can read this fd. */
  isShared(id: number): boolean;
  /** Whether this call could not share it because this host or the store is over its quota. */
  isOverQuota(id: number): boolean;
  /** Called once when an fd has become large: its first `stableBytes` may be sent while more comes. */
  grows(id: number, stableBytes: number): void;
  /** Shares a sealed fd, unless it is shared or stays on its host. */
  share(id: number): Promise<Sharing>;
  /**
   * Lets other hosts read an fd that is still written. Its first `stableBytes` never change; a size limit may drop others.
   * Returns its id from now on.
   */
  shareLive(id: number, stableBytes: number): Promise<number>;
  /** Binds a name; returns the id it was bound to before. */
  bind(name: string, id: number): Promise<number | undefined>;
  /** Keeps the files of an fd in the cache for a day, since other programs may read them. */
  pin(id: number): void;
  /** Removes an fd from the shared store. */
  remove(id: number, why: string): Promise<void>;
}

/** The writer of an fd on another host. */
export interface Elsewhere {
  host: string | undefined;
  /** When the shared store was last asked, in milliseconds since 1970. */
  asOfMs: number;
  /** Whether it has shown no life for so long that it counts as dead. */
  isDead: boolean;
}

/** The end of sharing an fd. */
export interface Sharing {
  /** The id of the fd from now on. */
  id: number;
  /** Why it is not shared yet, if it is not. */
  failure?: FdFailure | undefined;
}

/** Records of a shared store. */
export interface SharedRecords {
  /** In the order of their ids. */
  records: readonly SharedRecord[];
  /** Why the shared store could not be asked; there are no records then. */
  failure?: FdFailure | undefined;
}

/** A record as the shared store has it. */
export interface SharedRecord {
  id: number;
  /** The last line of each kind (`RecordLog`). */
  log: object;
}
