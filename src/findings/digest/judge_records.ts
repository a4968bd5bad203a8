/** Judges the lines that a line kernel reports, by their signs. */

import { latin1Of } from "../outline/outlined_content.ts";
import { judgeLine } from "./failure_signs.ts";
import { LAYOUT } from "./line_layout.ts";
import type { LineMemory } from "./line_memory.ts";

/** A line that looks like the report of a failure. */
export interface Finding {
  line: number;
  /** 1 to 100 (see {@link judgeLine}). */
  strength: number;
  /** Equal for lines that report the same about different things. */
  kind: number;
  /** Its strongest sign: equal for the same word. */
  sign: number;
}

/** A line that was judged. */
export interface Judged extends Finding {
  /** How many lines with signs are of its kind. */
  count: number;
  /** The place of its first sign, in chars of one byte; both 0 if it has only a place. */
  signFrom: number;
  signTo: number;
  isPlace: boolean;
}

/** Weaker lines are not findings. */
const MIN_STRENGTH = 8;
/** Lines that start within so many bytes are decoded together. */
const NEAR_BYTES = 4096;
/** More than what is looked at before and behind a sign. */
const SIGN_CONTEXT = 128;

/** Returns the first `count` of the reported lines, judged; only those with strong enough signs. */
export function judgeRecords({ bytes, numbers }: LineMemory, count: number): Judged[] {
  const judged: Judged[] = [];
  const end = (LAYOUT.RECORDS + count * LAYOUT.RECORD_SIZE) / 4;
  const line = { text: "", lower: "", from: 0, to: 0 };
  let textFrom = 0;
  let textTo = 0;
  for (let record = LAYOUT.RECORDS / 4; record < end; record += LAYOUT.RECORD_SIZE / 4) {
    const from = numbers[record + 1]!;
    const to = numbers[record + 2]!;
    const flags = numbers[record + 4]!;
    const prefix = numbers[record + 6]!;
    const signs = record + 7;
    const signsTo = signs + 3 * numbers[record + 5]!;
    if (to > textTo) {
      // Lines that are near are decoded at once, and of a long one what is around its signs.
      textFrom = from;
      for (
        let near = record;
        near < end && numbers[near + 1]! < from + NEAR_BYTES;
        near += LAYOUT.RECORD_SIZE / 4
      ) {
        textTo = numbers[near + 2]!;
      }
      if (to - from > NEAR_BYTES && flags <= 1 && signs < signsTo) {
        textFrom = Math.max(from, numbers[signs]! - SIGN_CONTEXT);
        textTo = Math.min(to, numbers[signsTo - 2]! + SIGN_CONTEXT);
      }
      line.text = latin1Of(bytes, textFrom, textTo);
      line.lower = line.text.toLowerCase();
    }
    line.from = from - textFrom;
    line.to = to - textFrom;
    const { strength, sign } = judgeLine(line, numbers, signs, signsTo, textFrom, flags);
    if (strength < MIN_STRENGTH) continue;
    judged.push({
      line: numbers[record]!,
      strength,
      kind: numbers[record + 3]!,
      count: 0,
      sign,
      signFrom: signs === signsTo ? 0 : prefix + numbers[signs]! - from,
      signTo: signs === signsTo ? 0 : prefix + numbers[signs + 1]! - from,
      isPlace: (flags & 1) === 1,
    });
  }
  return judged;
}
