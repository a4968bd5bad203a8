// Promise: numbering adds numbers and changes nothing else, whatever the chunks.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { numberedLines } from "./body_text.ts";
import { bodyOf, textOf } from "../../tests/sample_answers.ts";

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
