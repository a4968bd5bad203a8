// Promise: the build changes the one constant it means, or nothing at all.

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { tuneRuntime } from "./tuned_runtime.ts";

const CODE = "90c605000000000148b8200000004000000048890500000000c3";

Deno.test("the thread's threshold becomes unreachable, and every other byte stays", () => {
  const runtime = Buffer.from(CODE, "hex");
  assertEquals(tuneRuntime(runtime), true);
  assertEquals(runtime.toString("hex"), CODE.replace("40000000", "ffffff7f"));
});

Deno.test("code that is not known, or not known for sure, stays as it is", () => {
  for (const code of ["c3", CODE.replace("48b8", "48b9"), CODE + CODE]) {
    const runtime = Buffer.from(code, "hex");
    assertEquals(tuneRuntime(runtime), false);
    assertEquals(runtime.toString("hex"), code);
  }
});
