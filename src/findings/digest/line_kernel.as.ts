// @ts-nocheck: AssemblyScript has types that TypeScript does not know.

/**
 * The kernel of the study (watch_content.ts): walks lines, and gives each its shape and the words in it that may be signs of
 * failure; counts shapes, and kinds of lines with signs; and counts what is in the fields of lines of one shape.
 *
 * The shape of a line is what stays when what varies from line to line is masked: lines that a program writes with the same
 * statement have the same shape, whatever the numbers, names and paths in them. It keeps the first word, words in
 * capitals (levels, methods), punctuation and the signs, and masks all other words and numbers.
 *
 * The kind of a line is what its plain words say from its first sign on: numbers, names and quoted text do not count.
 *
 * Bytes are classified with SIMD into bit masks, one bit a byte, from which tokens are read. Of a line, the first 64 KiB are
 * walked for signs, and the first 240 bytes are its shape.
 */

const SHAPED_BYTES: i32 = 240;

/** The masks of 64 bytes: of tokens, digits, small letters, joiners, blanks, and line feeds. */
const TOKEN: i32 = 0;
const DIGIT: i32 = 8;
const SMALL: i32 = 16;
const JOINER: i32 = 24;
const BLANK: i32 = 32;
const FEED: i32 = 40;

const NUMBER_TOKEN: i32 = 0x1001;
const NAME_TOKEN: i32 = 0x1002;
const PRIME: i32 = 0x01000193;
const SEED: i32 = 0x811c9dc5;

/** The end of the bytes of the window whose masks are written, but for those of line feeds. */
let classifiedTo: i32 = 0;

/** Writes the masks of the bytes from `from` up to `to` and of the 64 after it, as far as they are not written. */
function classify(from: i32, to: i32): void {
  const low = i8x16(0x55, 7, 7, 7, 7, 7, 7, 7, 7, 0x87 as i8, 6, 2, 0x22, 0x8a as i8, 0x0a, 0x2a);
  const high = i8x16(0x80 as i8, 0, 0x48, 0x01, 0x12, 0x24, 0x02, 0x04, 0, 0, 0, 0, 0, 0, 0, 0);
  const zero = i8x16.splat(0);
  for (from = max(from & -64, classifiedTo); from < to + 64; from += 64) {
    let tokens: u64 = 0;
    let digits: u64 = 0;
    let small: u64 = 0;
    let joiners: u64 = 0;
    let blanks: u64 = 0;
    for (let part = 0; part < 64; part += 16) {
      const bytes = v128.load(from + part);
      const classes = v128.and(
        i8x16.swizzle(low, v128.and(bytes, i8x16.splat(15))),
        i8x16.swizzle(high, v128.and(i16x8.shr_u(bytes, 4), i8x16.splat(15))),
      );
      tokens |= (<u64> i8x16.bitmask(i8x16.ne(v128.and(classes, i8x16.splat(0x3f)), zero))) << part;
      digits |= (<u64> i8x16.bitmask(i16x8.shl(classes, 7))) << part;
      joiners |= (<u64> i8x16.bitmask(i8x16.ne(v128.and(classes, i8x16.splat(0x38)), zero))) << part;
      blanks |= (<u64> i8x16.bitmask(i8x16.ne(v128.and(classes, i8x16.splat(0xc0 as i8)), zero))) << part;
      small |= (<u64> i8x16.bitmask(
        v128.and(i8x16.ne(v128.and(classes, i8x16.splat(6)), zero), i16x8.shl(bytes, 2)),
      )) << part;
    }
    store<u64>(from, tokens, MASKS + TOKEN);
    store<u64>(from, digits, MASKS + DIGIT);
    store<u64>(from, small, MASKS + SMALL);
    store<u64>(from, joiners, MASKS + JOINER);
    store<u64>(from, blanks, MASKS + BLANK);
    classifiedTo = from + 64;
  }
}

/** A byte 16 times. Unoptimised code makes a constant again at each use, so a sum is made of it: at address 0 is a 0. */
function bytesOf(code: i32): v128 {
  return i8x16.splat(<i8> (code + load<i32>(0)));
}

/** Marks the bytes that are letters: signed, since to compare without signs takes three instructions. */
// inline
function areLetters(bytes: v128, space: v128, shift: v128, limit: v128): v128 {
  return i8x16.lt_s(i8x16.add(v128.or(bytes, space), shift), limit);
}

/** The place of the first four bytes of a word among those of signs. */
function stemPlace(word: i32): i32 {
  return <i32> (<u32> ((word | 0x20202020) * 0x9e3779b1) >> 18);
}

/** Whether what starts at `at`, as the first four bytes of a sign do, may be one: a word that is one, or a status, or as below. */
// inline
function isStem(at: i32, space: v128, shift: v128, limit: v128): bool {
  const code = load<u8>(at);
  if (code >= 0xe2) return isWideStem(at);
  if (code == 0x35) return load<u16>(at - 2) == 0x2022;
  const length = <i32> ctz(~i8x16.bitmask(areLetters(v128.load(at), space, shift, limit)));
  return length > 15 || isSignHash(wordHash(at, at + length));
}

/** The bytes of two chars of a script without spaces between words, by which its signs are known. */
const WIDE_BYTES: i32 = 6;

/** Whether two chars of three bytes begin as a sign does, or one is a cross. */
function isWideStem(at: i32): bool {
  return load<u8>(at) == 0xe2 && isCross(at) ||
    startsSign(at) != 0 && isSignHash(wordHash(at, at + WIDE_BYTES));
}

/** 4, the bytes of an address, if the first four bytes at `at` are those of a sign, else 0. */
function startsSign(at: i32): i32 {
  return load<u8>(stemPlace(load<i32>(at)), STEMS);
}

/**
 * Finds line feeds in the bytes from `from` (a multiple of 64) up to `to`, behind which all are taken for such; `start` is where
 * those start that were not walked.
 * Returns whether there is a control character other than TAB and LF.
 */
export function survey(start: i32, from: i32, to: i32): bool {
  const lf = bytesOf(10);
  const del = bytesOf(0x7f);
  const lead = bytesOf(0xc2);
  hasStems = false;
  classifiedTo = min(classifiedTo, from);
  if (from == start) classifiedTo = start;
  let least = i8x16.splat(-1);
  let odd = i8x16.splat(0);
  for (let at = from; at < to; at += 64) {
    let first: i32, second: i32, third: i32, last: i32;
    // for AT FEEDS of 0 first, 16 second, 32 third, 48 last
    {
      const bytes = v128.load(at, AT);
      const isFeed = i8x16.eq(bytes, lf);
      FEEDS = i8x16.bitmask(isFeed);
      least = i8x16.min_u(least, v128.or(bytes, isFeed));
      // DEL, and the first byte of controls of two bytes.
      odd = v128.or(odd, v128.or(i8x16.eq(bytes, del), i8x16.eq(bytes, lead)));
    }
    // end
    store<u64>(at, joined(first | second << 16, third | last << 16), MASKS + FEED);
  }
  store<u64>((to + 63) & -64, -1, MASKS + FEED);
  return (v128.any_true(i8x16.lt_u(least, i8x16.splat(0x20))) || v128.any_true(odd)) && hasControl(from, to);
}

/** The bits of two numbers. */
function joined(low: i32, high: i32): u64 {
  return <u64> <u32> low | <u64> high << 32;
}

/** Whether the stems of signs in the window are found. */
let hasStems: bool = false;

