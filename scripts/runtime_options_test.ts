// Promise: the compiled program starts no thread for its heap in a small call, and none that compiles.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { CHECKOUT } from "./checkout.ts";
import { setRuntimeOptions } from "./runtime_options.ts";

const IS_OTHER_SYSTEM = process.arch !== "x64" || process.platform !== "linux";

Deno.test("only the values of options change, and only where the code around them is known", () => {
  const code = (isSet: boolean, idle = "0000000000002440") => {
    const [blocks, jump, calls, loops] = isSet
      ? ["00040000", "9090", "d0070000", "0100000032000000006a1800"]
      : ["40000000", "7511", "f4010000", "960000003200000050c30000"];
    return Buffer.from(
      `9048b820000000${blocks}4889050102030448b8${idle}90` +
        `803801${jump}c6050102030400c7050102030401000000` +
        `${calls}64000000e8030000e8030000` +
        `${loops}f4010000`,
      "hex",
    );
  };
  const runtime = code(false);
  assertEquals(setRuntimeOptions(runtime), 4);
  assertEquals(runtime, code(true));
  assertEquals(setRuntimeOptions(runtime), 0);
  const other = code(false, "000000000000f03f");
  assertEquals(setRuntimeOptions(other), 3);
  const twice = Buffer.concat([code(false), code(false)]);
  assertEquals(setRuntimeOptions(twice), 0);
});

Deno.test({
  name: "the pinned runtime has that code",
  ignore: IS_OTHER_SYSTEM,
  fn() {
    const runtime = readFileSync(join(CHECKOUT, "node_modules/@oven/bun-linux-x64/bin/bun"));
    assertEquals(setRuntimeOptions(runtime), 4);
  },
});
