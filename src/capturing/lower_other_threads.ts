/**
 * The runtime compiles hot code and frees memory in threads of its own. During a long stream they compete for processors
 * with the program that writes it and with the thread that reads it: on two processors a capture of 256 MiB took a tenth
 * longer. They can wait; the stream cannot.
 *
 * @module
 */

import { disk, systemCode } from "../../fd/mod.ts";

/**
 * Gives all threads of this process a low priority (nice 10), except the first, which reads. Threads that start later keep
 * their own. Does nothing if threads cannot be listed or changed (not Linux, no `/proc`, or the `/proc` of another
 * namespace, with other numbers).
 *
 * Not the lowest priority: a process ends when its last thread does, and on busy processors a thread of nice 19 ended a
 * fifth of a second late.
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
