import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { LineAutomaton } from "./line_automaton.ts";
import { lineFinder, type PatternOptions } from "./line_finder.ts";
import { compileProgram } from "./pattern_program.ts";
import { parsePattern } from "./pattern_syntax.ts";

/** Whether the finder matches `line` (without line feed), whole and in pieces. */
function takes(options: PatternOptions, line: Uint8Array): boolean {
  const bytes = Buffer.concat([line, Buffer.from("\n")]);
  const finder = lineFinder(options);
  const whole = finder.next(bytes, 0, bytes.length) >= 0;
  for (const pieceBytes of [1, 3]) {
    finder.automaton().beginLine();
    let fed = false;
    for (let at = 0; at < line.length && !fed; at += pieceBytes) {
      fed = finder.automaton().feedLine(line, at, Math.min(at + pieceBytes, line.length)) >= 0;
    }
    strictEqual(fed || finder.automaton().endLine(), whole, `fed in pieces of ${pieceBytes}`);
  }
  return whole;
}

/** The text according to the contract: ill-formed sequences become U+FFFD, a BOM is a char. */
function textOf(line: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(line);
}

const atom = fc.constantFrom(
  "a",
  "b",
  "_",
  "€",
  "😀",
  "\\.",
  ".",
  "[ab]",
  "[^a]",
  "[a-c€]",
  "\\d",
  "\\x61",
  "[^\\d€]",
  "\\u20ac",
  "\uFFFD",
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?");
const { pattern: anyPattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
  term: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.tuple(atom, quantifier).map(([one, many]) => one + many),
    fc.constantFrom("^", "$"),
    fc.tuple(fc.constantFrom("(", "(?:", "(?<n>"), tie("pattern"), quantifier)
      .map(([open, inside, many]) => `${open === "(?<n>" ? "(?:" : open}${inside})${many}`),
  ),
  pattern: fc.array(fc.array(tie("term"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.map((terms) => terms.join("")).join("|")),
}));

// Excludes a bug of V8 with `^` after a lazy quantifier: /(?:.*?a^|)/s does not match the empty string there.
const pattern = anyPattern.filter((source) =>
  !(source.includes("*?") && source.includes("^")) && repeatedGroups(source) <= 2
);

function repeatedGroups(source: string): number {
  return source.match(/\)[*+?{]/g)?.length ?? 0;
}

/** Lines on which a backtracking engine ends: with repeated groups its time doubles, or worse, with each char. */
function backtrackable(source: string, lines: readonly Uint8Array[]): readonly Uint8Array[] {
  return repeatedGroups(source) === 0 ? lines : lines.filter((line) => textOf(line).length <= 8);
}

const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "_",
  "1",
  " ",
  ".",
  "€",
  "😀",
  "\r",
  "\u2028",
  "\uFEFF",
  "é",
  "\0",
);
const illFormed = fc.constantFrom([0xff], [0xe2, 0x82], [0xc3], [0xf0, 0x9f], [0x80], [0xe0, 0x80], [
  0xed,
  0xa0,
  0x80,
]);
const line = fc.array(
  fc.oneof({ weight: 6, arbitrary: piece.map((text) => [...Buffer.from(text)]) }, illFormed),
  {
    maxLength: 12,
  },
).map((pieces) => Uint8Array.from(pieces.flat()));

