// Promise: a pattern matches where it matches in JavaScript, and no pattern can hang.

import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { FdError } from "../disk/errors.ts";
import { spanFinder } from "./pattern_spans.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function textsOf(text: string, pattern: string): string[] {
  const bytes = bytesOf(text);
  return spanFinder(pattern).spans(bytes)
    .map(({ fromByte, toByte }) =>
      `${fromByte}:${new TextDecoder().decode(bytes.subarray(fromByte, toByte))}`
    );
}

/** The matches that JavaScript finds, line by line. */
function modelled(text: string, pattern: string): string[] {
  const found: string[] = [];
  let lineStart = 0;
  for (const line of text.split("\n")) {
    for (const match of line.replace(/\r$/, "").matchAll(new RegExp(pattern, "gu"))) {
      const fromByte = lineStart + bytesOf(line.slice(0, match.index)).length;
      if (match[0] !== "") found.push(`${fromByte}:${match[0]}`);
    }
    lineStart += bytesOf(line).length + 1;
  }
  return found;
}

Deno.test("spans match JavaScript's: greedy, lazy, ordered alternatives, assertions", () => {
  const text = "aab abbb\nb a-ab\r\n\nxa ay bab é-é";
  for (
    const pattern of [
      "a+",
      "a+?",
      "a|ab",
      "ab|a",
      "^a.*b",
      "a.*?b",
      "b$",
      "\\ba",
      "a\\b",
      "(a|b){2,3}",
      "(a|b){2,3}?",
      "é-?é?",
      "(?:a|b)*?b",
    ]
  ) {
    assertEquals(textsOf(text, pattern), modelled(text, pattern), pattern);
  }
});

Deno.test("spans of random patterns match JavaScript's", () => {
  const piece = fc.constantFrom("a", "b", "é", ".", "[ab]", "(?:a|ab)", "(?:b|)", "^", "$");
  const quantifier = fc.constantFrom("", "", "?", "??", "+", "+?", "{1,2}", "{1,2}?");
  const pattern = fc.array(fc.tuple(piece, quantifier), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.map(([one, many]) => one === "^" || one === "$" ? one : one + many).join(""));
  const text = fc.array(fc.constantFrom("a", "b", "é", "\n", "\r\n", "-"), { maxLength: 12 })
    .map((parts) => parts.join(""));
  fc.assert(fc.property(text, pattern, (given, sought) => {
    assertEquals(textsOf(given, sought), modelled(given, sought));
  }));
});

Deno.test("a pattern that makes backtracking hang is matched or refused", () => {
  const line = bytesOf(`${"a".repeat(20_000)}!`);
  for (const pattern of ["(a+)+$", "(a|a)*b", "(a|aa)+$"]) assertEquals(spanFinder(pattern).spans(line), []);
  const thrown = assertThrows(() => spanFinder("a.*b|a").spans(bytesOf("a".repeat(50_000))));
  assert(thrown instanceof FdError && thrown.failure.kind === "invalid_parameter");
});
