/**
 * Escapes text inside or between tags, so that no quoted file name, command or pattern can pass for a tag (contract,
 * law 8).
 */

import { STEERING_CHARS } from "../terms/control_chars.ts";

/**
 * Whether `text` may need escaping. A loop, because the first use of a regular expression costs more than a short text.
 */
function isSuspect(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x26 || code === 0x3c || code === 0x3e) {
      return true;
    }
  }
  return false;
}

/** Escapes `text` for a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  return isSuspect(text) ? escaped(text, "&quot;") : text;
}

/** Escapes `text` for `<message>`: as in an attribute, but quotes stay readable. */
export function escapeText(text: string): string {
  return isSuspect(text) ? escaped(text, '"') : text;
}

function escaped(text: string, quote: string): string {
  return text.replace(new RegExp(`[&<>"${STEERING_CHARS}]`, "g"), (found) => {
    switch (found) {
      case "&":
        return "&amp;";
      case "<":
        return "&lt;";
      case ">":
        return "&gt;";
      case '"':
        return quote;
      default:
        return `&#${found.codePointAt(0)};`;
    }
  });
}
