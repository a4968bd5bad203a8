// Promise: words are split as the common parser does: `parseArgs` of `node:util` is the reference.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseArgs } from "node:util";
import { optionTable } from "./option_spellings.ts";
import { splitWords } from "./split_words.ts";

const TABLE = optionTable([
  ["start", "text", "N", "?"],
  ["all", "flag", undefined, "?"],
  ["after", "text", "N", "?", undefined, undefined, "A"],
  ["ignore", "flag", undefined, "?", undefined, undefined, "i"],
  ["number", "flag", undefined, "?", undefined, undefined, "n"],
]);

function split(words: readonly string[]) {
  return splitWords(words, [TABLE]);
}

/** The tokens of the reference, without properties that are not compared. */
function reference(words: readonly string[]) {
  const { tokens } = parseArgs({
    args: [...words],
    options: {
      start: { type: "string" },
      all: { type: "boolean" },
      after: { type: "string", short: "A" },
      ignore: { type: "boolean", short: "i" },
      number: { type: "boolean", short: "n" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  return tokens.map((token) => {
    if (token.kind !== "option") return token;
    const { inlineValue: _, ...rest } = token;
    return rest;
  });
}

/** The reference takes a dash among letters (`-i-`) for the end of all options. */
const DASH_AMONG_LETTERS = /^-[^A-]+-/;

const word = fc.oneof(
  fc.constantFrom(
    "--",
    "-",
    "",
    "fd:1",
    "--start",
    "--all",
    "--after=2",
    "-A",
    "-A3",
    "-in",
    "-niA",
    "--start=",
  ),
  fc.string({ unit: fc.constantFrom("-", "=", "A", "i", "n", "x", "start", "all", " ", "3"), maxLength: 6 }),
).filter((written) => !DASH_AMONG_LETTERS.test(written));

Deno.test("any words are split as node:util splits them", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      assertEquals(split(words), reference(words), JSON.stringify(words));
    }),
    { numRuns: 800 },
  );
});

Deno.test("a letter is a whole char, whatever its size in UTF-16", () => {
  assertEquals(split(["-😀"]), [{ kind: "option", name: "😀", rawName: "-😀", index: 0, value: undefined }]);
});
