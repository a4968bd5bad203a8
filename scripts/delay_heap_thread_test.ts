// Promise: a small call of the compiled program starts no thread for its heap.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { CHECKOUT } from "./checkout.ts";
import { delayHeapThread } from "./delay_heap_thread.ts";

const IS_OTHER_SYSTEM = process.arch !== "x64" || process.platform !== "linux";

Deno.test("only the number of blocks of the code that sets these options changes", () => {
  const code = (blocks: string, idle: string) =>
    Buffer.from(`9048b820000000${blocks}4889050102030448b8${idle}90`, "hex");
  const runtime = code("40000000", "0000000000002440");
  assertEquals(delayHeapThread(runtime), true);
  assertEquals(runtime, code("00040000", "0000000000002440"));
  assertEquals(delayHeapThread(runtime), false);
  const other = code("40000000", "000000000000f03f");
  assertEquals(delayHeapThread(other), false);
  assertEquals(other, code("40000000", "000000000000f03f"));
});

Deno.test({
  name: "the pinned runtime has that code",
  ignore: IS_OTHER_SYSTEM,
  fn() {
    const runtime = readFileSync(join(CHECKOUT, "node_modules/@oven/bun-linux-x64/bin/bun"));
    assertEquals(delayHeapThread(runtime), true);
  },
});
