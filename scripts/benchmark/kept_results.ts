/** The results that were kept, read again: what charts are drawn from. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Row } from "./benchmark_row.ts";
import type { Machine } from "./report.ts";

/** A run that was kept: its machine and its rows. */
export interface StoredResult {
  /** The name of its files, without their extension. */
  name: string;
  machine: Machine;
  rows: readonly Row[];
}

/** A kept run from its JSON, as `jsonOf` writes it. */
export function keptResultFrom(name: string, json: string): StoredResult {
  const { machine, results }: { machine: Machine; results: Row[] } = JSON.parse(json);
  return { name, machine, rows: results };
}

/** All runs kept in `directory`, the one to trust most first: whole runs before quick ones, then the newest. */
export function keptResults(directory: string): StoredResult[] {
  const kept = readdirSync(directory).filter((name) => name.endsWith(".json"))
    .map((name) => keptResultFrom(name.slice(0, -5), readFileSync(join(directory, name), "utf8")));
  return kept.sort((a, b) =>
    Number(a.machine.quick) - Number(b.machine.quick) || (a.machine.date < b.machine.date ? 1 : -1)
  );
}
