/**
 * Splits the words of a call into options, their values and the rest, in order and as spelled, as `parseArgs` of
 * `node:util` does with `strict: false` and `tokens: true` (but a dash among letters is a letter, and ends nothing).
 * Loading `node:util` would cost a small call a fifth of its time; the test beside this holds the two to the same
 * tokens.
 */

/** One part of a call. `index` is the place of its word in the words; an option's value may be in the next one. */
export type Token =
  | { kind: "option"; name: string; rawName: string; index: number; value: string | undefined }
  | { kind: "positional"; index: number; value: string }
  | { kind: "option-terminator"; index: number };

/** The facts about options that distinguish their values from other words. */
export interface OptionKinds {
  /** Whether `--written` takes a value. */
  takesValue(written: string): boolean;
  /** The option of a single letter, or undefined. */
  ofLetter(letter: string): { name: string; takesValue: boolean } | undefined;
}

/**
 * The tokens of `words`. An option that takes a value takes what follows `=`, what follows its letter (`-A3`), or the next
 * word, whatever that is; letters of options that take none may share a word (`-in`). After `--` nothing is an option.
 *
 * ```ts
 * import { splitWords } from "./split_words.ts";
 * import { assertEquals } from "@std/assert";
 * const kinds = { takesValue: (written: string) => written === "start", ofLetter: () => undefined };
 * assertEquals(splitWords(["fd:1", "--start", "3"], kinds), [
 *   { kind: "positional", index: 0, value: "fd:1" },
 *   { kind: "option", name: "start", rawName: "--start", index: 1, value: "3" },
 * ]);
 * ```
 */
export function splitWords(words: readonly string[], kinds: OptionKinds): Token[] {
  const tokens: Token[] = [];
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index]!;
    if (word === "--") {
      tokens.push({ kind: "option-terminator", index });
      break;
    }
    if (word === "-" || !word.startsWith("-")) tokens.push({ kind: "positional", index, value: word });
    else if (word[1] !== "-") index = splitLetters(words, index, kinds, tokens);
    else {
      const equals = word.includes("=", 3) ? word.indexOf("=") : -1;
      const rawName = equals === -1 ? word : word.slice(0, equals);
      const name = rawName.slice(2);
      const takesNext = equals === -1 && index + 1 < words.length && kinds.takesValue(name);
      const value = takesNext ? words[index + 1] : equals === -1 ? undefined : word.slice(equals + 1);
      tokens.push({ kind: "option", name, rawName, index, value });
      if (takesNext) index++;
    }
  }
  while (++index < words.length) tokens.push({ kind: "positional", index, value: words[index]! });
  return tokens;
}

/** Adds the options of word `index`, one dash and letters; answers the index of the last word that belongs to them. */
function splitLetters(words: readonly string[], index: number, kinds: OptionKinds, tokens: Token[]): number {
  const letters = [...words[index]!.slice(1)];
  for (const [at, letter] of letters.entries()) {
    const option = kinds.ofLetter(letter);
    const named = { kind: "option", name: option?.name ?? letter, rawName: `-${letter}`, index } as const;
    if (option?.takesValue !== true) {
      tokens.push({ ...named, value: undefined });
      continue;
    }
    const inWord = at + 1 < letters.length;
    tokens.push({ ...named, value: inWord ? letters.slice(at + 1).join("") : words[index + 1] });
    return inWord ? index : index + 1;
  }
  return index;
}

/** `pageSize` and `page_size` as `page-size`. No loop over the chars: that of many names would be compiled, which costs more. */
export function dashed(written: string): string {
  if (written === written.toLowerCase()) return written.replaceAll("_", "-");
  return written.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
}
