/** The text of content in UTF-16 is that text, with the counts that it has in UTF-8. */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { FdEntry } from "../records/fd_entry.ts";
import { decodedFrom } from "./decoded_entry.ts";
import { utf16Of } from "./text_entry.ts";

const text = fc.array(
  fc.oneof(
    fc.constantFrom("\n", "\r\n", "a", "Error: ", "ü", "\u010a", "\u0a05"),
    fc.string({ unit: "binary" }),
  ),
  { maxLength: 40 },
)
  // A mark and a NUL are the mark of UTF-32.
  .map((parts) => parts.join("").replace(/^\0+/, ""));

Deno.test("UTF-16 is decoded, however its content is cut into chunks, and counted as in UTF-8", () => {
  fc.assert(fc.property(text, fc.boolean(), fc.array(fc.integer({ min: 1, max: 30 })), (all, isBig, cuts) => {
    const units = Array.from({ length: all.length }, (_, at) => all.charCodeAt(at));
    const bytes = Uint8Array.from(
      [0xfeff, ...units].flatMap((unit) => isBig ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8]),
    );
    const encoding = utf16Of(bytes);
    assertEquals(encoding, isBig ? "utf-16be" : "utf-16le");
    const chunks: Uint8Array[] = [];
    let from = 0;
    for (const cut of cuts) {
      chunks.push(bytes.subarray(from, from + 2 * cut));
      from += 2 * cut;
    }
    chunks.push(bytes.subarray(from));
    const entry = { pageSize: 4000, byteCount: bytes.length } as FdEntry;
    const made = decodedFrom(entry, encoding!, chunks);
    const expected = new TextEncoder().encode(all);
    assertEquals(made.decoded!.bytes, expected);
    assertEquals(
      [made.byteCount, made.lineFeedCount, made.charCount],
      [expected.length, all.split("\n").length - 1, [...new TextDecoder().decode(expected)].length],
    );
  }));
});
