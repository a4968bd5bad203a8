/**
 * A disk that dies: from the Nth call on every call fails, as for a process that was killed there. What reached the
 * disk before stays. Afterwards the caller starts again and checks what is left.
 */

import { disk } from "../fd/disk/disk.ts";

/**
 * Runs `action`; the `callNumber`th disk call and all after it fail. Answers whether the action got that far. A write
 * that is the one to die leaves half of its bytes.
 */
export async function dieAtCall(callNumber: number, action: () => unknown): Promise<boolean> {
  const real = { ...disk };
  let callCount = 0;
  for (const member of Object.keys(real) as (keyof typeof disk)[]) {
    const call = real[member] as (...parameters: unknown[]) => unknown;
    const dying = (...parameters: unknown[]): unknown => {
      callCount++;
      if (callCount < callNumber) return call(...parameters);
      if (callCount === callNumber && member === "write") {
        const [handle, bytes, offset, byteCount] = parameters as [number, Uint8Array, number, number];
        real.write(handle, bytes, offset, Math.floor(byteCount / 2));
      }
      if (member === "close") call(...parameters);
      throw Object.assign(new Error("EIO: the disk died"), { code: "EIO" });
    };
    Object.assign(disk, { [member]: dying });
  }
  try {
    await action();
  } catch (thrown) {
    if (callCount < callNumber) throw thrown;
  } finally {
    Object.assign(disk, real);
  }
  return callCount >= callNumber;
}
