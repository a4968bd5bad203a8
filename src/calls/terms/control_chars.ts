/**
 * Chars that fdtool never writes as they are in its own words, and how they are shown. Paths, commands and patterns may
 * contain anything, but must not control a terminal, start a line, or change the order of a line's text.
 */

/** C0 and C1 controls, DEL, line separators and bidirectional controls, for the inside of a character class. */
export const STEERING_CHARS =
  "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";

/** `text` on one line, with each of {@link STEERING_CHARS} as `\x1b` or `\u202e`. */
export function plainText(text: string): string {
  return text.replace(new RegExp(`[${STEERING_CHARS}]`, "g"), visibleChar);
}

/** The same, but line feeds and tabs stay. */
export function plainLines(text: string): string {
  const shown = (char: string) => char === "\n" || char === "\t" ? char : visibleChar(char);
  return text.replace(new RegExp(`[${STEERING_CHARS}]`, "g"), shown);
}

/** `char` as `\x1b` if two digits are enough, else as `\u202e`. */
export function visibleChar(char: string): string {
  const code = char.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : jsonEscape(char);
}

/** `char` as `\u001b`, which in a JSON string means the char itself. */
export function jsonEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Odd white space, invisible chars, and combining marks: without them a text looks the same, so a model loses them. */
export const INVISIBLE_CHARS =
  "\\u007f-\\u00a0\\u00ad\\u0300-\\u036f\\u061c\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u2069\\u3000\\ufeff";

/** `value` as JSON in which every char of a text can be seen, so that a model can copy it. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(new RegExp(`[${INVISIBLE_CHARS}]`, "g"), jsonEscape);
}
