/**
 * Numbers the values of two lists from 0; equal values get the same number. The hash table is two flat arrays, because
 * a `Map` of half a million lines takes many times the memory of the lines.
 */

export interface NumberedElements {
  oldElements: Int32Array;
  newElements: Int32Array;
  elementCount: number;
}

/** Numbers the values, which must be integers from 0 to 2^53 - 1. */
export function numberElements(before: Float64Array, after: Float64Array): NumberedElements {
  const slotCount = 2 ** Math.ceil(Math.log2(2 * (before.length + after.length) + 1));
  const values = new Float64Array(slotCount);
  /** The number of the value in each slot, from 1; 0 for an empty slot. */
  const numbers = new Int32Array(slotCount);
  let elementCount = 0;
  const numbered = (list: Float64Array): Int32Array => {
    const elements = new Int32Array(list.length);
    for (let index = 0; index < list.length; index++) {
      const value = list[index]!;
      let slot = value & (slotCount - 1);
      while (numbers[slot] !== 0 && values[slot] !== value) slot = (slot + 1) & (slotCount - 1);
      if (numbers[slot] === 0) {
        values[slot] = value;
        numbers[slot] = ++elementCount;
      }
      elements[index] = numbers[slot]! - 1;
    }
    return elements;
  };
  return { oldElements: numbered(before), newElements: numbered(after), elementCount };
}
