/**
 * Promise: help, messages, tool descriptions and comments use plain English. The tests read the source of the product, and
 * refuse phrases of a few words that only a sentence can contain; each has the words to write instead.
 */

import { assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname!, "..");

/** Each phrase, an example of a sentence with it, and what to write instead. CONTRIBUTING.md teaches more than these. */
const PHRASES: readonly (readonly [phrase: RegExp, example: string, instead: string])[] = [
  [/(?<!\bthere )\bis no (?!longer\b)/i, "the content is no JSON", "is not a …, is not valid …"],
  [/\b(?:is|are) none(?: of)?\b/i, "that is none of its lines", "is not one of"],
  [/\b(?:(?:some|no|any|every)body|whoever)\b/i, "somebody changed it", "name the user, process or file"],
  [
    /\bst(?:ands?|ood) (?:in|on|there|beside|before|between|behind|for|alone|twice|\$\{)/i,
    "it stands in f",
    "is in, appears",
  ],
  [/\b(?:cannot|to) be had\b/i, "what cannot be had", "is missing"],
  [/\b(?:was|were|is|are|be|been) told\b/i, "live ones are told", "reported"],
  [/\bis wanted[,;."`]|[:,] wanted (?:\$\{|a )/i, "got 1, wanted a string", "expected"],
  [/\b(?:un)?defined where\b/i, "undefined where it is known", "undefined if …"],
  [/\bwhat (?:is no|stands|stood|became|comes of|came of|goes)\b/i, "what became of it", "the result of"],
  [/\b(?:anew|at hand|take note of)\b/i, "makes it anew", "again; current; record"],
];

/** The start of a doc comment that names no thing and no action. */
const RIDDLE = /^(?:What|Where|Whoever|Who|Which|That)\b/;

/** Patterns that find placeholders in a model's output: the words are data there. */
const NOT_PROSE = "src/writing/checks/placeholder_lines.ts";

/** The first phrase in a line of code; comments have a test of their own. */
function oddPhrase(line: string): string | undefined {
  if (/^\s*(?:\/\/|\/?\*)/.test(line)) return undefined;
  for (const [phrase, , instead] of PHRASES) {
    const found = phrase.exec(line);
    // A phrase without a space could be a name in code: only a string counts then.
    if (found !== null && /["'`]|^[^(){}=;]*$/.test(line)) return `"${found[0]}": write ${instead}`;
  }
  return undefined;
}

Deno.test("help, messages and tool descriptions contain no odd phrase", () => {
  const odd: string[] = [];
  for (const path of sourceFiles()) {
    if (path.endsWith("_test.ts") || path === NOT_PROSE) continue;
    readFileSync(join(ROOT, path), "utf8").split("\n").forEach((line, at) => {
      const phrase = oddPhrase(line);
      if (phrase !== undefined) odd.push(`${path}:${at + 1}: ${phrase}`);
    });
  }
  assertEquals(odd, []);
});

/** All TypeScript files in folders; by default those of the product, unit tests included. */
function sourceFiles(folders: readonly string[] = ["fd", "src"]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
      .filter((path) => path.endsWith(".ts"))
  );
}

/** A comment, its lines joined; `isDoc`: it is a doc comment. */
interface Comment {
  text: string;
  isDoc: boolean;
  lineNumber: number;
}

function commentsIn(source: string): Comment[] {
  const pattern = /^[ \t]*(?:\/\*\*?([^]*?)\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm;
  return [...source.matchAll(pattern)].map((match) => ({
    text: (match[1] ?? match[0]).replace(/^[ \t]*(?:\*|\/\/)?[ \t]*/gm, "").replaceAll("\n", " ").trim(),
    isDoc: match[1] !== undefined,
    lineNumber: source.slice(0, match.index).split("\n").length,
  }));
}

/** The first odd phrase of a comment. */
function oddComment({ text, isDoc }: Comment): string | undefined {
  if (isDoc && RIDDLE.test(text)) return `"${text.slice(0, 40)}": begin with a verb or a noun`;
  for (const [phrase, , instead] of PHRASES) {
    const found = phrase.exec(text);
    // "if there is none" is plain.
    const isPlain = found !== null && text.slice(0, found.index).endsWith("there ");
    if (found !== null && !isPlain) return `"${found[0]}": write ${instead}`;
  }
  return undefined;
}

/** The names of a file's tests, which are sentences like comments. */
function testNamesIn(source: string): Comment[] {
  return [...source.matchAll(/^ *Deno\.test\(["`](.*?)["`]/gm)].map((match) => ({
    text: match[1]!,
    isDoc: false,
    lineNumber: source.slice(0, match.index).split("\n").length,
  }));
}

Deno.test("comments and names of tests contain no odd phrase", () => {
  const odd: string[] = [];
  for (const path of [...sourceFiles(), ...sourceFiles(["scripts", "tests"])]) {
    if (path === "tests/prose_test.ts") continue;
    const source = readFileSync(join(ROOT, path), "utf8");
    for (const comment of [...commentsIn(source), ...testNamesIn(source)]) {
      const phrase = oddComment(comment);
      if (phrase !== undefined) odd.push(`${path}:${comment.lineNumber}: ${phrase}`);
    }
  }
  assertEquals(odd, []);
});

Deno.test("each phrase is found in a comment over several lines, and in no code", () => {
  for (const [, example] of PHRASES) {
    const [first = "", ...rest] = example.split(" ");
    const [comment] = commentsIn(`const a = 1;\n  // ${first}\n  // ${rest.join(" ")}\n`);
    assertEquals(typeof oddComment(comment!), "string", example);
    assertEquals(commentsIn(`const text = "${example}";`), []);
  }
  const [riddle] = commentsIn("/**\n * What it is.\n */\nconst a = 1;");
  assertEquals(typeof oddComment(riddle!), "string");
  const [name] = testNamesIn('Deno.test("a lost fd is told", () => {});');
  assertEquals(typeof oddComment(name!), "string");
  assertEquals(commentsIn("\n\n/** Plain: there is none, and no riddle. */").map(oddComment), [undefined]);
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
