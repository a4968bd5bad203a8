/**
 * One walk over a line gives its shape and the words in it that may be signs of failure.
 *
 * The shape of a line is what stays when what varies from line to line is masked: lines that a program writes with the
 * same statement have the same shape, whatever the numbers, names and paths in them. It keeps the first word, words in
 * capitals (levels, methods), punctuation and the signs, and masks all other words and numbers.
 *
 * Lines are walked as bytes: at a cold start, a byte of an array costs half of what a char of a string does.
 */

const MAX_SIGNS = 12;
/** Chars of a line that its shape is made of. */
const SHAPED_CHARS = 240;
/** Chars of a line that are walked for signs. */
export const WALKED_CHARS = 65_536;

/** Makes the record for {@link scanLine}. */
export function newLineScan() {
  return {
    /** Equal for lines of the same shape. */
    shape: 0,
    /** Equal for lines whose shapes start alike: indented or not, up to the second word. */
    lead: 0,
    /** The words that may be signs, in order: where they start and end in the text. At most {@link MAX_SIGNS}. */
    signCount: 0,
    signFrom: new Int32Array(MAX_SIGNS),
    signTo: new Int32Array(MAX_SIGNS),
    /** Whether the line starts with a place: `file.c:12:`. */
    isPlace: false,
  };
}

/** The findings of {@link scanLine} in a line. One record is reused for every line. */
export type LineScan = ReturnType<typeof newLineScan>;

const OTHER = 0;
const BLANK = 1;
const DIGIT = 2;
const LOWER = 3;
const UPPER = 4;
/** A char that joins the parts of a name, a path or a version. */
const JOINER = 5;

const CLASSES = charClasses();

function charClasses(): Uint8Array {
  const classes = new Uint8Array(256);
  classes[0x20] = classes[0x09] = classes[0x0d] = BLANK;
  for (let digit = 0x30; digit <= 0x39; digit++) classes[digit] = DIGIT;
  for (let letter = 0x61; letter <= 0x7a; letter++) {
    classes[letter] = LOWER;
    classes[letter - 0x20] = UPPER;
  }
  for (const joiner of [0x2d, 0x2e, 0x2f, 0x40, 0x5c, 0x5f]) classes[joiner] = JOINER;
  return classes;
}

const NUMBER_TOKEN = 0x1001;
const NAME_TOKEN = 0x1002;
const HASH_PRIME = 0x01000193;
const HASH_SEED = 0x811c9dc5 | 0;
const COLON = 0x3a;
const LATIN_SMALL = 0x20;

/** The hash of a word, regardless of case. */
export function wordHash(word: string): number {
  let hash = HASH_SEED;
  for (let at = 0; at < word.length; at++) {
    hash = Math.imul(hash ^ (word.charCodeAt(at) | LATIN_SMALL), HASH_PRIME);
  }
  return hash;
}

/** Walks the line of `bytes` from `from` to `to`, without its line end. `signs` are the hashes of words that may be signs. */
export function scanLine(
  bytes: Uint8Array,
  from: number,
  to: number,
  signs: { has(wordHash: number): boolean },
  scan: LineScan,
): void {
  const shapeEnd = Math.min(to, from + SHAPED_CHARS);
  const end = Math.min(to, from + WALKED_CHARS);
  let shape = HASH_SEED;
  let lastToken = 0;
  let words = 0;
  let tokens = 0;
  scan.lead = 0;
  scan.signCount = 0;
  scan.isPlace = false;
  for (let at = from; at < end;) {
    const code = bytes[at]!;
    let kind = CLASSES[code]!;
    if (kind === BLANK) {
      if (at === from) shape = Math.imul(shape ^ BLANK, HASH_PRIME);
      do at++; while (at < end && CLASSES[bytes[at]!] === BLANK);
      continue;
    }
    if (kind === OTHER) {
      if (code !== lastToken && at < shapeEnd) shape = Math.imul(shape ^ code, HASH_PRIME);
      if (code === 0xe2 && isCross(bytes, at)) addSign(scan, at, at + 3);
      lastToken = code;
      at++;
      continue;
    }
    const start = at;
    let hash = HASH_SEED;
    let seen = 0;
    do {
      seen |= 1 << kind;
      hash = Math.imul(hash ^ (bytes[at]! | LATIN_SMALL), HASH_PRIME);
      at++;
      if (at >= end) break;
      kind = CLASSES[bytes[at]!]!;
    } while (kind >= DIGIT);
    const hasDigit = (seen & 1 << DIGIT) !== 0;
    const isWord = (seen & (1 << DIGIT | 1 << JOINER)) === 0;
    let token: number;
    let isSign = false;
    if (isWord) isSign = signs.has(hash) || isErrorName(bytes, start, at);
    else if (!hasDigit) isSign = endsSentence(bytes, start, at, signs) || isErrorName(bytes, start, at);
    else isSign = isServerError(bytes, start, at) || isErrorName(bytes, start, at);
    if (isSign) {
      addSign(scan, start, at);
      token = hash;
    } else if (isWord && (words === 0 || (seen & 1 << LOWER) === 0 && at - start < 10)) token = hash;
    else token = CLASSES[code] === DIGIT || hasDigit && isHex(bytes, start, at) ? NUMBER_TOKEN : NAME_TOKEN;
    tokens++;
    if (tokens === 1) {
      // `file.c:12:` or `file.c(12,5):`
      const next = at < end ? bytes[at]! : 0;
      if ((next === COLON || next === 0x28) && (seen & 1 << JOINER) !== 0 && at + 1 < end) {
        scan.isPlace = CLASSES[bytes[at + 1]!] === DIGIT && (seen & (1 << LOWER | 1 << UPPER)) !== 0;
      }
    }
    if ((seen & (1 << LOWER | 1 << UPPER)) !== 0) words++;
    if (token !== lastToken && start < shapeEnd) shape = Math.imul(shape ^ token, HASH_PRIME);
    lastToken = token;
    if (tokens === 2) scan.lead = shape;
  }
  scan.shape = shape;
  if (tokens < 2) scan.lead = shape;
}

