/**
 * Checks that brackets pair up in source code, skipping strings and comments. There is no grammar: uncertain code
 * passes, because a false alarm blocks a correct write.
 */

import type { LineProblem } from "../../calls/terms/write_faults.ts";

/** A comment, string or regex, in which brackets do not count. */
interface Token {
  /** Sticky. */
  start: RegExp;
  /** Finds its end; after an escape or the class of a regex it goes on. Without one, `start` matches all of it. */
  end?: RegExp | ((start: string) => RegExp);
  /** Code, so that a slash after it divides. */
  isValue?: true;
  /** If its line ends first: the quote alone is skipped, or nothing is hidden. */
  inLine?: "quote" | "nothing";
  /** A comment in which others may begin. */
  nests?: true;
}

const string = (quote: string, isRaw?: "raw"): Token => (
  { start: new RegExp(quote, "y"), end: new RegExp(isRaw ? quote : `\\\\[^]|${quote}`, "g"), isValue: true }
);
const lineString = (quote: string): Token => (
  {
    start: new RegExp(quote, "y"),
    end: new RegExp(`\\\\[^]|\n|${quote}`, "g"),
    isValue: true,
    inLine: "quote",
  }
);
const lineComment = (start: RegExp): Token => ({ start, end: /(?=\n)/g });
const SLASHES = lineComment(/\/\//y);
const BLOCK: Token = { start: /\/\*/y, end: /\*\//g };
const NESTED: Token = { ...BLOCK, nests: true };
/** Known by its length, since `'` may also be a lifetime or a label. */
const CHAR: Token = {
  start: /'(?:\\(?:u\{[0-9a-fA-F]+\}|[^\n]{1,9}?)|[^'\\\n]{1,2})'/y,
  isValue: true,
};
const RUST_RAW: Token = {
  start: /(?<!\w)b?r#*"/y,
  end: (start) => new RegExp(`"${start.replace(/[^#]/g, "")}`, "g"),
  isValue: true,
};
const REGEX: Token = {
  start: /\/(?!>)/y,
  end: /\\[^]|\[(?:\\[^]|[^\]\\\n])*|\/|\n/g,
  isValue: true,
  inLine: "nothing",
};

/** In the order in which they are looked for. */
const STYLES = [BLOCK, lineString('"'), lineString("'")];
/** After a letter, it is an apostrophe in the text of a tag; a keyword may precede a string. */
const QUOTE: Token = {
  ...lineString("'"),
  start:
    /(?:(?<![\p{L}\p{N}_$])|(?<=\b(?:return|case|typeof|in|of|else|default|from|import|throw|await|yield)))'/uy,
};
const SCRIPT = [SLASHES, BLOCK, lineString('"'), QUOTE, REGEX];
const C_LIKE = [SLASHES, BLOCK, lineString('"'), CHAR];
const RAW_TEXTS = [SLASHES, NESTED, string('"""', "raw"), lineString('"'), CHAR];

