/**
 * Scans content that is already on disk: for an index that was lost, a writer that died, and for checking.
 *
 * @module
 */

import { disk } from "../disk/disk.ts";
import type { BlockEntry } from "./block_entries.ts";
import { type ScanStart, type ScanTotals, startScan } from "./scan_text.ts";

/** What scanning a file needs to know. */
export interface FileScan {
  pageSize: number;
  /** Called once a block, in order. */
  onEntry(entry: BlockEntry): void;
  /** Where to stop; the end of the file where it comes first. */
  toByte: number;
  /** Where to begin; at the file's start unless given. */
  from?: ScanStart | undefined;
}

/** Scans the bytes of an open file up to `toByte`. Throws the system's error as it came. */
export function scanFile(file: number, scanning: FileScan): ScanTotals {
  const { pageSize, onEntry, from } = scanning;
  const scan = startScan({ pageSize, onEntry, from });
  for (let byteOffset = from?.byteOffset ?? 0; byteOffset < scanning.toByte;) {
    const window = scan.window();
    const got = disk.read(file, window, 0, Math.min(window.length, scanning.toByte - byteOffset), byteOffset);
    if (got === 0) break;
    scan.accept(got);
    byteOffset += got;
  }
  return scan.end();
}
