/**
 * Lists inherited descriptors above 2 (a shell's `<(…)` and `3>file`, make's jobserver), which the command must inherit
 * through fdtool (contract, law 6).
 */

import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";
import { systemCode } from "../../fd/system.ts";

/** Bun sets close-on-exec on inherited descriptors; Deno and Node pass them on. */
const RUNTIME_KEEPS_DESCRIPTORS = process.versions["bun"] !== undefined;

/** Descriptors that the runtime opens before the program begins: for its events. */
const RUNTIMES_OWN = "anon_inode:[event";

/** Returns the descriptors to pass on, in ascending order. Call it before fdtool opens any file. */
export function inheritedDescriptors(): number[] {
  if (!RUNTIME_KEEPS_DESCRIPTORS) return [];
  let names: string[];
  try {
    names = readdirSync("/proc/self/fd");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return [];
  }
  const inherited: number[] = [];
  for (const name of names) if (Number(name) > 2 && isInherited(name)) inherited.push(Number(name));
  return inherited.sort((a, b) => a - b);
}

function isInherited(name: string): boolean {
  try {
    return !readlinkSync(`/proc/self/fd/${name}`).startsWith(RUNTIMES_OWN);
  } catch (thrown) {
    // The descriptor of the directory that was being read.
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}
