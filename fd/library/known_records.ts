/** The shapes of the library's records, for the checks of its arguments. @module */

import { SLICE_MODES } from "../failures.ts";
import { refuseArgument } from "../disk/check_argument.ts";
import { MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "../bytes/page_rule.ts";
import {
  aCount,
  aFlag,
  aFunction,
  aMoment,
  aName,
  aPath,
  aText,
  aWholeNumber,
  type Check,
  fields,
  listOf,
  madeHere,
  oneOf,
  optional,
  someBytes,
  someTime,
} from "./argument_checks.ts";

const texts = listOf(aText, "an array of strings");
const names = listOf(aName, "an array of names");
const aMode = oneOf(SLICE_MODES);
/** 0 for no limit. */
const aLimit = optional(aCount(0));

export const storeLimits: Check = fields({ maxBytes: aLimit, quotaBytes: aLimit, ttlMs: optional(someTime) });

const aStore: Check = madeHere({ path: aText, limits: madeHere({}, "limits") }, "a store from openStore");

const anEntry: Check = madeHere({
  id: aCount(1),
  state: oneOf(["sealed", "live", "incomplete"]),
  byteCount: aCount(0),
  contentPath: aText,
}, "an entry from findFd, listFds or a put");

const someEntries: Check = listOf(anEntry, "an array of entries");

const putOptions: Check = fields({
  source: aText,
  pageSize: optional(aCount(MIN_PAGE_SIZE, MAX_PAGE_SIZE)),
  command: optional(texts),
  cwd: optional(aText),
  names: optional(names),
  maxBytes: aLimit,
  parent: optional(fields({ id: aCount(1), mode: aMode, start: aCount(0), count: aCount(0) })),
  durable: optional(aFlag),
});

const putEnd: Check = optional(fields({
  exitCode: optional(aCount(0, 255)),
  signal: optional(aText),
  durationMs: optional(someTime),
  incomplete: optional(aFlag),
}));

export const deriveOptions: Check = fields({ names: optional(names) });

const wholeContent = fields({
  all: (field, value) => value === true || refuseArgument(field, value, "true"),
});
const sinceCursor = fields({ since: aCount(0) });
const lastUnits = fields({ mode: aMode, tail: aCount(1) });
const unitsFrom = fields({ mode: aMode, start: optional(aWholeNumber), count: optional(aCount(1)) });

/** A start beyond the content is not refused here: that failure states the valid range. */
const sliceRequest: Check = (field, value) => {
  if (typeof value !== "object" || value === null) {
    refuseArgument(field, value, "{ mode, start, count }, { mode, tail }, { since } or { all: true }");
  }
  const check = "all" in value
    ? wholeContent
    : "since" in value
    ? sinceCursor
    : "tail" in value
    ? lastUnits
    : unitsFrom;
  check(field, value);
};

export const byteRange: Check = (field, value) => {
  madeHere({ fromByte: aCount(0), toByte: aCount(0) }, "a slice from locateSlice, or { fromByte, toByte }")(
    field,
    value,
  );
};

/** A slice that {@link deriveFd} notes as the origin of a new fd. */
const aSlice: Check = madeHere({
  mode: aMode,
  start: aCount(0),
  count: aCount(0),
  fromByte: aCount(0),
  toByte: aCount(0),
}, "a slice from locateSlice");

const aPattern: Check = (field, value) => {
  if (typeof value === "string") return;
  listOf(aText, "a string or an array of strings")(field, value);
};

const searchFields = {
  pattern: aPattern,
  fixed: optional(aFlag),
  ignoreCase: optional(aFlag),
  word: optional(aFlag),
  clean: optional(aFlag),
  invert: optional(aFlag),
  keep: aCount(0),
  stopAfter: optional(aCount(1)),
  shapes: optional(aFlag),
  onLine: optional(aFunction),
} satisfies Record<string, Check>;

export const searchRequest: Check = fields({ ...searchFields, extract: optional(putOptions) });
export const searchRequestOfMany: Check = fields(searchFields);

export const garbageRequest: Check = fields({
  dryRun: optional(aFlag),
  nowMs: optional(aMoment),
  spared: optional(listOf(aCount(1), "an array of ids")),
  trustClock: optional(aFlag),
});

export const forkOptions: Check = fields({ ids: optional(listOf(aCount(1), "an array of ids")) });

/** The checks of arguments by name, as far as a name has the same meaning in most calls. */
const USUAL_CHECKS: Readonly<Record<string, Check>> = {
  store: aStore,
  entry: anEntry,
  entries: someEntries,
  id: aCount(1),
  bytes: someBytes,
  path: aPath,
  options: putOptions,
  end: putEnd,
  request: sliceRequest,
  slice: aSlice,
  nowMs: aMoment,
};

/** Checks the arguments of a call by name, in order: those in `own` by these checks, the others as usual. */
export function checkArguments(
  given: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, Check>> = {},
): void {
  for (const name in given) (own[name] ?? USUAL_CHECKS[name]!)(name, given[name]);
}
