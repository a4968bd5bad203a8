/**
 * Parses search patterns. The syntax is the common part of RE2, ripgrep and Perl: what a finite automaton can match.
 * Lookaround, backreferences, atomic groups and possessive quantifiers are refused by name, so no pattern can make a
 * search hang.
 *
 * Sets of chars are tested with the platform's `RegExp`, one code point at a time and once per distinct code point,
 * so that Unicode classes and case folding need no tables here.
 */

import { ifPossible, refuse } from "../disk/errors.ts";

/** A set of chars: a char is in it if a native expression for a single char matches it. */
export interface CharSet {
  /** Sets with the same key have the same chars. */
  key: string;
  /** The expressions, made when first needed. */
  parts(): readonly RegExp[];
  negated: boolean;
  /** The only code point in the set, if obvious. */
  single: number | undefined;
  /** The code point of which all cases are in the set and nothing else, if that is obvious. */
  caseless: number | undefined;
}

/** A position between two chars. Words consist of letters, marks, numbers and `_`. */
export type Assertion = "line_start" | "line_end" | "boundary" | "not_boundary" | "word_start" | "word_end";

/** A parsed pattern. `repeat.most` is Infinity if there is no upper bound. */
export type PatternNode =
  | { kind: "chars"; set: CharSet }
  | { kind: "assert"; at: Assertion }
  | { kind: "concat"; parts: readonly PatternNode[] }
  | { kind: "either"; branches: readonly PatternNode[] }
  | { kind: "repeat"; node: PatternNode; least: number; most: number; lazy: boolean };

/** Maximum number in `{n,m}`, as in RE2. */
const MAX_REPEAT = 1000;
/** Maximum length of all patterns of a search together. A longer one would take seconds and gigabytes to parse. */
const MAX_PATTERN_CHARS = 65_536;
/** Maximum nesting of groups: deeper ones would exhaust the stack without expressing more. */
const MAX_DEPTH = 200;

const META = /[\\^$.[\]|()?*+{}]/;

/** Whether `pattern` has no special chars, so that it matches itself. */
export function isPlainText(pattern: string): boolean {
  return !META.test(pattern);
}

const SYNTAX = "an RE2 or ripgrep regular expression";
const AUTOMATON = "a regular expression without lookaround and backreferences";

/** Maximum length of a refused pattern in a failure. */
const MAX_SHOWN_PATTERN = 200;

function refusePattern(pattern: string, what: string, wanted: string): never {
  const shown = pattern.length > MAX_SHOWN_PATTERN ? `${pattern.slice(0, MAX_SHOWN_PATTERN)}…` : pattern;
  refuse("pattern", shown, wanted, { fault: what });
}

/** Refuses patterns that are too large to parse. Throws `invalid_parameter`. */
export function checkPatternSize(patterns: readonly string[]): void {
  let charCount = 0;
  for (const pattern of patterns) charCount += pattern.length;
  if (charCount <= MAX_PATTERN_CHARS) return;
  refuse(
    "pattern",
    `${charCount} chars`,
    `at most ${MAX_PATTERN_CHARS} chars; search for a part of the text`,
    { isTooLarge: true },
  );
}

function hex(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}

/** Chars of `\w` and of words at word boundaries. */
export const WORD_CLASS = "\\p{L}\\p{M}\\p{N}_";

/** Unicode white space. JavaScript's own `\s` lacks U+0085 and includes U+FEFF. */
const SPACE_CLASS = "\\p{White_Space}";

/** Classes in the syntax of a native character class; a leading `^` negates. */
const ESCAPED_CLASSES: Readonly<Record<string, string>> = {
  d: "0-9",
  D: "^0-9",
  s: SPACE_CLASS,
  S: `^${SPACE_CLASS}`,
  w: WORD_CLASS,
  W: `^${WORD_CLASS}`,
};

const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  ascii: "\\x00-\\x7f",
  blank: "\\t\\p{Zs}",
  cntrl: "\\p{Cc}",
  digit: "0-9",
  graph: "^\\p{C}\\p{Z}",
  lower: "\\p{Ll}",
  print: "^\\p{C}",
  punct: "\\p{P}\\p{S}",
  space: SPACE_CLASS,
  upper: "\\p{Lu}",
  word: WORD_CLASS,
  xdigit: "0-9A-Fa-f",
};

const ESCAPED_CHARS: Readonly<Record<string, number>> = {
  "0": 0x00,
  a: 0x07,
  e: 0x1b,
  f: 0x0c,
  r: 0x0d,
  t: 0x09,
  v: 0x0b,
};

const ESCAPED_ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: "line_start",
  b: "boundary",
  B: "not_boundary",
  z: "line_end",
  Z: "line_end",
  "<": "word_start",
  ">": "word_end",
};

