/** The disk under the store, with something standing before each of its calls. */

import { disk } from "../fd/disk/disk.ts";

/** A name of one of the disk's calls. */
export type DiskMember = keyof typeof disk;

/** Makes each call of the disk go to `answer`, which may make the real `call`; returns what puts the disk back. */
export function watchDisk(
  answer: (member: DiskMember, call: (...parameters: unknown[]) => unknown, parameters: unknown[]) => unknown,
): () => void {
  const real = { ...disk };
  for (const member of Object.keys(real) as DiskMember[]) {
    const call = real[member] as (...parameters: unknown[]) => unknown;
    Object.assign(disk, { [member]: (...parameters: unknown[]) => answer(member, call, parameters) });
  }
  return () => void Object.assign(disk, real);
}
