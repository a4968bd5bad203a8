import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { FdError } from "../disk/errors.ts";
import { lineFinder, type PatternOptions } from "./line_finder.ts";

function refusal(pattern: string, options: Partial<PatternOptions> = {}): string {
  try {
    lineFinder({ pattern, ...options });
  } catch (thrown) {
    if (!(thrown instanceof FdError) || thrown.failure.kind !== "invalid_parameter") throw thrown;
    const { field, got, fault } = thrown.failure;
    return `${field}: ${fault ?? got}`;
  }
  return "taken";
}

function takes(pattern: string, text: string): boolean {
  const bytes = new TextEncoder().encode(`${text}\n`);
  return lineFinder({ pattern }).automaton().nextMatch(bytes, 0, bytes.length) >= 0;
}

Deno.test("syntax that no finite automaton can match is refused by name", () => {
  strictEqual(refusal("(a)\\1"), "pattern: a backreference, \\1");
  strictEqual(refusal("(?<n>a)\\k<n>"), "pattern: a backreference, \\k");
  strictEqual(refusal("a(?=b)"), "pattern: lookahead, (?=");
  strictEqual(refusal("a(?!b)"), "pattern: lookahead, (?!");
  strictEqual(refusal("(?<=a)b"), "pattern: lookbehind, (?<=");
  strictEqual(refusal("(?<!a)b"), "pattern: lookbehind, (?<!");
  strictEqual(refusal("(?>a)b"), "pattern: an atomic group, (?>");
  strictEqual(refusal("a++"), "pattern: a possessive quantifier");
});

Deno.test("an invalid pattern is refused with the reason", () => {
  strictEqual(refusal("(a"), "pattern: unclosed (");
  strictEqual(refusal("a)"), "pattern: unmatched )");
  strictEqual(refusal("[a"), "pattern: unclosed [");
  strictEqual(refusal("[]"), "pattern: unclosed [");
  strictEqual(refusal("[z-a]"), "pattern: the range z-a");
  strictEqual(refusal("*a"), "pattern: nothing to repeat before *");
  strictEqual(refusal("a**"), "pattern: nested repeat");
  strictEqual(refusal("a{3,2}"), "pattern: {3,2}");
  strictEqual(refusal("a{1001}"), "pattern: {1001}");
  strictEqual(refusal("a\\"), "pattern: trailing \\");
  strictEqual(refusal("\\p{Klingon}"), "pattern: \\p{Klingon}");
  strictEqual(refusal("\\K"), "pattern: \\K");
  strictEqual(refusal("a\nb"), "pattern: a line feed");
  strictEqual(refusal("a.\\n"), "pattern: \\n");
  strictEqual(refusal("((a{100}){100}){100}").endsWith("with its repeats expanded"), true);
  strictEqual(refusal("(".repeat(60_000)), "pattern: groups nested too deeply");
});

Deno.test("huge patterns are refused before they are parsed", () => {
  // Parsing any of these would take more memory than there is.
  const huge = "a".repeat(100 << 20);
  for (const pattern of [huge, `(${huge})`, "\\p{Lu}".repeat(20 << 20)]) {
    const refused = `pattern: ${pattern.length} chars`;
    strictEqual(refusal(pattern), refused);
    strictEqual(refusal(pattern, { fixed: true }), refused);
    strictEqual(refusal(pattern, { ignoreCase: true }), refused);
  }
});

Deno.test("a pattern of any allowed size is parsed in time linear in its chars", () => {
  // Quadratic time would be most of a minute for each.
  strictEqual(refusal("(?i)".repeat(16_000)), "taken");
  strictEqual(refusal("(?:a)".repeat(13_000)).startsWith("pattern: a pattern of 13000 steps"), true);
  strictEqual(refusal("\\Qa\\E".repeat(13_000)).startsWith("pattern: a pattern of 13000 steps"), true);
});

