/**
 * The runtime compiles what becomes hot, and gives memory back, in threads of its own. While a long stream comes in they
 * compete for processors with the program that writes it, and with the one thread here that reads it: on two processors
 * a capture of 256 MiB took a tenth longer for them. They can wait; the stream cannot.
 *
 * @module
 */

import { disk, systemCode } from "../../fd/mod.ts";

/**
 * Gives all threads of this process but the one that reads, which is the first, a low priority (nice 10). What starts
 * later keeps its own. Does nothing where threads cannot be listed or changed (no Linux, no `/proc`, one that belongs to
 * another namespace and so tells other numbers).
 *
 * Not the lowest: a process has ended when its last thread has, and where all processors are wanted by others a thread of
 * nice 19 came to that a fifth of a second late.
 */
export function lowerOtherThreads(): void {
  const { constants, setPriority } = process.getBuiltinModule("node:os");
  const threads = threadsOfThis();
  if (!threads.includes(process.pid)) return;
  for (const thread of threads) {
    if (thread === process.pid) continue;
    try {
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch (thrown) {
      // It may have ended since it was listed.
      if (systemCode(thrown) === undefined) throw thrown;
    }
  }
}

function threadsOfThis(): number[] {
  try {
    return disk.readdir("/proc/self/task").map(Number);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return [];
  }
}
