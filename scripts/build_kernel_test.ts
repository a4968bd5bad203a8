// Promise: the shipped kernels are compiled from the sources here.

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT } from "./checkout.ts";

Deno.test("compiling the source of each kernel gives the shipped module", async () => {
  const program = `
    import { kernelModuleText, KERNELS } from "${import.meta.resolve("./build_kernel.ts")}";
    const made = {};
    for (const kernel of KERNELS) made[kernel[0]] = await kernelModuleText(kernel);
    console.log(JSON.stringify(made));
  `;
  // The compiler is WebAssembly too: to optimise it takes longer than to run it once.
  const args = ["eval", "--no-check", "--v8-flags=--liftoff-only", program];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), { args, cwd: CHECKOUT })
    .output();
  assert(success, new TextDecoder().decode(stderr));
  const made: Record<string, string> = JSON.parse(new TextDecoder().decode(stdout));
  for (const [path, text] of Object.entries(made)) {
    assertEquals(text, Deno.readTextFileSync(join(CHECKOUT, `${path}_wasm.ts`)), "run scripts/build-kernel");
  }
});