/** Finds the stems of signs in the bytes from `from` up to `to`. */
export function findStems(from: i32, to: i32): void {
  const space = bytesOf(0x20);
  const shift = bytesOf(31);
  const limit = bytesOf(-102);
  const five = bytesOf(0x35);
  const capital = bytesOf(0x5f);
  let found = STEMS_FOUND;
  let lettersBefore: u64 = 0;
  let capitalsBefore: u64 = 0;
  // At first what starts as they do, without a branch, which would be taken for a word in ten, at random.
  for (let place = from & -64; place < to; place += 64) {
    const before = place - 1;
    let special = i8x16.splat(0);
    let l0: i32, l1: i32, l2: i32, l3: i32, s0: i32, s1: i32, s2: i32, s3: i32;
    // for AT LETTERS SMALLS of 0 l0 s0, 16 l1 s1, 32 l2 s2, 48 l3 s3
    {
      const bytes = v128.load(place, AT);
      LETTERS = i8x16.bitmask(areLetters(bytes, space, shift, limit));
      const isFive = v128.and(i8x16.eq(bytes, five), i8x16.eq(v128.load(before, AT), space));
      special = v128.or(special, v128.or(bytes, isFive));
      SMALLS = i8x16.bitmask(i8x16.gt_s(bytes, capital));
    }
    // end
    const letters = joined(l0 | l1 << 16, l2 | l3 << 16);
    const small = joined(s0 | s1 << 16, s2 | s3 << 16);
    const capitals = letters & ~small;
    // A word starts with its first letter, and with a capital before a small letter or behind one.
    const first = letters & ~(letters << 1 | lettersBefore >> 63);
    const inner = capitals & (~(capitals << 1 | capitalsBefore >> 63) | ~(capitals >> 1));
    // A sign has three letters.
    let starts = (first | inner) & (letters >> 1 | <u64> 1 << 63) & (letters >> 2 | <u64> 3 << 62);
    lettersBefore = letters;
    capitalsBefore = capitals;
    found = min(found, STEMS_FOUND + 4 * (MAX_STEMS - 64));
    /** A 5 behind a space, and what may be a cross: they are looked at, whatever bytes follow. */
    let sure: u64 = 0;
    if (i8x16.bitmask(special) != 0) {
      // for AT WIDES SURES of 0 l0 s0, 16 l1 s1, 32 l2 s2, 48 l3 s3
      {
        const bytes = v128.load(place, AT);
        const isFive = v128.and(i8x16.eq(bytes, five), i8x16.eq(v128.load(before, AT), space));
        // The first bytes of chars from U+2000 to U+CFFF.
        const isWide = i8x16.lt_s(i8x16.add(bytes, i8x16.splat(0x9e as i8)), i8x16.splat(-117));
        WIDES = i8x16.bitmask(v128.or(isWide, isFive));
        SURES = i8x16.bitmask(v128.or(i8x16.eq(bytes, i8x16.splat(0xe2 as i8)), isFive));
      }
      // end
      starts |= joined(l0 | l1 << 16, l2 | l3 << 16);
      sure = joined(s0 | s1 << 16, s2 | s3 << 16);
    }
    if (sure == 0) {
      // Without a branch for each, too: most blocks have up to eight. Those that are missing are at the end of the block.
      const missing = 8 - <i32> popcnt(starts);
      let last = 0;
      // for N of 1, 2, 3, 4, 5, 6, 7, 8
      {
        const at = place + <i32> ctz(starts);
        store<i32>(found, at);
        last = startsSign(at);
        found += last;
        starts &= starts - 1;
      }
      // end
      found -= last * max(missing, 0);
    }
    for (; starts != 0; starts &= starts - 1) {
      const start = ctz(starts);
      const at = place + <i32> start;
      store<i32>(found, at);
      found += startsSign(at) | (<i32> (sure >> start) & 1) << 2;
    }
  }
  let stems = 0;
  for (let each = STEMS_FOUND; each < found; each += 4) {
    const at = load<i32>(each);
    if (isStem(at, space, shift, limit)) store<i32>(STEMS_FOUND + 4 * stems++, at);
  }
  store<i32>(STEMS_FOUND + 4 * stems, i32.MAX_VALUE);
  nextStem = STEMS_FOUND;
  hasStems = true;
}

/** Whether a control character ends in the bytes: 00..08, 0B..1F, 7F, or C2 80..9F. Line feeds follow. */
function hasControl(from: i32, to: i32): bool {
  let found = i8x16.splat(0);
  for (; from < to; from += 16) {
    const bytes = v128.load(from);
    const isLow = v128.and(
      i8x16.lt_u(bytes, i8x16.splat(0x20)),
      i8x16.gt_u(i8x16.sub(bytes, i8x16.splat(9)), i8x16.splat(1)),
    );
    const endsC1 = v128.and(
      i8x16.lt_s(bytes, i8x16.splat(0xa0 as i8)),
      i8x16.eq(v128.load(from - 1), i8x16.splat(0xc2 as i8)),
    );
    found = v128.or(v128.or(found, i8x16.eq(bytes, i8x16.splat(0x7f))), v128.or(isLow, endsC1));
  }
  return v128.any_true(found);
}

/** The first found stem that is not before the next line. */
let nextStem: i32 = 0;

/** Marks the bytes that are not digits. */
function areOthers(bytes: v128): v128 {
  return i8x16.ge_s(i8x16.add(bytes, i8x16.splat(0x50)), i8x16.splat(-118));
}

/** A sum with 16 bytes, in which digits are alike. */
// inline
function withMasked(sum: v128, bytes: v128, factor: v128): v128 {
  return i32x4.add(i32x4.mul(sum, factor), v128.and(bytes, areOthers(bytes)));
}

/** The hash of a sum, which is not 0. */
function lookOfSum(sum: v128): i32 {
  const hash = i64x2.extract_lane(sum, 0) * 0x9e3779b97f4a7c15 +
    rotl<u64>(i64x2.extract_lane(sum, 1) * 0xc2b2ae3d27d4eb4f, 29);
  return <i32> ((hash ^ hash >> 29) >> 7) | 1;
}

/** The bits of those of 16 bytes where a number of three digits may start. */
function numbersAt(at: i32): i32 {
  const others = i8x16.bitmask(areOthers(v128.load(at)));
  return (others << 1 | 1) & ~(others | others >> 1 | others >> 2) & (others >> 3 | 0xe000);
}

/** Marks, of the 16 bytes at `at`, each 5 that neither goes on a number nor is a part of a date or fraction, two before a digit. */
// inline
function fivesAt(at: i32, bytes: v128): v128 {
  const isPart = i8x16.lt_s(i8x16.add(v128.load(at - 1), i8x16.splat(0x54)), i8x16.splat(-114));
  return v128.andnot(i8x16.eq(bytes, i8x16.splat(0x35)), v128.or(isPart, areOthers(v128.load(at, 2))));
}

/** 1 if such a 5 among the 16 bytes at `at` starts a number from 500 to 599, else 0. */
function failuresAt(at: i32): i32 {
  let found = 0;
  for (let fives = <i32> i8x16.bitmask(fivesAt(at, v128.load(at))); fives != 0; fives &= fives - 1) {
    const number = at + ctz(fives);
    found |= i32(isDigitCode(load<u8>(number, 1)) && !isDigitCode(load<u8>(number, 3)));
  }
  return found;
}

/** A hash of the statuses of a line from 500 to 599, in their order, and if `isWhole` of the others, too; 0 without one. */
function statusesOf(from: i32, to: i32, isWhole: bool): i32 {
  let found = 0;
  for (let at = from; at < to; at += 16) {
    for (let numbers = numbersAt(at); numbers != 0; numbers &= numbers - 1) {
      const number = at + ctz(numbers);
      if (number >= to) break;
      // None is behind a digit, or a part of a date or fraction.
      if (<u32> load<u8>(number - 1) - 0x2c < 14) continue;
      let end = number;
      while (isDigitCode(load<u8>(end))) end++;
      const isError = load<u8>(number) == 0x35;
      if ((isError || isWhole) && isStatus(from, number, end)) found = 3 * found + (isError ? 2 : 1);
    }
  }
  return found;
}

/**
 * After so many lines of one look that were alike, further ones are not walked, but counted with them: of a whole
 * look, a loose one, or another.
 */
const FAMILIAR_WHOLE: i32 = 4;
const FAMILIAR_LOOSE: i32 = 8;
const FAMILIAR: i32 = 32;

/** After how many lines one of such a look is familiar. */
function familiarFrom(isWhole: bool, isLoose: bool): i32 {
  return isWhole ? FAMILIAR_WHOLE : isLoose ? FAMILIAR_LOOSE : FAMILIAR;
}

/** The first lines of content, all of which are walked, and those that are compared whole. */
const ALWAYS_WALKED: i32 = 1024;
const COMPARED_WHOLE: i32 = 16384;
/**
 * With so many kinds, where comparing whole lines does not pay, lines with signs all say something else: a look is then that
 * of the first bytes and the signs.
 */
const MANY_KINDS: i32 = 512;
/** Lines with the same stems that are walked where there are too many shapes; those without stems are not. */
const MAX_SAME_STEMS: i32 = 16;

/** The masks from `at` on, as far as they are of the same 64 bytes. */
function maskAt(mask: i32, at: i32): u64 {
  return load<u64>((at & -64) + mask, MASKS) >> (at & 63);
}

/** The mask of the 64 bytes from `at` on. */
function bitsAt(mask: i32, at: i32): u64 {
  return maskAt(mask, at) | maskAt(mask, (at | 63) + 1) << 1 << (63 - (at & 63));
}

/**
 * The first place from `at` on, up to `end`, whose byte is not in the mask. Here and below, what is mostly one step does without
 * a loop: the runtime counts each start of one, and compiles what starts many once more.
 */
// inline
function endOf(mask: i32, at: i32, end: i32): i32 {
  const length = <i32> ctz(~maskAt(mask, at));
  return length < 64 - (at & 63) ? min(at + length, end) : farEnd(mask, (at | 63) + 1, end);
}

function farEnd(mask: i32, at: i32, end: i32): i32 {
  while (at < end) {
    const length = <i32> ctz(~maskAt(mask, at));
    if (length < 64) return min(at + length, end);
    at += 64;
  }
  return end;
}

/** Whether a byte from `from` up to `to` is in the mask. */
function isAny(mask: i32, from: i32, to: i32): bool {
  const bits = maskAt(mask, from);
  const length = to - from;
  if (length <= 64 - (from & 63)) return (bits & (<u64> -1 >> (64 - length))) != 0;
  return bits != 0 || isAnyFar(mask, (from | 63) + 1, to);
}

