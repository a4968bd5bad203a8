// @ts-nocheck: AssemblyScript has types that TypeScript does not know.

/**
 * The kernel of the scan (scan_text.ts): counts LFs and char starts of strides of 256 bytes, feeds the lanes of the block
 * sum, with SIMD, and cuts pages. Tests check that it gives the same results as plainCounter in count_strides.ts.
 *
 * In well-formed text every byte except continuations (80..BF) starts a char; without continuations this is true of any
 * bytes. So `count` counts continuations. The caller then checks whether the text is well-formed, for which the runtime is
 * faster than any code here, and calls `recount` if it is not. `recount` determines for each lead byte (C2..F4), 16 bytes
 * at once, how many of the bytes after it belong to it ("it owns them"):
 *
 * - pair: the next byte may follow this lead. Three tables, indexed by the lead's two halves and by the next byte's high
 *   half, have one bit for each kind of lead; the pair is valid if a bit is set in all three. As signed numbers the bits
 *   of 2-byte leads are at most 1, and those of 4-byte leads above 8:
 *
 *       80 C2..CF: 80..BF                 10 F1..F3: 80..BF
 *       01 D0..DF: 80..BF                 20 F0: 90..BF
 *       02 E1..EC, EE, EF: 80..BF         40 F4: 80..8F
 *       04 E0: A0..BF
 *       08 ED: 80..9F
 *
 * - third: the lead is E0..F4, has its pair, and the byte after that is a continuation (80..BF).
 * - fourth: the lead is F0..F4, has its third, and the byte after that is a continuation.
 *
 * A byte that no lead owns starts a char. Edges of a stride need correction: its last leads may own bytes after its end,
 * and leads before it may own some of its bytes. (The bytes after the last stride may be anything: what is counted of them
 * is subtracted again.)
 */

const BLOCK_STRIDES: i32 = 128;
const STRIDE_BYTES: i32 = 256;

/** Addresses, as in stride_memory.ts and scan_kernel.ts. */
const LANES_END: i32 = 128;
const TOTALS: i32 = 128;
const LINE_FEEDS: i32 = 2240;
const PAGE: i32 = 2304;
const REPORTS: i32 = PAGE + 24;
const LEAD_INS: i32 = 2432;
const BLOCK_SUMS: i32 = 2560;
const CONTROLS: i32 = 2600;
const STRIDES: i32 = 4096;

/** Second result of {@link countRun}: LFs. */
let runLineFeeds: i32 = 0;

/**
 * Counts the first `strides` (1 to 256) strides and sums their blocks. The first is stride `inBlock` of its block; the
 * lanes contain the state before it. The totals contain the number of chars before the first stride; after it, writes the
 * number at the end of each stride, treating every byte except continuations as the start of a char. Writes the sum of each
 * block that ends, the lead-in of each block that starts, and the LFs of all strides, followed by those before each block
 * that starts. Writes to the controls, for each block that the strides are of, whether a control character other than TAB
 * and LF ends in them. Returns the number of continuations.
 */
export function count(strides: i32, inBlock: i32): i32 {
  let address = STRIDES;
  let totals = TOTALS;
  let sums = BLOCK_SUMS;
  let leadIns = LEAD_INS;
  let controls = CONTROLS;
  let continuations = 0;
  let feeds = 0;
  let feedsBefore = LINE_FEEDS;
  do {
    if (inBlock == 0) {
      seedLanes();
      store<i32>(leadIns, leadIn(address));
      leadIns += 4;
      feedsBefore += 4;
      store<i32>(feedsBefore, feeds);
    }
    const run = min(BLOCK_STRIDES - inBlock, strides);
    continuations += countRun(address, run, totals, controls);
    feeds += runLineFeeds;
    controls += 4;
    address += run << 8;
    totals += run << 2;
    strides -= run;
    inBlock = (inBlock + run) & (BLOCK_STRIDES - 1);
    if (inBlock == 0) {
      store<i32>(sums, finishLanes(32768));
      sums += 4;
    }
  } while (strides != 0);
  store<i32>(LINE_FEEDS, feeds);
  return continuations;
}

/** The same as in block_sum.ts. */
function seedLanes(): void {
  let seed: i32 = 0;
  for (let lane = 0; lane != LANES_END; lane += 4) {
    seed += 0x9e3779b1;
    store<i32>(lane, seed);
  }
}

