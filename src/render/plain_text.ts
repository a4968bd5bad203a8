/**
 * Text for people and pipes that is made of more than fdtool's own words.
 *
 * @module
 */

/** `text` with its control chars as `\x1b`: a path or a command may hold anything, and nothing of it may steer a terminal. */
export function plainText(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, hexEscape);
}

function hexEscape(control: string): string {
  return `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