function isAnyFar(mask: i32, from: i32, to: i32): bool {
  while (true) {
    const bits = maskAt(mask, from);
    if (to - from <= 64) return (bits & (<u64> -1 >> (64 - (to - from)))) != 0;
    if (bits != 0) return true;
    from += 64;
  }
}

/** A hash with up to eight of `length` bytes. */
function withBytes(hash: i32, from: i32, length: i32): i32 {
  let bytes = load<u64>(from) | 0x2020202020202020;
  if (length < 8) bytes &= <u64> -1 >> ((8 - length) << 3);
  return (rotl<i32>(hash, 5) ^ <i32> bytes) * 0x9e3779b1 + <i32> (bytes >> 32) * 0x85ebca77;
}

/** The hash of a word, regardless of case. */
// inline
function wordHash(from: i32, to: i32): i32 {
  const length = to - from;
  return length <= 8 ? mixed(withBytes(length, from, length)) : longHash(from, length);
}

function mixed(hash: i32): i32 {
  hash = (hash ^ <i32> (<u32> hash >> 15)) * 0xc2b2ae3d;
  return hash ^ <i32> (<u32> hash >> 13);
}

function longHash(from: i32, length: i32): i32 {
  const hash = withBytes(withBytes(length, from, length), from + 8, length - 8);
  return mixed(length <= 16 ? hash : withBytes(hash, from + 16, length - 16));
}

/**
 * Takes the words from `from` to `to`, apart by spaces, for signs; not those with another byte than small letters. With `inverse`
 * -1 for words that say, before a sign, what it means. scripts/build-kernel calls it.
 */
export function learn(from: i32, to: i32, inverse: i32): void {
  while (from < to) {
    let end = from;
    let isWord = true;
    for (; end < to && load<u8>(end) != 0x20; end++) isWord = isWord && load<u8>(end) >= 0x61;
    if (isWord) {
      const hash = wordHash(from, load<u8>(from) >= 0xe2 ? from + WIDE_BYTES : end) ^ inverse;
      let slot = hash & (SIGN_SLOTS - 1);
      while (load<i32>(SIGN_TABLE + 4 * slot) != 0) slot = (slot + 1) & (SIGN_SLOTS - 1);
      store<i32>(SIGN_TABLE + 4 * slot, hash);
      // What may follow a word of three letters.
      for (let next = 0; next < (inverse == 0 ? end - from == 3 ? 32 : 1 : 0); next++) {
        store<u8>(stemPlace(load<i32>(from) ^ (end - from == 3 ? next << 24 : 0)), 4, STEMS);
      }
    }
    from = end + 1;
  }
}

function isSignHash(hash: i32): bool {
  const slot = hash & (SIGN_SLOTS - 1);
  const known = load<i32>(SIGN_TABLE + 4 * slot);
  return known == hash || known != 0 && isFarSign(hash, slot + 1);
}

function isFarSign(hash: i32, slot: i32): bool {
  while (true) {
    const known = load<i32>(SIGN_TABLE + 4 * (slot & (SIGN_SLOTS - 1)));
    if (known == hash) return true;
    if (known == 0) return false;
    slot++;
  }
}

/** Whether a name ends as those of errors do: `TypeError`, `java.io.IOException`. */
function isErrorName(from: i32, to: i32): bool {
  const length = to - from;
  if (length < 6) return false;
  const last = load<u32>(to - 4);
  if (last == 0x726f7272) return load<u8>(to - 5) == 0x45;
  return last == 0x6e6f6974 && length > 9 && load<u32>(to - 8) == 0x70656378 && load<u8>(to - 9) == 0x45;
}

function isBlank(code: i32): bool {
  return code == 0x20 || code == 9 || code == 13;
}

function isQuote(code: i32): bool {
  return code == 0x22 || code == 0x27;
}

/** Whether three digits are where a status is written: `"GET / HTTP/1.1" 500`, `/path 500`, `status=500`, `"status": 500`. */
function isStatus(start: i32, from: i32, to: i32): bool {
  if (to - from != 3) return false;
  const least = max(start, from - 40);
  let at = from - 1;
  if (at >= least && isBlank(load<u8>(at))) {
    const code = at > least ? load<u8>(at - 1) : 0;
    if (code == 0x22 || code == 0x5d || code == 0x7c || code == 0x3e) return true;
    for (let back = at - 1; back >= least && !isBlank(load<u8>(back)); back--) {
      if (load<u8>(back) == 0x2f) return true;
    }
  }
  if (at >= least && isQuote(load<u8>(at))) at--;
  if (at >= least && isBlank(load<u8>(at))) at--;
  if (at < least || load<u8>(at) != 0x3d && load<u8>(at) != 0x3a) return false;
  at--;
  if (at >= least && isBlank(load<u8>(at))) at--;
  if (at >= least && isQuote(load<u8>(at))) at--;
  if (at - 3 < least) return false;
  const word = load<u32>(at - 3) | 0x20202020;
  return word == 0x65646f63 ||
    word == 0x73757461 && at - 5 >= least && (load<u16>(at - 5) | 0x2020) == 0x7473;
}

/** Whether a token with digits is at least seven hexadecimal digits and dashes: a hash, an id. */
function isHex(from: i32, to: i32): bool {
  if (to - from < 7) return false;
  for (let at = from; at < to; at++) {
    const code = load<u8>(at) | 32;
    if (!(code >= 0x30 && code <= 0x39 || code >= 0x61 && code <= 0x66 || code == 0x2d)) return false;
  }
  return true;
}

/** ✕ ✖ ✗ ✘ ❌ ❎ ⨯, as three bytes of UTF-8. */
function isCross(at: i32): bool {
  const second = load<u8>(at + 1);
  const third = load<u8>(at + 2);
  if (second == 0x9c) return third >= 0x95 && third <= 0x98;
  return second == 0x9d ? third == 0x8c || third == 0x8e : second == 0xa8 && third == 0xaf;
}

/** The results of {@link scan}: hashes, signs at SCRATCH + 512, and up to 24 tokens at SCRATCH. */
let shape: i32 = 0;
let lead: i32 = 0;
let kind: i32 = 0;
let signCount: i32 = 0;
let isPlace: bool = false;
let mayPass: i32 = 0;
let tokenCount: i32 = 0;
const SIGNS: i32 = SCRATCH + 512;
/** Of each sign, the hash of the word before it, and how many words there are before it. */
const SETTINGS: i32 = SCRATCH + 768;

function addSign(from: i32, to: i32, hash: i32, before: i32, words: i32): void {
  if (signCount == MAX_SIGNS) return;
  store<i32>(SETTINGS + 8 * signCount, before);
  store<i32>(SETTINGS + 8 * signCount, words, 4);
  const sign = SIGNS + SIGN_SIZE * signCount++;
  store<i32>(sign, from);
  store<i32>(sign, to, 4);
  store<i32>(sign, hash, 8);
}

/** A hash of the signs of the scanned line with what their strength depends on: equal for lines that are judged alike. */
function sayingOf(): i32 {
  let saying = isPlace ? 1 : 0;
  for (let sign = 0; sign < signCount; sign++) {
    const from = load<i32>(SIGNS + SIGN_SIZE * sign);
    const to = load<i32>(SIGNS + SIGN_SIZE * sign, 4);
    const before = load<i32>(SETTINGS + 8 * sign);
    const words = load<i32>(SETTINGS + 8 * sign, 4);
    let at = to;
    while (at < to + 3 && isJoint(load<u8>(at))) at++;
    const capitals = <i32> load<u16>(from) & 0x2020;
    saying = (rotl<i32>(saying, 5) ^ load<i32>(SIGNS + SIGN_SIZE * sign, 8) ^ capitals) * PRIME;
    saying ^= <i32> load<u8>(to) << 16 ^ numeralAt(at) << 24 ^ min(words, 2) << 4;
    if (words > 0) saying ^= numeralAt(from - 2) << 6;
    if (before != 0 && isSignHash(~before)) saying = (saying ^ before) * PRIME;
  }
  return saying;
}

function isJoint(code: i32): bool {
  return code == 0x20 || code == 0x3a || code == 0x3d;
}

/** 1 for a zero, 2 for another digit, else 0. */
function numeralAt(at: i32): i32 {
  return !isDigitAt(at) ? 0 : load<u8>(at) == 0x30 ? 1 : 2;
}

function isDigitCode(code: i32): bool {
  return code >= 0x30 && code <= 0x39;
}

function isDigitAt(at: i32): bool {
  return (maskAt(DIGIT, at) & 1) != 0;
}

