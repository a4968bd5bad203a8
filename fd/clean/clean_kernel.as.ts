// @ts-nocheck: AssemblyScript has types that TypeScript does not know.

/**
 * The kernel of the cleaner (clean_text.ts), with SIMD: finds control characters, and copies text without the sequences
 * that coloured output has. Tests check that cleaning gives the same result without it.
 *
 * It may read 16 bytes beyond `end`, and write 16 bytes beyond what it says it wrote.
 */

/** The bytes 00..08 (most, when 9 is subtracted), 0B..1F (least, when 0B is), 7F and C2. */
function isSpecial(bytes: v128): v128 {
  return v128.or(
    v128.or(
      i8x16.gt_u(i8x16.sub(bytes, i8x16.splat(9)), i8x16.splat(0xf6 as i8)),
      i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x0b)), i8x16.splat(0x15)),
    ),
    v128.or(i8x16.eq(bytes, i8x16.splat(0x7f)), i8x16.eq(bytes, i8x16.splat(0xc2 as i8))),
  );
}

/** Returns the address of the first special byte up to `end`, or `end`. */
function firstSpecial(at: i32, end: i32): i32 {
  while (at < end) {
    const mask = i8x16.bitmask(isSpecial(v128.load(at)));
    if (mask != 0) {
      at += ctz(mask);
      break;
    }
    at += 16;
  }
  return at < end ? at : end;
}

/** Whether the byte is a C2 that begins no control, as far as the bytes up to `end` tell. */
function isPlainC2(at: i32, end: i32): bool {
  return load<u8>(at) == 0xc2 && (at + 1 >= end || (load<u8>(at, 1) & 0xe0) != 0x80);
}

/** Returns the address of the first control character other than TAB and LF up to `end`, or `end`. */
export function find(at: i32, end: i32): i32 {
  let special = firstSpecial(at, end);
  while (special < end && isPlainC2(special, end)) special = firstSpecial(special + 1, end);
  return special;
}

/** Returns the end of the sequence at `at` if it is SGR, or erases to the end of the row; 0 if not. */
function knownSequence(at: i32, end: i32): i32 {
  let next = at + 2;
  if (next >= end || load<u8>(at, 1) != 0x5b) return 0;
  let byte: u32 = load<u8>(next++);
  while ((byte & 0xf0) == 0x30) {
    if (next >= end) return 0;
    byte = load<u8>(next++);
  }
  if (byte == 0x6d) return next;
  return byte == 0x4b && next - at == 3 ? next : 0;
}

/** Whether the bytes before `out` may be the first part of a char. */
function mayBeUnfinished(out: i32): bool {
  const last = load<u8>(out - 1);
  if (last < 0x80) return false;
  if (last >= 0xc0) return true;
  const second = load<u8>(out - 2);
  if (second < 0x80) return false;
  if (second >= 0xc0) return second >= 0xe0;
  return load<u8>(out - 3) >= 0xf0;
}

/**
 * Copies text to `out` up to what it does not know, and returns where that is. Leaves out SGR (CSI … m), CSI K and a CR
 * before an LF. Writes to addresses 0 and 4 the end of what it wrote, and the chars that it left out. The 3 bytes before
 * `out` are those before the text.
 */
export function copy(at: i32, end: i32, out: i32): i32 {
  let leftOut = 0;
  for (;;) {
    const bytes = v128.load(at);
    v128.store(out, bytes);
    let count = ctz(i8x16.bitmask(isSpecial(bytes)) | 0x10000);
    if (count > end - at) count = end - at;
    at += count;
    out += count;
    if (at >= end) break;
    if (count == 16) continue;

    const byte = load<u8>(at);
    if (byte == 0xc2) {
      if (at + 1 >= end || !isPlainC2(at, end)) break;
      store<u8>(out, byte);
      at++;
      out++;
      continue;
    }
    let last = 0;
    if (byte == 0x1b) last = knownSequence(at, end);
    else {
      if (byte != 0x0d || at + 1 >= end || load<u8>(at, 1) != 0x0a) break;
      last = at + 1;
    }
    if (last == 0 || mayBeUnfinished(out)) break;
    leftOut += last - at;
    at = last;
  }
  store<i32>(0, out);
  store<i32>(4, leftOut);
  return at;
}
