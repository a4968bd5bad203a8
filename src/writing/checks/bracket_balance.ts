/**
 * Checks that brackets pair up in source code, skipping strings and comments. There is no grammar: uncertain code
 * passes, because a false alarm blocks a correct write.
 */

import type { LineProblem } from "../../calls/terms/write_faults.ts";

/** The parts of a language's syntax that brackets can hide in. */
interface Syntax {
  lineComments: readonly string[];
  blockComments: readonly (readonly [string, string])[];
  nestedComments?: true;
  /** Quotes of strings that end with the line; a backslash escapes. */
  lineStrings: readonly string[];
  /** Quotes of strings that may span lines. */
  longStrings: readonly string[];
  /** Those of the long strings in which a backslash does not escape. */
  rawStrings?: readonly string[];
  templates?: true;
  regexes?: true;
  /** `'` may also be a lifetime or a label; a char literal is recognised by its length. */
  charLiterals?: true;
  rustRawStrings?: true;
  /** `#else` branches repeat brackets of their `#if`. */
  preprocessor?: true;
}

const C_LIKE: Syntax = {
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  lineStrings: ['"'],
  longStrings: [],
  charLiterals: true,
};
const STYLES: Syntax = {
  lineComments: [],
  blockComments: [["/*", "*/"]],
  lineStrings: ['"', "'"],
  longStrings: [],
};
const SCRIPT: Syntax = { ...STYLES, lineComments: ["//"], templates: true, regexes: true };

const SYNTAXES: readonly (readonly [string, RegExp, Syntax])[] = [
  ["JavaScript", /\.(?:js|mjs|cjs|jsx)$/i, SCRIPT],
  ["TypeScript", /\.(?:ts|mts|cts|tsx)$/i, SCRIPT],
  ["C", /\.(?:c|h)$/i, { ...C_LIKE, preprocessor: true }],
  ["C++", /\.(?:cc|cpp|cxx|hpp|hh|hxx|m|mm)$/i, { ...C_LIKE, preprocessor: true }],
  ["Java", /\.java$/i, { ...C_LIKE, longStrings: ['"""'] }],
  ["C#", /\.cs$/i, { ...C_LIKE, longStrings: ['"""'], preprocessor: true }],
  ["Kotlin", /\.kts?$/i, { ...C_LIKE, longStrings: ['"""'], rawStrings: ['"""'], nestedComments: true }],
  ["Scala", /\.scala$/i, { ...C_LIKE, longStrings: ['"""'], rawStrings: ['"""'], nestedComments: true }],
  ["Swift", /\.swift$/i, { ...C_LIKE, longStrings: ['"""'], nestedComments: true }],
  ["Go", /\.go$/i, { ...C_LIKE, longStrings: ["`"], rawStrings: ["`"] }],
  ["Rust", /\.rs$/i, {
    ...C_LIKE,
    lineStrings: [],
    longStrings: ['"'],
    nestedComments: true,
    rustRawStrings: true,
  }],
  ["Python", /\.pyi?$/i, {
    ...STYLES,
    lineComments: ["#"],
    blockComments: [],
    longStrings: ['"""', "'''"],
  }],
  ["CSS", /\.css$/i, STYLES],
  ["SCSS", /\.(?:scss|less)$/i, { ...STYLES, lineComments: [" //"] }],
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
  const [language, , syntax] = found;
  if ((language === "C++" || language === "C#" || language === "C") && BEYOND.test(text)) return undefined;
  const code = syntax.preprocessor === true ? withoutElseBranches(text) : text;
  return { language, problems: pairBrackets(code, syntax) };
}

const PARTNER: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const MAX_PROBLEMS = 3;

interface OpenBracket {
  sign: string;
  lineNumber: number;
}

function pairBrackets(text: string, syntax: Syntax): LineProblem[] {
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
    const skipped = skipUncounted(text, at, syntax, lastCode);
    if (skipped !== undefined) {
      // A string is a value, so a slash after it is not a regex.
      if (skipped.isValue) lastCode = '"';
      jump(skipped.end);
      continue;
    }
    const sign = text[at]!;
    const top = open.at(-1);
    const isTemplate = sign === "`" && syntax.templates === true;
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

/** The end of the comment, string or regex at `at`. Returns undefined if there is none. */
function skipUncounted(
  text: string,
  at: number,
  syntax: Syntax,
  lastCode: string,
): { end: number; isValue: boolean } | undefined {
  const sign = text[at]!;
  for (const mark of syntax.lineComments) {
    // A mark that needs white space before it (SCSS) does not match in `url(http://…)`.
    const blank = /^\s/.test(mark) ? 1 : 0;
    if (text.startsWith(mark.slice(blank), at) && (blank === 0 || at === 0 || /\s/.test(text[at - 1]!))) {
      const end = text.indexOf("\n", at);
      return { end: end === -1 ? text.length : end, isValue: false };
    }
  }
  for (const [mark, close] of syntax.blockComments) {
    if (text.startsWith(mark, at)) {
      return { end: commentEnd(text, at, mark, close, syntax.nestedComments === true), isValue: false };
    }
  }
  for (const quote of syntax.longStrings) {
    if (text.startsWith(quote, at)) {
      const isRaw = syntax.rawStrings?.includes(quote) === true;
      const close = stopAt(text, at + quote.length, new RegExp(isRaw ? quote : `\\\\[^]|${quote}`, "g"));
      return { end: close === undefined ? text.length : close.index + quote.length, isValue: true };
    }
  }
  if (syntax.rustRawStrings === true && (sign === "r" || sign === "b")) {
    const raw = /^b?r(#*)"/.exec(text.slice(at, at + 40));
    if (raw !== null && !/\w/.test(text[at - 1] ?? "")) {
      const close = text.indexOf(`"${raw[1]}`, at + raw[0].length);
      return { end: close === -1 ? text.length : close + 1 + raw[1]!.length, isValue: true };
    }
  }
  if (syntax.lineStrings.includes(sign)) {
    const close = stopAt(text, at + 1, new RegExp(`\\\\[^]|\n|${sign}`, "g"));
    // An apostrophe in the text of a tag is not closed on its line, so it opens no string.
    return { end: close?.[0] === sign ? close.index + 1 : at + 1, isValue: true };
  }
  if (syntax.charLiterals === true && sign === "'") {
    const literal = /^'(?:\\(?:u\{[0-9a-fA-F]+\}|[^\n]{1,9}?)|[^'\\\n]{1,2})'/.exec(text.slice(at, at + 14));
    return literal === null ? undefined : { end: at + literal[0].length, isValue: true };
  }
  if (syntax.regexes === true && sign === "/" && startsRegex(text, at, lastCode)) {
    const close = stopAt(text, at + 1, /\\[^]|\[(?:\\[^]|[^\]\\\n])*|\/|\n/g);
    if (close?.[0] === "/") return { end: close.index + 1, isValue: true };
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

function commentEnd(text: string, at: number, mark: string, close: string, nested: boolean): number {
  let depth = 0;
  for (let here = at; here < text.length;) {
    if (text.startsWith(mark, here) && (nested || here === at)) {
      depth++;
      here += mark.length;
    } else if (text.startsWith(close, here)) {
      depth--;
      here += close.length;
      if (depth === 0) return here;
    } else here++;
  }
  return text.length;
}

/** A slash after a value divides; after an operator, an opening bracket or a word like `return` it starts a regex. */
function startsRegex(text: string, at: number, lastCode: string): boolean {
  if (lastCode === "<" || text[at + 1] === ">") return false;
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
