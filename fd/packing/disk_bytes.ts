/** The bytes that content takes on the disk. */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible } from "../disk/errors.ts";
import { isThere, statIfPossible } from "../disk/file_calls.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { packBeside } from "../store/store_paths.ts";

/**
 * Returns what the content of `entry` takes, which is what its removal frees: its record stays. `plainBytes` are those of the
 * plain file, of content in the record, or of both; `packedFile` identifies the packed file, which other fds may have too.
 * Files that cannot be looked at count as plain.
 */
export function diskUse(entry: FdEntry) {
  // `path` makes a plain file of content in the record.
  const copyBytes = entry.inRecord === undefined ? 0 : statIfPossible(entry.contentPath)?.size ?? 0;
  const plain = { plainBytes: entry.byteCount + copyBytes, packedBytes: 0, packedFile: 0 };
  // Content of one block is never packed.
  if (entry.byteCount <= BLOCK_BYTES) return plain;
  return ifPossible(() => {
    const packed = disk.lstat(packBeside(entry.contentPath), { throwIfNoEntry: false });
    if (packed === undefined) return plain;
    const plainBytes = isThere(entry.contentPath) ? entry.byteCount : 0;
    return { plainBytes, packedBytes: packed.size, packedFile: packed.ino };
  }) ?? plain;
}

/** Counts what `entries` take together, a packed file that several have once. */
export function tallyOf(entries: readonly FdEntry[]) {
  const uses = new Map<number, ReturnType<typeof diskUse>>();
  const users = new Map<number, number>();
  let bytes = 0;
  for (const entry of entries) {
    const use = diskUse(entry);
    const before = users.get(use.packedFile) ?? 0;
    uses.set(entry.id, use);
    users.set(use.packedFile, before + 1);
    bytes += use.plainBytes + (before === 0 ? use.packedBytes : 0);
  }
  return {
    get bytes() {
      return bytes;
    },
    /** Subtracts what removing an fd frees. */
    remove({ id }: FdEntry): void {
      const use = uses.get(id);
      if (use === undefined) return;
      uses.delete(id);
      const after = users.get(use.packedFile)! - 1;
      users.set(use.packedFile, after);
      bytes -= use.plainBytes + (after === 0 ? use.packedBytes : 0);
    },
    /** Replaces what the plain file of an fd takes by `planned` bytes, which packing would add. */
    plan({ id }: FdEntry, planned: number): void {
      const use = uses.get(id);
      if (use === undefined) return;
      bytes += planned - use.plainBytes;
      uses.set(id, { ...use, plainBytes: planned });
    },
  };
}
