// Promise: however lines are found, by plain search, by a native expression or by the automaton, they are the same.

import { deepStrictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { lineEnd, type LineFinder, lineFinder, lineStart } from "./line_finder.ts";

/** The starts of the lines that `next` finds. */
function found(next: LineFinder["next"], content: Buffer): number[] {
  const lines: number[] = [];
  for (let at = 0; at < content.length;) {
    const hit = next(content, at, content.length);
    if (hit < 0) break;
    lines.push(lineStart(content, hit, at));
    at = lineEnd(content, hit, content.length);
  }
  return lines;
}

/** Letters with two and with three cases, other chars, and ill-formed bytes. */
const PIECES = [
  "s",
  "S",
  "ſ",
  "k",
  "K",
  "\u212a",
  "i",
  "I",
  "ı",
  "İ",
  "é",
  "É",
  "1",
  " ",
  "\n",
  "å",
  "\u212b",
  "µ",
  "ß",
]
  .map((char) => Buffer.from(char))
  .concat(
    [[0xc5], [0xbf], [0xe2], [0x84], [0xaa], [0xe2, 0x84], [0xff], [0x80]].map((bytes) => Buffer.from(bytes)),
  );

Deno.test("ignoring case, the same lines match as by the automaton, among them long s and the Kelvin sign", () => {
  const letters = fc.array(fc.constantFrom(..."skiSKIé1 µ".split("")), { minLength: 1, maxLength: 4 });
  const pattern = fc.tuple(
    letters.map((chars) => chars.join("")),
    fc.constantFrom("", "", "", ".", "+", "\\b", "|s", "[ks]", "(?-i:k)", "$"),
    fc.constantFrom("", "", "k", "is"),
  ).map((parts) => parts.join(""));
  fc.assert(
    fc.property(
      pattern,
      fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      (source, pieces, fixed, word) => {
        const content = Buffer.concat(pieces);
        const finder = lineFinder({ pattern: source, ignoreCase: true, fixed, word });
        const automaton = finder.automaton();
        const nextMatch = automaton.nextMatch.bind(automaton);
        deepStrictEqual(found(finder.next, content), found(nextMatch, content));
      },
    ),
    { numRuns: 1200 },
  );
});
