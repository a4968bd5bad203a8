/**
 * The slice that a request selects: by ranges (`lines`, `pages`, `chars`) or `head`, by mode, start and count, or by the place
 * of a line.
 */

import type { SliceRequest } from "../../../fd/mod.ts";
import { hugeDecimal, parseDecimal, refuse, SLICE_MODES, type SliceMode } from "../../../fd/system.ts";
import type { ReadRequest } from "./read_request.ts";
import type { RangeFieldsOf } from "./shared_fields.ts";

/** Ranges as a request has them. */
export type RangeFields = Partial<RangeFieldsOf<string | undefined>>;

/** No range: for each mode, that its field is not given. */
const NO_RANGES: RangeFieldsOf<undefined> = { pages: undefined, lines: undefined, chars: undefined };

/** The fields of a request that select a slice. */
export type SliceFields = RangeFields & Pick<ReadRequest, "head" | "read_all" | "mode" | "start" | "count">;

/** A slice in units of its mode. */
export interface PlainSlice {
  mode: SliceMode;
  start: number;
  count: number;
}

/**
 * The slice of the one range or head among `fields`; undefined if there is none. A head without a mode is one of lines. Loops,
 * since `read` does this on every call.
 *
 * @throws {FdError} `invalid_parameter` for two ranges, an invalid one, and one of another mode.
 */
function rangeOf(fields: SliceFields): PlainSlice | undefined {
  const { head, mode: named } = fields;
  let found: PlainSlice | undefined;
  for (let at = 0; at < SLICE_MODES.length; at++) {
    const mode = SLICE_MODES[at]!;
    const field = `${mode}s` as const;
    const got = fields[field];
    if (got === undefined) continue;
    if (found !== undefined) return refuse(field, got, "only one range");
    if (named !== undefined && named !== mode) {
      return refuse("mode", named, `${mode}, or no mode, with ${field}`);
    }
    const range = parseRange(got);
    if (range === undefined) return refuse(field, got, RANGE_WANTED);
    found = { mode, start: range.start, count: range.count };
  }
  if (found !== undefined || head === undefined) return found;
  return { mode: named ?? "line", start: named === "char" ? 0 : 1, count: head };
}

/** The slice of a request that has only ranges: all of the content without one. */
export function rangeOrAll(fields: SliceFields): SliceRequest {
  return rangeOf(fields) ?? { all: true };
}

/** `request` with the slice of its range or head as mode, start and count, and without them if it is of all. */
export function withPlainSlice<Request extends SliceFields>(request: Request): Request {
  if (request.read_all === true) return { ...request, mode: undefined, start: undefined, count: undefined };
  const range = rangeOf(request);
  return range === undefined ? request : { ...request, ...NO_RANGES, head: undefined, ...range };
}

/** How a range is asked for. */
const RANGE_WANTED = "A-B with A no greater than B, A- (to the end) or A";

/**
 * The range that `written` names; undefined if it names none. A loop: the first regular expression of a small call
 * costs more.
 */
function parseRange(written: string): { start: number; count: number } | undefined {
  const range = written.trim();
  let dash = 0;
  while (dash < range.length && range[dash] !== "-" && range[dash] !== "," && range[dash] !== ":") dash++;
  const start = parseDecimal(range.slice(0, dash)) ?? hugeDecimal(range.slice(0, dash));
  const end = range.slice(dash + 1);
  const last = dash === range.length ? start : end === "" ? Infinity : parseDecimal(end) ?? hugeDecimal(end);
  if (start === undefined || last === undefined || last < start) return undefined;
  const more = last - start;
  return { start, count: more < Number.MAX_SAFE_INTEGER ? more + 1 : Number.MAX_SAFE_INTEGER };
}

/** Lines on either side of a line that is read by its place. */
const AROUND = 10;

/** The fd and line of `fd:4:36`, as a search of all fds writes a place; undefined for anything else. */
export function placeIn(argument: string): { fd: string; line: number } | undefined {
  const [, fd, line] = /^((?:(?:fd|ref):)?[^:]+):([1-9][0-9]{0,14})$/.exec(argument) ?? [];
  return fd === undefined || /^(?:fd|ref)$/.test(fd) ? undefined : { fd, line: Number(line) };
}

/** The lines around `line`, of `lineCount`; a line beyond them is read alone, which says the valid range. */
export function linesAround(line: number, lineCount: number): Pick<ReadRequest, "mode" | "start" | "count"> {
  const start = line > lineCount ? line : Math.max(1, line - AROUND);
  return { mode: "line", start, count: Math.min(line + AROUND, Math.max(line, lineCount)) - start + 1 };
}

/** The slice that a request selects: the first page, if it names none. A tail without a mode is one of lines. */
export function requestedSlice(
  { since, read_all: all, tail, mode, start, count }: ReadRequest,
): SliceRequest {
  if (since !== undefined) return { since };
  if (all === true) return { all: true };
  if (tail !== undefined) return { mode: mode ?? "line", tail };
  return { mode: mode ?? "page", start, count };
}
