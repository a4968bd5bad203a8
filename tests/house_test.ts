import { assertEquals } from "@std/assert";
import { VERSION } from "../src/version.ts";
import packageFile from "../package.json" with { type: "json" };

Deno.test("the program's version is its package's", () => {
  assertEquals(VERSION, packageFile.version);
});
