/**
 * Every spelling under which an option may be written. Models write `--read_all`, `--readAll` and `--exist_ok=false`;
 * all of them mean the option whose table entry says `read-all` and `exist-ok`.
 *
 * @module
 */

import type { OptionSpec } from "./command.ts";

/** What a spelling stands for. `negated` spellings (`--no-NAME`) turn a flag off. */
export interface SpelledOption {
  name: string;
  spec: OptionSpec;
  negated: boolean;
}

/** `page-size` as `page-size`, `page_size` and `pageSize`. */
export function spellingsOf(name: string): string[] {
  if (!name.includes("-")) return [name];
  return [
    name,
    name.replaceAll("-", "_"),
    name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()),
  ];
}

/** The opposite of a flag's name: `no-create` of `create`, and `create` of `no-create`. */
function oppositeOf(name: string): string {
  return name.startsWith("no-") ? name.slice(3) : `no-${name}`;
}

/**
 * All long spellings of the tables, from the first table that has each; a table's own names and aliases go before the
 * `--no-` forms that are made here.
 */
export function spelledOptions(
  tables: readonly Readonly<Record<string, OptionSpec>>[],
): Map<string, SpelledOption> {
  const spelled = new Map<string, SpelledOption>();
  const add = (written: string, option: SpelledOption) => {
    for (const spelling of spellingsOf(written)) if (!spelled.has(spelling)) spelled.set(spelling, option);
  };
  for (const table of tables) {
    for (const name in table) {
      const option = { name, spec: table[name]!, negated: false };
      add(name, option);
      for (const alias of option.spec.aliases ?? []) add(alias, option);
    }
  }
  for (const table of tables) {
    for (const name in table) {
      const spec = table[name]!;
      if (spec.kind !== "flag") continue;
      for (const written of [name, ...(spec.aliases ?? [])]) {
        add(oppositeOf(written), { name, spec, negated: true });
      }
    }
  }
  return spelled;
}
