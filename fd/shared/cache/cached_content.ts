/**
 * Content in the cache of a shared store: a file with holes, whose blocks and index pages are fetched before they are read.
 * A hole is known by its wrong sum, so looking for one is the check that every block needs anyway.
 */

import { ifPossible } from "../../disk/errors.ts";
import { DamagedIndex, ENTRIES_PER_PAGE } from "../../index/index_file.ts";
import {
  type Part,
  type PartIndex,
  type Prepare,
  type ReadChecked,
  WALK_BLOCKS,
} from "../../store/backend.ts";

/** Prepared blocks that stay in memory. A longer range is fetched, and checked again when it is read. */
const KEPT_BLOCKS = 64;

/** Blocks that are fetched at first, and at most in sequential reading: 8 MiB. */
const FIRST_BLOCKS = 2;
const MAX_BLOCKS = 256;

/** How often a part that is not right is fetched. */
const MAX_TRIES = 2;

/** Blocks `[fromBlock, toBlock)` that are on their way. */
interface Coming {
  fromBlock: number;
  toBlock: number;
  arrived: Promise<void>;
}

/** Fetches a part into the cache. */
type Load = (part: Part) => Promise<void>;

/** Prepares the content of fd `id`, whose blocks `read` reads. */
export function cachedBlocks(
  load: Load,
  id: number,
  index: PartIndex,
  prepareEntries: Prepare,
  read: ReadChecked,
): { prepare: Prepare; block(block: number): Uint8Array } {
  const numbers = new Int32Array(KEPT_BLOCKS).fill(-1);
  const memories: Uint8Array[] = [];
  const end = index.blockCount;
  let lastTo = -1;
  let fetchedTo = -1;
  let most = FIRST_BLOCKS;
  let coming: Coming | undefined;

  function kept(block: number): Uint8Array {
    const place = block % KEPT_BLOCKS;
    if (numbers[place] !== block) {
      numbers[place] = -1;
      memories[place] = read(block, memories[place]);
      numbers[place] = block;
    }
    return memories[place]!;
  }

  function isThere(block: number): boolean {
    return ifPossible(() => kept(block), "store_corrupt") !== undefined;
  }

  function start(fromBlock: number, blockCount: number): Coming {
    const toBlock = Math.min(end, fromBlock + blockCount);
    const arrived = load({ kind: "block", id, block: fromBlock, blockCount: toBlock - fromBlock });
    // It is thrown where it is awaited.
    arrived.catch(() => {});
    return { fromBlock, toBlock, arrived };
  }

  async function arrive(what: Coming): Promise<void> {
    if (coming === what) coming = undefined;
    await what.arrived;
    fetchedTo = what.toBlock;
  }

  /** Starts to fetch what a sequential reader needs next, unless it is there. */
  function fetchAhead(toBlock: number): void {
    if (coming !== undefined || toBlock > fetchedTo || fetchedTo >= end || fetchedTo - toBlock > MAX_BLOCKS) {
      return;
    }
    most = Math.min(MAX_BLOCKS, most * 8);
    if (isThere(fetchedTo)) fetchedTo = -1;
    else coming = start(fetchedTo, most);
  }

  async function prepareBlocks(fromBlock: number, toBlock: number): Promise<void> {
    // Locating asks for single blocks.
    const isWalk = toBlock - fromBlock >= WALK_BLOCKS || fromBlock === lastTo && toBlock - fromBlock > 1;
    lastTo = toBlock;
    await prepareEntries(fromBlock, toBlock + 1);
    for (let block = fromBlock; block < toBlock; block++) {
      if (coming !== undefined && coming.fromBlock <= block && block < coming.toBlock) await arrive(coming);
      for (let tries = 0; !isThere(block) && tries < MAX_TRIES; tries++) {
        most = isWalk ? Math.min(MAX_BLOCKS, most * 8) : FIRST_BLOCKS;
        await arrive(start(block, Math.max(tries === 0 ? most : 1, Math.min(MAX_BLOCKS, toBlock - block))));
      }
      // Its reader fails there.
      if (!isThere(block)) return;
    }
    if (isWalk) fetchAhead(toBlock);
  }

  return {
    prepare(fromBlock, toBlock) {
      const [from, to] = [Math.max(0, fromBlock), Math.min(end, toBlock)];
      return from < to ? prepareBlocks(from, to) : undefined;
    },
    block: kept,
  };
}

/** An index that is fetched page by page, and never rebuilt from content that has holes. */
export function cachedEntries(load: Load, id: number, index: PartIndex, reopen: () => void): Prepare {
  const known = new Set<number>();

  function isThere(page: number): boolean {
    if (known.has(page)) return true;
    if (ifPossible(() => index.at(page * ENTRIES_PER_PAGE), DamagedIndex) === undefined) return false;
    known.add(page);
    return true;
  }

  async function fetchPages(page: number, pageCount: number): Promise<void> {
    for (let at = page; at < page + pageCount; at++) {
      for (let tries = 0; !isThere(at) && tries < MAX_TRIES; tries++) {
        const blockCount = (page + pageCount - at) * ENTRIES_PER_PAGE;
        await load({ kind: "index", id, block: at * ENTRIES_PER_PAGE, blockCount });
        reopen();
      }
    }
  }

  return (fromBlock, toBlock) => {
    const first = Math.floor(Math.max(0, fromBlock) / ENTRIES_PER_PAGE);
    const end = Math.ceil(Math.min(toBlock, index.blockCount) / ENTRIES_PER_PAGE);
    for (let page = first; page < end; page++) if (!isThere(page)) return fetchPages(page, end - page);
    return undefined;
  };
}