const REFUSED_GROUPS: readonly (readonly [string, string])[] = [
  ["?=", "lookahead"],
  ["?!", "lookahead"],
  ["?<=", "lookbehind"],
  ["?<!", "lookbehind"],
  ["?>", "an atomic group"],
  ["?(", "a conditional"],
  ["?#", "a comment"],
];

/**
 * Creates the set of the given class sources. `negated` negates them all, as in `[^…]`; a leading `^` negates one.
 */
export function charSet(
  sources: readonly string[],
  negated: boolean,
  ignoreCase: boolean,
  single?: number,
): CharSet {
  const together = sources.filter((source) => !source.startsWith("^")).join("");
  const alone = sources.filter((source) => source.startsWith("^"));
  const classes = together === "" ? alone : [together, ...alone];
  const flags = ignoreCase ? "iu" : "u";
  let parts: RegExp[] | undefined;
  return {
    key: `${flags}${negated ? "!" : ""}${classes.join(" ")}`,
    parts: () => parts ??= classes.map((source) => new RegExp(`^[${source}]$`, flags)),
    negated,
    single: ignoreCase || negated ? undefined : single,
    caseless: ignoreCase && !negated ? single : undefined,
  };
}

export function isInSet(set: CharSet, codePoint: number): boolean {
  if (set.single !== undefined) return codePoint === set.single;
  const char = String.fromCodePoint(codePoint);
  return set.parts().some((part) => part.test(char)) !== set.negated;
}

/** Returns the set of one char or, ignoring case, of all its case variants. */
function singleCharSet(codePoint: number, ignoreCase: boolean): CharSet {
  const char = String.fromCodePoint(codePoint);
  const hasCase = char.toLowerCase() !== char || char.toUpperCase() !== char;
  return charSet([hex(codePoint)], false, ignoreCase && hasCase, codePoint);
}

/** Parses plain text. Throws `invalid_parameter` for a line feed. */
export function parsePlainText(text: string, ignoreCase: boolean): PatternNode {
  if (text.includes("\n")) refusePattern(text, "a line feed", "text within one line");
  const chars = [...text].map((char) => char.codePointAt(0) ?? 0);
  return {
    kind: "concat",
    parts: chars.map((codePoint) => ({ kind: "chars", set: singleCharSet(codePoint, ignoreCase) })),
  };
}

/** Parses `pattern`. Throws `invalid_parameter` naming what is invalid or not supported. */
export function parsePattern(pattern: string, ignoreCase: boolean): PatternNode {
  return new PatternParser(pattern, ignoreCase).parsed();
}

/** Recursive descent over a pattern, from its first char to its last. */
class PatternParser {
  private readonly chars: readonly string[];
  private at = 0;
  private depth = 0;

  constructor(private readonly pattern: string, private fold: boolean) {
    this.chars = [...pattern];
  }

  parsed(): PatternNode {
    const root = this.either();
    if (this.at < this.chars.length) this.refuse("unmatched )", "an opening (, or \\) for the character");
    return root;
  }

  private refuse(what: string, wanted: string): never {
    refusePattern(this.pattern, what, wanted);
  }

  /** The next `count` chars; never all that are left, or parsing would take time quadratic in the pattern. */
  private ahead(count: number): string {
    return this.chars.slice(this.at, this.at + count).join("");
  }

  private either(): PatternNode {
    if (++this.depth > MAX_DEPTH) {
      this.refuse("groups nested too deeply", `at most ${MAX_DEPTH} nested groups`);
    }
    const foldOutside = this.fold;
    const branches = [this.concat()];
    while (this.chars[this.at] === "|") {
      this.at++;
      branches.push(this.concat());
    }
    this.fold = foldOutside;
    this.depth--;
    return branches.length === 1 ? branches[0]! : { kind: "either", branches };
  }