function addSign(scan: LineScan, from: number, to: number): void {
  if (scan.signCount === MAX_SIGNS) return;
  scan.signFrom[scan.signCount] = from;
  scan.signTo[scan.signCount] = to;
  scan.signCount++;
}

/**
 * A hash of the plain words of a line. Unlike the shape, it depends on every plain word; it ignores numbers, names and
 * quoted text. It starts at the first sign, so that places and times do not count.
 */
export function kindOf(bytes: Uint8Array, from: number, to: number, scan: LineScan): number {
  let kind = HASH_SEED;
  const end = Math.min(to, from + SHAPED_CHARS);
  let at = scan.signCount > 0 ? scan.signFrom[0]! : from;
  let quote = 0;
  while (at < end) {
    const code = bytes[at]!;
    const charKind = CLASSES[code]!;
    if (quote !== 0) {
      if (code === quote) quote = 0;
      at++;
      continue;
    }
    if (charKind < DIGIT) {
      if ((code === 0x22 || code === 0x27 || code === 0x60) && hasByte(bytes, code, at + 1, end)) {
        quote = code;
      }
      at++;
      continue;
    }
    let hash = HASH_SEED;
    let seen = 0;
    for (; at < end; at++) {
      const code = bytes[at]!;
      const charKind = CLASSES[code]!;
      if (charKind < DIGIT) break;
      seen |= 1 << charKind;
      hash = Math.imul(hash ^ (code | LATIN_SMALL), HASH_PRIME);
    }
    if ((seen & (1 << DIGIT | 1 << JOINER)) === 0) kind = Math.imul(kind ^ hash, HASH_PRIME);
  }
  return kind;
}

/** Whether one of the bytes from `from` up to `to` is `code`. */
function hasByte(bytes: Uint8Array, code: number, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === code) return true;
  return false;
}

/** Whether a name ends as those of errors do: `TypeError`, `java.io.IOException`. */
function isErrorName(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 6) return false;
  const last = bytes[to - 1];
  if (last === 0x72) return bytes[to - 2] === 0x6f && latin1(bytes, to - 5, to) === "Error";
  return last === 0x6e && to - from > 9 && bytes[to - 2] === 0x6f &&
    latin1(bytes, to - 9, to) === "Exception";
}

/** A few bytes as text, one char a byte. */
function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

/** Whether it is a sign followed by a full stop. */
function endsSentence(
  bytes: Uint8Array,
  from: number,
  to: number,
  signs: { has(wordHash: number): boolean },
): boolean {
  return bytes[to - 1] === 0x2e && signs.has(wordHash(latin1(bytes, from, to - 1)));
}

/** 500 to 599 where a status is written: `"GET / HTTP/1.1" 500`, `/path 500`, `status=500`, `"status": 500`. */
function isServerError(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== 3 || bytes[from] !== 0x35) return false;
  if (CLASSES[bytes[from + 1]!] !== DIGIT || CLASSES[bytes[from + 2]!] !== DIGIT) {
    return false;
  }
  const before = latin1(bytes, Math.max(0, from - 40), from);
  return STATUS_BEFORE.test(before);
}

const STATUS_BEFORE = /(?:["\]|>]\s|(?:status|code)(?:_?code)?["']?\s?[=:]\s?["']?|\/\S*\s)$/i;

/** Whether a token with digits is at least seven hexadecimal digits and dashes: a hash, an id. */
function isHex(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 7) return false;
  for (let at = from; at < to; at++) {
    const code = bytes[at]! | LATIN_SMALL;
    if (!(code >= 0x30 && code <= 0x39 || code >= 0x61 && code <= 0x66 || code === 0x2d)) return false;
  }
  return true;
}

/** ✕ ✖ ✗ ✘ ❌ ❎ ⨯, as three bytes of UTF-8. */
function isCross(bytes: Uint8Array, at: number): boolean {
  const second = bytes[at + 1]!;
  const third = bytes[at + 2]!;
  if (second === 0x9c) return third >= 0x95 && third <= 0x98;
  return second === 0x9d ? third === 0x8c || third === 0x8e : second === 0xa8 && third === 0xaf;
}
