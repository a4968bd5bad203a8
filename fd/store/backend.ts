/**
 * The work of a store beyond keeping files in its directory. A local store does nothing more ({@link LOCAL}); a shared one
 * fetches what its cache lacks, and shares what is stored. Above this, both are a `Store`, and no code asks which.
 */

import type { FdFailure } from "../failures.ts";

/** A part of a store that may be missing in its directory, or be out of date. */
export type Part =
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

/** A reader that prepares as many blocks at once walks the content. */
export const WALK_BLOCKS = 32;

/** The index of content, some of whose pages may be missing. */
export interface PartIndex {
  readonly blockCount: number;
  at(block: number): unknown;
}

/** Reads a block and checks it; throws `store_corrupt` for a hole. Into `memory` if that is given and long enough. */
export type ReadChecked = (block: number, memory?: Uint8Array) => Uint8Array;

/** Content whose file has holes, which are filled before they are read. */
export interface FetchedContent {
  /** Prepares index pages; `reopen` is called when some were fetched. */
  entries(index: PartIndex, reopen: () => void): Prepare;
  /** Prepares and reads blocks. */
  blocks(
    index: PartIndex,
    prepareEntries: Prepare,
    read: ReadChecked,
  ): { prepare: Prepare; block(block: number): Uint8Array };
}

/** Methods that return undefined leave it to the directory. All throw `FdError` `store_unreachable` and the like. */
export interface Backend {
  /**
   * Gets a part before it is read, if it is not there or may be out of date. Never throws: `check` says what failed. Of
   * blocks, only the file is prepared, which `fetched` fills.
   */
  refresh(part: Part): Promise<void>;
  /** Called before a part is read; throws if refreshing it failed. */
  check(part: Part): void;
  /** Why a part could not be refreshed, although the copy in the directory counts. */
  staleness(part: Part): FdFailure | undefined;
  /** Returns the content of an fd that is fetched. */
  fetched(id: number): FetchedContent | undefined;
  /** Returns the records that were refreshed last. */
  records(): RemoteRecords | undefined;
  /** Returns the highest id that is known to be taken. */
  highestId(): number | undefined;
  /** Returns the writer of an fd that has not ended, if that is another host. */
  writerElsewhere(id: number): Elsewhere | undefined;
  /** Why other hosts cannot read an fd yet; undefined if they can, or there are none. */
  unshared(id: number): "pending" | "over_quota" | undefined;

  /** Takes an id for a new fd from `source` that no other process takes. */
  takeId(source: string): number | undefined;
  /** The name of this host, if several use the store. */
  readonly host: string | undefined;
  /** Called once when an fd has become large: its first `stableBytes` may be sent while more comes. */
  grow(id: number, stableBytes: number): void;
  /** Shares a sealed fd, unless it is shared or stays on its host. */
  share(id: number): Promise<Sharing>;
  /**
   * Lets other hosts read an fd that is still written. Its first `stableBytes` never change; a size limit may drop others.
   * Returns its id from now on.
   */
  shareLive(id: number, stableBytes: number): Promise<number>;
  /** Binds a name; returns the id it was bound to before. */
  bind(name: string, id: number): Promise<number | undefined> | undefined;
  /** Returns what removes an fd for all hosts. */
  removal(id: number): ((why: string) => Promise<void>) | undefined;
  /** Keeps the files of an fd for a day, since other programs may read them. */
  pin(id: number): void;

  /** Whether an fd is ready once it is sealed; else it is shared then, and its names are bound after that. */
  readonly isDoneWhenSealed: boolean;
  /** Whether small content is stored in its record. */
  readonly keepsSmallInRecords: boolean;
  /** Whether files are whole, and so may be linked by other stores and fds. */
  readonly hasWholeFiles: boolean;
}

/** One function for many: each is work at every start. */
const nothing = () => undefined;

/** Of a store that is its directory. */
export const LOCAL: Backend = {
  refresh: () => Promise.resolve(),
  check: nothing,
  staleness: nothing,
  fetched: nothing,
  records: nothing,
  highestId: nothing,
  writerElsewhere: nothing,
  unshared: nothing,
  takeId: nothing,
  host: undefined,
  grow: nothing,
  share: (id) => Promise.resolve({ id }),
  shareLive: (id) => Promise.resolve(id),
  bind: nothing,
  removal: nothing,
  pin: nothing,
  isDoneWhenSealed: true,
  keepsSmallInRecords: true,
  hasWholeFiles: true,
};

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
export interface RemoteRecords {
  /** In the order of their ids. */
  records: readonly RemoteRecord[];
  /** Why the shared store could not be asked; there are no records then. */
  failure?: FdFailure | undefined;
}

/** A record as the shared store has it. */
interface RemoteRecord {
  id: number;
  /** The last line of each kind (`RecordLog`). */
  log: object;
}
