/** Packs the content of a store's fds, as `gc --pack` and the cleanup now and then do. */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { failureOfSystem } from "../disk/errors.ts";
import { statIfPossible, syncDirectory, unlinkIfExists } from "../disk/file_calls.ts";
import type { OnProgress } from "../disk/on_progress.ts";
import type { FdFailure } from "../failures.ts";
import { compressFrame, filterMaker } from "./compress_frame.ts";
import { frameMemory, isPackOf, packFd, readFrame, TRIED_FRAMES, WORTH_PACKING } from "./pack_fd.ts";
import { isAlone, offerShared, shareIndex, takeShared } from "./shared_packs.ts";
import { filterCountOf, frameCountOf, longestTable } from "../packs/seek_table.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { readLog } from "../records/record_log.ts";
import { usedContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { packBeside, shardPath, temporaryPath } from "../store/store_paths.ts";

/** The result of packing or of a plan. */
export interface PackReport {
  /** Fds whose content was packed. */
  packedCount: number;
  /** Bytes of their files before. */
  bytesBefore: number;
  /** Bytes of their files afterwards; estimated from samples by a plan. */
  bytesAfter: number;
  /** Why fds could not be packed; they stay as they are. */
  failures: FdFailure[];
}

export interface PackRequest {
  /** Only estimate what would be won. */
  plan?: boolean | undefined;
  /** Pack only content of at least this many bytes; by default of more than a block. */
  leastBytes?: number | undefined;
  /** Pack only content that was neither written nor read for this long. */
  unreadForMs?: number | undefined;
  /** Stop after this many bytes. */
  mostBytes?: number | undefined;
  /** Called by a plan for each fd that would be packed, with the bytes that its packed file would add. */
  onPlan?: ((entry: FdEntry, bytes: number) => void) | undefined;
  /** Gets the bytes of content that were packed, and of those to pack. */
  onProgress?: OnProgress | undefined;
  /** Milliseconds since 1970. */
  nowMs: number;
}

/** Packs the plain content of `entries`, except what grows, does not shrink, or is shared with a forked store. */
export async function packFds(
  store: Store,
  entries: readonly FdEntry[],
  request: PackRequest,
): Promise<PackReport> {
  const report: PackReport = { packedCount: 0, bytesBefore: 0, bytesAfter: 0, failures: [] };
  const planBytes = request.plan === true ? startPlan(store, entries) : undefined;
  const progress = startProgress(store, entries, request);
  for (const entry of entries) {
    if (report.bytesBefore >= (request.mostBytes ?? Infinity)) break;
    try {
      if (planBytes === undefined && entry.byteCount > BLOCK_BYTES && isAlone(store, entry)) {
        share(store, entry);
      }
      if (!isWanted(store, entry, request)) continue;
      const diskBytes = planBytes === undefined
        ? await packedBytes(store, entry, progress.more)
        : planBytes(entry);
      progress.done(entry);
      if (diskBytes === undefined) continue;
      if (planBytes !== undefined) request.onPlan?.(entry, diskBytes);
      report.packedCount++;
      report.bytesBefore += entry.byteCount;
      report.bytesAfter += diskBytes;
    } catch (thrown) {
      const failure = failureOfSystem(thrown, "write", "pack", packBeside(entry.contentPath));
      if (failure.kind === "removed") continue;
      report.failures.push(failure);
      // Nothing else would fit either.
      if (failure.kind === "storage_full") break;
    }
  }
  return report;
}

function isWanted(store: Store, entry: FdEntry, request: PackRequest): boolean {
  const { leastBytes = BLOCK_BYTES + 1, unreadForMs = 0, nowMs } = request;
  if (entry.state === "live" || entry.byteCount <= BLOCK_BYTES) return false;
  // The plain file of packed content is removed whatever its size.
  const isLess = entry.byteCount < leastBytes;
  if (isLess && statIfPossible(packBeside(entry.contentPath)) === undefined) return false;
  const stat = statIfPossible(entry.contentPath);
  if (stat === undefined || !stat.isFile()) return false;
  // Another store has the plain file too, so a packed one would take more.
  if (stat.nlink > 1) return false;
  if (unreadForMs > 0 && nowMs - Math.max(stat.mtimeMs, stat.atimeMs) < unreadForMs) return false;
  const log = readLog(store, entry.id);
  return log?.seal !== undefined && log.dense === undefined && log.tomb === undefined;
}

function startProgress(store: Store, entries: readonly FdEntry[], request: PackRequest) {
  let wanted: number | undefined;
  let before = 0;
  let inFd = 0;
  // Counted with the first progress that is shown, when some fds are packed already.
  const totalBytes = () =>
    wanted ??= before + entries.reduce((sum, entry) => {
      return sum + (isWanted(store, entry, request) ? entry.byteCount : 0);
    }, 0);
  return {
    more(byteCount: number): void {
      inFd += byteCount;
      request.onProgress?.(before + inFd, totalBytes);
    },
    /** All of an fd is done, or need not be. */
    done({ byteCount }: FdEntry): void {
      before += byteCount;
      inFd = 0;
    },
  };
}

/** Packs one fd, or removes the plain file of one that is packed too. Returns the bytes it takes now. */
async function packedBytes(
  store: Store,
  entry: FdEntry,
  onBytes: (byteCount: number) => void,
): Promise<number | undefined> {
  const packed = statIfPossible(packBeside(entry.contentPath));
  if (packed !== undefined && isPacked(store, entry)) {
    // The process that gave the packed content its name may have been killed before it synced that.
    syncDirectory(shardPath(store.path, entry.id));
    unlinkIfExists(entry.contentPath);
    return 0;
  }
  return await packFd(store, entry, onBytes);
}

/**
 * Shares the packed file of `entry`, or takes the one that others with this content share. Who takes a file checks it;
 * what cannot be linked is not read.
 */
function share(store: Store, entry: FdEntry): void {
  const path = packBeside(entry.contentPath);
  const sha256 = entry.sha256!;
  const fresh = temporaryPath(store.path, "pack");
  if (takeShared(store, sha256, fresh, (packed) => isPacked(store, entry, packed))) disk.rename(fresh, path);
  else offerShared(store, sha256, path);
  shareIndex(store, entry, sha256);
}

function isPacked(store: Store, entry: FdEntry, path = packBeside(entry.contentPath)): boolean {
  using content = usedContent(store, entry);
  return isPackOf(path, entry, content.index);
}

/** Frames that are compressed of those after the first ones. */
const SAMPLES = 8;

/**
 * Returns a function that estimates the bytes of an fd's content after packing: 0 if the store has them already, undefined
 * if it would stay plain. `entries` are the store's fds.
 */
function startPlan(store: Store, entries: readonly FdEntry[]): (entry: FdEntry) => number | undefined {
  const isPacked = (entry: FdEntry) => statIfPossible(packBeside(entry.contentPath)) !== undefined;
  const packed = new Set(entries.filter(isPacked).map(likeness));
  return (entry) => {
    if (packed.has(likeness(entry))) return 0;
    const bytes = sampledBytes(store, entry);
    if (bytes !== undefined) packed.add(likeness(entry));
    return bytes;
  };
}

/** Almost certainly the same for the same content only; its sha-256 may not be known yet. */
function likeness({ byteCount, charCount, lineFeedCount, sum }: FdEntry): string {
  return [byteCount, charCount, lineFeedCount, sum].join();
}

function sampledBytes(store: Store, entry: FdEntry): number | undefined {
  using content = usedContent(store, entry);
  const frameCount = frameCountOf(entry.byteCount);
  const plain = frameMemory();
  const filters = filterMaker(entry);
  /** Adds up the plain and the packed bytes of some frames. */
  const measured = (frames: readonly number[], onFrame = () => {}): [plainBytes: number, packed: number] => {
    let [plainBytes, packed] = [0, 0];
    for (const frame of frames) {
      const length = readFrame(content, frame, plain);
      plainBytes += length;
      packed += compressFrame(plain.subarray(0, length)).length;
      onFrame();
    }
    return [plainBytes, packed];
  };
  const tried = Math.min(TRIED_FRAMES, frameCount);
  const first = Array.from({ length: tried }, (_, frame) => frame);
  const [plainBytes, packed] = measured(first, () => filters.add(plain));
  if (packed > plainBytes * WORTH_PACKING) return undefined;
  const left = frameCount - tried;
  const samples = Math.min(SAMPLES, left);
  const spread = (_: unknown, sample: number) => tried + Math.floor((sample + 0.5) * left / samples);
  const [sampledPlain, sampledPacked] = measured(Array.from({ length: samples }, spread));
  const rest = samples === 0 ? 0 : (entry.byteCount - plainBytes) * sampledPacked / sampledPlain;
  const filterBytes = filterCountOf(frameCount) > 0 ? filters.end().length * frameCount / tried : 0;
  return packed + Math.round(rest + filterBytes) + longestTable(entry.byteCount);
}
