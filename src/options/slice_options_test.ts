// Promise: a slice is named in one way (contract, Commands).

import { assertEquals, assertThrows } from "@std/assert";
import { sliceRequestOf } from "./slice_options.ts";
import { UsageError } from "../requests/usage_failure.ts";

Deno.test("ranges are start and count of their mode", () => {
  assertEquals(sliceRequestOf("read", { lines: "10-14" }), { mode: "line", start: 10, count: 5 });
  assertEquals(sliceRequestOf("read", { lines: "10" }), { mode: "line", start: 10, count: 1 });
  assertEquals(sliceRequestOf("read", { pages: "2-3" }), { mode: "page", start: 2, count: 2 });
  assertEquals(sliceRequestOf("read", { chars: "0-99" }), { mode: "char", start: 0, count: 100 });
  assertEquals(sliceRequestOf("read", { lines: "7-", mode: "line" }), {
    mode: "line",
    start: 7,
    count: Number.MAX_SAFE_INTEGER,
  });
});

Deno.test("what is no range is told with what is wanted", () => {
  for (const lines of ["14-10", "x", "-5", "1-2-3", "", "1.5", "5-x"]) {
    const { failure } = assertThrows(() => sliceRequestOf("read", { lines }), UsageError);
    assertEquals([failure.kind, "got" in failure && failure.got], ["bad_value", lines]);
  }
});

Deno.test("two ways to name a slice at once are refused, both by name", () => {
  const cases: [Record<string, string | number | boolean>, string, string][] = [
    [{ tail: 5, lines: "1-2" }, "--tail", "--lines"],
    [{ lines: "1-2", pages: "1" }, "--pages", "--lines"],
    [{ lines: "1-2", count: 3 }, "--lines", "--count"],
    [{ all: true, tail: 1 }, "--all", "--tail"],
    [{ mode: "page", lines: "1-2" }, "--mode", "--lines"],
  ];
  for (const [options, first, second] of cases) {
    const { failure } = assertThrows(() => sliceRequestOf("read", options), UsageError);
    assertEquals(failure, {
      kind: "conflict",
      command: "read",
      first,
      second,
      wanted: "one way to name the slice",
    });
  }
});

Deno.test("start 0 and all=false are not ways of their own", () => {
  assertEquals(sliceRequestOf("read", { all: false, mode: "char", start: 0, count: 5 }), {
    mode: "char",
    start: 0,
    count: 5,
    tail: undefined,
  });
});
