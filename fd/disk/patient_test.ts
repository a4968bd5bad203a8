// Promise: on Windows a write does not fail because another program looks at the file for a moment.

import { assertEquals, assertThrows } from "@std/assert";
import { patient } from "./disk.ts";

/** A call that fails with each of `codes` in turn, and then works. */
function failing(codes: string[]): (path: string) => void {
  return () => {
    const code = codes.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
  };
}

Deno.test("a call is repeated while the file is held, with growing pauses", () => {
  const pauses: number[] = [];
  const wait = (waitMs: number) => void pauses.push(waitMs);
  patient(failing(["EPERM", "EBUSY", "EACCES"]), wait)("f");
  assertEquals(pauses, [1, 2, 4]);
});

Deno.test("a lasting failure is thrown after half a second, another one at once", () => {
  let waitedMs = 0;
  const wait = (waitMs: number) => {
    waitedMs += waitMs;
  };
  assertThrows(() => patient(failing(Array(100).fill("EPERM")), wait)("f"), Error, "EPERM");
  assertEquals(waitedMs, 511);
  assertThrows(() => patient(failing(["ENOENT"]), () => assertEquals("waited", ""))("f"), Error, "ENOENT");
});
