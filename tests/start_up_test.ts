// Promise: what a small call loads does not grow with what other commands need: `read` and `capture` load no code of the
// agent protocols, no schemas of theirs, and no library but the ones that parsing needs.

import { assertEquals } from "@std/assert";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { CHECKOUT } from "./world.ts";

interface Graph {
  modules: {
    specifier: string;
    dependencies?: { specifier: string; isDynamic?: boolean; code?: { specifier?: string } }[];
  }[];
}

/** The static imports of `path`, also indirect: files of the project, and packages by name. */
function loadedWith(path: string): string[] {
  const { code, stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-lock", "--config", join(CHECKOUT, "deno.json"), join(CHECKOUT, path)],
    cwd: CHECKOUT,
  }).outputSync();
  assertEquals(code, 0);
  const { modules }: Graph = JSON.parse(new TextDecoder().decode(stdout));
  const bySpecifier = new Map(modules.map((module) => [module.specifier, module]));
  const loaded = new Set<string>();
  const open = [pathToFileURL(join(CHECKOUT, path)).href];
  for (let specifier = open.pop(); specifier !== undefined; specifier = open.pop()) {
    if (loaded.has(specifier)) continue;
    loaded.add(specifier);
    for (
      const { isDynamic, code: target, specifier: written } of bySpecifier.get(specifier)?.dependencies ?? []
    ) {
      if (isDynamic === true || target === undefined) continue;
      if (target.specifier?.startsWith("file:") !== true || target.specifier.includes("/node_modules/")) {
        loaded.add(written);
      } else open.push(target.specifier);
    }
  }
  return [...loaded].map((each) => each.startsWith("file:") ? relative(CHECKOUT, fileURLToPath(each)) : each)
    .sort();
}

const PROTOCOLS =
  /^(src\/agents\/|src\/writing\/|@modelcontextprotocol|@valibot|ajv|zod|jsonc-parser|smol-toml|js-yaml|diff)/;

for (const path of ["main.ts", "src/commands/read.ts", "src/commands/capture.ts"]) {
  Deno.test(`start-up: ${path} loads nothing of the agent protocols`, () => {
    assertEquals(loadedWith(path).filter((each) => PROTOCOLS.test(each)), []);
  });
}

Deno.test("start-up: the checked graph contains the loaded modules", () => {
  const loaded = loadedWith("src/commands/mcp.ts");
  assertEquals(loaded.includes("src/agents/mcp/mcp_server.ts"), false);
  assertEquals(
    loadedWith("src/agents/mcp/mcp_server.ts").includes("valibot"),
    true,
  );
});
