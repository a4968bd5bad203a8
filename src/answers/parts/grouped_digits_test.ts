import { assertEquals } from "@std/assert";
import { sizeText } from "./grouped_digits.ts";

Deno.test("sizes have one digit after the point, and four before it at most", () => {
  assertEquals(sizeText(0), "0 B");
  assertEquals(sizeText(1023), "1023 B");
  assertEquals(sizeText(1024), "1.0 KiB");
  assertEquals(sizeText(48_892), "47.7 KiB");
  assertEquals(sizeText(1024 * 1024 - 1), "1.0 MiB");
  assertEquals(sizeText(2 ** 40 * 5000), "5000.0 TiB");
});
