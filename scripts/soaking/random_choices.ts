/**
 * Random choices from a seed: the same seed gives the same choices on every machine.
 */

/** A source of choices. */
export interface Choices {
  /** A number from 0 to less than 1. */
  fraction(): number;
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number;
  /** One of `options`. */
  one<T>(options: readonly T[]): T;
  /** True once in `times`. */
  onceIn(times: number): boolean;
}

/** Each of the things as many times as it is given, so that {@link Choices.one} takes it as often. */
export function weighted<T>(...rows: readonly (readonly [times: number, thing: T])[]): T[] {
  return rows.flatMap(([times, thing]) => Array<T>(times).fill(thing));
}

/** The choices of `seed` (mulberry32: small, and good enough to pick faults by). */
export function choicesOf(seed: number): Choices {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    whole,
    one: (options) => options[whole(0, options.length - 1)]!,
    onceIn: (times) => whole(1, times) === 1,
  };
}
