import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { convertLineEnds, lineCountOf, styleOf, tallyLineEnds } from "./line_ends.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const count = (text: string) => lineCountOf(tallyLineEnds([encode(text)]));

Deno.test("rewrite counts CRLF, lone CR and LF as one line end each, and no line after the last", () => {
  const cases: [string, number][] = [
    ["", 0],
    ["a", 1],
    ["\n", 1],
    ["\r", 1],
    ["\r\n", 1],
    ["\n\r", 2],
    ["a\nb\n", 2],
    ["a\nb", 2],
    ["a\r\nb\r\n", 2],
    ["a\rb\r", 2],
    ["a\r\r\nb", 3],
    ["a\n\nb", 3],
    ["a\u2028b\fc\u0085d", 1],
  ];
  for (const [text, wanted] of cases) assertEquals(count(text), wanted, JSON.stringify(text));
});

Deno.test("the line count equals that of the normalised text, however it is split in chunks", () => {
  const text = fc.array(fc.constantFrom("a", "b", "\r", "\n", "\r\n"), { maxLength: 40 }).map((parts) =>
    parts.join("")
  );
  fc.assert(fc.property(text, fc.nat(40), (content, cut) => {
    const bytes = encode(content);
    const normal = content.replace(/\r\n?/g, "\n");
    const wanted = normal === "" ? 0 : normal.replace(/\n$/, "").split("\n").length;
    assertEquals(lineCountOf(tallyLineEnds([bytes.subarray(0, cut), bytes.subarray(cut)])), wanted);
  }));
});

Deno.test("converting line ends changes nothing else", () => {
  assertEquals(decode(convertLineEnds(encode("a\nb\r\nc\rd\n"), "crlf")), "a\r\nb\r\nc\rd\r\n");
  assertEquals(decode(convertLineEnds(encode("a\nb\r\nc\rd\r\n"), "lf")), "a\nb\nc\rd\n");
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    const there = convertLineEnds(convertLineEnds(bytes, "lf"), "crlf");
    assertEquals(convertLineEnds(there, "crlf"), there);
    assertEquals(convertLineEnds(there, "lf"), convertLineEnds(bytes, "lf"));
  }));
});

Deno.test("the line end style is that of all lines, mixed, or none", () => {
  const style = (text: string) => styleOf(tallyLineEnds([encode(text)]));
  assertEquals([style("a"), style("a\n"), style("a\r\n"), style("a\r"), style("a\nb\r\n")], [
    "none",
    "lf",
    "crlf",
    "cr",
    "mixed",
  ]);
});
