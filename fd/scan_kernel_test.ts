// Promise: the kernel that is shipped is the one whose source is here, and runs where WebAssembly does. That it
// counts what the plain path counts is tested with the scan.

import { equal, notStrictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { kernelModuleText } from "../scripts/build_kernel.ts";
import { loadKernel } from "./scan_kernel.ts";

Deno.test("assembling the kernel's source gives the module that is shipped", async () => {
  const shipped = readFileSync(new URL("scan_kernel_wasm.ts", import.meta.url), "utf8");
  equal(await kernelModuleText(), shipped, "run scripts/build-kernel");
});

Deno.test("the kernel loads here, so that the tests of the scan do test it", () => {
  notStrictEqual(loadKernel(131_072), undefined);
});
