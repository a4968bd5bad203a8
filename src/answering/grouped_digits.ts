/** Counts in sentences. */

/** A whole number as people write it: `1,170`. */
export function groupedDigits(count: number): string {
  let digits = String(count);
  let text = "";
  for (; digits.length > 3; digits = digits.slice(0, -3)) text = `,${digits.slice(-3)}${text}`;
  return digits + text;
}

/** `1 fd`, `2 fds`; its digits in groups with {@link groupedDigits}. */
export function counted(count: number, what: string, digits: (count: number) => string = String): string {
  return `${digits(count)} ${what}${count === 1 ? "" : "s"}`;
}

export function linesText(count: number): string {
  return counted(count, "line", groupedDigits);
}
