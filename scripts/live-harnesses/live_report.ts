/** The tables of `scripts/live`. Data in, Markdown out. */

import { markdownTable } from "../result_pages.ts";
import type { Check, TrialResult } from "./live_harness.ts";
import type { Played } from "./run_scenario.ts";

/** The name of the check that compares settings after uninstalling. */
export const BYTE_FOR_BYTE = "byte for byte";

/** A tried scenario with its results. */
export type ReportRow =
  & { harness: string; version: string; name: string; what: string }
  & ({ kind: "scenario"; played: Played; permissions?: string | undefined } | {
    kind: "trial";
    result: TrialResult;
  });

/** The checks of a row. */
export function checksOf(row: ReportRow): readonly Check[] {
  return row.kind === "scenario" ? row.played.checks : row.result.checks;
}

/** One line for the terminal. */
export function rowLine(row: ReportRow): string {
  const failed = checksOf(row).filter(({ ok }) => !ok);
  const lines = failed.map(({ what, got }) =>
    `\n    FAILED: ${what}${got === undefined ? "" : `\n      got: ${got}`}`
  );
  return `${row.harness} ${row.version}, ${row.name}: ${
    checksOf(row).length - failed.length
  } passed, ${failed.length} failed${lines.join("")}`;
}

/** The whole report. */
export function liveReport(
  rows: readonly ReportRow[],
  { date, fdtool, processors, load }: { date: string; fdtool: string; processors: number; load: number },
): string {
  const table = markdownTable(HEAD, rows.map(tableRow), HEAD.length);
  const checks = rows.map((row) =>
    `### ${row.harness} ${row.version}: ${row.name}\n\n${row.what}.\n\n${
      checksOf(row).map(({ what, ok }) => `- ${ok ? "passed" : "**FAILED**"}: ${what}`).join("\n")
    }${row.kind === "trial" && row.result.details !== undefined ? `\n\n${row.result.details}` : ""}`
  );
  const worth = load > processors ? ": too much for the times to be worth much" : "";
  const times = `Measured on ${processors} processors with a load of ${load.toFixed(1)}${worth}.`;
  return `# Real harnesses, ${date}, fdtool ${fdtool}\n\n${times}\n\n${table}\n\n${checks.join("\n\n")}\n`;
}

const HEAD = ("harness | scenario | chars the model saw, without → with | permissions, without → with | " +
  "tool definitions in chars, without → with | ms a command, added | uninstalled byte for byte | checks")
  .split(" | ");

function tableRow(row: ReportRow): string[] {
  const checks = checksOf(row);
  const passed = checks.filter(({ ok }) => ok).length;
  const start = [`${row.harness} ${row.version}`, row.name];
  const restored = checks.filter(({ what }) => what.includes(BYTE_FOR_BYTE));
  const uninstalled = restored.length === 0 ? "–" : restored.every(({ ok }) => ok) ? "yes" : "**no**";
  const end = [uninstalled, `${passed} of ${checks.length}`];
  if (row.kind === "trial") return [...start, "–", row.result.permissions ?? "–", "–", "–", ...end];
  const { without, with: own, addedMilliseconds } = row.played;
  const seen = (run: typeof without) => grouped(run.results.reduce((sum, { text }) => sum + text.length, 0));
  const added = addedMilliseconds === undefined ? "–" : addedMilliseconds.toFixed(0);
  const definitions = `${grouped(without.definitionChars)} → ${grouped(own.definitionChars)}`;
  const chars = `${seen(without)} → ${seen(own)}`;
  return [...start, chars, row.permissions ?? "–", definitions, added, ...end];
}

function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
