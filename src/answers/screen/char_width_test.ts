import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fitCells, rowsOf, textCells } from "./char_width.ts";

Deno.test("text cells: wide chars take two, marks that combine none", () => {
  assertEquals(textCells(""), 0);
  assertEquals(textCells("üñ"), 2);
  assertEquals(textCells("u\u0308"), 1);
  assertEquals(textCells("漢字"), 4);
  assertEquals(textCells("ｶﾅ"), 2, "halfwidth");
  assertEquals(textCells("ＡＢ"), 4, "fullwidth");
  assertEquals(textCells("한국"), 4);
  assertEquals(textCells("🙂✅"), 4);
  assertEquals(textCells("✓→…│"), 4);
  assertEquals(textCells("a\u200bb"), 2);
});

Deno.test("fitted text never takes more cells than there are, and is whole if it fits", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, cells) => {
    const fitted = fitCells(text, cells);
    assert(textCells(fitted) <= cells);
    if (textCells(text) <= cells) assertEquals(fitted, text);
    else if (cells > 0) assert(fitted.endsWith("…") && text.startsWith(fitted.slice(0, -1)));
  }));
});

Deno.test("a long line takes several rows", () => {
  assertEquals(rowsOf("", 80), 1);
  assertEquals(rowsOf("x".repeat(80), 80), 1);
  assertEquals(rowsOf("x".repeat(81), 80), 2);
  assertEquals(rowsOf("漢".repeat(41), 80), 2);
});