/** `hasBranches`: the `#else` branches of its preprocessor repeat brackets of their `#if`. */
type Syntax = readonly [language: string, name: RegExp, tokens: readonly Token[], hasBranches?: true];
const SYNTAXES: readonly Syntax[] = [
  ["JavaScript", /\.(?:js|mjs|cjs|jsx)$/i, SCRIPT],
  ["TypeScript", /\.(?:ts|mts|cts|tsx)$/i, SCRIPT],
  ["C", /\.(?:c|h)$/i, C_LIKE, true],
  ["C++", /\.(?:cc|cpp|cxx|hpp|hh|hxx|m|mm)$/i, C_LIKE, true],
  ["Java", /\.java$/i, [SLASHES, BLOCK, string('"""'), lineString('"'), CHAR]],
  ["C#", /\.cs$/i, [SLASHES, BLOCK, string('"""'), lineString('"'), CHAR], true],
  ["Kotlin", /\.kts?$/i, RAW_TEXTS],
  ["Scala", /\.scala$/i, RAW_TEXTS],
  ["Swift", /\.swift$/i, [SLASHES, NESTED, string('"""'), lineString('"'), CHAR]],
  ["Go", /\.go$/i, [SLASHES, BLOCK, string("`", "raw"), lineString('"'), CHAR]],
  ["Rust", /\.rs$/i, [SLASHES, NESTED, string('"'), RUST_RAW, CHAR]],
  ["Python", /\.pyi?$/i, [
    lineComment(/#/y),
    string('"""'),
    string("'''"),
    lineString('"'),
    lineString("'"),
  ]],
  ["CSS", /\.css$/i, STYLES],
  // Not in `url(http://…)`.
  ["SCSS", /\.(?:scss|less)$/i, [lineComment(/(?<!\S)\/\//y), ...STYLES]],
];

/** C++ raw strings and the like, which the walk cannot parse: such content is not checked. */
const BEYOND = /\bR"[^\s()\\]{0,16}\(|@"|\$@"/;

/**
 * The language of a file called `fileName`, and up to three brackets of `text` without a partner. Returns undefined if the language
 * is unknown or not understood.
 */
export function bracketProblems(
  text: string,
  fileName: string,
): { language: string; problems: LineProblem[] } | undefined {
  const found = SYNTAXES.find(([, pattern]) => pattern.test(fileName));
  if (found === undefined) return undefined;
  const [language, , tokens, hasBranches] = found;
  if ((language === "C++" || language === "C#" || language === "C") && BEYOND.test(text)) return undefined;
  const code = hasBranches === true ? withoutElseBranches(text) : text;
  return { language, problems: pairBrackets(code, tokens) };
}

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const MAX_PROBLEMS = 3;

interface OpenBracket {
  sign: string;
  lineNumber: number;
}

function pairBrackets(text: string, tokens: readonly Token[]): LineProblem[] {
  const hasTemplates = tokens.includes(REGEX);
  const open: OpenBracket[] = [];
  let lineNumber = 1;
  /** The last char of code except white space: it distinguishes a regex from a division. */
  let lastCode = "";
  let at = 0;
  const jump = (end: number) => {
    for (let feed = text.indexOf("\n", at); feed !== -1 && feed < end; feed = text.indexOf("\n", feed + 1)) {
      lineNumber++;
    }
    at = end;
  };
  while (at < text.length) {
    const skipped = skipToken(text, at, tokens, lastCode);
    if (skipped !== undefined) {
      // A string is a value, so a slash after it is not a regex.
      if (skipped.isValue) lastCode = '"';
      jump(skipped.end);
      continue;
    }
    const sign = text[at]!;
    const top = open.at(-1);
    const isTemplate = sign === "`" && hasTemplates;
    if (sign === "\n") lineNumber++;
    if (sign in PARTNER || isTemplate && top?.sign === "`") {
      if (top === undefined) return [{ lineNumber, problem: `unmatched "${sign}"` }];
      if (top.sign !== (PARTNER[sign] ?? sign)) {
        const problem = `"${sign}" does not close the "${top.sign}" of line ${top.lineNumber}`;
        return [{ lineNumber, problem }];
      }
      open.pop();
    } else if (sign === "(" || sign === "[" || sign === "{" || isTemplate) open.push({ sign, lineNumber });
    if (!/\s/.test(sign)) lastCode = sign;
    at++;
    // The text of a template begins, or continues after `${…}`, until a backquote or `${`.
    if ((isTemplate || sign === "}") && open.at(-1)?.sign === "`") {
      const stop = stopAt(text, at, /\\[^]|`|\$\{/g);
      jump(stop === undefined ? text.length : stop[0] === "`" ? stop.index : stop.index + 1);
      lastCode = '"';
    }
  }
  return open.slice(0, MAX_PROBLEMS).map(({ sign, lineNumber }) => (
    { lineNumber, problem: `"${sign}" is never closed` }
  ));
}

/** The first chars of all tokens. */
const FIRST_CHARS = new Set("\"'`/#br");

/** The end of the comment, string or regex at `at`. Returns undefined if there is none. */
function skipToken(
  text: string,
  at: number,
  tokens: readonly Token[],
  lastCode: string,
): { end: number; isValue: boolean } | undefined {
  if (!FIRST_CHARS.has(text[at]!)) return undefined;
  for (const token of tokens) {
    const { start, end, isValue = false, inLine, nests } = token;
    start.lastIndex = at;
    const [opening] = start.exec(text) ?? [];
    if (opening === undefined || token === REGEX && !startsRegex(text, at, lastCode)) continue;
    const from = at + opening.length;
    if (end === undefined) return { end: from, isValue };
    if (nests) return { end: nestedEnd(text, from), isValue };
    const stop = stopAt(text, from, typeof end === "function" ? end(opening) : end);
    const isCut = inLine !== undefined && (stop === undefined || stop[0] === "\n");
    if (isCut && inLine === "nothing") continue;
    // An apostrophe in the text of a tag is not closed on its line, so it opens no string.
    if (isCut) return { end: at + 1, isValue };
    return { end: stop === undefined ? text.length : stop.index + stop[0].length, isValue };
  }
  return undefined;
}

/** The first match of `stops` from `from` on that neither is an escape nor opens a class of a regex. */
function stopAt(text: string, from: number, stops: RegExp): RegExpExecArray | undefined {
  stops.lastIndex = from;
  for (;;) {
    const stop = stops.exec(text);
    if (stop === null) return undefined;
    if (stop[0][0] !== "\\" && stop[0][0] !== "[") return stop;
  }
}

/** The end of a comment that goes on at `from`, and in which others may begin. */
function nestedEnd(text: string, from: number): number {
  let depth = 1;
  for (const { 0: sign, index } of text.slice(from).matchAll(/\/\*|\*\//g)) {
    depth += sign === "/*" ? 1 : -1;
    if (depth === 0) return from + index + sign.length;
  }
  return text.length;
}

/** A slash after a value divides; after an operator, an opening bracket or a word like `return` it starts a regex. */
function startsRegex(text: string, at: number, lastCode: string): boolean {
  if (lastCode === "<") return false;
  if (lastCode === "" || /[(,=:[!&|?{};+\-*%~^]/.test(lastCode)) return true;
  return /(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await)\s*$/.test(
    text.slice(Math.max(0, at - 20), at),
  );
}

/** The text with preprocessor lines, comments that begin on them, and `#else` branches emptied. */
function withoutElseBranches(text: string): string {
  const branches: boolean[] = [];
  let continued: "" | "line" | "comment" = "";
  return text.split("\n").map((line) => {
    const directive = continued === "" ? /^\s*#\s*(if|ifdef|ifndef|else|elif|endif)?/.exec(line) : null;
    const isDirective = continued !== "" || directive !== null;
    const comment = line.lastIndexOf("/*") > line.lastIndexOf("*/");
    if (continued === "comment" && !line.includes("*/")) continued = "comment";
    else if (isDirective && comment) continued = "comment";
    else continued = isDirective && /\\\r?$/.test(line) ? "line" : "";
    const word = directive?.[1];
    if (word?.startsWith("if")) branches.push(false);
    else if (word === "else" || word === "elif") branches.splice(-1, 1, true);
    else if (word === "endif") branches.pop();
    return isDirective || branches.includes(true) ? "" : line;
  }).join("\n");
}
