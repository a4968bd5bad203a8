// Promise: text that a pattern requires is in every match, within the reach of a frame's filter, letters' case aside.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parsePattern, parsePlainText } from "./pattern_syntax.ts";
import { MAX_PART_BYTES, requiredParts } from "./required_parts.ts";

const partsOf = (pattern: string, ignoreCase = false) => requiredParts(parsePattern(pattern, ignoreCase));

Deno.test("required text is found in concatenations, repeats and branches", () => {
  assertEquals(partsOf("no such text"), [["no such text"]]);
  assertEquals(partsOf("error: .*timed out|^warning$"), [["timed out"], ["warning"]]);
  assertEquals(partsOf("took \\d{2,4} seconds"), [["took ", " seconds"]]);
  assertEquals(partsOf("(?:connection|socket) (?:lost)+"), [["connection"], ["socket"]]);
  assertEquals(partsOf("a\\bbc"), [["abc"]]);
  assertEquals(partsOf("(?:deadline){2}"), [["deadline"]]);
  assertEquals(partsOf("é…"), [["é…"]]);
  for (
    const pattern of ["", "ab", "a.b.c", "abc|d", "(?:abc)?", "(?:abc)*", "abc|", "[abc]{9}", "\uFFFD{3}"]
  ) {
    assertEquals(partsOf(pattern), undefined, pattern);
  }
});

Deno.test("ignoring case, only letters with two cases are required", () => {
  const others = Array.from({ length: 0x11_0000 - 0x80 }, (_, n) => String.fromCodePoint(0x80 + n)).join("");
  const lettersThatMatchMore = Array.from("abcdefghijklmnopqrstuvwxyz").filter((letter) =>
    new RegExp(letter, "iu").test(others)
  );
  assertEquals(lettersThatMatchMore, ["k", "s"]);
  assertEquals(partsOf("Timeout after 30", true), [["Timeout after 30"]]);
  assertEquals(partsOf("no such text", true), [["no ", "uch text"]]);
  assertEquals(partsOf("(?i:abc)def"), [["abcdef"]]);
  for (const pattern of ["ÉÉÉ", "sss", "kkk", "aßßa"]) {
    assertEquals(partsOf(pattern, true), undefined, pattern);
  }
  assertEquals(requiredParts(parsePlainText("日本", true)), [["日本"]]);
});

Deno.test("parts that may be further apart than a filter reaches are not required together", () => {
  assertEquals(partsOf("first.{0,40}second"), [["first", "second"]]);
  assertEquals(partsOf("first.{0,70}second"), [["second"]]);
  assertEquals(partsOf("first.*second"), [["second"]]);
  assertEquals(partsOf("a".repeat(1000)), [["a".repeat(MAX_PART_BYTES)]]);
});

/** A pattern, and a text that it matches. */
const matching: fc.Arbitrary<[pattern: string, text: string]> =
  fc.letrec<{ node: [string, string] }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<[string, string]>(
        ["abc", "abc"],
        ["K", "\u212a"],
        ["x", "X"],
        [".", "€"],
        ["\\d", "7"],
        [
          "É",
          "é",
        ],
        ["^", ""],
      ),
      fc.array(tie("node"), { maxLength: 4 }).map((nodes): [string, string] => [
        nodes.map(([pattern]) => pattern).join(""),
        nodes.map(([, text]) => text).join(""),
      ]),
      fc.tuple(fc.array(tie("node"), { minLength: 1, maxLength: 3 }), fc.nat()).map((
        [nodes, chosen],
      ): [string, string] => [
        `(?:${nodes.map(([pattern]) => pattern).join("|")})`,
        nodes[chosen % nodes.length]![1],
      ]),
      fc.tuple(
        tie("node"),
        fc.constantFrom<[string, number, number]>(["*", 0, 5], ["+", 1, 5], ["?", 0, 1], [
          "{2,90}",
          2,
          90,
        ]),
        fc.nat(),
      ).map(([[pattern, text], [repeat, least, most], count]): [string, string] => [
        `(?:${pattern})${repeat}`,
        text.repeat(least + count % (most - least + 1)),
      ]),
    ),
  })).node;

Deno.test("whatever a pattern matches has one of its required parts near its first text", () => {
  const fold = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  fc.assert(
    fc.property(matching, ([pattern, text]) => {
      fc.pre(text.length < 5000);
      const parts = requiredParts(parsePattern(pattern, true));
      const bytes = new TextEncoder().encode(fold(text));
      const latin1 = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
      const asLatin1 = (part: string) =>
        Array.from(new TextEncoder().encode(fold(part)), (byte) => String.fromCharCode(byte)).join("");
      const isNear = (part: readonly string[]) => {
        for (
          let at = latin1.indexOf(asLatin1(part[0]!));
          at >= 0;
          at = latin1.indexOf(asLatin1(part[0]!), at + 1)
        ) {
          const near = latin1.slice(at, at + MAX_PART_BYTES);
          if (part.every((each) => near.includes(asLatin1(each)))) return true;
        }
        return false;
      };
      assert(parts === undefined || parts.some(isNear), `${pattern} ${JSON.stringify(parts)} in ${text}`);
    }),
    { numRuns: 800 },
  );
});
