/**
 * Bounded lists and texts in answers (law 7): the first items or chars, how many there are, and in messages the command
 * that shows them.
 */

import type { Message, NextCall } from "../../calls/terms/next_call.ts";

/** The first `most` of `all`, and how many were left out; undefined for none. */
export function firstFew<T>(all: readonly T[], most: number): { shown: T[]; more: number | undefined } {
  return { shown: all.slice(0, most), more: all.length > most ? all.length - most : undefined };
}

/** The first `most` chars of a longer text, and its length: "abc… (4000 chars)". */
export function firstChars(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (${text.length} chars)` : text;
}

/** "a, b, c and 4 more". */
export function listFew(all: readonly string[], most: number): string {
  const { shown, more } = firstFew(all, most);
  return more === undefined ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}

/** Says that only the first items are listed, and which call lists `more`; nothing if there are no more. */
export function onlyFirst(shownCount: number, more: number | undefined, all: NextCall): Message[] {
  return more === undefined ? [] : [[`The first ${shownCount} are listed; `, all, " lists all."]];
}

/** The first `most` sentences, and one that counts the others: "And 4 more files." */
export function fewSentences<Sentence extends Message>(
  all: readonly Sentence[],
  most: number,
  what: string,
): (Sentence | string)[] {
  const { shown, more } = firstFew(all, most);
  return more === undefined ? shown : [...shown, `And ${more} more ${what}.`];
}
