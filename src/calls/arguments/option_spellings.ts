/**
 * Tables of options, and the spellings under which an option may be written. Models write `--read_all`, `--readAll`
 * and `--exist_ok=false`; all of them mean the option whose table entry says `read-all` and `exist-ok`.
 */

import type { Operation, OptionSpec } from "../terms/command.ts";

/** Options by name; the names have dashes. */
export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** Makes a table: all of it or, for a name, the option of that name alone if that costs less. */
type TableMaker = (name?: string) => OptionTable;

/** Tables in the order in which they are searched. */
export type OptionTables = readonly (OptionTable | TableMaker)[];

/** The same tables, made. */
export function madeTables(tables: OptionTables): OptionTable[] {
  return tables.map((table) => typeof table === "function" ? table() : table);
}

/** The option that a spelling means. `negated` spellings (`--no-NAME`) turn a flag off. */
export interface SpelledOption {
  name: string;
  spec: OptionSpec;
  /** The table that has it, counted from 0. */
  table: number;
  negated: boolean;
}

/** `pageSize` and `page_size` as `page-size`. No loop over the chars: that of many names would be compiled, which costs more. */
export function dashed(written: string): string {
  const lower = written.toLowerCase();
  return (written === lower ? lower : written.replace(/[A-Z]/g, "-$&").toLowerCase()).replaceAll("_", "-");
}

/** The operation of that name or alias; underscores and capitals (`read_fd`, `readFd`) count as dashes. */
export function operationNamed(operations: readonly Operation[], written: string): Operation | undefined {
  const wanted = dashed(written);
  for (const operation of operations) {
    if (operation.name === wanted) return operation;
    for (const alias of operation.aliases) if (dashed(alias) === wanted) return operation;
  }
  return undefined;
}

/**
 * The option that `written` (without its dashes in front) means, in the first table that has it. Own names go before
 * aliases, and both before the opposites that are made of flags: `no-create` of `create`, `create` of `no-create`.
 */
export function findOption(tables: OptionTables, written: string): SpelledOption | undefined {
  for (let at = 0; at < tables.length; at++) {
    const table = tables[at]!;
    const spec = (typeof table === "function" ? table(written) : table)[written];
    // Inherited members (`constructor`) have no help.
    if (spec?.help !== undefined) return { name: written, spec, table: at, negated: false };
  }
  return findSpelled(madeTables(tables), written);
}

/** The option that is written in any other way than its own name. */
function findSpelled(tables: readonly OptionTable[], written: string): SpelledOption | undefined {
  const name = dashed(written);
  const opposite = name.startsWith("no-") ? name.slice(3) : `no-${name}`;
  return findNamed(tables, name, false) ?? findNamed(tables, opposite, true);
}

function findNamed(
  tables: readonly OptionTable[],
  wanted: string,
  negated: boolean,
): SpelledOption | undefined {
  for (const [at, table] of tables.entries()) {
    const own = table[wanted];
    // Inherited members (`constructor`) have no help.
    if (own?.help !== undefined && (!negated || own.kind === "flag")) {
      return { name: wanted, spec: own, table: at, negated };
    }
    for (const name in table) {
      const spec = table[name]!;
      if (negated && spec.kind !== "flag") continue;
      if (spec.aliases?.includes(wanted)) return { name, spec, table: at, negated };
    }
  }
  return undefined;
}

/** The option of a single letter. */
export function findShort(tables: OptionTables, letter: string): SpelledOption | undefined {
  for (const [at, table] of madeTables(tables).entries()) {
    for (const name in table) {
      const spec = table[name]!;
      if (spec.short === letter) return { name, spec, table: at, negated: false };
    }
  }
  return undefined;
}

/** One option: its name, then the fields of {@link OptionSpec} by its columns. */
type OptionRow = readonly [
  name: string,
  kind: OptionSpec["kind"],
  value: string | undefined,
  help: string,
  aliases?: readonly string[] | undefined,
  choices?: readonly string[] | undefined,
  short?: string,
];

/**
 * The table that `rows` make, in their order; of the option `only` if that is given. A table of objects costs a program that
 * has just started ten times as much to make: each field of each object is code that runs once, a row is data.
 */
export function optionTable(rows: readonly OptionRow[], only?: string): Record<string, OptionSpec> {
  const table: Record<string, OptionSpec> = {};
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    if (only !== undefined && only !== row[0]) continue;
    table[row[0]] = {
      kind: row[1],
      value: row[2],
      help: row[3],
      aliases: row[4],
      choices: row[5],
      short: row[6],
    };
  }
  return table;
}
