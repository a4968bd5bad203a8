import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { VERSION } from "../src/version.ts";
import packageFile from "../package.json" with { type: "json" };

Deno.test("the program's version is its package's", () => {
  assertEquals(VERSION, packageFile.version);
});

for (const document of ["SECURITY.md", "docs/limits.md"]) {
  Deno.test(`${document} names tests that are there`, () => {
    const text = Deno.readTextFileSync(new URL(`../${document}`, import.meta.url));
    const named = [...text.matchAll(/`((?:tests|fd|src|scripts)\/[\w/]+\.ts)`/g)].map(([, path]) => path);
    assert(named.length > 5);
    assertEquals(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url))), []);
  });
}
