/**
 * The slice that a command line selects, in one way only (contract, Commands): a mode's start and count, the head or the
 * tail, a range such as `--lines 10-14`, or everything.
 */

import { SLICE_MODES, type SliceMode } from "../../fd/mod.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { parseRange, RANGE_WANTED } from "../requests/unit_range.ts";
import { failUsage } from "../requests/usage_failure.ts";
import type { CommandCall, OptionSpec } from "../terms/command.ts";

/** `--pages A-B`, `--lines A-B`, `--chars A-B`, `--head N`. */
export function rangeOptions(): Record<string, OptionSpec> {
  const options: Record<string, OptionSpec> = {};
  for (let at = 0; at < SLICE_MODES.length; at++) {
    const mode = SLICE_MODES[at]!;
    const forms = at === 0 ? "; A- is from A to the end, A is one" : "";
    const first = mode === "char" ? ", counted from 0, B included" : "";
    const help = `${mode}s A to B${first}${forms}`;
    options[`${mode}s`] = { kind: "text", value: "A-B", aliases: [mode], help };
  }
  options["head"] = {
    kind: "integer",
    value: "N",
    aliases: ["first"],
    help: "the first N lines, or units of --mode",
  };
  return options;
}

/** The fields of a request that select a slice. */
export type SliceFields = Pick<ReadRequest, "read_all" | "mode" | "start" | "count" | "tail">;

/**
 * `request` with the slice that a range among the call's options selects. Throws `conflict` for two ways at once, `bad_value`
 * for an invalid range.
 */
export function selectSlice<Request extends SliceFields>(
  command: string,
  { options }: CommandCall,
  request: Request,
): Request {
  const { read_all, mode, start, count, tail } = request;
  const ways: string[] = [];
  if (read_all === true) ways.push("all");
  if (tail !== undefined) ways.push("tail");
  const head = options["head"];
  if (head !== undefined) ways.push("head");
  let rangeMode: SliceMode | undefined;
  for (let at = 0; at < SLICE_MODES.length; at++) {
    const option = `${SLICE_MODES[at]}s`;
    if (options[option] === undefined) continue;
    rangeMode = SLICE_MODES[at]!;
    ways.push(option);
  }
  // Callers that send every parameter send start and count with read_all, too.
  if (read_all !== true && (start ?? count) !== undefined) ways.push(start === undefined ? "count" : "start");
  if (ways.length > 1) failConflict(command, ways[0]!, ways[1]!);
  if (read_all === true) return { ...request, mode: undefined, start: undefined, count: undefined };
  if (head !== undefined) return { ...request, ...firstUnits(command, Number(head), mode) };
  if (rangeMode === undefined) return request;

  const option = `${rangeMode}s`;
  if (mode !== undefined && mode !== rangeMode) failConflict(command, "mode", option);
  const got = String(options[option]);
  const range = parseRange(got);
  if (range !== undefined) return { ...request, mode: rangeMode, start: range.start, count: range.count };
  return failUsage({ kind: "bad_value", command, option: `--${option}`, got, wanted: RANGE_WANTED });
}

/** The first `count` units: lines, unless a mode was named. */
function firstUnits(command: string, count: number, mode: SliceMode = "line"): SliceFields {
  if (count >= 1) return { mode, start: mode === "char" ? 0 : 1, count };
  return failUsage({
    kind: "bad_value",
    command,
    option: "--head",
    got: String(count),
    wanted: "at least 1",
  });
}

function failConflict(command: string, first: string, second: string): never {
  const wanted = "one way to name the slice";
  failUsage({ kind: "conflict", command, first: `--${first}`, second: `--${second}`, wanted });
}
