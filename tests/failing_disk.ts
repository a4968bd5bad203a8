/**
 * A disk on which the Nth call fails: for N = 1, 2, 3 … until an action passes untouched. Afterwards the caller looks
 * whether every file is before or after, never between.
 */

import { type DiskMember, watchDisk } from "./watched_disk.ts";

/** How the Nth call goes wrong: with a system error, or, for a write, by writing only a part. */
export type DiskFault = "ENOSPC" | "EDQUOT" | "EIO" | "EACCES" | "EINTR" | "short write";

/** Every fault that the write paths are tried with. */
export const DISK_FAULTS: readonly DiskFault[] = [
  "ENOSPC",
  "EDQUOT",
  "EIO",
  "EACCES",
  "EINTR",
  "short write",
];

/** The faulted call: its member of the disk, and its number among all calls. */
export interface Hit {
  member: DiskMember;
  callNumber: number;
  fault: DiskFault;
}

/**
 * Runs `action` with the `callNumber`th disk call failing, then puts the disk back. `hit` is undefined when fewer
 * calls were made, so that the action ran untouched. Reads of `stat` kind fail too: all members count, but of short
 * writes only writes.
 */
export async function withFailingCall<T>(
  callNumber: number,
  fault: DiskFault,
  action: () => T | Promise<T>,
): Promise<{ hit: Hit | undefined; result: T | undefined; thrown: unknown }> {
  let callCount = 0;
  let hit: Hit | undefined;
  const putBack = watchDisk((member, call, parameters) => {
    if (fault === "short write" && member !== "write") return call(...parameters);
    callCount++;
    if (callCount !== callNumber) return call(...parameters);
    hit = { member, callNumber, fault };
    if (fault !== "short write") throw systemError(fault, parameters[0]);
    const [handle, bytes, offset, byteCount, position] = parameters;
    return call(handle, bytes, offset, Math.floor(Number(byteCount) / 2), position);
  });
  try {
    return {
      result: await action(),
      thrown: undefined,
      get hit() {
        return hit;
      },
    };
  } catch (thrown) {
    return { result: undefined, thrown, hit };
  } finally {
    putBack();
  }
}

/** Tries `action` with every fault at every call; `afterwards` looks at the world each time. */
export async function failEachCall<T>(o: {
  prepare: () => void | Promise<void>;
  action: () => T | Promise<T>;
  afterwards: (outcome: { hit: Hit; result: T | undefined; thrown: unknown }) => void | Promise<void>;
}): Promise<number> {
  let tried = 0;
  // A quota that is used up is a full disk by another name; the soak tries it by itself.
  for (const fault of DISK_FAULTS.filter((each) => each !== "EDQUOT")) {
    for (let callNumber = 1;; callNumber++) {
      await o.prepare();
      const { hit, result, thrown } = await withFailingCall(callNumber, fault, o.action);
      if (hit === undefined) {
        if (thrown !== undefined) throw thrown;
        break;
      }
      tried++;
      await o.afterwards({ hit, result, thrown });
    }
  }
  return tried;
}

/** Like the system's own: a call that names a path carries it. */
function systemError(code: string, of: unknown): Error {
  return Object.assign(new Error(`${code}: injected`), {
    code,
    ...(typeof of === "string" ? { path: of } : {}),
  });
}