/** The same as in block_sum.ts. */
function finishLanes(sum: i32): i32 {
  for (let lane = 0; lane != LANES_END; lane += 4) {
    sum = rotl<i32>(sum ^ load<i32>(lane), 17) * 0xc2b2ae3d;
  }
  sum = (sum ^ <i32> (<u32> sum >> 15)) * 0x85ebca77;
  return sum ^ <i32> (<u32> sum >> 13);
}

/** An addition replaces the shift left, because runtimes compile a shift to three machine instructions. */
function doubled(mixed: v128): v128 {
  return v128.xor(mixed, i32x4.add(mixed, mixed));
}

/**
 * {@link count} for strides of one block; returns the number of continuations, and sets `runLineFeeds`. Handles up to 4
 * strides at a time, and looks for continuations only if one of their bytes is not ASCII. Looks for controls only where
 * the least byte but LF, DEL or C2 says that there may be one.
 */
function countRun(address: i32, strides: i32, totals: i32, controls: i32): i32 {
  const lf = i8x16.splat(10);
  const c0 = i8x16.splat(0xc0 as i8);
  const c2 = i8x16.splat(0xc2 as i8);
  const end = address + (strides << 8);
  let chars = load<i32>(totals);
  let inAll = 0;
  let feeds = 0;
  let found = 0;
  // for AT SUM of 0 a, 16 b, 32 c, 48 d, 64 e, 80 f, 96 g, 112 h
  let SUM = v128.load(0, AT);
  // end
  do {
    const few = address;
    const someEnd = min(address + 4 * STRIDE_BYTES, end);
    let lineFeeds = i32x4.splat(0);
    let most = i32x4.splat(0);
    let least = i32x4.splat(-1);
    let greatest = i32x4.splat(0);
    let mayBe: bool = false;
    // 64 bytes, twice, like four columns of feedLanes of block_sum.ts. A true comparison gives -1. (4 strides have 64
    // vectors, so a byte of the count is at most 64.)
    do {
      let bytes = i32x4.splat(0);
      let isLf = bytes;
      // for AT SUM of 16 b, 32 c, 48 d, 0 a
      bytes = v128.load(address, AT);
      SUM = v128.xor(SUM, bytes);
      most = i8x16.max_u(most, bytes);
      isLf = i8x16.eq(bytes, lf);
      lineFeeds = i8x16.sub(lineFeeds, isLf);
      least = i8x16.min_u(least, v128.or(bytes, isLf));
      // end
      let mixed = doubled(v128.xor(v128.xor(v128.xor(a, b), c), d));
      a = b;
      b = c;
      c = d;
      d = v128.xor(mixed, i32x4.shr_u(mixed, 3));

      // for AT SUM of 80 f, 96 g, 112 h, 64 e
      bytes = v128.load(address, AT);
      SUM = v128.xor(SUM, bytes);
      most = i8x16.max_u(most, bytes);
      isLf = i8x16.eq(bytes, lf);
      lineFeeds = i8x16.sub(lineFeeds, isLf);
      least = i8x16.min_u(least, v128.or(bytes, isLf));
      // end
      mixed = doubled(v128.xor(v128.xor(v128.xor(e, f), g), h));
      e = f;
      f = g;
      g = h;
      h = v128.xor(mixed, i32x4.shr_u(mixed, 3));

      address += 128;
    } while (address != someEnd);

    feeds += addBytes(lineFeeds);
    if (v128.any_true(v128.and(most, i8x16.splat(0x80 as i8)))) {
      let isC2 = i32x4.splat(0);
      let some = few;
      do {
        let continuations = i32x4.splat(0);
        const strideEnd = some + STRIDE_BYTES;
        do {
          let bytes = i32x4.splat(0);
          // for AT of 0, 16, 32, 48, 64, 80, 96, 112
          bytes = v128.load(some, AT);
          continuations = i8x16.sub(continuations, i8x16.lt_s(bytes, c0));
          isC2 = v128.or(isC2, i8x16.eq(bytes, c2));
          greatest = i8x16.max_s(greatest, bytes);
          // end
          some += 128;
        } while (some != strideEnd);
        const ofStride = addBytes(continuations);
        inAll += ofStride;
        chars += STRIDE_BYTES - ofStride;
        store<i32>(totals, chars, 4);
        totals += 4;
      } while (some != someEnd);
      mayBe = v128.any_true(isC2) || load<u8>(few - 1) == 0xc2;
    } else {
      greatest = most;
      for (let some = few; some != someEnd; some += STRIDE_BYTES) {
        chars += STRIDE_BYTES;
        store<i32>(totals, chars, 4);
        totals += 4;
      }
    }
    mayBe = mayBe || v128.any_true(
      v128.or(i8x16.lt_u(least, i8x16.splat(0x20)), i8x16.eq(greatest, i8x16.splat(0x7f))),
    );
    if (mayBe && found == 0) found = hasControl(few, someEnd);
  } while (address != end);

  store<i32>(controls, found);
  // for AT SUM of 0 a, 16 b, 32 c, 48 d, 64 e, 80 f, 96 g, 112 h
  v128.store(0, SUM, AT);
  // end
  runLineFeeds = feeds;
  return inAll;
}

