// Promise: on Windows a write goes to the file that its path names, or nowhere.

import { assertEquals } from "@std/assert";
import { FdError } from "../../../fd/mod.ts";
import { isInside } from "./resolve_path.ts";
import { refuseOnWindows } from "./windows_path.ts";

function isRefused(name: string): boolean {
  try {
    refuseOnWindows(name, `C:\\${name}`);
    return false;
  } catch (thrown) {
    assertEquals(thrown instanceof FdError && thrown.failure.kind, "invalid_parameter");
    return true;
  }
}

Deno.test("devices, final dots and spaces, and streams are refused", () => {
  for (
    const name of [
      "NUL",
      "nul.txt",
      "con",
      "Aux.c",
      "COM1",
      "lpt\u00b2",
      "CONIN$",
      "a.",
      "a ",
      "a:b",
      "a::$DATA",
    ]
  ) {
    assertEquals(isRefused(name), true, name);
  }
  for (const name of ["null", "con1", "auxiliary.c", "a.nul", ".git", "a b", "com10", "~x"]) {
    assertEquals(isRefused(name), false, name);
  }
});

Deno.test("on Windows a path is inside a directory however its case is written", () => {
  const sep = Deno.build.os === "windows" ? "\\" : "/";
  const [path, root] = [["C:", "Store", "v2", "x"].join(sep), ["c:", "STORE"].join(sep)];
  assertEquals([isInside(path, root, true), isInside(path, root, false)], [true, false]);
  assertEquals(isInside(path, `${root}X`, true), false);
  assertEquals(isInside(root.toUpperCase(), root, true), true);
});
