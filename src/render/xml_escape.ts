/**
 * Text that stands between or in tags of fdtool's own, made so that no quoted file name, command or pattern can pass
 * for a tag (SPEC section 5, law 8).
 *
 * @module
 */

// C0 and C1 controls, DEL, and the two Unicode line ends: nothing in a tag may start a line or steer a terminal.
// deno-lint-ignore no-control-regex
const UNSAFE = /[&<>"\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

const NAMED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Whether `text` may hold something to escape. A loop: the first use of a regular expression costs more than a short text. */
function isSuspect(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x26 || code === 0x3c || code === 0x3e) {
      return true;
    }
  }
  return false;
}

/** `text` for the inside of a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  if (!isSuspect(text)) return text;
  return text.replace(UNSAFE, (found) => NAMED[found] ?? `&#${found.codePointAt(0)};`);
}

/** `text` for the inside of `<message>` and `<next>`: as in an attribute, but quotes stay readable. */
export function escapeText(text: string): string {
  if (!isSuspect(text)) return text;
  return text.replace(
    UNSAFE,
    (found) => found === '"' ? found : NAMED[found] ?? `&#${found.codePointAt(0)};`,
  );
}
