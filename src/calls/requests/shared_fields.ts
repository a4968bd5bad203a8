/** Fields and limits that several requests share: functions, since every call loads them and few need one. */

import type { SLICE_MODES, SliceMode } from "../../../fd/system.ts";
import type { FieldRule } from "./field_rules.ts";
import type { FieldOption, RequestField, RequestFields } from "./request_fields.ts";

/** The fields, for the operation that has one of them. */
export const sharedFields = () => {
  const fdField = {
    kind: "fd",
    isRequired: true,
    isArgument: true,
    description: '"fd:12" or "ref:NAME"',
  } as const satisfies RequestField;
  return {
    /** The fd that an operation reads. */
    fdField,
    /** The fd that an operation reads, or the file that it stores as one. */
    fdOrFileField: {
      ...fdField,
      orFile: true,
      description: '"fd:12", "ref:NAME" or a file',
    },
    /** The words that lines of a digest are weighed by. */
    aboutField: {
      kind: "text",
      isNeverEmpty: true,
      description: "instead: lines about this",
      option: {
        value: "TEXT",
        help:
          'show a digest in which lines that have the words of TEXT, such as "which package warned", come first',
      },
    },
    /** The name that the extracted fd gets. */
    nameField: {
      kind: "text",
      description: "With extract_to_new_fd: bind ref:NAME to the new fd.",
      option: { value: "NAME", help: "with --extract: bind ref:NAME to the new fd" },
    },
    /** Tools list only `lines`, for size: pages and chars have mode, start and count. */
    rangeFields: {
      pages: {
        kind: "text",
        orNumber: true,
        option: { value: "A-B", aliases: ["page"], help: "pages A to B; A- is from A to the end, A is one" },
      },
      lines: {
        kind: "text",
        orNumber: true,
        description: 'Lines "A-B", "A-" or "A".',
        option: { value: "A-B", aliases: ["line"], help: "lines A to B" },
      },
      chars: {
        kind: "text",
        orNumber: true,
        option: { value: "A-B", aliases: ["char"], help: "chars A to B, counted from 0, B included" },
      },
    } satisfies RangeFieldsOf<RequestField>,
    headField: {
      kind: "integer",
      least: 1,
      option: { value: "N", aliases: ["first"], help: "the first N lines, or units of --mode" },
    },
  } as const satisfies Readonly<Record<string, RequestField | RequestFields>>;
};

/** The number of items of a list in an answer, unless all are requested. */
export const MAX_LISTED = 100;

/** A name only for a new fd. */
export const nameRule = () => ({
  field: "name",
  needs: "extract_to_new_fd",
  otherwise: "to name an existing fd, use fdtool name FD NAME",
} as const satisfies FieldRule);

/** A number of items, or all. */
export const limitRule = () => ({ field: "limit", excludes: ["all"] } as const satisfies FieldRule);

/** The most lines of context on either side of a match or a change: more is what `read` is for. */
const MAX_CONTEXT = 1000;

/** A number of lines of context. */
export const contextField = (description: string, option: FieldOption) => ({
  kind: "integer",
  least: 0,
  most: MAX_CONTEXT,
  expected: `0 to ${MAX_CONTEXT} lines (use read for more)`,
  description,
  option: { value: "N", ...option },
} as const satisfies RequestField);

/** The wanted thing where a call names a slice in two ways. */
export const ONE_WAY = "one way to select the slice";

/** For the range of each mode, such as its field. */
export type RangeFieldsOf<Value> = Readonly<Record<`${SliceMode}s`, Value>>;

/** The names of those fields, one for each mode. */
export const RANGES: Plurals<typeof SLICE_MODES> = ["pages", "lines", "chars"];
type Plurals<Words extends readonly string[]> = { [At in keyof Words]: `${Words[At]}s` };

/** Those of the flags `names` that a request sets. */
export function setFlags<Name extends string>(
  request: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): Partial<Record<Name, true>> {
  const flags: Partial<Record<Name, true>> = {};
  for (const name of names) if (request[name] === true) flags[name] = true;
  return flags;
}