/** The end of a time at `at`, perhaps with a date and in brackets; 0 if there is none. */
function endOfTime(at: i32): i32 {
  if (load<u8>(at) == 0x5b) at++;
  const code = load<u8>(at);
  let digits = <i32> bitsAt(DIGIT, at);
  if (code >= 0x41 && code <= 0x5a) {
    // `Nov 25 `
    if (load<u8>(at + 1) < 0x61 || load<u8>(at + 2) < 0x61 || load<u8>(at + 3) != 0x20) return 0;
    if ((digits & 0x20) == 0 || load<u8>(at + 6) != 0x20) return 0;
    if ((digits & 0x10) == 0 && load<u8>(at + 4) != 0x20) return 0;
    digits >>>= 7;
    at += 7;
  } else if ((digits & 1) == 0) return 0;
  else if ((digits & 4) != 0) {
    // `2025-11-25T`
    const joint = load<u8>(at + 4);
    const next = load<u8>(at + 7);
    const beyond = load<u8>(at + 10);
    if ((digits & 0x7ff) != 0x36f || joint != 0x2d && joint != 0x2f || next != 0x2d && next != 0x2f) return 0;
    if (beyond != 0x54 && beyond != 0x20) return 0;
    digits >>>= 11;
    at += 11;
  }
  if ((digits & 0xdb) != 0xdb || load<u8>(at + 2) != 0x3a || load<u8>(at + 5) != 0x3a) return 0;
  at += 8;
  let next = load<u8>(at);
  if ((next == 0x2e || next == 0x2c) && isDigitAt(at + 1)) {
    at = endOf(DIGIT, at + 1, at + 64);
    next = load<u8>(at);
  }
  if (next == 0x5a) at++;
  else if ((next == 0x2b || next == 0x2d) && (bitsAt(DIGIT, at + 1) & 3) == 3) {
    const minutes = load<u8>(at + 3) == 0x3a ? at + 4 : at + 3;
    if ((bitsAt(DIGIT, minutes) & 3) == 3) at = minutes + 2;
  }
  if (load<u8>(at) == 0x5d) at++;
  next = load<u8>(at);
  return next == 0x20 || next == 9 ? at + 1 : next == 10 ? at : 0;
}

/** The end of the numbered name of a process and a bar at `at` (`web-1  | `); 0 if there is none. */
function endOfProcess(from: i32, end: i32): i32 {
  const first = load<u8>(from) | 32;
  if (first < 0x61 || first > 0x7a) return 0;
  let at = from;
  for (; at < end; at++) {
    const code = load<u8>(at);
    if ((maskAt(TOKEN, at) & 1) == 0 || code == 0x2f || code == 0x40 || code == 0x5c) break;
  }
  let number = at;
  while (isDigitAt(number - 1)) number--;
  const joint = load<u8>(number - 1);
  if (number == at || number - 1 == from || joint != 0x2d && joint != 0x5f && joint != 0x2e) return 0;
  while (load<u8>(at) == 0x20) at++;
  if (load<u8>(at) != 0x7c) return 0;
  const next = load<u8>(at + 1);
  return next == 0x20 ? at + 2 : next == 10 ? at + 1 : 0;
}

/** The end of the prefix that most lines have at `from`; 0 if it is not there. */
function endOfPrefix(from: i32, end: i32): i32 {
  const length = load<i32>(PREFIX_LENGTH);
  if (length == 0 || end - from < length) return 0;
  for (let at = 0; at < length; at++) {
    const code = load<u8>(PREFIX + at);
    if (code == 0x30 ? !isDigitCode(load<u8>(from + at)) : load<u8>(from + at) != code) return 0;
  }
  return from + length;
}

/** The end of a name in small letters or a number in brackets at `at` (`[billing] `, `[1/4] `), unless that is a verdict; or 0. */
function endOfTag(from: i32, end: i32): i32 {
  if (load<u8>(from) != 0x5b) return 0;
  let at = from + 1;
  // A number alone may name a test.
  let isNamed = !isDigitAt(at);
  for (; at < end; at++) {
    const code = load<u8>(at);
    isNamed = isNamed || code == 0x2f || code >= 0x61;
    if ((maskAt(TOKEN, at) & 1) == 0 && code != 0x3a || code >= 0x41 && code <= 0x5a) break;
  }
  if (at == from + 1 || !isNamed || load<u16>(at) != 0x205d) return 0;
  // What a line of such a level says is ordinary.
  const level = load<u32>(from + 1);
  const isLevel = at == from + 5 && level == 0x6f666e69 || at == from + 6 && level == 0x75626564;
  return isLevel || tellsPass(at) || isSignHash(wordHash(from + 1, at)) ? 0 : at + 2;
}

/** The end of `#12 0.345 ` at `at`, as the build of a container writes it; 0 if it is not there. */
function endOfStep(from: i32, end: i32): i32 {
  if (load<u8>(from) != 0x23 || !isDigitAt(from + 1)) return 0;
  let at = endOf(DIGIT, from + 1, end);
  if (load<u8>(at) != 0x20 || !isDigitAt(at + 1)) return 0;
  at = endOf(DIGIT, at + 1, end);
  if (load<u8>(at) != 0x2e || !isDigitAt(at + 1)) return 0;
  at = endOf(DIGIT, at + 1, end);
  return load<u8>(at) == 0x20 ? at + 1 : 0;
}

/** The end of the host and process at `from` behind a time, as the journal writes them (`build7 app[812]: `); or 0. */
function endOfSender(from: i32, end: i32): i32 {
  let at = endOf(TOKEN, from, end);
  if (at == from || load<u8>(at) != 0x20) return 0;
  const name = at + 1;
  at = endOf(TOKEN, name, end);
  if (at == name || load<u8>(at) != 0x5b || !isDigitAt(at + 1)) return 0;
  at = endOf(DIGIT, at + 1, end);
  return load<u16>(at) == 0x3a5d && load<u8>(at + 2) == 0x20 ? at + 3 : 0;
}

/** The end of the level of an ordinary line at `from` behind a time: `INFO `, `[debug] `, `Info: `; or 0. */
function endOfLevel(from: i32): i32 {
  const opening = load<u8>(from) == 0x5b ? 1 : 0;
  const at = from + opening;
  const word = load<u32>(at) | 0x20202020;
  let to = at + 4;
  if (word == 0x75626564) {
    if ((load<u8>(to) | 0x20) != 0x67) return 0;
    to++;
  } else if (word != 0x6f666e69) return 0;
  to += opening;
  if (opening != 0 && load<u8>(to - 1) != 0x5d) return 0;
  if (load<u8>(to) == 0x3a) to++;
  return load<u8>(to) == 0x20 ? to + 1 : 0;
}

/**
 * Returns where the line from `from` to `end` starts behind what a log or a supervisor puts before it: what nearly all
 * lines start with, times, names of hosts, processes and tasks, and levels of ordinary lines. Lines are judged and compared
 * without that; their own indentation stays. A line feed or 64 bytes follow.
 */
function bodyOf(from: i32, end: i32): i32 {
  const prefix = endOfPrefix(from, end);
  if (prefix != 0) from = prefix;
  let isTimed = false;
  while (from < end) {
    let next = endOfTime(from);
    if (next != 0) isTimed = true;
    else if (isTimed) {
      next = endOfSender(from, end);
      if (next == 0) next = endOfLevel(from);
    } else {
      next = endOfTag(from, end);
      if (next == 0) next = endOfStep(from, end);
    }
    if (next == 0) next = endOfProcess(from, end);
    if (next == 0 || next > end) break;
    from = next;
  }
  return from;
}

/** The place after the quote that ends what starts at `from`, or 0. */
function closing(code: i32, from: i32, end: i32): i32 {
  for (let at = from; at < end; at++) if (load<u8>(at) == code) return at + 1;
  return 0;
}

/** Reads the line from `from` to `to`; returns where what it says starts. Without `isScanned`, nothing else is found. */
function read(from: i32, to: i32, isScanned: bool): i32 {
  classify(from, to);
  const body = bodyOf(from, to);
  if (isScanned) scan(body, to);
  return body;
}

