// Promise: a slice is named in one way (contract, Commands).

import { assertEquals, assertThrows } from "@std/assert";
import { selectSlice, type SliceFields } from "./slice_options.ts";
import { UsageError } from "../requests/usage_failure.ts";

/** The slice that ranges among the options, and fields, select. */
function select(ranges: Record<string, string | number>, fields: SliceFields = {}): SliceFields {
  return selectSlice("read", { command: "read", positionals: ["fd:1"], options: ranges, rest: [] }, fields);
}

Deno.test("ranges are start and count of their mode", () => {
  assertEquals(select({ lines: "10-14" }), { mode: "line", start: 10, count: 5 });
  assertEquals(select({ lines: "10" }), { mode: "line", start: 10, count: 1 });
  assertEquals(select({ pages: "2-3" }), { mode: "page", start: 2, count: 2 });
  assertEquals(select({ chars: "0-99" }), { mode: "char", start: 0, count: 100 });
  assertEquals(select({ lines: "7-" }, { mode: "line" }), {
    mode: "line",
    start: 7,
    count: Number.MAX_SAFE_INTEGER,
  });
});

Deno.test("the head is of lines, or of the mode that is named", () => {
  assertEquals(select({ head: 3 }), { mode: "line", start: 1, count: 3 });
  assertEquals(select({ head: 3 }, { mode: "char" }), { mode: "char", start: 0, count: 3 });
  assertThrows(() => select({ head: 0 }), UsageError);
});

Deno.test("a value that is not a range is refused with what is expected", () => {
  for (const lines of ["14-10", "x", "-5", "1-2-3", "", "1.5", "5-x"]) {
    const { failure } = assertThrows(() => select({ lines }), UsageError);
    assertEquals([failure.kind, "got" in failure && failure.got], ["bad_value", lines]);
  }
});

Deno.test("two ways to name a slice at once are refused, both by name", () => {
  const cases: [Record<string, string | number>, SliceFields, string, string][] = [
    [{ head: 5 }, { tail: 5 }, "--tail", "--head"],
    [{ lines: "1-2" }, { tail: 5 }, "--tail", "--lines"],
    [{ lines: "1-2", pages: "1" }, {}, "--pages", "--lines"],
    [{ lines: "1-2" }, { count: 3 }, "--lines", "--count"],
    [{}, { read_all: true, tail: 1 }, "--all", "--tail"],
    [{ lines: "1-2" }, { mode: "page" }, "--mode", "--lines"],
  ];
  for (const [ranges, fields, first, second] of cases) {
    const { failure } = assertThrows(() => select(ranges, fields), UsageError);
    assertEquals(failure, {
      kind: "conflict",
      command: "read",
      first,
      second,
      wanted: "one way to name the slice",
    });
  }
});

Deno.test("start 0 and read_all=false are not ways of their own", () => {
  assertEquals(select({}, { read_all: false, mode: "char", start: 0, count: 5 }), {
    mode: "char",
    start: 0,
    count: 5,
    read_all: false,
  });
});
