/** Scans content on disk: to rebuild an index, to seal a dead writer's fd, and to verify. */

import type { BlockEntry } from "./block_entries.ts";
import { readStored, type StoredContent } from "../packs/stored_content.ts";
import { type ScanStart, type ScanTotals, startScan } from "./scan_text.ts";

interface FileScan {
  pageSize: number;
  /** Called once per block, in order. */
  onEntry(entry: BlockEntry): void;
  /** Byte offset at which to stop, unless the file ends before. */
  toByte: number;
  /** Starting point; defaults to the start of the file. */
  from?: ScanStart | undefined;
  /** Called with the size of each piece. */
  onBytes?: ((byteCount: number) => void) | undefined;
}

/** Scans open content up to `toByte`. Throws system errors and `DamagedPack` unchanged. */
export function scanFile(file: StoredContent, scanning: FileScan): ScanTotals {
  const { pageSize, onEntry, from, onBytes } = scanning;
  const scan = startScan({ pageSize, onEntry, from });
  for (let byteOffset = from?.byteOffset ?? 0; byteOffset < scanning.toByte;) {
    const window = scan.window();
    const most = Math.min(window.length, scanning.toByte - byteOffset);
    const got = readStored(file, window, 0, most, byteOffset);
    if (got === 0) break;
    scan.accept(got);
    onBytes?.(got);
    byteOffset += got;
  }
  return scan.end();
}
