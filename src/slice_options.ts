/**
 * The options by which a slice is named, and the one way they name (contract, Commands): start and count of a mode,
 * the tail, a range of lines, pages or chars, or everything. Two ways at once are refused.
 *
 * @module
 */

import { hugeDecimal, parseDecimal, type SliceMode } from "../fd/mod.ts";
import type { OptionValue } from "./command.ts";
import type { OptionRow } from "./option_rows.ts";
import { failUsage } from "./usage_failure.ts";

/** The options of every command that takes a slice. */
export function sliceRows(): OptionRow[] {
  return [
    ["mode", "text", "MODE", "the unit of --start, --count and --tail (default page)", undefined, [
      "page",
      "line",
      "char",
    ]],
    ["start", "integer", "N", "first unit: pages and lines from 1, chars from 0 (default: the first)"],
    ["count", "integer", "N", "how many units (default 1)"],
    ["all", "flag", undefined, "the whole content", ["read-all"]],
    ["tail", "integer", "N", "the last N units of the mode"],
    ["lines", "text", "A-B", "lines A to B; A- is from A to the end, A is one", ["line"]],
    ["pages", "text", "A-B", "pages A to B", ["page"]],
    ["chars", "text", "A-B", "chars A to B, counted from 0, B included", ["char"]],
  ];
}

/** A slice as tools name it (contract, Agents). */
export interface NamedSlice {
  read_all?: boolean | undefined;
  mode?: SliceMode | undefined;
  start?: number | undefined;
  count?: number | undefined;
  tail?: number | undefined;
}

const RANGES = ["lines", "pages", "chars"] as const;
const RANGE_MODES = ["line", "page", "char"] as const;

/** The slice that the options name. Throws `conflict` for two ways at once, `bad_value` for a range that is none. */
export function sliceRequestOf(
  command: string,
  options: Readonly<Record<string, OptionValue>>,
): NamedSlice {
  const ways: string[] = [];
  if (options["all"] === true) ways.push("all");
  if (options["tail"] !== undefined) ways.push("tail");
  for (let at = 0; at < RANGES.length; at++) if (options[RANGES[at]!] !== undefined) ways.push(RANGES[at]!);
  const startOrCount = options["start"] !== undefined
    ? "start"
    : options["count"] !== undefined
    ? "count"
    : undefined;
  // Callers that send every parameter send start and count beside read_all too; the whole is the whole.
  if (startOrCount !== undefined && options["all"] !== true) ways.push(startOrCount);
  if (ways.length > 1) failConflict(command, ways[0]!, ways[1]!);

  const mode = options["mode"] as SliceMode | undefined;
  for (let at = 0; at < RANGES.length; at++) {
    const name = RANGES[at]!;
    const written = options[name];
    if (written === undefined) continue;
    const rangeMode = RANGE_MODES[at]!;
    if (mode !== undefined && mode !== rangeMode) failConflict(command, "mode", name);
    return rangeOf(command, name, rangeMode, String(written));
  }
  if (options["all"] === true) return { read_all: true };
  return {
    mode,
    start: options["start"] as number | undefined,
    count: options["count"] as number | undefined,
    tail: options["tail"] as number | undefined,
  };
}

function rangeOf(command: string, name: string, mode: SliceMode, written: string): NamedSlice {
  const range = written.trim();
  const dash = range.indexOf("-");
  const begin = dash === -1 ? range : range.slice(0, dash);
  const start = parseDecimal(begin) ?? hugeDecimal(begin);
  const end = range.slice(dash + 1);
  const last = dash === -1 ? start : end === "" ? Infinity : parseDecimal(end) ?? hugeDecimal(end);
  if (start === undefined || last === undefined || last < start) {
    return failUsage({
      kind: "bad_value",
      command,
      option: `--${name}`,
      got: written,
      wanted: "A-B with A no greater than B, A- (to the end) or A",
    });
  }
  return { mode, start, count: Math.min(last - start + 1, Number.MAX_SAFE_INTEGER) };
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