Deno.test("unescaped special chars are plain where no other meaning is possible", () => {
  for (
    const [pattern, text] of [
      ["main\\(\\) {", "int main() {"],
      ["a{,2}", "a{,2}"],
      ["x{1", "x{1"],
      ["a]", "a]"],
      ["[]a]", "]"],
      ["[^]a]", "b"],
      ["[a-]", "-"],
      ["[\\]]", "]"],
      ["\\Q(a.b*\\E+", "(a.b**"],
      ["[[:digit:]x]+", "4"],
      ["[[:^alpha:]]", "4"],
      ["\\p{Greek}", "λ"],
      ["\\p{Lu}\\PL", "A1"],
      ["\\x{1F600}", "😀"],
      ["\\t", "\t"],
    ] as const
  ) {
    strictEqual(takes(pattern, text), true, `${pattern} on ${text}`);
  }
  strictEqual(takes("[[:^alpha:]]", "a"), false);
});

/** Unicode's White_Space according to PropList.txt. */
const WHITE_SPACE = [
  0x09,
  0x0b,
  0x0c,
  0x0d,
  0x20,
  0x85,
  0xa0,
  0x1680,
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
];

Deno.test("white space in patterns is Unicode's White_Space, with U+0085 and without U+FEFF", () => {
  const candidates = [...WHITE_SPACE, 0xfeff, 0x200b, 0x180e, 0x1c, 0x61];
  for (const pattern of ["a\\sb", "a[[:space:]]b", "a[\\s]b", "(?i)a\\sb"]) {
    const taken = candidates.filter((each) => takes(pattern, `a${String.fromCodePoint(each)}b`));
    deepStrictEqual(taken, WHITE_SPACE, pattern);
  }
  for (const pattern of ["a\\Sb", "a[^[:space:]]b", "a[[:^space:]]b", "a[^\\s]b", "(?i)a\\Sb"]) {
    const taken = candidates.filter((each) => takes(pattern, `a${String.fromCodePoint(each)}b`));
    deepStrictEqual(taken, [0xfeff, 0x200b, 0x180e, 0x1c, 0x61], pattern);
  }
});

Deno.test("words follow Unicode, digits are 0 to 9, and case folding is simple", () => {
  const cases: [pattern: string, text: string, wanted: boolean][] = [
    ["^\\w+$", "é\u0301λ９_漢", true],
    ["\\w", "\uFEFF", false],
    ["\\w", "\u0085", false],
    ["^\\d$", "9", true],
    ["\\d", "９٣", false],
    ["[[:digit:]]", "９٣", false],
    ["\\bé\\b", "né", false],
    ["\\bé\\b", "n é", true],
    ["\\bb", "a\u0085b", true],
    ["(?i)straße", "STRAẞE", true],
    ["(?i)σ", "ς", true],
    ["(?i)k", "\u212a", true],
    ["(?i)i", "İ", false],
    ["(?i)^[[:upper:]]$", "a", true],
    ["(?i)\\P{Lu}", "A", false],
    ["(?i)\\P{Lu}", "a", false],
    ["(?i)\\P{Lu}", "1", true],
    ["(?i)[\\P{Lu}]", "A", false],
    ["\\P{Greek}", "λ", false],
    ["\\P{^Greek}", "λ", true],
  ];
  for (const [pattern, text, wanted] of cases) {
    strictEqual(takes(pattern, text), wanted, `${pattern} on ${text}`);
  }
});

Deno.test("any text is a valid pattern or refused with a typed failure", () => {
  const text = fc.string({
    unit: fc.constantFrom(..."ab()[]{}|*+?^$.\\-:,<>=!PpxuQE0123Kdws\n😀"),
    maxLength: 16,
  });
  fc.assert(
    fc.property(text, (pattern) => {
      try {
        takes(pattern, "ab(){} 12");
      } catch (thrown) {
        if (!(thrown instanceof FdError)) throw thrown;
      }
    }),
    { numRuns: 4000 },
  );
});
