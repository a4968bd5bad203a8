/**
 * A disk that dies: from the Nth call on every call fails, as for a process that was killed there. What reached the
 * disk before stays. Afterwards the caller starts again and checks what is left.
 */

import { watchDisk } from "./watched_disk.ts";

/**
 * Runs `action`; the `callNumber`th disk call and all after it fail. Answers whether the action got that far. A write
 * that is the one to die leaves half of its bytes.
 */
export async function dieAtCall(callNumber: number, action: () => unknown): Promise<boolean> {
  let callCount = 0;
  const putBack = watchDisk((member, call, parameters) => {
    callCount++;
    if (callCount < callNumber) return call(...parameters);
    if (callCount === callNumber && member === "write") {
      const [handle, bytes, offset, byteCount] = parameters;
      call(handle, bytes, offset, Math.floor(Number(byteCount) / 2));
    }
    if (member === "close") call(...parameters);
    throw Object.assign(new Error("EIO: the disk died"), { code: "EIO" });
  });
  try {
    await action();
  } catch (thrown) {
    if (callCount < callNumber) throw thrown;
  } finally {
    putBack();
  }
  return callCount >= callNumber;
}
