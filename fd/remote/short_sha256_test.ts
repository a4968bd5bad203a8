import { assertEquals } from "@std/assert";
import { createHash, createHmac } from "node:crypto";
import fc from "fast-check";
import { shortHmac, shortSha256 } from "./short_sha256.ts";

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

Deno.test("sums of any short bytes and text are those of node:crypto", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: "grapheme", maxLength: 200 }),
      (bytes, text) => {
        assertEquals(hex(shortSha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
        assertEquals(hex(shortHmac(bytes, text)), createHmac("sha256", bytes).update(text).digest("hex"));
      },
    ),
  );
});