/** Whether a control character other than TAB and LF ends in the bytes, whole vectors: 00..08, 0B..1F, 7F, or C2 80..9F. */
function hasControl(address: i32, end: i32): i32 {
  let found = i32x4.splat(0);
  do {
    const bytes = v128.load(address);
    const isLow = v128.and(
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
      i8x16.gt_u(i8x16.sub(bytes, i8x16.splat(9)), i8x16.splat(1)),
    );
    const endsC1 = v128.and(
      i8x16.lt_s(bytes, i8x16.splat(0xa0 as i8)),
      i8x16.eq(v128.load(address - 1), i8x16.splat(0xc2 as i8)),
    );
    found = v128.or(v128.or(found, i8x16.eq(bytes, i8x16.splat(0x7f))), v128.or(isLow, endsC1));
    address += 16;
  } while (address != end);
  return v128.any_true(found) ? 1 : 0;
}

/** Second result of {@link startsInAny}: bytes after the stride that its leads own; -1 if unknown. */
let ownedAfterStride: i32 = -1;

/**
 * Counts strides that {@link count} has counted again, for any bytes. Reads the 16 bytes before the first and the 3 after
 * the last stride; of the former, only the last 3 make a difference.
 */
export function recount(strides: i32): void {
  let address = STRIDES;
  let totals = TOTALS;
  const end = address + (strides << 8);
  ownedAfterStride = -1;
  do {
    const starts = startsInAny(address, ownedAfterStride);
    store<i32>(totals, load<i32>(totals) + starts, 4);
    totals += 4;
    address += STRIDE_BYTES;
  } while (address != end);
}

/**
 * Returns how many chars start in the stride at `address`, and sets `ownedAfterStride`. `ownedBefore` is the number of its
 * bytes that leads before it own, or -1 if unknown: then it first looks at the 16 bytes before the stride.
 */
function startsInAny(address: i32, ownedBefore: i32): i32 {
  const lowHalf = i8x16.splat(0x0f);
  const c0 = i8x16.splat(0xc0 as i8);
  const end = address + STRIDE_BYTES;
  let stop = end;
  if (ownedBefore < 0) {
    stop = address;
    address -= 16;
  }
  let ownedAfter = 0;
  let starts = i32x4.splat(0);
  while (true) {
    let noPair = i32x4.splat(0);
    let third = i32x4.splat(0);
    let fourth = i32x4.splat(0);
    do {
      const bytes = v128.load(address);
      const byLeadHigh = i8x16.swizzle(
        i8x16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 as i8, 0x01, 0x0e, 0x70),
        v128.and(i16x8.shr_u(bytes, 4), lowHalf),
      );
      const byLeadLow = i8x16.swizzle(
        i8x16(
          0x25,
          0x13,
          0x93 as i8,
          0x93 as i8,
          0xc3 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x83 as i8,
          0x89 as i8,
          0x83 as i8,
          0x83 as i8,
        ),
        v128.and(bytes, lowHalf),
      );
      const byNext = i8x16.swizzle(
        i8x16(0, 0, 0, 0, 0, 0, 0, 0, 0xdb as i8, 0xbb as i8, 0xb7 as i8, 0xb7 as i8, 0, 0, 0, 0),
        v128.and(i16x8.shr_u(v128.load(address, 1), 4), lowHalf),
      );
      const pair = v128.and(v128.and(byLeadHigh, byLeadLow), byNext);
      noPair = i8x16.eq(pair, i32x4.splat(0));
      third = v128.and(i8x16.gt_s(pair, i8x16.splat(1)), i8x16.lt_s(v128.load(address, 2), c0));
      fourth = v128.and(
        v128.and(third, i8x16.gt_s(pair, i8x16.splat(8))),
        i8x16.lt_s(v128.load(address, 3), c0),
      );
      // 1 for each byte, minus the bytes it owns. Over 16 vectors, a lane stays within -32 to 16.
      starts = i8x16.add(i8x16.sub(starts, noPair), i8x16.add(third, fourth));
      address += 16;
    } while (address != stop);
    // Owned after the last 3 bytes: all that the last one owns, the third and fourth of the one before it …
    ownedAfter = ((i8x16.bitmask(noPair) & 0x8000) == 0 ? 1 : 0) +
      popcnt(i8x16.bitmask(third) & 0xc000) + popcnt(i8x16.bitmask(fourth) & 0xe000);
    if (stop == end) break;
    ownedBefore = ownedAfter;
    starts = i32x4.splat(0);
    stop = end;
  }
  ownedAfterStride = ownedAfter;
  return addSignedBytes(starts) + ownedAfter - ownedBefore;
}

