/**
 * Lists in answers are bounded (law 7): the first few of what there is, and how many more. The step itself has them all,
 * and `log tx:N` shows it.
 *
 * @module
 */

import { nextCommand } from "../next_command.ts";
import { formatTransaction } from "./journal.ts";

/** The first `most` of `all`, and how many were left out; undefined for none. */
export function firstFew<T>(all: readonly T[], most: number): { shown: T[]; more: number | undefined } {
  return { shown: all.slice(0, most), more: all.length > most ? all.length - most : undefined };
}

/** "a, b, c and 4 more". */
export function listFew(all: readonly string[], most: number): string {
  const { shown, more } = firstFew(all, most);
  return more === undefined ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}

/** The command that shows all of transaction `id`. */
export function showWhole(id: number, storeOption: string | undefined): string {
  return nextCommand(["log", formatTransaction(id)], storeOption);
}
