/**
 * Writes the command that an answer offers as the next step, so that it can be copied into a shell as it stands.
 *
 * @module
 */

const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

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
  if (PLAIN_WORD.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** `words` as one line for a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}

/**
 * The line `fdtool WORDS…`. `--store` is repeated where the caller gave it, since without it the line would look
 * into another store.
 */
export function nextCommand(words: readonly string[], storeOption: string | undefined): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  return shellLine(["fdtool", ...words, ...store]);
}
