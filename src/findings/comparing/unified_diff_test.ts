// Promise: the diff of two contents in memory, applied to the old one, gives the new one.

import { assert, assertEquals } from "@std/assert";
import { applyPatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "./unified_diff.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("any diff, applied to the old text, gives the new one", () => {
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d", "é\n", "\r\n", " x\n"), { maxLength: 30 })
    .map((lines) => lines.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = new TextDecoder().decode(
        unifiedDiff({ name: "f", bytes: encode(before) }, { name: "f", bytes: encode(after) }),
      );
      assertEquals(diff === "", before === after);
      if (diff !== "") assertEquals(applyPatch(before, diff, { autoConvertLineEndings: false }), after);
    }),
    { numRuns: 200 },
  );
});

Deno.test("content that is not text is shown as binary", () => {
  const diff = unifiedDiff({ name: "a", bytes: Uint8Array.of(0, 1) }, {
    name: "b",
    bytes: Uint8Array.of(1),
  });
  assert(new TextDecoder().decode(diff).startsWith("Binary files a and b differ"));
});
