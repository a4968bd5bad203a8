// Promise: a pattern replaces its only match, or all with replace_all, and a replacement has jp's syntax.

import { deepStrictEqual, throws } from "node:assert/strict";
import { UsageError } from "../calls/requests/usage_failure.ts";
import { WriteError } from "../calls/terms/write_failure.ts";
import { replacePattern } from "./replace_pattern.ts";

const REGEX = { path: "a", edit: 0, replace_using_regex: true };

const REPLACED: readonly [string, string, string, string][] = [
  ["v12;", "v(\\d+)", "w$1", "w12;"],
  ["v12;", "v(?<n>\\d+)", "${n}v", "12v;"],
  ["v12;", "v(?<n>\\d+)", "$n.", "12.;"],
  ["v12;", "v\\d+", "$$5 $0", "$5 v12;"],
  ["v12;", "v(\\d)", "[$7]", "[]2;"],
  ["a\nb\n", "^b$", "c", "a\nc\n"],
  ["aé😀b", "é.", "x", "axb"],
];

for (const [text, old, replacement, wanted] of REPLACED) {
  Deno.test(`${JSON.stringify(text)} with ${old} by ${replacement}`, () => {
    deepStrictEqual(replacePattern(text, { old, new: replacement }, REGEX), wanted);
  });
}

Deno.test("a match in an empty first line is on line 1, and a final LF has no match of its own", () => {
  throws(() => replacePattern("\n\nfoo\n", { old: "^$", new: "x" }, REGEX), (thrown) => {
    if (!(thrown instanceof WriteError) || thrown.failure.kind !== "match_not_unique") return false;
    deepStrictEqual(thrown.failure.lines.map(({ lineNumber }) => lineNumber), [1, 2]);
    return true;
  });
  const all = { ...REGEX, replace_all: true };
  deepStrictEqual(replacePattern("ab\n", { old: "x*", new: "-" }, all), "-a-b-\n");
  deepStrictEqual(replacePattern("ab", { old: "$", new: "-" }, all), "ab-");
  deepStrictEqual(replacePattern("", { old: "$", new: "-" }, all), "-");
});

Deno.test("plain text in any case is replaced literally", () => {
  const options = { path: "a", edit: 0, case_sensitive: false };
  deepStrictEqual(replacePattern("A+b? x", { old: "a+B?", new: "$1" }, options), "$1 x");
});

function kindOf(action: () => unknown): string {
  try {
    action();
  } catch (thrown) {
    if (thrown instanceof WriteError) return thrown.failure.kind;
    throw thrown;
  }
  return "none";
}

Deno.test("several matches need replace_all; no match and an invalid expression are refused", () => {
  const pattern = { old: "a", new: "b" };
  deepStrictEqual(kindOf(() => replacePattern("a a", pattern, REGEX)), "match_not_unique");
  deepStrictEqual(replacePattern("a a", pattern, { ...REGEX, replace_all: true }), "b b");
  deepStrictEqual(kindOf(() => replacePattern("x", pattern, REGEX)), "match_not_found");
  throws(() => replacePattern("x", { old: "(", new: "" }, REGEX), UsageError);
});
