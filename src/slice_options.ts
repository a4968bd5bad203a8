/**
 * The options by which a slice is named, and the one way they name (SPEC section 4, read): start and count of a mode,
 * the tail, a range of lines, pages or chars, or everything. Two ways at once are refused.
 *
 * @module
 */

import { parseDecimal, type SliceMode } from "../fd/mod.ts";
import type { OptionSpec, OptionValue } from "./command.ts";
import { failUsage } from "./usage_failure.ts";

/** The option table of every command that takes a slice. */
export const sliceOptions = {
  mode: {
    kind: "text",
    value: "MODE",
    choices: ["page", "line", "char"],
    help: "the unit of --start, --count and --tail (default page)",
  },
  start: {
    kind: "integer",
    value: "N",
    help: "first unit: pages and lines from 1, chars from 0 (default: the first)",
  },
  count: { kind: "integer", value: "N", help: "how many units (default 1)" },
  all: { kind: "flag", aliases: ["read-all"], help: "the whole content" },
  tail: { kind: "integer", value: "N", help: "the last N units of the mode" },
  lines: {
    kind: "text",
    value: "A-B",
    aliases: ["line"],
    help: "lines A to B; A- is from A to the end, A is one",
  },
  pages: { kind: "text", value: "A-B", aliases: ["page"], help: "pages A to B" },
  chars: { kind: "text", value: "A-B", aliases: ["char"], help: "chars A to B, counted from 0, B included" },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** A slice as tools name it (SPEC section 9, read_fd). */
export interface NamedSlice {
  read_all?: boolean | undefined;
  mode?: SliceMode | undefined;
  start?: number | undefined;
  count?: number | undefined;
  tail?: number | undefined;
}

const RANGES = [
  { name: "lines", mode: "line" },
  { name: "pages", mode: "page" },
  { name: "chars", mode: "char" },
] as const;

/** The slice that the options name. Throws `conflict` for two ways at once, `bad_value` for a range that is none. */
export function sliceRequestOf(
  command: string,
  options: Readonly<Record<string, OptionValue>>,
): NamedSlice {
  const ways: string[] = [];
  if (options["all"] === true) ways.push("all");
  if (options["tail"] !== undefined) ways.push("tail");
  for (const { name } of RANGES) if (options[name] !== undefined) ways.push(name);
  const startOrCount = options["start"] !== undefined
    ? "start"
    : options["count"] !== undefined
    ? "count"
    : undefined;
  // Callers that send every parameter send start and count beside read_all too; the whole is the whole.
  if (startOrCount !== undefined && options["all"] !== true) ways.push(startOrCount);
  if (ways.length > 1) failConflict(command, ways[0]!, ways[1]!);

  const mode = options["mode"] as SliceMode | undefined;
  for (const { name, mode: rangeMode } of RANGES) {
    const written = options[name];
    if (written === undefined) continue;
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
  const [first = "", end, more] = written.trim().split("-");
  const start = parseDecimal(first);
  const last = end === undefined ? start : end === "" ? Infinity : parseDecimal(end);
  if (start === undefined || last === undefined || last < start || more !== undefined) {
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
