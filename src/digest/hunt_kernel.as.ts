// @ts-nocheck: AssemblyScript has types that TypeScript does not know.

/**
 * The kernel of the hunt (hunt_stems.ts): finds where one of a few stems of four bytes is, whatever their case, with
 * SIMD. Tests check that it gives the same results as plainHunt.
 *
 * Stems are in buckets, one bit each. For each of the first three bytes of a stem two tables, one indexed by the low
 * half of a byte and one by the high half, have the buckets with a stem that has such a byte there. A place is looked at
 * closely if a bucket's bit is set in all six. The tables are the first 96 bytes of the memory; then follow 256 bytes
 * that are 1 for the bytes before which no word starts, and the stems: mask, value and `inWord`, 12 bytes each.
 */

/** The low halves of bytes: the same for small letters and capitals, and seldom all allowed. */
function low(bytes: v128): v128 {
  return v128.and(bytes, i8x16.splat(15));
}

/** The high halves of bytes, of capitals those of their small letters. */
function high(bytes: v128): v128 {
  return v128.or(v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15)), i8x16.splat(2));
}

/** The places among the 16 bytes at `from` at which the high halves allow a bucket of `allowed`, one bit each. */
function places(from: i32, allowed: v128, high0: v128, high1: v128, high2: v128): i32 {
  return i8x16.bitmask(i8x16.eq(
    v128.and(
      v128.and(allowed, i8x16.swizzle(high0, high(v128.load(from)))),
      v128.and(
        i8x16.swizzle(high1, high(v128.load(from, 1))),
        i8x16.swizzle(high2, high(v128.load(from, 2))),
      ),
    ),
    i64x2.splat(0),
  )) ^ 0xffff;
}

/**
 * Whether a stem is at `at`. It has to start `inWord` bytes after the start of a word, if that is not negative: a word
 * does not start after a byte of a word, except that a capital, which lacks the bit 32, starts one.
 */
function stands(at: i32, stem: i32, stemsEnd: i32): bool {
  const word = load<u32>(at) | 0x20202020;
  do {
    if ((word & load<u32>(stem)) == load<u32>(stem, 4)) {
      const inWord = load<i32>(stem, 8);
      if (inWord < 0) return true;
      at -= inWord;
      return load<u8>(<i32> load<u8>(at - 1), 96) == 0 || (load<u8>(at) & 32) == 0;
    }
    stem += 12;
  } while (stem < stemsEnd);
  return false;
}

/**
 * Hunts from byte `from` up to `to`; 34 bytes after `to` and 2 before `from` are read, too. Writes the addresses of what
 * it finds to `out`, at most `most`. Returns how many.
 */
export function hunt(from: i32, to: i32, stems: i32, stemsEnd: i32, out: i32, most: i32): i32 {
  let found = 0;
  const low0 = v128.load(0);
  const high0 = v128.load(16);
  const low1 = v128.load(32);
  const high1 = v128.load(48);
  const low2 = v128.load(64);
  const high2 = v128.load(80);
  for (; from < to; from += 32) {
    const first = v128.and(
      v128.and(i8x16.swizzle(low0, low(v128.load(from))), i8x16.swizzle(low1, low(v128.load(from, 1)))),
      i8x16.swizzle(low2, low(v128.load(from, 2))),
    );
    const second = v128.and(
      v128.and(i8x16.swizzle(low0, low(v128.load(from, 16))), i8x16.swizzle(low1, low(v128.load(from, 17)))),
      i8x16.swizzle(low2, low(v128.load(from, 18))),
    );
    if (!v128.any_true(v128.or(first, second))) continue;
    let mask = places(from, first, high0, high1, high2) |
      places(from + 16, second, high0, high1, high2) << 16;
    for (; mask != 0; mask &= mask - 1) {
      const at = from + ctz(mask);
      if (at < to && stands(at, stems, stemsEnd)) {
        store<i32>(out, at);
        out += 4;
        if (++found == most) return found;
      }
    }
  }
  return found;
}