/**
 * cutPages of cut_pages.ts. The page has page size, pages ended, limit, start, last LF and the char after it, as
 * scan_kernel.ts writes them: positions are addresses, and chars count from the start of the first stride. `end` is the end
 * of the content in the strides. For each page in which a block starts (the first at `beyond`), reports three numbers:
 * pages that ended before it in these strides, its start and its end. Returns the number of those pages.
 */
export function cutPages(strides: i32, end: i32, beyond: i32): i32 {
  const lineFeeds = load<i32>(LINE_FEEDS);
  let reported = REPORTS;
  let reportedCount = 0;
  let stride = -1;
  let address = 0;
  let knownChar = 0;
  let knownStart = 0;
  let everyStarts = false;
  let leadsStart = false;
  while (true) {
    let limitChar = load<i32>(PAGE, 8);
    let limit = end;
    const goesOn = limitChar >= load<i32>(TOTALS + (strides << 2));
    if (!goesOn) {
      const strideOfLimit = strideOfChar(stride, strides, limitChar);
      const total = TOTALS + (strideOfLimit << 2);
      if (strideOfLimit != stride) {
        stride = strideOfLimit;
        address = STRIDES + (stride << 8);
        knownChar = load<i32>(total);
        everyStarts = everyByteStarts(total);
        if (!everyStarts) {
          knownStart = address + leadIn(address);
          leadsStart = onlyLeadsStart(total, address, end);
        }
      }
      limit = everyStarts
        ? address + limitChar - load<i32>(total)
        : skipChars(knownStart, address + STRIDE_BYTES, limitChar - knownChar, leadsStart);
      knownChar = limitChar;
      knownStart = limit;
    }
    const start = load<i32>(PAGE, 12);
    if (lineFeeds != 0) noteLastLineFeed(max(STRIDES, start), limit, end);
    if (goesOn) break;
    // endOfPage of page_rule.ts. A char starts at the limit, so the content continues there.
    const lineFeed = load<i32>(PAGE, 16);
    if (lineFeed >= start) {
      limit = lineFeed + 1;
      limitChar = load<i32>(PAGE, 20);
    }
    store<i32>(PAGE, limit, 12);
    store<i32>(PAGE, limitChar + load<i32>(PAGE), 8);
    if (limit > beyond) {
      store<i32>(reported, load<i32>(PAGE, 4));
      store<i32>(reported, start, 4);
      store<i32>(reported, limit, 8);
      reported += 12;
      reportedCount++;
      // Advance to the first block that does not start before the limit.
      beyond += (limit - beyond + 32767) & -32768;
    }
    store<i32>(PAGE, load<i32>(PAGE, 4) + 1, 4);
  }
  return reportedCount;
}

/** The same as in cut_pages.ts. */
function noteLastLineFeed(from: i32, to: i32, end: i32): void {
  const lineFeed = lastLineFeed(from, to);
  if (lineFeed < 0) return;
  const stride = (lineFeed - STRIDES) >> 8;
  const total = TOTALS + (stride << 2);
  const start = STRIDES + (stride << 8);
  const strideTo = strideEnd(start, end);
  const after = lineFeed + 1;
  const charsAfter = everyByteStarts(total)
    ? strideTo - after
    : onlyLeadsStart(total, start, end)
    ? countLeads(after, strideTo)
    : countCharStarts(after, strideTo);
  store<i32>(PAGE, lineFeed, 16);
  store<i32>(PAGE, load<i32>(total, 4) - charsAfter, 20);
}

/** Returns the end of the stride at `address`, or of its content, which ends at `end`. */
function strideEnd(address: i32, end: i32): i32 {
  return min(address + STRIDE_BYTES, end);
}

/** The same as in cut_pages.ts, for the stride whose total is at `total`. */
function everyByteStarts(total: i32): bool {
  return load<i32>(total, 4) - load<i32>(total) == STRIDE_BYTES;
}

