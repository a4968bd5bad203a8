/**
 * Headers of tar members as `export` writes them (POSIX.1-2001 ustar, with a pax record for large sizes). Each header
 * has only one form, so that a reader can compare it byte by byte.
 */

import { Buffer } from "node:buffer";

export const TAR_BLOCK_BYTES = 512;

/** A regular file in an archive. `mtimeSeconds` since 1970. */
export interface TarMember {
  name: string;
  byteCount: number;
  mtimeSeconds: number;
}

/** Largest size in eleven octal digits: one byte less than 8 GiB. */
const LARGEST_USTAR_BYTES = 8 ** 11 - 1;

/** Returns everything that precedes the content of `member`. */
export function tarHeader(member: TarMember): Buffer {
  if (member.byteCount <= LARGEST_USTAR_BYTES) return headerBlock({ ...member, type: "0" });
  const record = paxRecord("size", String(member.byteCount));
  const name = member.name.replace(/^[^/]*/, (directory) => `${directory}/PaxHeaders`);
  return Buffer.concat([
    headerBlock({ name, byteCount: record.length, mtimeSeconds: member.mtimeSeconds, type: "x" }),
    record,
    Buffer.alloc(tarPadding(record.length)),
    // The pax record has the size; readers that don't support it see an empty file.
    headerBlock({ ...member, byteCount: 0, type: "0" }),
  ]);
}

/** Returns how many zeros follow content of `byteCount` bytes. */
export function tarPadding(byteCount: number): number {
  return (TAR_BLOCK_BYTES - byteCount % TAR_BLOCK_BYTES) % TAR_BLOCK_BYTES;
}

/** The end of an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

/** Parses the header block of a small member; returns undefined if it is invalid. */
export function readTarHeader(block: Buffer): TarMember | undefined {
  const member = {
    name: block.toString("latin1", 0, Math.max(0, block.indexOf(0))),
    byteCount: octalAt(block, 124),
    mtimeSeconds: octalAt(block, 136),
  };
  if (!(member.byteCount >= 0 && member.mtimeSeconds >= 0) || Buffer.byteLength(member.name) > 99) {
    return undefined;
  }
  return tarHeader(member).equals(block) ? member : undefined;
}

function octalAt(block: Buffer, at: number): number {
  const digits = block.toString("latin1", at, at + 11);
  return /^[0-7]{11}$/.test(digits) ? parseInt(digits, 8) : NaN;
}

function headerBlock({ name, byteCount, mtimeSeconds, type }: TarMember & { type: "0" | "x" }): Buffer {
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, "0")}\0`, at, "latin1");
  block.write(name, 0, "latin1");
  octal(0o600, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(byteCount, 124, 11);
  octal(mtimeSeconds, 136, 11);
  block.fill(" ", 148, 156);
  block.write(type, 156, "latin1");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** Encodes `LENGTH KEY=VALUE LF`; the length includes itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length++;
  return Buffer.from(`${length}${rest}`);
}
