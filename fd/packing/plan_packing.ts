/** Estimates what packing would save, from samples. */

import { statIfPossible } from "../disk/stat_if_possible.ts";
import { filterCountOf, frameCountOf, frameLength, longestTable } from "../packs/seek_table.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { openContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { packBeside } from "../store/store_paths.ts";
import { compressFrame } from "./compress_frame.ts";
import { filterMaker } from "./filter_maker.ts";
import { frameMemory, readFrame, TRIED_FRAMES, WORTH_PACKING } from "./pack_fd.ts";

/** Frames that are compressed of those after the first ones. */
const SAMPLES = 8;

/**
 * Returns a function that estimates the bytes of an fd's content after packing: 0 if the store has them already, undefined
 * if it would stay plain. `entries` are the store's fds.
 */
export function startPlan(store: Store, entries: readonly FdEntry[]): (entry: FdEntry) => number | undefined {
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
  const frameCount = frameCountOf(entry.byteCount);
  const content = openContent(store, entry);
  const plain = frameMemory();
  const filters = filterMaker(entry);
  const packedLength = (frame: number) => {
    const length = readFrame(content, frame, plain);
    return compressFrame(plain.subarray(0, length)).length;
  };
  try {
    const tried = Math.min(TRIED_FRAMES, frameCount);
    let plainBytes = 0;
    let packedBytes = 0;
    for (let frame = 0; frame < tried; frame++) {
      plainBytes += frameLength(frame, entry.byteCount);
      packedBytes += packedLength(frame);
      filters.add(plain);
    }
    if (packedBytes > plainBytes * WORTH_PACKING) return undefined;
    const left = frameCount - tried;
    const samples = Math.min(SAMPLES, left);
    let sampledPlain = 0;
    let sampledPacked = 0;
    for (let sample = 0; sample < samples; sample++) {
      const frame = tried + Math.floor((sample + 0.5) * left / samples);
      sampledPlain += frameLength(frame, entry.byteCount);
      sampledPacked += packedLength(frame);
    }
    const rest = samples === 0 ? 0 : (entry.byteCount - plainBytes) * sampledPacked / sampledPlain;
    const filterBytes = filterCountOf(frameCount) > 0 ? filters.end().length * frameCount / tried : 0;
    return packedBytes + Math.round(rest + filterBytes) + longestTable(entry.byteCount);
  } finally {
    content.close();
  }
}