Deno.test("a pattern matches the same lines as a backtracking engine, char by char", () => {
  fc.assert(
    fc.property(pattern, fc.boolean(), fc.array(line, { maxLength: 6 }), (source, ignoreCase, lines) => {
      // The `s` flag: without it, a native `.` excludes more line ends than LF.
      const native = new RegExp(source, ignoreCase ? "sui" : "su");
      for (const each of backtrackable(source, lines)) {
        strictEqual(
          takes({ pattern: source, ignoreCase }, each),
          native.test(textOf(each)),
          `${native} on ${each}`,
        );
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("--word accepts only matches that no letter, mark, number or _ touches, anywhere in the line", () => {
  const wordChar = /[\p{L}\p{M}\p{N}_]/gu;
  fc.assert(
    fc.property(pattern, fc.array(line, { maxLength: 6 }), (source, lines) => {
      // The chars themselves: all that have the properties take an engine longer to compile than all the rest.
      const word = `[${lines.flatMap((each) => textOf(each).match(wordChar) ?? []).join("")}]`;
      const native = new RegExp(`(?<!${word})(?:${source})(?!${word})`, "su");
      for (const each of backtrackable(source, lines)) {
        // A native lookbehind also looks between the halves of a surrogate pair, where no char starts.
        if (/\p{Cs}|[^\0-\uffff]/u.test(textOf(each))) continue;
        strictEqual(
          takes({ pattern: source, word: true }, each),
          native.test(textOf(each)),
          `${native} on ${each}`,
        );
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("word boundaries are where a word starts or ends", () => {
  const cases: [string, string, boolean][] = [
    ["\\bfoo\\b", "a foo b", true],
    ["\\bfoo\\b", "foo", true],
    ["\\bfoo\\b", "afoo foob", false],
    ["\\bna\\b", "naïve", false],
    ["foo\\B", "food", true],
    ["foo\\B", "foo", false],
    ["\\<foo", "xfoo foo", true],
    ["\\<foo", "xfoo", false],
    ["foo\\>", "foox foo", true],
    ["foo\\>", "foox", false],
    ["\\b", "", false],
    ["\\B", "", true],
    ["a\\b\\b-\\b", "a-b", true],
    ["(\\b|x)(-|\\B)y", "x-y", true],
  ];
  for (const [source, text, expected] of cases) {
    strictEqual(takes({ pattern: source }, Buffer.from(text)), expected, `${source} on ${text}`);
  }
});

Deno.test("plain text matches like the platform's search, with and without case", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "B", ".", "(", "ß", "É", "é", "k", "€"),
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 4 }), fc.boolean(), (needle, parts, ignoreCase) => {
      const hay = parts.join(
        needle === "" ? "a" : needle.toUpperCase().length === needle.length ? needle : "x",
      );
      const native = new RegExp(RegExp.escape(needle), ignoreCase ? "iu" : "u");
      strictEqual(takes({ pattern: needle, fixed: true, ignoreCase }, Buffer.from(hay)), native.test(hay));
    }),
    { numRuns: 200 },
  );
});

Deno.test("case is ignored beyond ASCII", () => {
  for (
    const [source, text] of [["straße", "STRAẞE"], ["σας", "ΣΑΣ"], ["[à-ý]", "É"], [
      "(?i)K",
      "\u212A",
    ]] as const
  ) {
    strictEqual(takes({ pattern: source, ignoreCase: true }, Buffer.from(text)), true, source);
  }
  strictEqual(takes({ pattern: "a(?i)b|c" }, Buffer.from("aB")), true);
  strictEqual(takes({ pattern: "a(?i:b)c" }, Buffer.from("aBC")), false);
});

Deno.test("patterns that make backtracking explode are matched quickly", () => {
  const line = Buffer.from("a".repeat(100_000) + "!");
  for (
    const source of [
      "(a+)+$",
      "(a|aa)+$",
      "^(a|a)*$",
      "(.*a){20}$",
      "(a?){100}a{100}$",
      "^(([a-z])+.)+[A-Z]([a-z])+$",
    ]
  ) {
    strictEqual(takes({ pattern: source }, line), false, source);
  }
});

Deno.test("a pattern with more states than the table can have matches correctly", () => {
  // The state is which of the last 13 chars were an a: at least 2^13 states.
  const finder = lineFinder({ pattern: "a[ab]{13}c" });
  let seed = 1;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 40; round++) {
    const text = Array.from({ length: 2000 }, () => random() < 0.5 ? "a" : "b").join("") +
      (round % 2 === 0 ? "c" : "d");
    const bytes = Buffer.from(`${text}\n`);
    strictEqual(finder.next(bytes, 0, bytes.length) >= 0, /a[ab]{13}c/.test(text), `round ${round}`);
  }
});

/** Returns `count` pseudo-random chars "a" and "b". */
function coinTosses(count: number): Uint8Array {
  let seed = 1;
  return Uint8Array.from({ length: count }, () => {
    seed = Math.imul(seed, 1_103_515_245) + 12_345;
    return seed < 0 ? 0x61 : 0x62;
  });
}

Deno.test("a pattern with a new state of hundreds of steps for each char uses bounded memory", () => {
  const content = coinTosses(50_000);
  const automaton = lineFinder({ pattern: "a[ab]{900}[cz]" }).automaton();
  const before = Deno.memoryUsage().rss;
  strictEqual(automaton.nextMatch(content, 0, content.length), -1);
  const grown = Deno.memoryUsage().rss - before;
  ok(grown < 200 * 2 ** 20, `${grown} bytes`);
});

Deno.test("a pattern that creates a state for nearly every char is matched without the table", () => {
  for (const [lineBytes, count] of [[100_000, 100_000], [100, 100_000]] as const) {
    const content = coinTosses(count).map((byte, at) => at % lineBytes === lineBytes - 1 ? 0x0a : byte);
    for (
      const source of ["[ab]*a[ab]{20}c", "a[ab]{0,900}[cz]", "(a[ab]{1,50}b){30}c", "a(\\B[ab]){900}[cz]"]
    ) {
      const automaton = lineFinder({ pattern: source }).automaton();
      strictEqual(automaton.nextMatch(content, 0, content.length), -1, source);
      // With only the table, there would be one for nearly every char.
      ok(automaton.followedCount < count / 10, `${source}: ${automaton.followedCount}`);
    }
  }
});

Deno.test("lines match the same with the table, without it, and when switching between them", () => {
  const longer = fc.constantFrom("{35}", "{0,40}", "{33,}?", "{2,70}?", "", "");
  const place = fc.constantFrom("", "", "\\b", "\\B", "\\<", "\\>", "^", "$", "(?:)*", "(?:\\b|a)*");
  const sources = fc.array(fc.tuple(place, anyPattern, longer), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([at, inside, many]) => `${at}(?:${inside})${many}`).join(""));
  const lines = fc.array(fc.oneof(line, fc.nat(200).map(coinTosses)), { maxLength: 8 });
  fc.assert(
    fc.property(sources, fc.boolean(), lines, fc.nat(60), (source, ignoreCase, given, bitsLeft) => {
      const content = Buffer.concat(given.flatMap((each) => [each, Buffer.from("\n")]));
      let program;
      try {
        program = compileProgram(parsePattern(source, ignoreCase));
      } catch {
        return; // Too many steps.
      }
      const matches = (withoutTable: number) => {
        const automaton = new LineAutomaton(program, withoutTable);
        const found: number[] = [];
        for (let from = 0; from < content.length;) {
          const match = automaton.nextMatch(content, from, content.length);
          found.push(match);
          from = match < 0 ? content.length : content.indexOf(0x0a, match) + 1;
        }
        for (const each of given) {
          automaton.beginLine();
          const half = each.length >> 1;
          found.push(automaton.feedLine(each, 0, half), automaton.feedLine(each, half, each.length));
          found.push(Number(automaton.endLine()));
        }
        return found.join();
      };
      const expected = matches(0);
      strictEqual(matches(Infinity), expected, source);
      strictEqual(matches(bitsLeft), expected, `${source}, ${bitsLeft} bytes without the table`);
    }),
    { numRuns: 200 },
  );
});

Deno.test("discarding the table changes no result", () => {
  const content = coinTosses(8_000);
  for (const at of [1_500, 7_998]) {
    const found = content.slice();
    found[at] = 0x63;
    const automaton = lineFinder({ pattern: "a[ab]{900}c" }).automaton();
    const isMatch = found[at - 901] === 0x61;
    strictEqual(automaton.nextMatch(found, 0, found.length), isMatch ? at : -1, `char ${at}`);
  }
});