/** Walks the line from `from` to `to`. */
function scan(from: i32, to: i32): void {
  const shapeEnd = min(to, from + SHAPED_BYTES);
  const end = min(to, from + WINDOW_BYTES);
  let hash = SEED;
  let lastToken = 0;
  let words = 0;
  let tokens = 0;
  let hasKind = false;
  let unquotedFrom = 0;
  lead = 0;
  kind = 0;
  signCount = 0;
  isPlace = false;
  mayPass = 0;
  /** The token before, unless it has digits: its hash is made if a sign follows. */
  let beforeFrom = 0;
  let beforeTo = 0;
  let at = from;
  if (at < end && isBlank(load<u8>(at))) hash = (hash ^ 1) * PRIME;
  while (true) {
    if (isBlank(load<u8>(at)) && isBlank(load<u8>(++at))) at = endOf(BLANK, at, end);
    if (at >= end) break;
    const start = at;
    // Most tokens end in the 64 bytes in which they start.
    const block = start & -64;
    const shift = start & 63;
    let length = <i32> ctz(~(load<u64>(block, MASKS + TOKEN) >> shift));
    if (length == 0) {
      const code = <i32> load<u8>(at);
      if (code != lastToken && at < shapeEnd) hash = (hash ^ code) * PRIME;
      if (code == 0xe2 && (load<u16>(at + 1) | 0x700) == 0x979c) mayPass = MAY_PASS;
      // A cross, or the first two chars of a word in a script without spaces.
      if (code >= 0xe2 && at + 2 < to && isWideStem(at)) {
        const wide = code == 0xe2 ? 3 : WIDE_BYTES;
        addSign(at, at + wide, wordHash(at, at + wide), 0, words);
        if (signCount == 1) {
          hasKind = true;
          kind = SEED;
        }
      } else if ((isQuote(code) || code == 0x60) && hasKind && at >= unquotedFrom) {
        unquotedFrom = max(unquotedFrom, closing(code, at + 1, shapeEnd));
      } else if (code > 0xe2 && hasKind && at >= unquotedFrom && at < shapeEnd) {
        kind = (kind ^ load<i32>(at) & 0xffffff) * PRIME;
      }
      lastToken = code;
      at++;
      continue;
    }
    let hasDigit = false;
    let hasJoiner = false;
    let hasSmall = false;
    let isLettered = true;
    const isNear = length < 64 - shift;
    if (!isNear) length = <i32> ctz(~bitsAt(TOKEN, start));
    if (isNear) {
      at = start + length;
      const own = ~(<u64> -1 << length);
      const digits = load<u64>(block, MASKS + DIGIT) >> shift & own;
      const joiners = load<u64>(block, MASKS + JOINER) >> shift & own;
      hasDigit = digits != 0;
      hasJoiner = joiners != 0;
      hasSmall = (load<u64>(block, MASKS + SMALL) >> shift & own) != 0;
      isLettered = (digits | joiners) != own;
    } else if (length < 64) {
      at = min(start + length, end);
      const own = ~(<u64> -1 << length);
      const digits = bitsAt(DIGIT, start) & own;
      const joiners = bitsAt(JOINER, start) & own;
      hasDigit = digits != 0;
      hasJoiner = joiners != 0;
      hasSmall = (bitsAt(SMALL, start) & own) != 0;
      isLettered = (digits | joiners) != own;
    } else {
      at = farEnd(TOKEN, (start | 63) + 1, end);
      hasDigit = isAny(DIGIT, start, at);
      hasJoiner = isAny(JOINER, start, at);
      hasSmall = isAny(SMALL, start, at);
      isLettered = hasLetter(start, at);
    }
    const isWord = !hasDigit && !hasJoiner;
    const size = at - start;
    let word = 0;
    let isSign = isErrorName(start, at);
    if (!hasDigit) {
      const maySign = size < 4 || size <= 24 && startsSign(start) != 0;
      const isLevel = isWord && (words == 0 || size < 10 && !hasSmall);
      if (isSign || maySign || isLevel || hasKind) {
        word = wordHash(start, at);
        isSign = isSign ||
          maySign &&
            (isWord
              ? isSignHash(word)
              : load<u8>(at - 1) == 0x2e && size > 1 && isSignHash(wordHash(start, at - 1)));
      }
    } else if (load<u8>(start) == 0x35 && !hasJoiner) isSign = isSign || isStatus(from, start, at);
    let token = 0;
    if (!hasDigit && tellsPass(at)) mayPass = MAY_PASS;
    if (isSign) {
      token = hasDigit ? wordHash(start, at) : word;
      addSign(start, at, token, beforeTo == 0 ? 0 : wordHash(beforeFrom, beforeTo), words);
      if (signCount == 1) {
        hasKind = true;
        kind = SEED;
        unquotedFrom = 0;
      }
    } else if (isWord && (words == 0 || size < 10 && !hasSmall)) token = word;
    else {
      const isNumber = hasDigit && ((maskAt(DIGIT, start) & 1) != 0 || isHex(start, at));
      token = isNumber ? NUMBER_TOKEN : NAME_TOKEN;
    }
    if (tokens < MAX_FIELDS) {
      store<i32>(SCRATCH + 16 * tokens, start);
      store<i32>(SCRATCH + 16 * tokens, at, 4);
      store<i32>(SCRATCH + 16 * tokens, i32(hasDigit), 8);
    }
    tokens++;
    if (tokens == 1 && hasJoiner && isLettered && at + 1 < end) {
      // `file.c:12:` or `file.c(12,5):`
      const next = load<u8>(at);
      isPlace = (next == 0x3a || next == 0x28) && (maskAt(DIGIT, at + 1) & 1) != 0;
      if (isPlace && !hasKind) {
        hasKind = true;
        kind = SEED;
      }
    }
    if (hasKind && isWord && start >= unquotedFrom && start < shapeEnd) kind = (kind ^ word) * PRIME;
    if (isLettered) words++;
    beforeFrom = start;
    beforeTo = hasDigit ? 0 : at;
    if (token != lastToken && start < shapeEnd) hash = (hash ^ token) * PRIME;
    lastToken = token;
    if (tokens == 2) lead = hash;
  }
  shape = hash;
  tokenCount = min(tokens, MAX_FIELDS);
  if (tokens < 2) lead = hash;
}

/** Whether a token that ends at `to` ends in `ok`, `pass`, `passed` or `skipped`. */
function tellsPass(to: i32): bool {
  const last = load<u16>(to - 2) | 0x2020;
  if (last == 0x6b6f) return true;
  if (last == 0x7373) return (load<u32>(to - 4) | 0x20202020) == 0x73736170;
  if (last != 0x6465) return false;
  const word = load<u64>(to - 8) | 0x2020202020202020;
  return word >> 16 == 0x646573736170 || word >> 8 == 0x64657070696b73;
}

/** Whether a token has a letter: a byte that is neither a digit nor a joiner. */
function hasLetter(from: i32, to: i32): bool {
  const others = ~(maskAt(DIGIT, from) | maskAt(JOINER, from));
  const length = min(to - from, 64 - (from & 63));
  return (others & (<u64> -1 >> (64 - length))) != 0 || length < to - from && hasLetter(from + length, to);
}

/** The place of a table's last slot number, which is one less than a power of two, behind the count of its entries. */
const MASK_AT: i32 = 60;
const FIRST_MASK: i32 = 1023;

/**
 * Gives a table of `made` entries four times as many slots: in few slots, few pages of fresh memory are touched, which costs more
 * than the rest of the work on short content.
 */
function growSlots(slots: i32, entries: i32, size: i32, made: i32, mask: i32): void {
  memory.fill(slots, 0, 4 * (mask + 1));
  for (let number = 1; number <= made; number++) {
    const hash = load<i32>(entries + size * (number - 1));
    let slot = (hash ^ <i32> (<u32> hash >> 15)) & mask;
    while (load<i32>(slots + 4 * slot) != 0) slot = (slot + 1) & mask;
    store<i32>(slots + 4 * slot, number);
  }
}

/** The number of the entry with `hash`, from 1: one is made if there is none. 0 if there is no room. */
// inline
function entryOf(slots: i32, entries: i32, size: i32, count: i32, most: i32, hash: i32): i32 {
  let mask = load<i32>(count, MASK_AT) | FIRST_MASK;
  const made = load<i32>(count);
  if (2 * made > mask) {
    growSlots(slots, entries, size, made, mask = 4 * mask + 3);
    store<i32>(count, mask, MASK_AT);
  }
  let slot = (hash ^ <i32> (<u32> hash >> 15)) & mask;
  let number = load<i32>(slots + 4 * slot);
  while (number != 0 && load<i32>(entries + size * (number - 1)) != hash) {
    slot = (slot + 1) & mask;
    number = load<i32>(slots + 4 * slot);
  }
  if (number == 0 && made < most) {
    number = made + 1;
    store<i32>(count, number);
    store<i32>(slots + 4 * slot, number);
    store<i32>(entries + size * made, hash);
  }
  return number;
}

/** Counts the shape of the line that was scanned; returns its number. */
function countShape(line: i32): i32 {
  const number = entryOf(SHAPE_SLOTS, SHAPES, SHAPE_SIZE, SHAPE_COUNT, MAX_ENTRIES, shape);
  if (number == 0) return 0;
  const entry = SHAPES + SHAPE_SIZE * (number - 1);
  const count = load<i32>(entry, 8) + 1;
  store<i32>(entry, count, 8);
  if (count == 1) {
    store<i32>(entry, lead, 4);
    store<i32>(entry, line, 12);
  }
  let fields: i32 = load<u8>(entry, 16);
  if (fields == 0 && (count == 1 && number <= FIELD_SHAPES || count >= 8 && popcnt(count) == 1)) {
    fields = takeFields(number, count);
  }
  if (fields != 0) countFields(FIELDS + (fields - 1) * FIELDS_SIZE + 8, line);
  return number;
}

/** Gives a shape with `count` lines the fields of the shape with fewest lines, if that has fewer. */
function takeFields(number: i32, count: i32): i32 {
  let fewest = count;
  let fields = 0;
  for (let each = 0; each < FIELD_SHAPES; each++) {
    const owner = load<i32>(FIELDS + each * FIELDS_SIZE);
    const owned = owner == 0 ? 0 : load<i32>(SHAPES + SHAPE_SIZE * (owner - 1), 8);
    if (owned < fewest) {
      fewest = owned;
      fields = each + 1;
      if (owner == 0) break;
    }
  }
  if (fields == 0) return 0;
  const at = FIELDS + (fields - 1) * FIELDS_SIZE;
  const owner = load<i32>(at);
  if (owner != 0) {
    store<u8>(SHAPES + SHAPE_SIZE * (owner - 1), 0, 16);
    memory.fill(at, 0, FIELDS_SIZE);
  }
  store<i32>(at, number);
  store<u8>(SHAPES + SHAPE_SIZE * (number - 1), <u8> fields, 16);
  return fields;
}

