/**
 * Writes the command that an answer offers as the next step, so that it can be copied into a shell as it stands.
 *
 * @module
 */

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

/** Whether a shell takes `word` as it stands. A loop: the first use of a regular expression costs more than a short word. */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    if (!PLAIN.includes(word[at]!)) return false;
  }
  return word !== "";
}

/**
 * One word as a POSIX shell reads it back: unchanged where it needs no quotes, else in single quotes.
 *
 * @example
 * ```ts
 * import { shellWord } from "./next_command.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellWord("fd:1"), "fd:1");
 * assertEquals(shellWord("it's"), `'it'\\''s'`);
 * ```
 */
export function shellWord(word: string): string {
  if (isPlain(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `words` as one line for a shell. */
export function shellLine(words: readonly string[]): string {
  let line = "";
  for (let at = 0; at < words.length; at++) {
    line += at === 0 ? shellWord(words[at]!) : ` ${shellWord(words[at]!)}`;
  }
  return line;
}

/**
 * The line `fdtool WORDS…`. `--store` is repeated where the caller gave it, since without it the line would look
 * into another store.
 */
export function nextCommand(words: readonly string[], storeOption: string | undefined): string {
  const line = `fdtool ${shellLine(words)}`;
  return storeOption === undefined ? line : `${line} --store ${shellWord(storeOption)}`;
}
