/**
 * Promise: help, messages, tool descriptions and comments use plain English. The tests read the source of the product, and
 * refuse phrases of a few words that only a sentence can contain; each has the words to write instead.
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

/** Phrases that are odd in comments only, as {@link PHRASES}. */
const COMMENT_PHRASES: typeof PHRASES = [
  [/\b(?:anybody|everybody)\b/i, "it is shared with everybody", "name the user or process"],
  [
    /\bst(?:ands?|ood|anding) (?:as|at|for|between|behind|near|apart)\b/i,
    "what stands between them",
    "is between",
  ],
  [/\bsays? of\b/i, "what doctor says of it", "reports about"],
  [/\bbeen told\b/i, "once all has been told", "reported"],
  [/\banew\b/i, "makes it anew", "again, or a verb with re-"],
  [/\bto be had\b/i, "where none are to be had", "if … is missing"],
  [/\b(?:un)?defined where\b/i, "undefined where it is known", "undefined if …"],
  [/\bwhere (?:there (?:is|are)|nothing|none)\b/i, "empty where there is no name", "if there is …"],
  [/\bby way of\b/i, "by way of sh", "through, with"],
  [/\bbut for\b/i, "gone, but for the root", "except"],
  [/\bwhat (?:stands|stood|became|comes of|came of|goes)\b/i, "what became of the text", "the result of"],
  [/\bso many\b/i, "after so many bytes", "give the number or name the limit"],
  [/\bat hand\b/i, "the chunk at hand", "current"],
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
  for (const [phrase, , instead] of [...PHRASES, ...COMMENT_PHRASES]) {
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
  for (const [, example] of [...PHRASES, ...COMMENT_PHRASES]) {
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
