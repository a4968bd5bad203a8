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

/** `text` for the inside of a double-quoted attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(UNSAFE, (found) => NAMED[found] ?? `&#${found.codePointAt(0)};`);
}

/** `text` for the inside of `<message>` and `<next>`: as in an attribute, but quotes stay readable. */
export function escapeText(text: string): string {
  return text.replace(
    UNSAFE,
    (found) => found === '"' ? found : NAMED[found] ?? `&#${found.codePointAt(0)};`,
  );
}
