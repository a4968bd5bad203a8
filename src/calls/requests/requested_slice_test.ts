// Promise: a slice is named in one way, which means the same everywhere (contract, Commands and Agents).

import { assertEquals, assertThrows } from "@std/assert";
import { FdError } from "../../../fd/system.ts";
import { brokenRules } from "./field_rules.ts";
import { readRules } from "./read_request.ts";
import { rangeOrAll, type SliceFields, withPlainSlice } from "./requested_slice.ts";

Deno.test("ranges are start and count of their mode", () => {
  assertEquals(rangeOrAll({ lines: "10-14" }), { mode: "line", start: 10, count: 5 });
  assertEquals(rangeOrAll({ lines: "10" }), { mode: "line", start: 10, count: 1 });
  assertEquals(rangeOrAll({ pages: "2-3" }), { mode: "page", start: 2, count: 2 });
  assertEquals(rangeOrAll({ chars: "0-99" }), { mode: "char", start: 0, count: 100 });
  const count = Number.MAX_SAFE_INTEGER;
  assertEquals(rangeOrAll({ lines: "7-", mode: "line" }), { mode: "line", start: 7, count });
  assertEquals(rangeOrAll({}), { all: true });
});

Deno.test("the head is of lines, or of the mode that is named", () => {
  assertEquals(rangeOrAll({ head: 3 }), { mode: "line", start: 1, count: 3 });
  assertEquals(rangeOrAll({ head: 3, mode: "char" }), { mode: "char", start: 0, count: 3 });
});

Deno.test("what is not a range, a second one, and one of another mode are refused by name", () => {
  const refused = (fields: SliceFields) => {
    const { failure } = assertThrows(() => rangeOrAll(fields), FdError);
    return failure.kind === "invalid_parameter" ? [failure.field, failure.got] : failure;
  };
  for (const lines of ["14-10", "x", "-5", "1-2-3", "", "1.5", "5-x"]) {
    assertEquals(refused({ lines }), ["lines", lines]);
  }
  assertEquals(refused({ pages: "1", lines: "1-2" }), ["lines", "1-2"]);
  assertEquals(refused({ lines: "1-2", mode: "page" }), ["mode", "page"]);
});

Deno.test("two ways to name a slice at once break a rule that names both", () => {
  const cases: [Record<string, unknown>, string, string][] = [
    [{ head: 5, tail: 5 }, "tail", "head"],
    [{ lines: "1-2", tail: 5 }, "tail", "lines"],
    [{ lines: "1-2", count: 3 }, "lines", "count"],
    [{ read_all: true, tail: 1 }, "tail", "read_all"],
    [{ read_all: true, chars: "1" }, "chars", "read_all"],
    [{ since: 0, pages: "1" }, "since", "pages"],
  ];
  for (const [request, first, second] of cases) {
    const [broken] = brokenRules(readRules(), request);
    assertEquals(broken?.kind === "conflict" && [broken.first, broken.second], [first, second]);
  }
  assertEquals(brokenRules(readRules(), { read_all: true, mode: "char", start: 0, count: 5 }), []);
});

Deno.test("all of the content has no mode, start or count", () => {
  const request = { read_all: true, mode: "char", start: 0, count: 5 } as const;
  const none = { mode: undefined, start: undefined, count: undefined };
  assertEquals(withPlainSlice<SliceFields>(request), { read_all: true, ...none });
});
