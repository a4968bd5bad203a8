/**
 * SHA-256 and HMAC of short texts (FIPS 180-4, RFC 2104), computed at once: Web Crypto hands each call to another thread and
 * back, and a signature takes a dozen calls.
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

/** Rotations are written out, and nothing is destructured: one signature is computed before this is compiled. */
function addBlock(state: Int32Array, words: Int32Array, rounds: Int32Array): void {
  for (let word = 16; word < ROUNDS; word++) {
    const near = words[word - 2]!;
    const far = words[word - 15]!;
    const low = (far >>> 7 | far << 25) ^ (far >>> 18 | far << 14) ^ far >>> 3;
    const high = (near >>> 17 | near << 15) ^ (near >>> 19 | near << 13) ^ near >>> 10;
    words[word] = words[word - 16]! + low + words[word - 7]! + high;
  }
  let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!;
  let e = state[4]!, f = state[5]!, g = state[6]!, h = state[7]!;
  for (let round = 0; round < ROUNDS; round++) {
    const one = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (g ^ e & (f ^ g)) +
        rounds[round]! + words[round]! | 0;
    const two = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b | c & (a | b));
    h = g;
    g = f;
    f = e;
    e = d + one | 0;
    d = c;
    c = b;
    b = a;
    a = one + two | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let word = 0; word < 8; word++) state[word] = state[word]! + added[word]!;
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
