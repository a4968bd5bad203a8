/**
 * The descriptors above 2 that this process was started with: a shell's `<(…)` and `3>file`, the jobserver of make. A
 * command gets them from whoever starts it, so it must get them through fdtool, too (contract, law 6).
 *
 * @module
 */

import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";
import { systemCode } from "../../fd/mod.ts";

/** Bun marks what it was started with as not to be passed on; Deno and Node pass it on by themselves. */
const RUNTIME_KEEPS_DESCRIPTORS = process.versions["bun"] !== undefined;

/** What the runtime opens for itself before the program begins. */
const RUNTIMES_OWN = /^anon_inode:\[(eventpoll|eventfd)\]$/;

/** Those descriptors, in order, where they must be passed on by number. To be called before fdtool opens anything. */
export function inheritedDescriptors(): number[] {
  if (!RUNTIME_KEEPS_DESCRIPTORS) return [];
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return [];
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && isInherited(descriptor)).sort((a, b) =>
    a - b
  );
}

function isInherited(descriptor: number): boolean {
  try {
    return !RUNTIMES_OWN.test(readlinkSync(`/proc/self/fd/${descriptor}`));
  } catch (thrown) {
    // The one by which the directory was read.
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}
