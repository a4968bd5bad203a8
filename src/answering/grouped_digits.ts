/** Writes a count with its digits in groups: 1,170. */

/** A whole number as people write it: `1,170`. */
export function groupedDigits(count: number): string {
  let digits = String(count);
  let text = "";
  for (; digits.length > 3; digits = digits.slice(0, -3)) text = `,${digits.slice(-3)}${text}`;
  return digits + text;
}
