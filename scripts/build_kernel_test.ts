// Promise: the shipped kernels are compiled from the sources here.

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { kernelModuleText, KERNELS } from "./build_kernel.ts";
import { CHECKOUT } from "./checkout.ts";

Deno.test("compiling the source of each kernel gives the shipped module", async () => {
  for (const kernel of KERNELS) {
    const shipped = Deno.readTextFileSync(join(CHECKOUT, `${kernel[0]}_wasm.ts`));
    assertEquals(await kernelModuleText(kernel), shipped, "run scripts/build-kernel");
  }
});
