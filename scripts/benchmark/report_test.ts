import { assertEquals } from "@std/assert";
import type { Row } from "./benchmark_row.ts";
import { quantile } from "./measure_turns.ts";
import { shownValue, verdictOf } from "./report.ts";

Deno.test("quantiles lie between the values next to them", () => {
  assertEquals(quantile([3, 1, 2], 0.5), 2);
  assertEquals(quantile([4, 1, 2, 3], 0.5), 2.5);
  assertEquals(quantile([5], 0.25), 5);
});

Deno.test("a row says which of its goals it reached", () => {
  const row = (value: number | undefined, rest: Partial<Row> = {}): Row => {
    return {
      group: "g",
      name: "n",
      peer: "p",
      unit: "x",
      value,
      now: { most: 2 },
      stretch: { most: 1 },
      ...rest,
    };
  };
  assertEquals([0.9, 1.5, 2.1].map((value) => verdictOf(row(value))), ["stretch", "now", "MISSED"]);
  assertEquals(verdictOf(row(60, { now: { least: 50 }, stretch: { least: 80 } })), "now");
  assertEquals(verdictOf(row(undefined)), "");
  assertEquals(verdictOf(row(9, { now: undefined, stretch: undefined })), "");
});

Deno.test("values are shown in their unit", () => {
  assertEquals(shownValue({ value: 1.234, unit: "x" }), "1.23");
  assertEquals(shownValue({ value: 48 * 2 ** 20, unit: "bytes" }), "48.0 MiB");
  assertEquals(shownValue({ value: 2048, unit: "bytes" }), "2 KiB");
  assertEquals(shownValue({ value: 266.7, unit: "ms" }), "267 ms");
  assertEquals(shownValue({ value: undefined, unit: "count" }), "–");
});
