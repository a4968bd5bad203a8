/** The results that were kept, read again: what charts are drawn from. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { Row } from "./benchmark_row.ts";
import type { Machine } from "./report.ts";

const GOAL = v.object({ most: v.optional(v.number()), least: v.optional(v.number()) });
const COST = v.object({ wallMs: v.number(), cpuMs: v.number() });

const ROW = v.object({
  group: v.string(),
  name: v.string(),
  peer: v.string(),
  unit: v.picklist(["x", "times", "bytes", "percent", "count", "ms"]),
  value: v.optional(v.number()),
  now: v.optional(GOAL),
  stretch: v.optional(GOAL),
  turns: v.optional(v.object({
    ratio: v.number(),
    cpuRatio: v.number(),
    ours: COST,
    peer: COST,
    spread: v.tuple([v.number(), v.number()]),
    turnCount: v.number(),
  })),
  point: v.optional(v.object({ series: v.string(), byteCount: v.number() })),
  note: v.optional(v.string()),
});

const KEPT = v.object({
  machine: v.object({
    date: v.string(),
    cpu: v.string(),
    cores: v.number(),
    loadBefore: v.number(),
    loadAfter: v.number(),
    quick: v.optional(v.boolean(), false),
  }),
  results: v.array(ROW),
});

/** A run that was kept: what of its machine a chart says, and its rows. */
export interface StoredResult {
  /** The name of its files, without their extension. */
  name: string;
  machine: Pick<Machine, "date" | "cpu" | "cores" | "loadBefore" | "loadAfter" | "quick">;
  rows: readonly Row[];
}

/** A kept run from its JSON. Throws where that is not one. */
export function keptResultFrom(name: string, json: string): StoredResult {
  const { machine, results } = v.parse(KEPT, JSON.parse(json));
  return { name, machine, rows: results.map((row) => ({ ...row, value: row.value })) };
}

/** All runs kept in `directory`, the one to trust most first: whole runs before quick ones, then the newest. */
export function keptResults(directory: string): StoredResult[] {
  const kept = readdirSync(directory).filter((name) => name.endsWith(".json"))
    .map((name) => keptResultFrom(name.slice(0, -5), readFileSync(join(directory, name), "utf8")));
  return kept.sort((a, b) =>
    Number(a.machine.quick) - Number(b.machine.quick) || (a.machine.date < b.machine.date ? 1 : -1)
  );
}
