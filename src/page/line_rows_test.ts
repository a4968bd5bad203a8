import { assertEquals } from "@std/assert";
import { styledRanges } from "./line_rows.ts";

Deno.test("the ranges of a line have the colours that a terminal would have shown", () => {
  assertEquals(styledRanges("plain \x1b[1;31mred\x1b[0m end", "plain red end"), [[
    6,
    9,
    "bold fg1",
    undefined,
  ]]);
  assertEquals(styledRanges("\x1b[38;5;196mcube\x1b[39m\x1b[48;2;1;2;3mtrue", "cubetrue"), [
    [0, 4, "", { fg: "rgb(255 0 0)" }],
    [4, 8, "", { bg: "rgb(1 2 3)" }],
  ]);
  assertEquals(styledRanges("\x1b[93mbright\x1b[m", "bright"), [[0, 6, "fg11", undefined]]);
  assertEquals(styledRanges("\x1b[1m\x1b[22mplain", "plain"), []);
});

Deno.test("a line in which more was moved or overwritten than colours has none", () => {
  assertEquals(styledRanges("50 %\r\x1b[31mdone\x1b[0m", "done"), []);
  assertEquals(styledRanges("\x1b[2K\x1b[31mred\x1b[0m", "red"), []);
});

Deno.test("a line that is cut has the colours of what is shown", () => {
  assertEquals(styledRanges("\x1b[31mred and more\x1b[0m", "red"), [[0, 3, "fg1", undefined]]);
});
