// Promise: the code that is shipped is compiled from the source here, and goes into every Linux runtime.

import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "../checkout.ts";
import { addLauncher } from "./add_launcher.ts";

const FETCHED = join(CHECKOUT, "node_modules/.cache/fdtool");
const RUNTIMES = [
  join(CHECKOUT, "node_modules/@oven/bun-linux-x64/bin/bun"),
  ...existsSync(FETCHED) ? readdirSync(FETCHED).map((name) => join(FETCHED, name, "bin/bun")) : [],
].filter((path) => path.includes("bun-linux") && existsSync(path));

Deno.test("only the entry, two unused functions and the stubs of two functions change in a runtime", () => {
  for (const path of RUNTIMES) {
    const before = readFileSync(path);
    const runtime = Buffer.from(before);
    addLauncher(runtime, "echo hello");
    let changed = 0;
    for (let at = 0; at < before.length; at += 4096) {
      const page = [before, runtime].map((each) => each.subarray(at, at + 4096)) as [Buffer, Buffer];
      if (!page[0].equals(page[1])) changed++;
    }
    // The header, the functions on up to three and two pages, the stubs.
    assertEquals(changed <= 8 && changed >= 4, true, `${path}: ${changed} pages`);
    assertEquals(runtime.includes("echo hello\0"), true);
  }
});

Deno.test("a script that does not fit, or another runtime, is refused", () => {
  const [path] = RUNTIMES;
  if (path === undefined) return;
  const runtime = readFileSync(path);
  assertThrows(() => addLauncher(runtime, "x".repeat(8000)), Error, "the launcher needs");
  const stripped = Buffer.from(runtime.toString("latin1").replaceAll("getcwd\0", "gotcwd\0"), "latin1");
  assertThrows(() => addLauncher(stripped, ""), Error, "does not call getcwd");
});
