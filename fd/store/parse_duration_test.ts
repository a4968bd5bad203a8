import { assertEquals } from "@std/assert";
import { parseDuration } from "./open_store.ts";

Deno.test("a duration is numbers with units, or seconds, and nothing else", () => {
  const cases: [string, number | undefined][] = [
    ["500ms", 500],
    ["10m", 600_000],
    ["1.5s", 1500],
    ["1m500ms", 60_500],
    ["2d", 172_800_000],
    ["0", 0],
    ["", undefined],
    ["-1s", undefined],
    ["1 s", undefined],
    ["10x", undefined],
    ["1h30", undefined],
    ["1e3", undefined],
  ];
  for (const [text, durationMs] of cases) assertEquals(parseDuration(text, "s"), durationMs, text);
});
