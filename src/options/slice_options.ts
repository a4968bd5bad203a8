/**
 * The options by which a slice is named, and the one way they name (contract, Commands): start and count of a mode,
 * the tail, a range of lines, pages or chars, or everything. Two ways at once are refused.
 *
 * @module
 */

import { SLICE_MODES, type SliceMode } from "../../fd/mod.ts";
import type { OptionValue } from "../terms/command.ts";
import type { OptionRow } from "../arguments/option_rows.ts";
import { parseRange, RANGE_WANTED } from "../requests/unit_range.ts";
import { failUsage } from "../requests/usage_failure.ts";

/** The options of every command that takes a slice. */
export function sliceRows(): OptionRow[] {
  return [
    [
      "mode",
      "text",
      "MODE",
      "unit of --start, --count and --tail (default page)",
      undefined,
      SLICE_MODES,
    ],
    ["start", "integer", "N", "first unit: pages and lines from 1, chars from 0 (default: the first)"],
    ["count", "integer", "N", "number of units (default 1)"],
    ["all", "flag", undefined, "use the whole content", ["read-all"]],
    ["tail", "integer", "N", "read the last N units of the mode"],
    ...SLICE_MODES.map(rangeRow),
  ];
}

/** The option for a range of a mode's units. */
function rangeRow(mode: SliceMode, index: number): OptionRow {
  const forms = index === 0 ? "; A- is from A to the end, A is one" : "";
  const first = mode === "char" ? ", counted from 0, B included" : "";
  return [`${mode}s`, "text", "A-B", `${mode}s A to B${first}${forms}`, [mode]];
}

/** A slice as tools name it (contract, Agents). */
export interface NamedSlice {
  read_all?: boolean | undefined;
  mode?: SliceMode | undefined;
  start?: number | undefined;
  count?: number | undefined;
  tail?: number | undefined;
}

/** The slice that the options name. Throws `conflict` for two ways at once, `bad_value` for an invalid range. */
export function sliceRequestOf(
  command: string,
  options: Readonly<Record<string, OptionValue>>,
): NamedSlice {
  const ways: string[] = [];
  if (options["all"] === true) ways.push("all");
  if (options["tail"] !== undefined) ways.push("tail");
  for (let at = 0; at < SLICE_MODES.length; at++) {
    const name = `${SLICE_MODES[at]!}s`;
    if (options[name] !== undefined) ways.push(name);
  }
  const startOrCount = options["start"] !== undefined
    ? "start"
    : options["count"] !== undefined
    ? "count"
    : undefined;
  // Callers that send every parameter send start and count beside read_all too; the whole is the whole.
  if (startOrCount !== undefined && options["all"] !== true) ways.push(startOrCount);
  if (ways.length > 1) failConflict(command, ways[0]!, ways[1]!);

  const mode = options["mode"] as SliceMode | undefined;
  for (let at = 0; at < SLICE_MODES.length; at++) {
    const rangeMode = SLICE_MODES[at]!;
    const name = `${rangeMode}s`;
    const written = options[name];
    if (written === undefined) continue;
    if (mode !== undefined && mode !== rangeMode) failConflict(command, "mode", name);
    const got = String(written);
    const range = parseRange(got);
    if (range !== undefined) return { mode: rangeMode, start: range.start, count: range.count };
    failUsage({ kind: "bad_value", command, option: `--${name}`, got, wanted: RANGE_WANTED });
  }
  if (options["all"] === true) return { read_all: true };
  return {
    mode,
    start: options["start"] as number | undefined,
    count: options["count"] as number | undefined,
    tail: options["tail"] as number | undefined,
  };
}

function failConflict(command: string, first: string, second: string): never {
  failUsage({
    kind: "conflict",
    command,
    first: `--${first}`,
    second: `--${second}`,
    wanted: "one way to name the slice",
  });
}
