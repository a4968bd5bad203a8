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

Deno.test("no file holds the marks of a merge that was not finished", () => {
  const listed = new Deno.Command("git", { args: ["grep", "-lE", "^(<{7}|>{7}) "], stdout: "piped" })
    .outputSync();
  assertEquals(new TextDecoder().decode(listed.stdout), "");
});