/**
 * Counts the words of the line that was scanned, and its numbers, after which a unit may follow, by their size in thousandths; of
 * a number the first eight digits count.
 */
function countFields(field: i32, line: i32): void {
  for (let token = SCRATCH; token < SCRATCH + 16 * tokenCount; token += 16, field += FIELD_SIZE) {
    const from = load<i32>(token);
    const to = load<i32>(token, 4);
    const hasDigit = load<i32>(token, 8) != 0;
    if (hasDigit) {
      const whole = min(<i32> ctz(~bitsAt(DIGIT, from)), to - from);
      let end = from + whole;
      let decimals = 0;
      if (end < to && load<u8>(end) == 0x2e) {
        decimals = min(<i32> ctz(~bitsAt(DIGIT, end + 1)), to - end - 1);
        end += 1 + decimals;
      }
      if (whole > 0 && to - end <= 2) {
        let length = min(whole, 8);
        let value = digitsFrom(from, length);
        if (length <= 5) {
          value |= digitsFrom(from + whole + 1, min(3, decimals)) << (length << 3);
          length += 3;
        }
        value <<= (8 - length) << 3;
        value = (value * 2561 >> 8) & 0x00ff00ff00ff00ff;
        value = (value * 6553601 >> 16) & 0x0000ffff0000ffff;
        value = value * 42949672960001 >> 32;
        const bits = 64 - <i32> clz(whole <= 5 ? value : value * 1000);
        const size = field + SIZES_AT + (min(bits + (max(8, whole) - 8) * 3, 63) << 2);
        countAt(size, line);
      }
      // A fraction is a measure.
      const isMeasure = decimals > 0 && to - end <= 2;
      if (!isMeasure && load<i32>(field, 4) <= MAX_VALUES) countValue(field, wordHash(from, to) | 1, line);
    } else if (load<i32>(field, 4) <= MAX_VALUES) {
      const joiners = bitsAt(JOINER, from) & ~(<u64> -1 << min(63, to - from));
      if (joiners != 0) countValue(field, marksOf(from, joiners), line);
    }
    if (load<i32>(field) <= MAX_WORDS) {
      countWord(field, hasDigit ? maskedHash(from, to) : wordHash(from, to) | 1, line);
    }
  }
}

/** A hash of the marks in a name, which are where the bits are, but for those within words. */
function marksOf(from: i32, joiners: u64): i32 {
  let hash = 1;
  for (; joiners != 0; joiners &= joiners - 1) {
    const code: i32 = load<u8>(from + <i32> ctz(joiners));
    if (code != 0x2d && code != 0x5f) hash = (hash ^ code) * PRIME | 1;
  }
  return hash;
}

/** A hash of a word in which all numbers are alike: of what is between them, each with a step. */
function maskedHash(from: i32, to: i32): i32 {
  let digits = bitsAt(DIGIT, from);
  let hash = 1;
  while (from < to) {
    const length = min(<i32> ctz(digits), to - from);
    if (length > 0) hash = withBytes(hash + length, from, length);
    from += length;
    if (length == 64) digits = bitsAt(DIGIT, from);
    else {
      const run = <i32> ctz(~(digits >> length));
      digits = bitsAt(DIGIT, from + run);
      hash = (hash ^ 0x30) * PRIME;
      from += run;
    }
  }
  return hash | 1;
}

/** Counts a word; of more than MAX_WORDS different ones, none. */
function countWord(field: i32, word: i32, line: i32): void {
  const count = load<i32>(field);
  let slot = word >> 8 & (WORD_SLOTS - 1);
  let at = field + 8 + 8 * slot;
  while (load<i32>(at) != word) {
    if (load<i32>(at) == 0) {
      store<i32>(field, count + 1);
      if (count == MAX_WORDS) return;
      store<i32>(at, word);
      break;
    }
    slot = slot + 1 & (WORD_SLOTS - 1);
    at = field + 8 + 8 * slot;
  }
  countAt(at + 4, line);
}

/** Counts a value; of more than MAX_VALUES different ones, none. */
function countValue(field: i32, value: i32, line: i32): void {
  const at = field + VALUES_AT;
  if (isFree(at, value)) countAs(field, at, value, line);
  else if (isFree(at + 8, value)) countAs(field, at + 8, value, line);
  else if (isFree(at + 16, value)) countAs(field, at + 16, value, line);
  else store<i32>(field, MAX_VALUES + 1, 4);
}

/** Whether a place has the value, or none. */
function isFree(at: i32, value: i32): bool {
  const known = load<i32>(at);
  return known == value || known == 0;
}

function countAs(field: i32, at: i32, value: i32, line: i32): void {
  if (load<i32>(at) == 0) {
    store<i32>(at, value);
    store<i32>(field, load<i32>(field, 4) + 1, 4);
  }
  countAt(at + 4, line);
}

/** Counts a line up to three, in the last two bits, and keeps the last one: less memory is touched. */
function countAt(at: i32, line: i32): void {
  store<i32>(at, line << 2 | min(3, (load<i32>(at) & 3) + 1));
}

/** The values of up to `length` digits from `from` on, as bytes. */
function digitsFrom(from: i32, length: i32): u64 {
  return load<u64>(from) & 0x0f0f0f0f0f0f0f0f & (length < 8 ? ~(<u64> -1 << (length << 3)) : -1);
}

/**
 * After this many reported lines, only the first line of a kind is reported, and of kinds that are judged alike, only
 * so many: fewer after MANY_JUDGED. After MAX_FIRSTS none.
 */
const MAX_JUDGED: i32 = 128;
const MANY_JUDGED: i32 = 256;
const MAX_ALIKE: i32 = 16;
const MAX_ALIKE_OF_MANY: i32 = 4;
const MAX_FIRSTS: i32 = 8192;

/** Whether fewer than `most` kinds that are judged like the scanned line were reported; the counts of 4096 such are known. */
function isFew(most: i32): bool {
  const saying = sayingOf() ^ mayPass;
  const hash = (saying ^ <i32> (<u32> saying >> 15)) * 0x9e3779b1;
  const slot = SAYINGS + 4 * (<i32> (<u32> hash >> 20));
  const known = load<i32>(slot);
  const count = (known ^ hash) >>> 6 == 0 ? known & 63 : 0;
  store<i32>(slot, hash & -64 | min(count + 1, MAX_ALIKE));
  return count < most;
}

/** Writes what was scanned of a line, and the number of its kind. */
function report(record: i32, line: i32, number: i32, from: i32, to: i32, prefix: i32): void {
  store<i32>(record, line);
  store<i32>(record, from, 4);
  store<i32>(record, to, 8);
  store<i32>(record, number, 12);
  store<i32>(record, (isPlace ? 1 : 0) | mayPass, 16);
  store<i32>(record, signCount, 20);
  store<i32>(record, prefix, 24);
  memory.copy(record + 28, SIGNS, SIGN_SIZE * MAX_SIGNS);
}

/** Counts lines of a kind; returns how many there are. Of a new kind it is one, and its number is noted. */
function countKind(number: i32, line: i32, lines: i32): i32 {
  const entry = KINDS + KIND_SIZE * (number - 1);
  const count = load<i32>(entry, 4) + lines;
  store<i32>(entry, count, 4);
  if (count == 1) store<i32>(entry, line, 8);
  return count;
}

/** The chars before what the line from `from` to `to` says. */
export function prefixOf(from: i32, to: i32): i32 {
  classifiedTo = from;
  return read(from, to, false) - from;
}

/**
 * Scans the line from `from` to `to`, and reports it as the first record, with the hash of its kind. Returns the
 * number of its shape, or 0.
 */
export function peek(from: i32, to: i32): i32 {
  classifiedTo = from;
  const body = read(from, to, true);
  report(RECORDS, 0, kind, body, to, body - from);
  const mask = load<i32>(SHAPE_COUNT, MASK_AT) | FIRST_MASK;
  let slot = (shape ^ <i32> (<u32> shape >> 15)) & mask;
  while (true) {
    const number = load<i32>(SHAPE_SLOTS + 4 * slot);
    if (number == 0 || load<i32>(SHAPES + SHAPE_SIZE * (number - 1)) == shape) return number;
    slot = (slot + 1) & mask;
  }
}

/** Whether a line starts as headings and answers do (content_parts.ts). */
function isMarked(from: i32): bool {
  const first = load<u8>(from);
  const second = load<u8>(from + 1);
  if (first == 0x3c) return second == 0x66 || second == 0x2f;
  if (first == 0x23 || first == 0x24 && second == 0x20) return true;
  return first == second && (first == 0x2d || first == 0x3d || first == 0x2a || first == 0x3e);
}

