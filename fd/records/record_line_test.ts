// Promise: a read takes the record lines that the schemas describe, and no others.

import { strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { isRecordLine } from "./record_line.ts";
import { fitsRecordSchema } from "./record_schema.ts";

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

/** Every way to a field of `line`, those inside of its fields too. */
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

Deno.test("lines as they are written are taken by both", () => {
  for (const line of LINES) {
    strictEqual(isRecordLine(line), true, JSON.stringify(line));
    strictEqual(fitsRecordSchema(line), true, JSON.stringify(line));
  }
});

Deno.test("a line with one field that is another thing is taken by both or by neither", () => {
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

Deno.test("any other value is taken by neither", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      strictEqual(isRecordLine(value), false);
      strictEqual(fitsRecordSchema(value), false);
    }),
  );
});
