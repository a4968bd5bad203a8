// Promise (law 3): direct counting of one block and the scan give the same totals.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyContent, anyPageSize, PATTERNS, repeatedTo } from "../../tests/contents.ts";
import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { totalsOfBlock } from "./block_totals.ts";
import { type ScanTotals, startScan } from "./scan_text.ts";

function scanned(bytes: Uint8Array, pageSize: number): ScanTotals {
  const scan = startScan({ pageSize, onEntry() {} });
  scan.window().set(bytes);
  scan.accept(bytes.length);
  return scan.end();
}

Deno.test("any content of one block has the totals that the scan computes", () => {
  fc.assert(
    fc.property(anyContent, anyPageSize, (content, pageSize) => {
      const block = content.subarray(0, BLOCK_BYTES);
      assertEquals(totalsOfBlock(block, pageSize), scanned(block, pageSize));
    }),
  );
});

Deno.test("content that exactly fills a block or a page has the totals that the scan computes", () => {
  for (const pattern of Object.values(PATTERNS)) {
    for (const byteCount of [0, 1, 2, 3, 127, 128, 129, 511, 512, 513, BLOCK_BYTES - 1, BLOCK_BYTES]) {
      const block = repeatedTo(byteCount, pattern);
      const { charCount } = scanned(block, 4000);
      for (const pageSize of [7, 4000, Math.max(1, charCount - 1), Math.max(1, charCount), charCount + 1]) {
        assertEquals(totalsOfBlock(block, pageSize), scanned(block, pageSize));
      }
    }
  }
});