const MAX_HEADING_BYTES: i32 = 120;

/** The end of a line without the blanks before it. */
function trimmed(from: i32, end: i32): i32 {
  while (end > from && isBlank(load<u8>(end - 1))) end--;
  return end;
}

function isClosingMark(code: i32): bool {
  return code == 0x3d || code == 0x23 || code == 0x2a || code == 0x3c || code == 0x3e || code == 0x2d;
}

/**
 * The form of a marked line as a heading: how doubtful it is (0 to 3), and in the higher bits its mark with how long it is, and
 * the mark that closes it. -1 for what may be a tag of an answer, -2 for other lines.
 */
export function formOf(from: i32, end: i32): i32 {
  const mark: i32 = load<u8>(from);
  if (mark == 0x3c) return -1;
  end = trimmed(from, end);
  if (end - from > MAX_HEADING_BYTES) return -2;
  let at = from;
  while (at < end && load<u8>(at) == mark) at++;
  const length = at - from;
  const isRule = at == end;
  if (isRule) {
    return length < 3 || length > 20 || mark != 0x2d && mark != 0x3d ? -2 : mark << 8 | length << 16;
  }
  let closing = end;
  while (isClosingMark(load<u8>(closing - 1))) closing--;
  const closes = isBlank(load<u8>(closing - 1)) && end - closing > 1 ? end - closing : 0;
  const next = load<u8>(at);
  if (
    mark == 0x3d && length == 2 && next == 0x3e && load<u8>(at + 1) == 0x20 && closes == 3 &&
    load<u8>(end - 3) == 0x3c
  ) {
    return 0x1000000;
  }
  const isSmall = length < (mark == 0x24 ? 1 : mark == 0x23 ? 1 : mark == 0x2a ? 3 : 2);
  const isLarge = length > (mark == 0x24 ? 1 : mark == 0x23 || mark == 0x3e ? 4 : 6);
  const letter = next | 32;
  const isOpen = next == 0x20 || next == 0x2e || next == 0x2f || letter >= 0x61 && letter <= 0x7a;
  if (isSmall || isLarge || !isOpen || closes != 0 && closes != length || mark == 0x2a && closes == 0) {
    return -2;
  }
  const doubt = mark == 0x3d ? 0 : closes != 0 ? 1 : mark == 0x23 && length == 1 ? 3 : 2;
  return doubt | mark << 8 | length << 16 | (closes == 0 ? 0 : <i32> load<u8>(end - 1)) << 24;
}

/** Notes a marked line, unless it can be neither a heading nor a tag. */
function mark(line: i32, form: i32): void {
  const count = load<i32>(MARKED_COUNT);
  if (count == MAX_MARKED || form == -2) return;
  store<i32>(MARKED + 8 * count, line);
  store<i32>(MARKED + 8 * count, form, 4);
  store<i32>(MARKED_COUNT, count + 1);
}

/** The number of the last line, and whether comparing whole lines pays: how many were familiar, less twice those that were not. */
let line: i32 = 0;
let balance: i32 = 0;

/** The end of the line at which {@link pass} stopped. */
let lineEnd: i32 = 0;
/** Whether that line has a look, and whether statuses in it may tell it from another; its sum is at SUM. */
let hasLook: bool = false;
let mayDiffer: bool = false;
const SUM: i32 = SCRATCH + 480;
/** A hash of the stems of signs in the line; 0 if it has none. */
let stemLook: i32 = 0;

/** Ends one of the first lines, which is walked whatever it looks like. */
function endFirst(from: i32, isWhole: bool): void {
  let block = from & -64;
  let feeds = load<u64>(block, MASKS + FEED) & <u64> -1 << (from & 63);
  while (feeds == 0) feeds = load<u64>(block += 64, MASKS + FEED);
  lineEnd = block + <i32> ctz(feeds);
  hasLook = false;
  mayDiffer = isWhole;
  stemLook = 0;
}

/** The look of a line that {@link pass} stopped at. An export, as `pass` and `formOf`, so that no short content compiles it. */
export function lookOf(from: i32, end: i32, isWhole: bool, isHead: bool): i32 {
  const statuses = mayDiffer ? 2 * statusesOf(from, end, isWhole) + (isHead ? 1 : 0) : 0;
  return lookOfSum(i32x4.add(v128.load(SUM), i32x4.splat(statuses)));
}

/**
 * Passes over the lines from `from` up to `to` that are familiar, and of varied ones over those without new stems; the last one
 * only if it `isEnded`. Returns where it stopped. A look is a hash in which digits are alike: of a whole line, or of its first
 * 32 bytes, the last 16, and the stems in it; if it `isLoose`, of its first 32 bytes and the stems. This calls nothing that is
 * not rare, so that the runtime keeps in registers what it needs.
 */
export function pass(from: i32, to: i32, isEnded: bool, isWhole: bool, isVaried: bool, isLoose: bool): i32 {
  const before = line;
  const most = isWhole && balance <= 0 ? COMPARED_WHOLE : i32.MAX_VALUE;
  const familiar = familiarFrom(isWhole, isLoose);
  const stop = isEnded ? to + 1 : to;
  const factor = i32x4.splat(0x9e3779b1 + load<i32>(0));
  let stem = nextStem;
  if (!isWhole) { while (load<i32>(stem) < from) stem += 4; }
  let at = before;
  let block = from & -64;
  let feeds = load<u64>(block, MASKS + FEED) & <u64> -1 << (from & 63);
  let end = to;
  let isLong = false;
  let sum = i32x4.splat(0);
  let failures = 0;
  let stemHash = 0;
  while (from < to) {
    while (feeds == 0) feeds = load<u64>(block += 64, MASKS + FEED);
    end = block + <i32> ctz(feeds);
    if (i32(at >= most) | i32(end >= stop)) break;
    if (isWhole) {
      isLong = end - from >= 16;
      sum = i32x4.splat(end - from);
      for (let piece = from; piece < end - 16; piece += 16) sum = withMasked(sum, v128.load(piece), factor);
      sum = withMasked(sum, v128.load(end - 16), factor);
    } else {
      isLong = end - from >= 32;
      stemHash = 0;
      failures = i32(isMarked(from));
      if (isLong) {
        const first = v128.load(from);
        const second = v128.load(from, 16);
        const last = v128.load(end - 16);
        sum = withMasked(v128.and(first, areOthers(first)), second, factor);
        if (!isLoose) sum = withMasked(sum, last, factor);
        const fives = v128.or(fivesAt(from, first), fivesAt(from + 16, second));
        if (v128.any_true(v128.or(fives, fivesAt(end - 16, last)))) {
          failures |= failuresAt(from) | failuresAt(from + 16) | failuresAt(end - 16);
        }
      }
      let stemBefore = 0;
      for (let place = 0; (place = load<i32>(stem)) < end; stem += 4) {
        const around = max(place - 4, from);
        const bytes = v128.load(around);
        if (v128.any_true(fivesAt(around, bytes))) failures |= failuresAt(around);
        if (!isLoose) sum = withMasked(sum, bytes, factor);
        else stemHash ^= <i32> load<u8>(max(place - 2, from - 1)) & 0x60 ^ (min(place - stemBefore, 16) << 8);
        stemBefore = place;
        stemHash = rotl<i32>(stemHash, 7) ^ load<i32>(place) ^ (load<u8>(place - 1) & 32);
        stemHash = (stemHash ^ i32(place - from < 24)) * PRIME | 1;
      }
      if (isLoose) sum = i32x4.add(sum, i32x4.splat(stemHash));
      if (failures != 0) break;
    }
    const look = isLong ? lookOfSum(sum) : 0;
    const known = placeOf(look);
    let noted = 0;
    if (isLong && load<i32>(known) == look && load<i32>(known, 4) >= familiar) {
      noted = load<i32>(known, 8);
      countFamiliar(noted);
    } else if (!isVaried || isNewOfStems(stemHash)) break;
    noteLine(++at, noted);
    isLong = false;
    feeds &= feeds - 1;
    from = end + 1;
  }
  line = at;
  lineEnd = end;
  hasLook = isLong;
  mayDiffer = isWhole || failures != 0;
  stemLook = stemHash;
  v128.store(SUM, sum);
  nextStem = stem;
  if (isWhole) balance = min(balance + at - before, COMPARED_WHOLE);
  return from;
}

/** Counts a line of a shape and kind without its fields. */
function countFamiliar(noted: i32): void {
  const entry = SHAPES - SHAPE_SIZE + SHAPE_SIZE * (noted & 0xffff);
  store<i32>(entry, load<i32>(entry, 8) + 1, 8);
  const fields: i32 = load<u8>(entry, 16);
  // Their numbers are not counted.
  if (fields != 0) store<i32>(FIELDS + (fields - 1) * FIELDS_SIZE, 1, 4);
  const kindNumber = noted >>> 16 & MAX_KINDS;
  if (kindNumber != 0) countKind(kindNumber, 0, 1);
}

/** Notes the numbers of the shape and the kind of a line. */
function noteLine(line: i32, noted: i32): void {
  if (line <= MAX_LINES) store<i32>(LINES + 4 * line, noted);
}