/**
 * Whether no continuation in the stride starts a char, so that the bytes alone show char starts: then its chars equal its
 * bytes that are not continuations. Bytes beyond `end`, where the content ends, are padding that totals exclude.
 */
function onlyLeadsStart(total: i32, address: i32, end: i32): bool {
  return load<i32>(total, 4) - load<i32>(total) == countLeads(address, strideEnd(address, end));
}

/** Counts the bytes of [from, to) that are not continuations. Reads up to 15 bytes after them. */
function countLeads(from: i32, to: i32): i32 {
  let count = 0;
  for (; from < to; from += 16) {
    let leads = leadsAt(from);
    const left = to - from;
    if (left < 16) leads &= (1 << left) - 1;
    count += popcnt(leads);
  }
  return count;
}

/** Returns a bit mask of the bytes, out of 16, that are not continuations; the lowest bit is the first byte. */
function leadsAt(address: i32): i32 {
  return i8x16.bitmask(i8x16.ge_s(v128.load(address), i8x16.splat(0xc0 as i8)));
}

/** The same as in cut_pages.ts. */
function strideOfChar(low: i32, strides: i32, char: i32): i32 {
  low = max(low, char >> 8);
  let high = strides - 1;
  let middle = low;
  while (true) {
    if (load<i32>(TOTALS + (middle << 2), 4) > char) high = middle;
    else low = middle + 1;
    if (low >= high) break;
    middle = (low + high) >> 1;
  }
  return low;
}

/** The same as in utf8_chars.ts; at least 3 bytes must precede `at`. */
function leadIn(at: i32): i32 {
  for (let back = at - 1; back >= at - 3; back--) {
    if (load<i8>(back) >= -64) return max(charEnd(back, at + 3) - at, 0);
  }
  return 0;
}

/** Returns the address of the last LF in bytes [from, to), or -1. Reads up to 15 bytes before `from`. */
function lastLineFeed(from: i32, to: i32): i32 {
  while (to > from) {
    to -= 16;
    let found = i8x16.bitmask(i8x16.eq(v128.load(to), i8x16.splat(10)));
    if (to < from) found &= -1 << (from - to);
    if (found != 0) return to + 31 - clz(found);
  }
  return -1;
}

/** The same as in utf8_chars.ts. */
function countCharStarts(from: i32, to: i32): i32 {
  let count = 0;
  while (from < to) {
    from = charEnd(from, to);
    count++;
  }
  return count;
}

/** The same as in utf8_chars.ts. If only leads start chars, handles 16 bytes at once; then the char must exist. */
function skipChars(from: i32, to: i32, count: i32, leadsStart: bool): i32 {
  if (leadsStart) {
    let leads = leadsAt(from);
    let inVector = popcnt(leads);
    while (count >= inVector) {
      count -= inVector;
      from += 16;
      leads = leadsAt(from);
      inVector = popcnt(leads);
    }
    for (; count != 0; count--) leads &= leads - 1;
    return from + ctz(leads);
  }
  for (; count != 0 && from < to; count--) from = charEnd(from, to);
  return from;
}

/** The same as in utf8_chars.ts. */
function charEnd(at: i32, end: i32): i32 {
  const lead: u32 = load<u8>(at);
  at++;
  if (lead < 0xc2 || lead > 0xf4 || at >= end) return at;
  const second: u32 = load<u8>(at);
  if (second < (lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80)) return at;
  if (second > (lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf)) return at;
  at++;
  if (lead < 0xe0 || at >= end || load<i8>(at) >= -64) return at;
  at++;
  if (lead < 0xf0 || at >= end || load<i8>(at) >= -64) return at;
  return at + 1;
}

/**
 * Returns the sum of the 16 bytes of a vector, each at most 127: adds them in pairs to 8 bits, then to 16 bits, and a
 * multiplication adds these four up in the highest 16 bits.
 */
function addBytes(bytes: v128): i32 {
  const eight = i64x2.extract_lane(bytes, 0) + i64x2.extract_lane(bytes, 1);
  const pairs = (eight & 0x00ff00ff00ff00ff) + ((<u64> eight >> 8) & 0x00ff00ff00ff00ff);
  return <i32> (<u64> (pairs * 0x0001000100010001) >> 48);
}

/** Returns the sum of the 16 signed bytes of a vector. */
function addSignedBytes(bytes: v128): i32 {
  const words = i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(bytes));
  return i32x4.extract_lane(words, 0) + i32x4.extract_lane(words, 1) + i32x4.extract_lane(words, 2) +
    i32x4.extract_lane(words, 3);
}
