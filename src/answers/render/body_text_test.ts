// Promise: numbering adds numbers and changes nothing else, whatever the chunks.

import { deepStrictEqual, equal } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { joinBytes, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import { bodyOf, resultAnswer, textOf } from "../../../tests/sample_answers.ts";
import type { FdResult } from "../../calls/terms/answers.ts";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { digestBody, numberedLines, previewBodies } from "./body_text.ts";
import { jsonOf } from "./json.ts";

Deno.test("each line gets its number, and byteLength is exact", () => {
  const text = fc.array(fc.constantFrom("a", "\n", "é", "\r"), { maxLength: 20 }).map((parts) =>
    parts.join("")
  );
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 99 }),
      (text, size, first) => {
        const lines = text.split("\n");
        if (lines.at(-1) === "") lines.pop();
        const last = first + lines.length - 1;
        const width = String(last).length;
        const expected =
          lines.map((line, index) => `${String(first + index).padStart(width)}\t${line}`).join("\n") +
          (text.endsWith("\n") ? "\n" : "");
        const body = lines.length === 0
          ? numberedLines(bodyOf(""), 0, 0)
          : numberedLines(bodyOf(text, size), first, last);
        assertEquals(textOf(body.chunks()), expected);
        assertEquals(body.byteLength, Buffer.byteLength(expected));
      },
    ),
  );
});

function part(lines: string, text: string): FdResult["preview"][number] {
  const bytes = utf8Bytes(text);
  return { lines, body: { byteLength: bytes.length, chunks: () => [bytes] }, numbered: true };
}

const PARTS = [
  part("1-2", "start\n… lines 3-9"),
  { lines: "3-1172", omitted: 1170, like: [{ count: 1168, line: 'say "a"' }] },
  part("1173-1173", "end"),
];

Deno.test("a digest has a number before each line, and a gap line that no content can pass for", () => {
  equal(previewBodies(PARTS).length, 1);
  equal(
    utf8Text(joinBytes([...digestBody(PARTS).chunks()])),
    '1:start\n2:… lines 3-9\n… lines 3-1172: 1,168 like "say \\"a\\""\n1173:end',
  );
  equal(utf8Text(joinBytes([...digestBody([{ lines: "7-7", omitted: 1, like: [] }]).chunks()])), "… line 7");
});

Deno.test("in json a digest is a list of its parts, and a gap has no content", () => {
  const json = utf8Text(joinBytes([...jsonOf(resultAnswer(PARTS), () => undefined)]));
  deepStrictEqual(JSON.parse(json).preview, [
    { lines: "1-2", content: "start\n… lines 3-9" },
    { lines: "3-1172", omitted: 1170, like: [{ count: 1168, line: 'say "a"' }] },
    { lines: "1173-1173", content: "end" },
  ]);
});
