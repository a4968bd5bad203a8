/**
 * A slice of an fd as requests name it: `lines`, `pages` or `chars` as ranges, or `head`. The same fields are everywhere
 * that takes a slice; some requests have a mode with start and count, too.
 */

import {
  fail,
  hugeDecimal,
  parseDecimal,
  SLICE_MODES,
  type SliceMode,
  type SliceRequest,
} from "../../fd/mod.ts";
import type { RequestField } from "./request_fields.ts";

const PAGES_FIELD = {
  kind: "text",
  option: { value: "A-B", aliases: ["page"], help: "pages A to B; A- is from A to the end, A is one" },
} as const satisfies RequestField;

const LINES_FIELD = {
  kind: "text",
  description: 'Lines "A-B", "A-" or "A".',
  option: { value: "A-B", aliases: ["line"], help: "lines A to B" },
} as const satisfies RequestField;

const CHARS_FIELD = {
  kind: "text",
  option: { value: "A-B", aliases: ["char"], help: "chars A to B, counted from 0, B included" },
} as const satisfies RequestField;

/** The wanted thing where a call names a slice in two ways. */
export const ONE_WAY = "one way to select the slice";

/** Tools list only `lines`, for size: pages and chars have mode, start and count. */
export const RANGE_FIELDS = { pages: PAGES_FIELD, lines: LINES_FIELD, chars: CHARS_FIELD } as const;

/** Ranges of content that may come from an fd. */
export const RANGES_OF_FD = {
  pages: { ...PAGES_FIELD, option: { ...PAGES_FIELD.option, help: "of an fd: only pages A to B" } },
  lines: {
    ...LINES_FIELD,
    description: 'With a handle: only these lines, "A-B".',
    option: { ...LINES_FIELD.option, help: "of an fd: only lines A to B" },
  },
  chars: { ...CHARS_FIELD, option: { ...CHARS_FIELD.option, help: "of an fd: only chars A to B, from 0" } },
} as const;

export const HEAD_FIELD = {
  kind: "integer",
  least: 1,
  option: { value: "N", aliases: ["first"], help: "the first N lines, or units of --mode" },
} as const satisfies RequestField;

/** Ranges as a request has them. */
export type RangeFields = { readonly [Name in `${SliceMode}s`]?: string | undefined };

/** The fields of a request that select a slice. */
export interface SliceFields extends RangeFields {
  head?: number | undefined;
  read_all?: boolean | undefined;
  mode?: SliceMode | undefined;
  start?: number | undefined;
  count?: number | undefined;
}

/** A slice in units of its mode. */
interface PlainSlice {
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
    if (found !== undefined) return fail({ kind: "invalid_parameter", field, got, wanted: "only one range" });
    if (named !== undefined && named !== mode) {
      return fail({
        kind: "invalid_parameter",
        field: "mode",
        got: named,
        wanted: `${mode}, or no mode, with ${field}`,
      });
    }
    const range = parseRange(got);
    if (range === undefined) return fail({ kind: "invalid_parameter", field, got, wanted: RANGE_WANTED });
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
  return range === undefined
    ? request
    : { ...request, pages: undefined, lines: undefined, chars: undefined, head: undefined, ...range };
}

/** How a range is asked for. */
const RANGE_WANTED = "A-B with A no greater than B, A- (to the end) or A";

/** The place of the first dash, comma or colon, or -1. A loop: the first regular expression of a small call costs more. */
function separatorAt(range: string): number {
  for (let at = 0; at < range.length; at++) {
    const char = range[at];
    if (char === "-" || char === "," || char === ":") return at;
  }
  return -1;
}

/** The range that `written` names; undefined if it names none. */
function parseRange(written: string): { start: number; count: number } | undefined {
  const range = written.trim();
  const dash = separatorAt(range);
  const begin = dash === -1 ? range : range.slice(0, dash);
  const start = parseDecimal(begin) ?? hugeDecimal(begin);
  const end = range.slice(dash + 1);
  const last = dash === -1 ? start : end === "" ? Infinity : parseDecimal(end) ?? hugeDecimal(end);
  if (start === undefined || last === undefined || last < start) return undefined;
  return { start, count: Math.min(last - start + 1, Number.MAX_SAFE_INTEGER) };
}
