/** Finds the lines that are odd by a word or number among many that are built alike, in what a line kernel counted. */

import { LAYOUT } from "./line_layout.ts";

const FIELD_NUMBERS = LAYOUT.FIELD_SIZE / 4;
const SIZES_AT = LAYOUT.SIZES_AT / 4;
const VALUES_AT = LAYOUT.VALUES_AT / 4;
const SIZES = VALUES_AT - SIZES_AT;
const SHAPE_NUMBERS = LAYOUT.SHAPE_SIZE / 4;
/** The place of shape 0, which does not exist: they count from 1. */
const SHAPES_AT = LAYOUT.SHAPES / 4 - SHAPE_NUMBERS;

/** Minimum number of similar lines for one to be odd. */
const MIN_ALIKE = 20;
/** The most frequent shapes, of which all fields are compared; of others, those that have few values. */
const MAX_SHAPES = 4;
/** Lines that may have the odd word or number. */
const MAX_ODD = 2;
/**
 * An odd number is this many powers of two above all others; more, and not in thousandths, if numbers of as many
 * digits were passed over.
 */
const MIN_ABOVE = 2;
const MIN_ABOVE_DIGITS = 4;
const SIZE_OF_ONE = 10;

/**
 * Finds the odd lines among many that are built alike: a word in a place where all others have one of a few words (one
 * `degraded` among thousands of `ok`), or a number far above all others in its place (the one slow request).
 */
export function oddLines(numbers: Int32Array): number[] {
  const fieldsNumbers = 2 + (LAYOUT.MAX_FIELDS + 1) * FIELD_NUMBERS;
  const counts = SHAPES_AT + 2;
  const shapes: { at: number; count: number; number: number }[] = [];
  for (let each = 0; each < LAYOUT.FIELD_SHAPES; each++) {
    const at = LAYOUT.FIELDS / 4 + each * fieldsNumbers;
    const number = numbers[at]!;
    if (number === 0) continue;
    const count = numbers[counts + number * SHAPE_NUMBERS]!;
    if (count >= MIN_ALIKE) shapes.push({ at: at + 2, count, number });
  }
  shapes.sort((one, other) => other.count - one.count || one.number - other.number);
  const odd = new Set<number>();
  const values = new Set<number>();
  const noteRare = (value: number | undefined) => {
    if (value !== undefined) values.add(numbers[value + 1]! >> 2);
  };
  for (let rank = 0; rank < shapes.length; rank++) {
    const { at, number } = shapes[rank]!;
    const isSampled = numbers[at - 1] === 1;
    for (let field = 0; field < LAYOUT.MAX_FIELDS; field++) {
      const from = at + field * FIELD_NUMBERS;
      // The first field without words is behind the last token.
      const words = numbers[from]!;
      if (words === 0) break;
      // Most fields have more words and values: no call is made for them, since little of this is compiled.
      if (words <= LAYOUT.MAX_VALUES) noteRare(rareValue(numbers, from, from + 2, LAYOUT.WORD_SLOTS));
      if (numbers[from + 1]! <= LAYOUT.MAX_VALUES && !isSampled) {
        noteRare(rareValue(numbers, from + 1, from + VALUES_AT));
      }
      if (rank < MAX_SHAPES) addOddLines(odd, numbers, from, isSampled);
    }
    const next = at + LAYOUT.MAX_FIELDS * FIELD_NUMBERS;
    const follower = rareValue(numbers, next + 1, next + VALUES_AT);
    if (follower === undefined || numbers[counts + numbers[follower]! * SHAPE_NUMBERS]! < MIN_ALIKE) continue;
    // The end of a list, or of all records, does not count.
    const line = numbers[follower + 1]! >> 2;
    const slots = [0, 2, 4].map((slot) => next + VALUES_AT + slot);
    const isList = slots.some((slot) => numbers[slot] === number);
    if (!isList && slots.some((slot) => numbers[slot + 1]! >> 2 > line)) values.add(line);
  }
  if (values.size <= MAX_ODD) { for (const line of values) odd.add(line); }
  return [...odd].sort((one, other) => one - other);
}

/**
 * The address of that value of a field, of few, that hardly a line has, if all others are frequent. Their number is at
 * `countAt`, and they are in the slots at `from`.
 */
function rareValue(
  numbers: Int32Array,
  countAt: number,
  from: number,
  slots: number = LAYOUT.MAX_VALUES,
): number | undefined {
  if (numbers[countAt]! < 2 || numbers[countAt]! > LAYOUT.MAX_VALUES) return undefined;
  let rare: number | undefined;
  for (let value = from; value < from + 2 * slots; value += 2) {
    const lines = numbers[value + 1]! & 3;
    if (lines === 0 || lines > MAX_ODD) continue;
    if (rare !== undefined) return undefined;
    rare = value;
  }
  return rare;
}

/**
 * Adds the odd lines by the field at `at`: the number of words, then slots of words with how many lines and the last one, then
 * sizes with the same.
 */
function addOddLines(odd: Set<number>, numbers: Int32Array, at: number, isSampled: boolean): void {
  const found: number[] = [];
  const words = numbers[at]!;
  if (words > 1 && words <= LAYOUT.MAX_WORDS) {
    for (let word = at + 3; word < at + 3 + 2 * LAYOUT.WORD_SLOTS; word += 2) {
      const lines = numbers[word]! & 3;
      if (lines > 0 && lines <= MAX_ODD) found.push(numbers[word]! >> 2);
    }
  }
  const sizesAt = at + SIZES_AT;
  const sizes: number[] = [];
  // A third one only tells that there are more than two.
  for (let size = SIZES - 1; size >= 0 && sizes.length < 3; size--) {
    if (numbers[sizesAt + size] !== 0) sizes.push(size);
  }
  const [top = 0, below = top] = sizes;
  const atTop = numbers[sizesAt + top]! & 3;
  const atBelow = numbers[sizesAt + below]! & 3;
  const isAbove = isSampled
    ? below >= SIZE_OF_ONE && top - below >= MIN_ABOVE_DIGITS
    : top - below >= MIN_ABOVE;
  const isOneAbove = atTop <= MAX_ODD && below > 0 && isAbove;
  const odder = isOneAbove || atTop < atBelow ? top : below;
  // Or all others are of one size. Of one size alone, none is odd.
  if (isOneAbove || (isAbove || !isSampled) && sizes.length === 2 && Math.min(atTop, atBelow) <= MAX_ODD) {
    found.push(numbers[sizesAt + odder]! >> 2);
  }
  if (found.length <= 2 * MAX_ODD) { for (const line of found) odd.add(line); }
}
