/**
 * The runtime compiles and collects garbage in threads of its own. During a long capture they compete with the writing
 * program and with the reading thread: on two processors, 256 MiB took a tenth longer.
 */

import { disk, systemCode } from "../../fd/system.ts";

/**
 * Gives all threads of this process but the first, which reads, a low priority (nice 10). Does nothing if threads
 * cannot be listed or changed (not Linux, no `/proc`, or the `/proc` of another namespace).
 *
 * Not nice 19: a process ends when its last thread does, and on busy processors such a thread ended 0.2 s late.
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
      // The thread may have ended meanwhile.
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
