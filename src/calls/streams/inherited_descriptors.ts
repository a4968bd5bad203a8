/**
 * Lists inherited descriptors above 2 (a shell's `<(…)` and `3>file`, make's jobserver), which the command must inherit
 * through fdtool (contract, law 6).
 */

import { readdirSync, readlinkSync } from "node:fs";
import process from "node:process";
import { ifPossible } from "../../../fd/system.ts";
import { readyPipes } from "./ready_pipes.ts";

/** Bun sets close-on-exec on inherited descriptors; Deno and Node pass them on. */
const RUNTIME_KEEPS_DESCRIPTORS = process.versions["bun"] !== undefined;

/** Descriptors that the runtime opens before the program begins: for its events. */
const RUNTIMES_OWN = "anon_inode:[event";

/** Returns the descriptors to pass on, in ascending order. Call it before fdtool opens any file. */
export function inheritedDescriptors(): number[] {
  if (!RUNTIME_KEEPS_DESCRIPTORS) return [];
  const names = ifPossible(() => readdirSync("/proc/self/fd")) ?? [];
  const inherited: number[] = [];
  const own = readyPipes().flatMap(({ readEnd, writeEnd }) => [readEnd, writeEnd]);
  for (const name of names) {
    if (Number(name) > 2 && !own.includes(Number(name)) && isInherited(name)) inherited.push(Number(name));
  }
  return inherited.sort((a, b) => a - b);
}

function isInherited(name: string): boolean {
  // The descriptor of the directory that was being read is gone.
  return ifPossible(() => readlinkSync(`/proc/self/fd/${name}`))?.startsWith(RUNTIMES_OWN) === false;
}
