/**
 * Promise: help, messages and tool descriptions use plain English. The test reads the source of the product without its
 * comments and refuses phrases of a few words that only a sentence can hold; each has the words to write instead.
 */

import { assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "..");

/** Each phrase, an example of a sentence with it, and what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, example: string, instead: string])[] = [
  [/\bwhat is no\b/i, "what is no file", "not a file"],
  [/(?<!\bthere )\bis no (?!longer\b)/i, "the content is no JSON", "is not a …, is not valid …"],
  [/\b(?:is|are) none(?: of)?\b/i, "that is none of its lines", "is not one of"],
  [/\bis there to\b/i, "the option is there to keep it", "the option keeps it"],
  [/\b(?:somebody|nobody|whoever)\b/i, "somebody changed it", "name the user, process or file"],
  [
    /\bst(?:ands?|ood) (?:in|on|there|beside|before|bare|alone|twice|\$\{)/i,
    "it stands in f",
    "is in, appears",
  ],
  [/\bcannot be had\b/i, "what cannot be had", "is missing"],
  [/\bthe call (?:says|does not say)\b/i, "the call says that it must not", "name the parameter"],
  [/\bcomes near\b/i, "nothing comes near it", "no similar text"],
  [/\bis wanted[,;."`]/i, 'one of a and b is wanted"', "expected"],
  [/[:,] wanted (?:\$\{|a )/i, "got 1, wanted a string", "expected"],
  [/\btoo early\b/i, "the JSON ends too early", "is truncated"],
  [/\btake note of\b/i, "could not take note of it", "recording that failed"],
  [/\blacks (?:\$\{|\d)/i, "fd:3 lacks 5 bytes", "is missing"],
  [/\bbeside it\b/i, "--from beside it", "with it"],
  [/\bgo ahead\b/i, "Go ahead?", "continue"],
  [/\b(?:was|were|is|are|be) told\b/i, "live ones are told", "reported"],
  [/\bof no known\b/i, "of no known version", "unknown"],
  [/\bwhite space there is\b/i, "how much white space there is", "amount of whitespace"],
];

/** Patterns that find placeholders in a model's output: the words are data there. */
const NOT_PROSE = "src/writing/checks/placeholder_lines.ts";

/** The first phrase in a line of code; comments, which are for readers of the code, are skipped. */
function oddPhrase(line: string): string | undefined {
  if (/^\s*(?:\/\/|\/?\*)/.test(line)) return undefined;
  for (const [phrase, , instead] of PHRASES) {
    const found = phrase.exec(line);
    // A phrase without a space could be a name in code: only a string counts then.
    if (found !== null && /["'`]|^[^(){}=;]*$/.test(line)) return `"${found[0]}": write ${instead}`;
  }
  return undefined;
}

Deno.test("help, messages and tool descriptions hold none of the phrases that nobody would say", () => {
  const odd: string[] = [];
  for (const folder of ["fd", "src"]) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      const path = `${folder}/${name.replaceAll("\\", "/")}`;
      if (!path.endsWith(".ts") || path.endsWith("_test.ts") || path === NOT_PROSE) continue;
      readFileSync(join(ROOT, path), "utf8").split("\n").forEach((line, at) => {
        const phrase = oddPhrase(line);
        if (phrase !== undefined) odd.push(`${path}:${at + 1}: ${phrase}`);
      });
    }
  }
  assertEquals(odd, []);
});

Deno.test("each phrase is found in a message, and neither in a comment nor in plain code", () => {
  for (const [, example] of PHRASES) {
    assertEquals(typeof oddPhrase(`  message: "${example}",`), "string", example);
    assertEquals(oddPhrase(`  // ${example}`), undefined, example);
    assertEquals(oddPhrase(`   * ${example}`), undefined, example);
  }
  assertEquals(oddPhrase("const lacks = told.filter(({ wanted }) => wanted);"), undefined);
  assertEquals(oddPhrase('fail({ field, got: "", wanted });'), undefined);
  assertEquals(oddPhrase('"there is no step yet; fd:1 is no longer live"'), undefined);
});