/**
 * Walks the lines from `from` up to `to`; one that does not end there only if it is `whole`. Writes a record of each line
 * to be judged. Returns where it stopped.
 */
export function walk(from: i32, to: i32, whole: bool): i32 {
  line = load<i32>(LINE);
  balance = load<i32>(BALANCE);
  let records = 0;
  let reported = load<i32>(REPORTED);
  const most = load<i32>(MAX_OF_KIND);
  while (records < MAX_RECORDS) {
    const isVaried = load<i32>(SHAPE_COUNT) == MAX_ENTRIES;
    const isLoose = balance < 0 && load<i32>(KIND_COUNT) >= MANY_KINDS;
    const isWhole = !isVaried && !isLoose && (line < COMPARED_WHOLE || balance > 0);
    if (!isWhole && !hasStems) findStems(from, to);
    const before = line;
    if (before < ALWAYS_WALKED) endFirst(from, isWhole);
    else from = pass(from, to, whole, isWhole, isVaried, isLoose);
    const end = lineEnd;
    if (from >= to || end == to && !whole) break;
    // Lines may be compared otherwise from here on.
    if (isWhole && before < line && line == COMPARED_WHOLE) continue;
    line++;
    const isHead = isMarked(from);
    if (isHead) mark(line, formOf(from, end));
    const look = hasLook ? lookOf(from, end, isWhole, isHead) : 0;
    const familiar = familiarFrom(isWhole, isLoose);
    const known = placeOf(look);
    let noted = 0;
    if (look != 0 && load<i32>(known) == look && load<i32>(known, 4) >= familiar) {
      if (isWhole) balance = min(balance + 1, COMPARED_WHOLE);
      noted = load<i32>(known, 8);
      countFamiliar(noted);
    } else if (!isVaried || !mayDiffer || isNewOfStems(stemLook)) {
      const body = read(from, end, true);
      if (line <= MAX_BODIES) store<u8>(BODIES + line, <u8> min(body - from + 1, 255));
      const number = countShape(line);
      let kindNumber = 0;
      if (kind != 0) {
        kindNumber = entryOf(KIND_SLOTS, KINDS, KIND_SIZE, KIND_COUNT, MAX_KINDS, kind);
        const ofKind = kindNumber == 0 ? 0 : countKind(kindNumber, line, 1);
        if (
          reported < MAX_JUDGED ? ofKind > 0 && ofKind <= most : ofKind == 1 && reported < MAX_FIRSTS &&
            isFew(reported < MANY_JUDGED ? MAX_ALIKE : MAX_ALIKE_OF_MANY)
        ) {
          reported++;
          report(RECORDS + RECORD_SIZE * records++, line, kindNumber, body, end, body - from);
        }
      }
      kindNumber |= mayPass;
      store<i32>(PASSES, load<i32>(PASSES) | mayPass);
      noted = kindNumber << 16 | number;
      if (isWhole) balance -= 2;
      if (look != 0 && number != 0) {
        if (load<i32>(known) != look) {
          store<i32>(known, look);
          store<i32>(known, 0, 4);
          store<i32>(known, noted, 8);
        }
        const kinds: i32 = load<u16>(known, 10);
        if (isLoose && kinds != kindNumber) store<u16>(known, <u16> ((kinds | kindNumber) & MAY_PASS), 10);
        const isAlike = load<u16>(known, 8) == number && (isLoose || kinds == kindNumber);
        store<i32>(known, isAlike ? load<i32>(known, 4) + 1 : i32.MIN_VALUE, 4);
      }
    }
    noteLine(line, noted);
    from = end + 1;
  }
  store<i32>(LINE, line);
  store<i32>(RECORD_COUNT, records);
  store<i32>(REPORTED, reported);
  store<i32>(BALANCE, balance);
  return from;
}

/** The place of a look, which is one of two: of others the one with fewer lines. */
function placeOf(look: i32): i32 {
  const known = LOOKS + LOOK_SIZE * (<i32> (<u32> look >> 18));
  if (load<i32>(known) == look) return known;
  const other = known ^ LOOK_SIZE;
  return load<i32>(other) == look || load<i32>(other, 4) < load<i32>(known, 4) ? other : known;
}

/** Whether a line has stems, and few lines have had the same. */
function isNewOfStems(stemLook: i32): bool {
  if (stemLook == 0) return false;
  const known = STEM_LOOKS + 8 * (<i32> (<u32> stemLook >> 22));
  const count = load<i32>(known) == stemLook ? load<i32>(known, 4) : 0;
  store<i32>(known, stemLook);
  store<i32>(known, count + 1, 4);
  return count < MAX_SAME_STEMS;
}

/** Whether four lines from `line` on have a shape. */
function areOfShape(line: i32, number: i32): bool {
  const shapes = v128.and(v128.load(LINES + 4 * line), i32x4.splat(0xffff));
  return i32x4.all_true(i32x4.eq(shapes, i32x4.splat(number)));
}

/** Counts the shapes that follow on each shape with fields. */
export function countNexts(): void {
  const last = min(load<i32>(LINE), MAX_LINES);
  for (let line = 1; line < last; line++) {
    const number = load<u16>(LINES + 4 * line);
    const fields: i32 = number == 0 ? 0 : load<u8>(SHAPES + SHAPE_SIZE * (number - 1), 16);
    const follower = load<u16>(LINES + 4 * (line + 1));
    if (fields == 0 || follower == 0) continue;
    const next = FIELDS + (fields - 1) * FIELDS_SIZE + NEXT_AT;
    if (load<i32>(next, 4) > MAX_VALUES) continue;
    countValue(next, follower, line);
    if (follower != number) continue;
    // Of a run, more than the first and the last three change nothing.
    let end = line + 1;
    while (end + 4 <= last && areOfShape(end + 1, number)) end += 4;
    line = max(line, end - 4);
  }
}

/** Replaces, in all shapes, the hash of their lead by how many lines start like that. No kinds are counted after it. */
export function countLeads(): void {
  const count = load<i32>(SHAPE_COUNT);
  const mask = load<i32>(SHAPE_COUNT, MASK_AT) | FIRST_MASK;
  memory.fill(KIND_SLOTS, 0, 4 * (mask + 1));
  for (let number = 1; number <= count; number++) {
    const entry = SHAPES + SHAPE_SIZE * (number - 1);
    const hash = load<i32>(entry, 4);
    let slot = (hash ^ <i32> (<u32> hash >> 15)) & mask;
    let first = 0;
    while (true) {
      first = load<i32>(KIND_SLOTS + 4 * slot);
      if (first == 0) store<i32>(KIND_SLOTS + 4 * slot, first = number);
      if (first == number || load<i32>(SHAPES + SHAPE_SIZE * (first - 1), 4) == hash) break;
      slot = (slot + 1) & mask;
    }
    // The number of another is where the count is.
    store<i32>(TALLY + 4 * number, first == number ? 0 : first);
    const at = LEADS + 4 * first;
    store<i32>(at, (first == number ? 0 : load<i32>(at)) + load<i32>(entry, 8));
  }
  for (let number = 1; number <= count; number++) {
    const first = load<i32>(TALLY + 4 * number);
    store<i32>(SHAPES + SHAPE_SIZE * (number - 1), load<i32>(LEADS + 4 * (first == 0 ? number : first)), 4);
    store<i32>(TALLY + 4 * number, 0);
  }
}

/**
 * Counts the shapes (`which` 0) or kinds (2) of the lines from `from` up to `to`, whose number is at most MAX_LINES; no kinds
 * are looked up any more. Reports the two of at least `least` lines that have the highest rank, if it is not 0; of equal ones the earlier. The rank of a shape
 * is how many lines there are.
 */
export function tally(from: i32, to: i32, which: i32, least: i32): void {
  memory.fill(TALLIED, 0, 32);
  const most = which == 0 ? MAX_ENTRIES : MAX_KINDS;
  let firsts = KIND_SLOTS;
  for (let line = from; line < to; line++) {
    const at = TALLY + 4 * (load<u16>(LINES + 4 * line + which) & most);
    const count = load<i32>(at);
    store<i32>(at, count + 1);
    if (count != 0) continue;
    store<i32>(firsts, line);
    firsts += 4;
  }
  for (let first = KIND_SLOTS; first < firsts; first += 4) {
    const line = load<i32>(first);
    const number = load<u16>(LINES + 4 * line + which) & most;
    const count = load<i32>(TALLY + 4 * number);
    store<i32>(TALLY + 4 * number, 0);
    if (count < max(1, least) || number == 0) continue;
    const rank = which == 0 ? count : load<i32>(KINDS + KIND_SIZE * (number - 1), 12);
    if (rank <= load<i32>(TALLIED, 16)) continue;
    let at = TALLIED + 16;
    if (rank > load<i32>(TALLIED)) {
      memory.copy(at, TALLIED, 16);
      at = TALLIED;
    }
    store<i32>(at, rank);
    store<i32>(at, count, 4);
    store<i32>(at, line, 8);
    store<i32>(at, number, 12);
  }
}
