/** Words for what is wrong in JSON text, by the place and kind that its parser reports: what is there, and what to write. */

import { type ParseError, printParseErrorCode } from "jsonc-parser";

/** Words of other languages, and what JSON has instead. */
const FOREIGN = new Map([["True", "true"], ["False", "false"], ["None", "null"], ["undefined", "null"], [
  "NaN",
  "null",
]]);
const MISSING = new Map([
  ["CloseBraceExpected", "a }"],
  ["CloseBracketExpected", "a ]"],
  ["CommaExpected", "a comma"],
  ["ColonExpected", "a colon"],
  ["PropertyNameExpected", "a name in double quotes"],
  ["ValueExpected", "a value"],
]);
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
  if (kind === "InvalidEscapeCharacter" || kind === "InvalidUnicode") {
    const [, before = "", escape = ""] = /^((?:[^\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)(\\.?)/s.exec(token)!;
    const fault = escape === "\\u" ? "needs four hex digits" : "is not an escape";
    return { at: before.length, problem: `${escape} ${fault}; a backslash is written \\\\` };
  }
  if (kind === "UnexpectedEndOfString") {
    return { problem: "the string that begins here has no end in its line" };
  }
  if (MISSING.has(kind)) return { problem: `${MISSING.get(kind)} is missing before ${shown}` };
  if (FOREIGN.has(token)) return { problem: `${token} is not JSON; write ${FOREIGN.get(token)}` };
  if (text[offset - 1] === '"') return { at: -1, problem: 'a quote inside a string is written \\"' };
  const isKey = /^\w+$/.test(token) && /[{,]\s*$/.test(text.slice(0, offset));
  return { problem: token.startsWith("'") || isKey ? `${shown} needs double quotes` : `unexpected ${shown}` };
}
