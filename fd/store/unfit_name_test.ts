// Promise: on Windows and macOS no name replaces another silently, and none goes to a device.

import { assertEquals, assertThrows } from "@std/assert";
import { FdError } from "../disk/errors.ts";
import { refuseUnfitName } from "./bind_name.ts";

function isRefused(name: string, names: readonly string[], platform: string): boolean {
  try {
    refuseUnfitName(name, () => names, platform);
    return false;
  } catch (thrown) {
    assertEquals(thrown instanceof FdError && thrown.failure.kind, "invalid_parameter");
    return true;
  }
}

Deno.test("names of devices and final dots are refused on Windows alone", () => {
  for (const name of ["nul", "NUL", "con.txt", "Com1", "lpt9.a.b", "log."]) {
    assertEquals(["win32", "darwin", "linux"].map((platform) => isRefused(name, [], platform)), [
      true,
      false,
      false,
    ]);
  }
  for (const name of ["null", "console", "com", "com10", "a.nul", ".a"]) {
    assertEquals(isRefused(name, [], "win32"), false, name);
  }
});

Deno.test("a name that differs from another one in case is refused where both are one file", () => {
  const names = ["Log", "other"];
  assertEquals(["win32", "darwin", "linux"].map((each) => isRefused("log", names, each)), [
    true,
    true,
    false,
  ]);
  assertEquals(isRefused("Log", names, "win32"), false);
  assertThrows(() => refuseUnfitName("LOG", () => names, "darwin"), FdError, "ref:Log");
});
