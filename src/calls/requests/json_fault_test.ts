// Promise: what is wrong in JSON is said in words with its line and column, and how to write it.

import { assertEquals } from "@std/assert";
import { type ParseError, parseTree } from "jsonc-parser";
import { jsonFault } from "./json_fault.ts";

Deno.test("faults of JSON are in words that say what to write", () => {
  const cases: [string, number, number, string][] = [
    [String.raw`{"path":"C:\\dir\Users"}`, 1, 17, String.raw`\U is not an escape; a backslash is written \\`],
    [String.raw`{"a":"\u12"}`, 1, 7, String.raw`\u needs four hex digits; a backslash is written \\`],
    ["{'path':'a'}", 1, 2, "'path' needs double quotes"],
    ['{"a":True}', 1, 6, "True is not JSON; write true"],
    ['{"é":None}', 1, 6, "None is not JSON; write null"],
    ["{\n  path: 1}", 2, 3, "path needs double quotes"],
    ['{"a":1 "b":2}', 1, 8, 'a comma is missing before "b"'],
    ['{"a" 1}', 1, 6, "a colon is missing before 1"],
    ['{"a":}', 1, 6, "a value is missing before }"],
    ['{"a":"say "hi" now"}', 1, 11, 'a quote inside a string is written \\"'],
    ['{"a":1} x', 1, 9, "unexpected x"],
    ['{"a":[1}', 1, 8, "a comma is missing before }"],
  ];
  for (const [text, lineNumber, column, problem] of cases) {
    const errors: ParseError[] = [];
    parseTree(text, errors, { allowTrailingComma: true });
    assertEquals(jsonFault(text, errors[0]!), { lineNumber, column, problem }, text);
  }
});
