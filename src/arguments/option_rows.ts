/**
 * Option tables written as rows. A table of objects costs a program that has just started ten times as much to make: each
 * field of each object is code that runs once, a row is data.
 */

import type { OptionSpec } from "../terms/command.ts";

/** One option: its name, then the fields of {@link OptionSpec} by its columns. */
export type OptionRow = readonly [
  name: string,
  kind: OptionSpec["kind"],
  value: string | undefined,
  help: string,
  aliases?: readonly string[] | undefined,
  choices?: readonly string[] | undefined,
  short?: string,
];

/** The table that the rows of all `lists` make, in their order. */
export function optionTable(...lists: readonly (readonly OptionRow[])[]): Record<string, OptionSpec> {
  const table: Record<string, OptionSpec> = {};
  for (let list = 0; list < lists.length; list++) {
    const rows = lists[list]!;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      table[row[0]] = {
        kind: row[1],
        value: row[2],
        help: row[3],
        aliases: row[4],
        choices: row[5],
        short: row[6],
      };
    }
  }
  return table;
}
