/** Words for what is wrong in JSON text, by the place and kind that its parser reports: what is there, and what to write. */

import { type ParseError, printParseErrorCode } from "jsonc-parser";

/** Words of other languages, and what JSON has instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
  nil: "null",
  undefined: "null",
  NaN: "null",
};
const MAX_SHOWN = 40;

/**
 * The fault with its line and column, both from 1.
 *
 * ```ts
 * import { type ParseError, parseTree } from "jsonc-parser";
 * import { jsonFault } from "./json_fault.ts";
 * import { assertEquals } from "@std/assert";
 * const errors: ParseError[] = [];
 * const text = String.raw`{"path": "C:\Users"}`;
 * parseTree(text, errors);
 * const problem = String.raw`\U is not an escape; a backslash is written \\`;
 * assertEquals(jsonFault(text, errors[0]!), { lineNumber: 1, column: 13, problem });
 * ```
 */
export function jsonFault(text: string, { error, offset, length }: ParseError) {
  const token = text.slice(offset, offset + length);
  const { at = 0, problem } = faultOf(printParseErrorCode(error), token, text, offset);
  const before = text.slice(0, offset + at).split("\n");
  return { lineNumber: before.length, column: [...before.at(-1)!].length + 1, problem };
}

function faultOf(
  kind: string,
  token: string,
  text: string,
  offset: number,
): { at?: number; problem: string } {
  const shown = token === ""
    ? "the end"
    : token.length <= MAX_SHOWN
    ? token
    : `${token.slice(0, MAX_SHOWN)}…`;
  switch (kind) {
    case "InvalidEscapeCharacter":
    case "InvalidUnicode": {
      const [, before = "", escape = ""] = /^((?:[^\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)(\\.?)/s.exec(
        token,
      )!;
      const fault = escape === "\\u" ? "needs four hex digits" : "is not an escape";
      return { at: before.length, problem: `${escape} ${fault}; a backslash is written \\\\` };
    }
    case "InvalidSymbol":
      if (token.startsWith("'")) return { problem: `${shown} needs double quotes` };
      if (FOREIGN[token] !== undefined) return { problem: `${token} is not JSON; write ${FOREIGN[token]}` };
      if (text[offset - 1] === '"') return { at: -1, problem: 'a quote inside a string is written \\"' };
      return /^\w+$/.test(token) && /[{,]\s*$/.test(text.slice(0, offset))
        ? { problem: `${shown} needs double quotes` }
        : { problem: `unexpected ${shown}` };
    case "UnexpectedEndOfString":
      return { problem: "the string that begins here has no end in its line" };
    case "CloseBraceExpected":
      return { problem: "a } is missing" };
    case "CloseBracketExpected":
      return { problem: "a ] is missing" };
    case "CommaExpected":
      return { problem: `a comma is missing before ${shown}` };
    case "ColonExpected":
      return { problem: `a colon is missing before ${shown}` };
    case "PropertyNameExpected":
      return { problem: `a name in double quotes is missing before ${shown}` };
    case "ValueExpected":
      return { problem: `a value is missing before ${shown}` };
    default:
      return { problem: `unexpected ${shown}` };
  }
}
