// Promise: a path is resolved as the kernel does, links and `..` included, so that a root confines (contract, Writing
// files). On Windows a write goes to the file that its path names, or nowhere.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { FdError } from "../../../fd/system.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import { isInside, refuseOnWindows, resolveRealPath } from "./resolve_path.ts";

Deno.test("links, dangling links and dots lead where the kernel would go", () => {
  using world = temporaryStore();
  const { dir } = world;
  Deno.mkdirSync(`${dir}/real/deep`, { recursive: true });
  Deno.writeTextFileSync(`${dir}/real/f`, "");
  Deno.symlinkSync("real/deep", `${dir}/link`);
  Deno.symlinkSync("real/new", `${dir}/dangling`);
  Deno.symlinkSync(`${dir}/real`, `${dir}/absolute`);
  const cases: [string, string][] = [
    ["real/f", "real/f"],
    ["./real//f", "real/f"],
    ["real/../real/f", "real/f"],
    // Not `f`: the parent of the link's target.
    ["link/../f", "real/f"],
    ["link/x/y", "real/deep/x/y"],
    ["dangling", "real/new"],
    ["absolute/f", "real/f"],
    ["missing/../real/f", "real/f"],
  ];
  for (const [path, real] of cases) assertEquals(resolveRealPath(path, dir), `${dir}/${real}`, path);
  Deno.symlinkSync("loop", `${dir}/loop`);
  assertThrows(() => resolveRealPath("loop", dir), FdError);
  assertThrows(() => resolveRealPath("", dir), FdError);
  assertThrows(() => resolveRealPath("a\0b", dir), FdError);
});

Deno.test("a name that is too long for its file system is refused, even if its directory does not exist yet", () => {
  using world = temporaryStore();
  const { dir } = world;
  Deno.mkdirSync(`${dir}/there`);
  Deno.symlinkSync("there/missing", `${dir}/dangling`);
  for (const directory of ["there", "missing", "missing/deep", "dangling", "missing/../there/missing"]) {
    const inside = resolveRealPath(directory, dir);
    for (const name of ["x".repeat(255), "漢".repeat(85)]) {
      assertEquals(resolveRealPath(`${directory}/${name}`, dir), `${inside}/${name}`);
    }
    for (const path of [`${directory}/${"x".repeat(256)}`, `${directory}/${"x".repeat(256)}/f`]) {
      assertThrows(() => resolveRealPath(path, dir), FdError, undefined, path);
    }
  }
});

Deno.test("the root itself and what is below it are inside, a sibling with a longer name is not", () => {
  assert(isInside("/a/b", "/a/b") && isInside("/a/b/c", "/a/b") && isInside("/a", "/"));
  assert(!isInside("/a/bc", "/a/b") && !isInside("/a", "/a/b"));
});

function isRefused(name: string): boolean {
  try {
    refuseOnWindows(name, `C:\\${name}`);
    return false;
  } catch (thrown) {
    assertEquals(thrown instanceof FdError && thrown.failure.kind, "invalid_parameter");
    return true;
  }
}

Deno.test("on Windows, devices, final dots and spaces, and streams are refused", () => {
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
