/**
 * Hunts through long content for the stems of words that are signs of failure. It finds a few places at the speed of
 * memory; their lines are judged afterwards (`failure_signs.ts`).
 */

import { startKernel } from "../../fd/system.ts";
import { HUNT_KERNEL_BASE64 } from "./hunt_kernel_wasm.ts";

/** Finds stems in its own memory. */
export interface StemHunt {
  /** The buffer that the caller fills. Addresses count from its start. */
  bytes: Uint8Array;
  /** The addresses that {@link hunt} found. */
  found: Int32Array;
  /**
   * Hunts in `bytes` from `from` up to `to`. Two bytes before and {@link BYTES_AFTER} after must be valid. Returns how many
   * places it found, at most {@link MAX_FOUND}, the first ones.
   */
  hunt(from: number, to: number): number;
}

/** Bytes after the range that are also read. */
export const BYTES_AFTER = 36;
/** The most places that one call finds. */
export const MAX_FOUND = 4096;

/** Room for bytes. */
const BYTES_LENGTH = 3 * 65_536;

/**
 * Four bytes of a word in small letters; `?` matches any byte. They start `inWord` bytes after the start of the word, or
 * anywhere if that is undefined.
 */
interface Stem {
  text: string;
  inWord?: number;
}

/**
 * Stems by bucket: the first three bytes of stems in one bucket are looked for in all combinations. Chosen so that other
 * words, and digits, which share the low halves of letters, seldom have such combinations: of `error` not `err` but `rro`.
 */
const BUCKETS: readonly (readonly Stem[])[] = [
  [{ text: "rror", inWord: 1 }],
  [{ text: "ail?", inWord: 1 }, { text: "atal", inWord: 1 }],
  [{ text: "xcep", inWord: 1 }],
  [{ text: "anic", inWord: 1 }, { text: "kill", inWord: 0 }],
  [{ text: '" 5?' }],
  [{ text: "bort", inWord: 1 }],
  [{ text: "riti", inWord: 1 }],
  [{ text: "deni", inWord: 0 }],
];

const STEMS_ADDRESS = 96 + 256;
const BYTES_ADDRESS = 1024;

/** Makes a hunt, with the kernel where the runtime has WebAssembly with SIMD. */
export function startHunt(): StemHunt {
  return kernelHunt() ?? plainHunt();
}

/** Exports of the module, which `hunt_kernel.as.ts` documents. */
interface KernelExports {
  hunt(from: number, to: number, stems: number, stemsEnd: number, out: number, most: number): number;
}

/** The hunt by the kernel; undefined if the runtime cannot run it. */
export function kernelHunt(): StemHunt | undefined {
  const foundAddress = BYTES_ADDRESS + BYTES_LENGTH;
  const started = startKernel<KernelExports>(HUNT_KERNEL_BASE64, foundAddress + 4 * MAX_FOUND);
  if (started === undefined) return undefined;
  const { exports: { hunt }, buffer } = started;
  const all = new Uint8Array(buffer);
  const stemsEnd = writeTables(all);
  const found = new Int32Array(buffer, foundAddress, MAX_FOUND);
  return {
    bytes: all.subarray(BYTES_ADDRESS, BYTES_ADDRESS + BYTES_LENGTH),
    found,
    hunt(from, to) {
      const count = hunt(
        from + BYTES_ADDRESS,
        to + BYTES_ADDRESS,
        STEMS_ADDRESS,
        stemsEnd,
        foundAddress,
        MAX_FOUND,
      );
      for (let at = 0; at < count; at++) found[at]! -= BYTES_ADDRESS;
      return count;
    },
  };
}

/** Writes what the kernel reads before the bytes. Returns the address after the stems. */
function writeTables(memory: Uint8Array): number {
  const words = new DataView(memory.buffer);
  let stemAddress = STEMS_ADDRESS;
  for (const [bucket, stems] of BUCKETS.entries()) {
    for (const { text, inWord } of stems) {
      let mask = 0;
      let value = 0;
      for (let at = 0; at < 4; at++) {
        const code = text.charCodeAt(at);
        if (text[at] !== "?") {
          mask |= 0xff << 8 * at;
          value |= (code | 0x20) << 8 * at;
        }
        if (at === 3) continue;
        memory[32 * at + ((code | 0x20) & 15)]! |= 1 << bucket;
        memory[32 * at + 16 + (code >> 4 | 2)]! |= 1 << bucket;
      }
      words.setInt32(stemAddress, mask, true);
      words.setInt32(stemAddress + 4, value, true);
      words.setInt32(stemAddress + 8, inWord === undefined ? -1 : inWord, true);
      stemAddress += 12;
    }
  }
  for (let code = 0; code < 256; code++) memory[96 + code] = isOfWord(code) ? 1 : 0;
  return stemAddress;
}

/** Whether no word starts after this byte: letters (except `m`, which ends a colour), digits, and `_`. */
function isOfWord(code: number): boolean {
  const small = code | 0x20;
  return code !== 0x6d && small >= 0x61 && small <= 0x7a || code >= 0x30 && code <= 0x39 || code === 0x5f;
}

/** The same without a kernel. */
export function plainHunt(): StemHunt {
  const bytes = new Uint8Array(BYTES_LENGTH);
  const found = new Int32Array(MAX_FOUND);
  const firsts = new Uint8Array(256);
  const stems = BUCKETS.flat();
  for (const { text } of stems) {
    const code = text.charCodeAt(0);
    firsts[code] = 1;
    firsts[code & ~0x20] = 1;
  }
  const standsAt = (at: number, { text, inWord }: Stem): boolean => {
    for (let offset = 0; offset < 4; offset++) {
      const code = text.charCodeAt(offset);
      if (text[offset] !== "?" && (bytes[at + offset]! | 0x20) !== (code | 0x20)) return false;
    }
    if (inWord === undefined) return true;
    return !isOfWord(bytes[at - inWord - 1]!) || (bytes[at - inWord]! & 0x20) === 0;
  };
  return {
    bytes,
    found,
    hunt(from, to) {
      let count = 0;
      for (let at = from; at < to && count < MAX_FOUND; at++) {
        if (firsts[bytes[at]!] === 0) continue;
        for (const stem of stems) {
          if (!standsAt(at, stem)) continue;
          found[count++] = at;
          break;
        }
      }
      return count;
    },
  };
}
