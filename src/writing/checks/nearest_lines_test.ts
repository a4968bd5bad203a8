// Promise: a text that was not found is explained by its difference; one mistake that leads to one place is corrected.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { EditedText } from "./edited_text.ts";
import { nearestLines } from "./nearest_lines.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function missOf(content: string, sought: string) {
  return nearestLines(new EditedText(encode(content)), encode(sought), "old_string");
}

Deno.test("each difference is named, with code points of what cannot be seen", () => {
  const cases: [content: string, sought: string, why: string][] = [
    [
      "if x:\n\treturn 1\n",
      "    return 1",
      'has "\\treturn 1" (1 tab), old_string "    return 1" (4 spaces)',
    ],
    ["a = b\u00a0c\n", "a = b c", '"a = b\\u00a0c" (U+00A0, no-break space)'],
    ["x\u200by = 1\n", "xy = 1", "U+200B, zero-width space"],
    ["say “hi”\n", 'say "hi"', "U+201C"],
    ["cafe\u0301 = 1\n", "café = 1", 'U+0065 U+0301, NFD), old_string "café = 1" (U+00E9)'],
    ["foo\nreturn bar", "return bar\n", "the file has no line end after line 2"],
    [
      "f():\n    return 1\n",
      "2:    return 1",
      "line numbers before its lines (`2:`), as digests do: without them",
    ],
    [
      "f():\n    return 1\n",
      "     2\t    return 1",
      "(`2\\t`), as digests do: without them it matches on line 2",
    ],
    ["a\nb\n", "a\\nb", "`\\n` is two characters here"],
    ["foo\r\nbar\nbaz\r\n", "foo\nbar\nbaz", "line 1 ends with CRLF, line 2 with LF"],
    ["foo\r\nbar\r\n", "foo\nbar", "line 1 ends with CRLF, that of old_string with LF"],
  ];
  for (const [content, sought, why] of cases) {
    const miss = missOf(content, sought);
    assertStringIncludes(miss.why ?? "", why);
    assert(miss.corrected !== undefined, sought);
  }
});

Deno.test("of a long line the part around the difference is shown, with its column", () => {
  const filler = "abc ".repeat(50_000);
  for (
    const [sought, differs] of [["value=13; the end", "text"], ["value=12;  the end", "white space"]] as const
  ) {
    const { nearest: [line], why } = missOf(`${filler}value=12; the end ${filler}`, sought);
    assertEquals(line?.differs, [differs]);
    assert(line!.text.length < 300 && line!.text.includes("value=12; the end"), line!.text);
    assert(line!.column! > filler.length && line!.charOffset === line!.column! - 1);
    assertStringIncludes(why!, "value=12;");
  }
});

Deno.test("several places, or several readings, are shown and none is offered", () => {
  const twice = missOf("\tfoo(1)\nbar\n  foo(1)\n", "    foo(1)");
  assertEquals(twice.nearest.map(({ lineNumber }) => lineNumber), [1, 3]);
  assertEquals(twice.corrected, undefined);
  const readings = missOf("foo( 1 )\nFoo(1)\n", "foo(1)");
  assertEquals(readings.nearest.map(({ differs }) => differs[0]), ["white space", "case"]);
  assertEquals(readings.corrected, undefined);
});

Deno.test("the replacement is read as the sought text was", () => {
  const replaced = (content: string, sought: string, replacement: string) =>
    missOf(content, sought).corrected?.replacement(replacement);
  assertEquals(replaced("f():\n    return 1\n", "2:    return 1", "2:    return 2"), "    return 2");
  assertEquals(replaced("a\nb\n", "a\\nb", "a\\nc"), "a\nc");
  assertEquals(replaced("a\nb", "b\n", "c\n"), "c");
  const indented = "    if x:\n        return 2\n    else:\n            return 3";
  assertEquals(
    replaced("def f():\n\tif x:\n\t\treturn 1\n", "    if x:\n        return 1", indented),
    "\tif x:\n\t\treturn 2\n\telse:\n\t\t\treturn 3",
  );
});

/** Mistakes: each makes of a text that is in a content one that is not. */
const MISTAKES: readonly ((text: string, firstLine: number) => string)[] = [
  (text) => text.replaceAll("\t", "    "),
  (text) => text.replaceAll("\u00a0", " "),
  (text) => text.replaceAll("\u200b", ""),
  (text) => text.replaceAll(/[“”]/g, '"'),
  (text) => text.normalize("NFC"),
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replaceAll("\n", "\\n").replaceAll("\t", "\\t"),
  (text, line) => text.split("\n").map((each, at) => `${line + at}:${each}`).join("\n"),
  (text, line) => text.split("\n").map((each, at) => `${String(line + at).padStart(6)}\t${each}`).join("\n"),
  (text) => text.toUpperCase(),
];

Deno.test("the replacement is escaped as the file escapes what was sought", () => {
  const cases: [content: string, sought: string, given: string, wanted: string | undefined][] = [
    ['re = "\\\\d"\n', 're = "\\d"', 're = "\\w"', 're = "\\\\w"'],
    ['re = "\\\\d"\n', 're = "\\d"', 're = "\\\\w"', 're = "\\\\w"'],
    ["a &lt; b && c\n", "a < b && c", "a < z && c", "a &lt; z && c"],
    ['s = "say \\"hi\\""\n', 'say "hi"', 'say "$&"', 'say \\"$&\\"'],
    ["x &amp; y && z\n", "x & y && z", "x & q", undefined],
  ];
  for (const [content, sought, given, wanted] of cases) {
    assertEquals(missOf(content, sought).corrected?.replacement(given), wanted, content);
  }
});

Deno.test("a part of a ligature is not corrected to all of it", () => {
  for (const [content, sought] of [["\ufb01le x\n", "ile x"], ["1\u00bd cup\n", "2 cup"]] as const) {
    assertEquals(missOf(content, sought).corrected, undefined, content);
  }
  assertEquals(missOf("the \ufb01le\n", "the file").corrected?.text, "the \ufb01le");
});

Deno.test("a text with one mistake is corrected to the place that was meant", () => {
  const words = ["\treturn x", "say “hi”", "a\u00a0b", "cafe\u0301", "zero\u200bwidth", "if (ok) {"];
  const endings = fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 8, maxLength: 8 });
  const picked = fc.array(fc.constantFrom(...words), { minLength: 8, maxLength: 8 });
  const range = fc.tuple(fc.nat(7), fc.nat(3), fc.constantFrom(...MISTAKES));
  fc.assert(
    fc.property(picked, endings, range, (chosen, ends, [first, count, mistake]) => {
      // Each line is there once.
      const lines = chosen.map((word, at) => `${word} number ${"abcdefgh"[at]}`);
      const text = (from: number, to: number) =>
        lines.slice(from, to).map((line, at) => line + ends[from + at]).join("");
      const content = text(0, 8);
      const meant = text(first, first + count + 1).replace(/\r?\n$/, "");
      const written = mistake(meant, first + 1);
      fc.pre(!content.includes(written));
      const { nearest, corrected } = missOf(content, written);
      assertEquals(nearest[0]?.lineNumber, first + 1);
      const { eol, text: found = "" } = corrected ?? {};
      const matches = eol === undefined ? found : found.replace(/\r?\n/g, eol === "crlf" ? "\r\n" : "\n");
      assertEquals(matches, meant);
    }),
    { numRuns: 500 },
  );
});
