// Promise: a read accepts exactly the record lines that the schemas describe.

import { strictEqual } from "node:assert/strict";
import fc from "fast-check";
import * as v from "valibot";
import { arePossible, isRecordLine, LAST_MOMENT_MS } from "./record_line.ts";

/** The schema of each line. */
const wholeFrom = (least: number) =>
  v.custom<number>((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least);

const count = wholeFrom(0);
const moment = v.pipe(count, v.maxValue(LAST_MOMENT_MS));
const maybeCount = v.optional(count);
const text = v.string();
const maybeText = v.optional(text);
const mode = v.picklist(["page", "line", "char"]);

const processFields = v.object({
  pid: count,
  started: maybeText,
  boot: maybeText,
  space: maybeText,
});

const claimLine = v.object({
  event: v.literal("claim"),
  at: moment,
  source: text,
  page_size: wholeFrom(1),
  command: v.optional(v.array(text)),
  cwd: maybeText,
  parent: v.optional(v.object({ id: count, mode, start: count, count })),
  imported_at: v.optional(moment),
  before: v.optional(count),
  host: maybeText,
  writer: processFields,
});

const commandLine = v.object({ event: v.literal("command"), process: processFields });

const stopLine = v.object({ event: v.literal("stop"), at: moment, signal: text, grace_ms: count });

const sealLine = v.object({
  event: v.literal("seal"),
  at: moment,
  bytes: count,
  chars: count,
  line_feeds: count,
  lines: count,
  pages: count,
  sum: count,
  ended: v.picklist(["whole", "incomplete"]),
  gap: v.optional(v.object({ at_byte: count, dropped_bytes: count })),
  exit_code: maybeCount,
  signal: maybeText,
  duration_ms: maybeCount,
});

const storedLine = v.object({
  event: v.literal("stored"),
  data: v.pipe(text, v.regex(/^[0-9a-f]{12}$/)),
  segment_bytes: wholeFrom(1),
  form: v.picklist(["plain", "pack"]),
  bytes: count,
  host: maybeText,
});

const keepLine = v.object({ event: v.literal("keep"), nonce: text });

const digestLine = v.object({ event: v.literal("digest"), sha256: text });

const tombLine = v.object({
  event: v.literal("tomb"),
  at: moment,
  why: text,
  bytes: count,
  sha256: maybeText,
});

const recordLine = v.variant("event", [
  claimLine,
  commandLine,
  stopLine,
  sealLine,
  digestLine,
  tombLine,
  storedLine,
  keepLine,
]);

function fitsRecordSchema(value: unknown): boolean {
  return v.is(recordLine, value) && (value.event !== "seal" || arePossible(value));
}

const process = { pid: 7, started: "12", boot: "b", space: "pid:[1]" };

const LINES: Readonly<Record<string, unknown>>[] = [
  {
    event: "claim",
    at: 1,
    source: "stdin",
    page_size: 4000,
    command: ["make"],
    cwd: "/",
    parent: { id: 1, mode: "line", start: 1, count: 2 },
    imported_at: 2,
    before: 3,
    writer: process,
  },
  { event: "claim", at: 1, source: "stdin", page_size: 4000, writer: { pid: 7 } },
  { event: "command", process },
  { event: "stop", at: 1, signal: "TERM", grace_ms: 5000 },
  {
    event: "seal",
    at: 1,
    bytes: 8,
    chars: 8,
    line_feeds: 2,
    lines: 2,
    pages: 1,
    sum: 4_294_967_295,
    ended: "whole",
    gap: { at_byte: 1, dropped_bytes: 2 },
    exit_code: 0,
    signal: "INT",
    duration_ms: 3,
  },
  { event: "digest", sha256: "ab" },
  { event: "tomb", at: 1, why: "removed by rm", bytes: 8, sha256: "ab" },
  { event: "stored", data: "0123456789ab", segment_bytes: 8, form: "pack", bytes: 16, host: "ci" },
  { event: "keep", nonce: "ab" },
];

const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    true,
    "",
    "page",
    "whole",
    -1,
    0,
    1,
    1.5,
    2 ** 53,
    [],
    ["a"],
    [1],
    {},
  ),
  fc.jsonValue(),
);

/** Paths of all fields of `line`, nested ones included. */
function fieldsOf(line: object, before: readonly string[] = []): string[][] {
  return Object.entries(line).flatMap(([name, value]) => [
    [...before, name],
    ...typeof value === "object" && value !== null ? fieldsOf(value, [...before, name]) : [],
  ]);
}

function withField(value: unknown, [name, ...inside]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...value as object };
  const fields = copy as Record<string, unknown>;
  const changed = withField(fields[name], inside, to);
  if (changed === undefined) delete fields[name];
  else fields[name] = changed;
  return copy;
}

Deno.test("both validators accept lines as written", () => {
  for (const line of LINES) {
    strictEqual(isRecordLine(line), true, JSON.stringify(line));
    strictEqual(fitsRecordSchema(line), true, JSON.stringify(line));
  }
});

Deno.test("both validators agree on a line with one changed field", () => {
  for (const line of LINES) {
    for (const field of fieldsOf(line)) {
      fc.assert(
        fc.property(wrong, (to) => {
          const changed = JSON.parse(JSON.stringify(withField(line, field, to)));
          strictEqual(isRecordLine(changed), fitsRecordSchema(changed), JSON.stringify(changed));
        }),
        { numRuns: 40 },
      );
    }
  }
});

Deno.test("both validators reject any other value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      strictEqual(isRecordLine(value), false);
      strictEqual(fitsRecordSchema(value), false);
    }),
  );
});