  private concat(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.at < this.chars.length && this.chars[this.at] !== "|" && this.chars[this.at] !== ")") {
      const atom = this.one();
      if (atom !== undefined) parts.push(this.quantified(atom));
    }
    return parts.length === 1 ? parts[0]! : { kind: "concat", parts };
  }

  /**
   * Parses one char, class, group or assertion; returns undefined for flags, which only affect how the rest is
   * parsed.
   */
  private one(): PatternNode | undefined {
    const char = this.chars[this.at++]!;
    switch (char) {
      case "\\":
        return this.escaped();
      case "^":
        return { kind: "assert", at: "line_start" };
      case "$":
        return { kind: "assert", at: "line_end" };
      case ".":
        return { kind: "chars", set: charSet(["^\\n"], false, false) };
      case "[":
        return { kind: "chars", set: this.bracketed() };
      case "(":
        return this.group();
      case "*":
      case "+":
      case "?":
        return this.refuse(`nothing to repeat before ${char}`, `a char or group before ${char}`);
      case "\n":
        return this.refuse("a line feed", "a pattern within one line");
      default:
        return { kind: "chars", set: singleCharSet(char.codePointAt(0) ?? 0, this.fold) };
    }
  }

  private quantified(atom: PatternNode): PatternNode {
    const repeat = this.quantifier();
    if (repeat === undefined) return atom;
    if (this.chars[this.at] === "+") {
      this.refuse("a possessive quantifier", "a pattern without possessive quantifiers");
    }
    // A lazy quantifier matches the same lines as a greedy one, but shorter parts of them.
    const lazy = this.chars[this.at] === "?";
    if (lazy) this.at++;
    if (this.quantifier() !== undefined) this.refuse("nested repeat", "(?:…) around the inner repeat");
    return { kind: "repeat", node: atom, ...repeat, lazy };
  }

  private quantifier(): { least: number; most: number } | undefined {
    const char = this.chars[this.at];
    if (char === "*" || char === "+" || char === "?") {
      this.at++;
      return { least: char === "+" ? 1 : 0, most: char === "?" ? 1 : Infinity };
    }
    if (char !== "{") return undefined;
    // A brace that is not a valid repeat is a plain char, as in `main() {`.
    const repeat = /^\{(\d+)(,(\d*))?\}/.exec(this.ahead(16));
    if (repeat === null) return undefined;
    const least = Number(repeat[1]);
    const most = repeat[2] === undefined ? least : repeat[3] === "" ? Infinity : Number(repeat[3]);
    if (least > MAX_REPEAT || (most !== Infinity && most > MAX_REPEAT)) {
      this.refuse(`${repeat[0]}`, `a repeat of at most ${MAX_REPEAT}`);
    }
    if (most < least) this.refuse(repeat[0], "a first number not above the second");
    this.at += repeat[0].length;
    return { least, most };
  }

  private group(): PatternNode | undefined {
    for (const [opening, what] of REFUSED_GROUPS) {
      if (this.ahead(opening.length) === opening) this.refuse(`${what}, (${opening}`, AUTOMATON);
    }
    if (this.chars[this.at] === "?") {
      const isNamed = this.chars[this.at + (this.chars[this.at + 1] === "P" ? 2 : 1)] === "<";
      const nameLength = isNamed ? this.chars.indexOf(">", this.at) + 1 - this.at : 0;
      const named = /^\?P?<[A-Za-z_]\w*>/.exec(this.ahead(nameLength));
      const flags = /^\?([imsU]*)(-[imsU]+)?([:)])/.exec(this.ahead(16));
      const opening = named ?? flags;
      if (opening === null) this.refuse(`(${this.ahead(4)}`, "(…), (?:…), (?P<name>…) or flags such as (?i)");
      this.at += opening[0].length;
      if (flags !== null) {
        const foldOutside = this.fold;
        if (flags[1]!.includes("i")) this.fold = true;
        if (flags[2]?.includes("i")) this.fold = false;
        // `(?i)` applies until its group ends; `(?i:…)` only inside.
        if (flags[3] === ")") return undefined;
        const inside = this.closed();
        this.fold = foldOutside;
        return inside;
      }
    }
    return this.closed();
  }

  private closed(): PatternNode {
    const inside = this.either();
    if (this.chars[this.at] !== ")") this.refuse("unclosed (", "a closing ), or \\( for the character");
    this.at++;
    return inside;
  }

  private escaped(): PatternNode {
    if (this.at >= this.chars.length) this.refuse("trailing \\", "a char after \\, or \\\\ for a literal \\");
    if (this.chars[this.at] === "Q") return this.quoted();
    const assertion = ESCAPED_ASSERTIONS[this.chars[this.at]!];
    if (assertion !== undefined) {
      this.at++;
      return { kind: "assert", at: assertion };
    }
    const read = this.escapedChar();
    if (typeof read === "number") return { kind: "chars", set: singleCharSet(read, this.fold) };
    return { kind: "chars", set: charSet([read], false, this.fold) };
  }

  /** Parses `\Q…\E`: plain text inside a pattern. */
  private quoted(): PatternNode {
    const from = this.at + 1;
    this.at = from;
    while (
      this.at < this.chars.length && !(this.chars[this.at] === "\\" && this.chars[this.at + 1] === "E")
    ) this.at++;
    const text = this.chars.slice(from, this.at).join("");
    this.at = Math.min(this.at + 2, this.chars.length);
    return parsePlainText(text, this.fold);
  }

  /** Parses what follows a backslash: a code point or a class source. */
  private escapedChar(): number | string {
    const char = this.chars[this.at++]!;
    const known = ESCAPED_CLASSES[char] ?? ESCAPED_CHARS[char];
    if (known !== undefined) return known;
    if (char === "n") {
      this.refuse("\\n", "a pattern within one line: lines are matched without their line feed");
    }
    if (char === "x" || char === "u") return this.codePointOf(char);
    if (char === "p" || char === "P") return this.unicodeClass(char === "P");
    if (/[1-9k]/.test(char)) this.refuse(`a backreference, \\${char}`, AUTOMATON);
    if (/[A-Za-z]/.test(char)) this.refuse(`\\${char}`, SYNTAX);
    return char.codePointAt(0) ?? 0;
  }

  private codePointOf(letter: string): number {
    const rest = this.ahead(10);
    const digits = /^\{([0-9A-Fa-f]{1,6})\}/.exec(rest) ??
      (letter === "x" ? /^([0-9A-Fa-f]{2})/ : /^([0-9A-Fa-f]{4})/).exec(rest);
    const codePoint = digits === null ? Infinity : parseInt(digits[1]!, 16);
    if (digits === null || codePoint > 0x10ffff) {
      this.refuse(`\\${letter}${rest.slice(0, 4)}`, "\\xHH, \\uHHHH or \\x{H…} with hex digits");
    }
    this.at += digits[0].length;
    return codePoint;
  }

  /** Parses `\pL`, `\p{Lu}`, `\p{Greek}`, `\p{^Lu}`. */
  private unicodeClass(negatedLetter: boolean): string {
    const name = /^(?:([A-Z])|\{(\^?)([A-Za-z_=]+)\})/.exec(this.ahead(60));
    if (name === null) this.refuse("\\p without a class", "\\pL, \\p{Lu} or \\p{Greek}");
    this.at += name[0].length;
    const called = name[1] ?? name[3]!;
    // Not `\P`: ignoring case, JavaScript folds the complement, so that `\P{Lu}` would match every letter.
    const but = negatedLetter !== (name[2] === "^") ? "^" : "";
    for (const source of [`${but}\\p{${called}}`, `${but}\\p{Script=${called}}`]) {
      if (ifPossible(() => new RegExp(`[${source}]`, "u"), SyntaxError) !== undefined) return source;
    }
    return this.refuse(
      `\\p{${called}}`,
      "a general category or script of Unicode, such as \\p{Lu} or \\p{Greek}",
    );
  }

  private bracketed(): CharSet {
    const negated = this.chars[this.at] === "^";
    if (negated) this.at++;
    const sources: string[] = [];
    const from = this.at;
    for (;;) {
      if (this.at >= this.chars.length) this.refuse("unclosed [", "a closing ], or \\[ for the character");
      // A ] directly after the [ is a plain char, as in grep.
      if (this.chars[this.at] === "]" && this.at > from) break;
      const low = this.bracketItem();
      if (
        this.chars[this.at] !== "-" || this.chars[this.at + 1] === "]" || this.at + 1 >= this.chars.length
      ) {
        sources.push(typeof low === "number" ? hex(low) : low);
        continue;
      }
      this.at++;
      const high = this.bracketItem();
      if (typeof low === "string" || typeof high === "string") {
        this.refuse("a class as the end of a range", "a range of chars");
      }
      if (high < low) {
        this.refuse(
          `the range ${String.fromCodePoint(low)}-${String.fromCodePoint(high)}`,
          "a range from low to high",
        );
      }
      sources.push(`${hex(low)}-${hex(high)}`);
    }
    this.at++;
    const only = sources.length === 1 && /^\\u\{([0-9a-f]+)\}$/.exec(sources[0]!);
    return charSet(sources, negated, this.fold, only ? parseInt(only[1]!, 16) : undefined);
  }

  /** Parses one char or class inside brackets. */
  private bracketItem(): number | string {
    const char = this.chars[this.at++]!;
    if (char === "\\") {
      if (this.at >= this.chars.length) this.refuse("trailing \\", "a char after \\");
      if (this.chars[this.at] === "b") {
        this.at++;
        return 0x08;
      }
      return this.escapedChar();
    }
    if (char === "[" && this.chars[this.at] === ":") {
      const name = /^:(\^?)([a-z]+):\]/.exec(this.ahead(16));
      if (name !== null) {
        const source = NAMED_CLASSES[name[2]!];
        if (source === undefined) {
          this.refuse(`[:${name[2]}:]`, `one of ${Object.keys(NAMED_CLASSES).join(", ")}`);
        }
        this.at += name[0].length;
        if (name[1] === "") return source;
        return source.startsWith("^") ? source.slice(1) : `^${source}`;
      }
    }
    return char.codePointAt(0) ?? 0;
  }
}
