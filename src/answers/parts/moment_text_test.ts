import { assertEquals } from "@std/assert";
import { ageText, agoText, durationText } from "./moment_text.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

Deno.test("ages are in the largest unit that gives at least one", () => {
  const now = Date.UTC(2026, 10, 23);
  const ago = (ms: number) => ageText(now - ms, now);
  assertEquals(ago(0), "now");
  assertEquals(ago(-5 * HOUR), "now", "a clock that went back");
  assertEquals(ago(NaN), "now");
  assertEquals(ago(59 * SECOND), "now");
  assertEquals(ago(60 * SECOND), "1 min");
  assertEquals(ago(HOUR - 1), "59 min");
  assertEquals(ago(HOUR), "1 h");
  assertEquals(ago(47 * HOUR), "1 d");
  assertEquals(ago(364 * 24 * HOUR), "364 d");
  assertEquals(ago(800 * 24 * HOUR), "2 y");
  assertEquals(agoText(now, now), "just now");
  assertEquals(agoText(now - HOUR, now), "1 h ago");
});

Deno.test("durations have two units at most, and never sixty of one", () => {
  assertEquals(durationText(0), "0 ms");
  assertEquals(durationText(999.4), "999 ms");
  assertEquals(durationText(999.6), "1.0 s");
  assertEquals(durationText(59_949), "59.9 s");
  assertEquals(durationText(59_960), "1 min 0 s");
  assertEquals(durationText(125_000), "2 min 5 s");
  assertEquals(durationText(3_599_600), "1 h 0 min");
  assertEquals(durationText(3_780_000), "1 h 3 min");
});
