/**
 * SHA-256 and HMAC of short texts (FIPS 180-4, RFC 2104), computed at once: Web Crypto hands each call to another thread and
 * back, and a signature takes a dozen calls.
 *
 * @module
 */

const BLOCK_BYTES = 64;
const ROUNDS = 64;
let constants: { first: Int32Array; rounds: Int32Array } | undefined;

/** The first 32 bits of the fractions of the roots of the first primes: square roots, and cube roots. */
function constantsOf(): { first: Int32Array; rounds: Int32Array } {
  if (constants !== undefined) return constants;
  const first = new Int32Array(8);
  const rounds = new Int32Array(ROUNDS);
  const fraction = (root: number) => (root - Math.floor(root)) * 2 ** 32 | 0;
  for (let candidate = 2, count = 0; count < ROUNDS; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate && isPrime; divisor++) {
      isPrime = candidate % divisor !== 0;
    }
    if (!isPrime) continue;
    if (count < 8) first[count] = fraction(Math.sqrt(candidate));
    rounds[count++] = fraction(Math.cbrt(candidate));
  }
  constants = { first, rounds };
  return constants;
}

/** Returns the SHA-256 of `bytes`. */
export function shortSha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { first, rounds } = constantsOf();
  const state = first.slice();
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const words = new Int32Array(ROUNDS);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    for (let word = 0; word < 16; word++) words[word] = view.getInt32(at + 4 * word);
    addBlock(state, words, rounds);
  }
  const sum = new Uint8Array(32);
  const sumView = new DataView(sum.buffer);
  for (let word = 0; word < 8; word++) sumView.setInt32(4 * word, state[word]!);
  return sum;
}

function addBlock(state: Int32Array, words: Int32Array, rounds: Int32Array): void {
  for (let word = 16; word < ROUNDS; word++) {
    const near = words[word - 2]!;
    const far = words[word - 15]!;
    const low = rotated(far, 7) ^ rotated(far, 18) ^ far >>> 3;
    const high = rotated(near, 17) ^ rotated(near, 19) ^ near >>> 10;
    words[word] = words[word - 16]! + low + words[word - 7]! + high | 0;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let round = 0; round < ROUNDS; round++) {
    const choice = e & f ^ ~e & g;
    const one = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + rounds[round]! +
        words[round]! | 0;
    const majority = a & b ^ a & c ^ b & c;
    const two = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let word = 0; word < 8; word++) state[word] = state[word]! + added[word]! | 0;
}

function rotated(word: number, by: number): number {
  return word >>> by | word << 32 - by;
}

/** Returns the HMAC-SHA-256 of `text` with `key`. */
export function shortHmac(key: Uint8Array, text: string): Uint8Array<ArrayBuffer> {
  const shortKey = key.length > BLOCK_BYTES ? shortSha256(key) : key;
  const message = new TextEncoder().encode(text);
  const inner = new Uint8Array(BLOCK_BYTES + message.length).fill(0x36, 0, BLOCK_BYTES);
  const outer = new Uint8Array(BLOCK_BYTES + 32).fill(0x5c, 0, BLOCK_BYTES);
  for (let at = 0; at < shortKey.length; at++) {
    inner[at]! ^= shortKey[at]!;
    outer[at]! ^= shortKey[at]!;
  }
  inner.set(message, BLOCK_BYTES);
  outer.set(shortSha256(inner), BLOCK_BYTES);
  return shortSha256(outer);
}
