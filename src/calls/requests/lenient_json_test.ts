// Promise: JSON as models write it is read where it can mean one thing, told how, and refused where it can mean two;
// JSON that a transport cut is never completed.

import { readJson, understandJson } from "./lenient_json.ts";
import { UsageError, type UsageFailure } from "./usage_failure.ts";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { deepStrictEqual, throws } from "node:assert/strict";

const FENCE = "the JSON was read from its code fence";
const COMMAS = "trailing commas and comments were ignored";
const STRING = "a JSON string was read as the JSON it contains";
const CONTROLS = "unescaped line ends and tabs in strings were accepted";

/** Texts, their meaning, and how they were read. */
const UNDERSTOOD: readonly [string, unknown, string[]][] = [
  ["", {}, []],
  [" \r\n", {}, []],
  ['{"fd":"fd:1"}', { fd: "fd:1" }, []],
  ['\uFEFF{"fd":"fd:1"}', { fd: "fd:1" }, []],
  ['{\r\n  "fd": "fd:1"\r\n}\r\n', { fd: "fd:1" }, []],
  ['```json\n{"fd":"fd:1"}\n```', { fd: "fd:1" }, [FENCE]],
  ['```\r\n{"fd":"fd:1"}\r\n```\r\n', { fd: "fd:1" }, [FENCE]],
  ['Here is the call:\n\n```json\n{"fd":"fd:1"}\n```\nDone.', { fd: "fd:1" }, [FENCE]],
  ['~~~\n{"a":"```"}\n~~~', { a: "```" }, [FENCE]],
  ['{"fd":"fd:1",}', { fd: "fd:1" }, [COMMAS]],
  ['{"a":[1,2,],}', { a: [1, 2] }, [COMMAS]],
  ['{"fd":"fd:1" /* the log */}', { fd: "fd:1" }, [COMMAS]],
  ['```json\n{"fd":"fd:1",}\n```', { fd: "fd:1" }, [FENCE, COMMAS]],
  ['"{\\"fd\\":\\"fd:1\\"}"', { fd: "fd:1" }, [STRING]],
  ['"str"', "str", []],
  ['"two words"', "two words", []],
  ['""', "", []],
  ['"true"', true, [STRING]],
  ['"\\"str\\""', "str", [STRING]],
  ['{"content":"a\nb\tc"}', { content: "a\nb\tc" }, [CONTROLS]],
  ['{"content":"a\r\nb"}', { content: "a\r\nb" }, [CONTROLS]],
  ['{"content":"```json\\n{}\\n```"}', { content: "```json\n{}\n```" }, []],
  ['{"__proto__":1}', Object.fromEntries([["__proto__", 1]]), []],
];

for (const [text, value, notes] of UNDERSTOOD) {
  Deno.test(`is understood: ${JSON.stringify(text)}`, () => {
    deepStrictEqual(understandJson(text, "it"), { value, notes });
  });
}

function failureOf(text: string): UsageFailure {
  try {
    understandJson(text, "it");
  } catch (thrown) {
    if (thrown instanceof UsageError) return thrown.failure;
    throw thrown;
  }
  throw new Error(`was understood: ${text}`);
}

/** Text that could mean several things, or nothing. */
const REFUSED = [
  '{"fd":"fd:1"}{"fd":"fd:2"}',
  '{"fd":"fd:1"}\n{"fd":"fd:2"}',
  '{"fd":"fd:1","fd":"fd:2"}',
  '{"a":{"b":1,"b":2}}',
  '```json\n{"a":1}\n```\nor\n```json\n{"a":2}\n```',
  "read_fd fd:1",
  "{'fd': 'fd:1'}",
  "{fd: 1}",
  '{"read_all": True}',
  '{"a":1} and then some',
  "[".repeat(200_000) + "]".repeat(200_000),
];

for (const text of REFUSED) {
  Deno.test(`is refused: ${JSON.stringify(text.slice(0, 60))}`, () => {
    deepStrictEqual(failureOf(text).kind, "bad_json");
  });
}

/** Beginnings of calls, and how many chars of each arrived. */
const CUT: readonly [string, number][] = [
  ['{"content":"abc', 15],
  ['{"a":1,', 7],
  ['{"a":', 5],
  ['```json\n{"content":"abc', 23],
  ['{"content":"a\nb', 15],
  ['{"content":"😀', 13],
];

for (const [text, charCount] of CUT) {
  Deno.test(`was cut: ${JSON.stringify(text)}`, () => {
    deepStrictEqual(failureOf(text), { kind: "truncated_payload", what: "it", charCount });
  });
}

Deno.test("plain JSON means itself, and needs no note", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
    const json = JSON.stringify(value);
    deepStrictEqual(understandJson(json, "it"), { value: JSON.parse(json), notes: [] });
  }));
});

Deno.test("no beginning of a call is taken for the call", () => {
  const json = JSON.stringify({
    path: "a.txt",
    edits: [{ old_string: 'x "\\', new_string: "y\n" }],
    replace_all: true,
  });
  for (let length = 1; length < json.length; length++) {
    throws(() => understandJson(json.slice(0, length), "it"), UsageError);
  }
});

Deno.test("every proper beginning of an object or list is recognised as cut", () => {
  fc.assert(
    fc.property(fc.jsonValue().filter((value) => typeof value === "object" && value !== null), (value) => {
      const json = JSON.stringify(value);
      assertEquals(readJson(json).kind, "value");
      for (let length = 1; length < json.length; length++) {
        assertEquals(readJson(json.slice(0, length)).kind, "truncated", json.slice(0, length));
      }
    }),
  );
});

Deno.test("JSON is recognised as cut at every char of every token", () => {
  const json = String
    .raw`{ "k\"\u00e9\n" : [ true , false , null , -1.5e+30 , 0.5E-1 , "\\v\u00E9" , {} , [] ] , "\u00e9\\" : "v" }`;
  assertEquals(readJson(json).kind, "value");
  for (let length = 1; length < json.length; length++) {
    assertEquals(readJson(json.slice(0, length)).kind, "truncated", json.slice(0, length));
  }
});

Deno.test("JSON that is wrong before its end is not called cut", () => {
  for (
    const wrong of [
      "{old: 1",
      '{"a" 1',
      '{"a": 1,}',
      '["a",,',
      '{"a": tru e',
      '{"a": "\\x',
      '{"a": 01',
      "}",
      '{"a": 1}}',
      "hello",
      '{"a": "line\nbreak',
      "[1 2",
      "",
      "  \n",
      "{'a': 1",
    ]
  ) {
    assertEquals(readJson(wrong).kind, "invalid", wrong);
  }
});

Deno.test("any text is read without a crash", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => {
    const { kind } = readJson(text);
    assert(kind === "value" || kind === "truncated" || kind === "invalid");
  }));
});
