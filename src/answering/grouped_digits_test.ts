import { assertEquals } from "@std/assert";
import { sizeText } from "./grouped_digits.ts";
import { sizeText as pageSizeText } from "../ui/page/element.js";

Deno.test("sizes have one digit after the point, and four before it at most", () => {
  assertEquals(sizeText(0), "0 B");
  assertEquals(sizeText(1023), "1023 B");
  assertEquals(sizeText(1024), "1.0 KiB");
  assertEquals(sizeText(48_892), "47.7 KiB");
  assertEquals(sizeText(1024 * 1024 - 1), "1.0 MiB");
  assertEquals(sizeText(2 ** 40 * 5000), "5000.0 TiB");
});

Deno.test("the page of `ui` and the terminal say sizes alike", () => {
  for (let byteCount = 1; byteCount < 2 ** 52; byteCount = Math.ceil(byteCount * 1.03)) {
    assertEquals(pageSizeText(byteCount), sizeText(byteCount));
  }
});
