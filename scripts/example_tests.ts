/** The examples in comments as test files. Each as a test of Deno's own would load its modules by itself, which takes longer. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const EXAMPLE = /^( *\* )```ts\n([^]*?)^\1```$/gm;

/**
 * Writes the examples in the comments of `sources`, paths below `root`, as modules in `folder`, and returns the text of a
 * test file that runs them.
 */
export function exampleTests(root: string, sources: readonly string[], folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tests: string[] = [];
  for (const source of sources) {
    const text = readFileSync(join(root, source), "utf8");
    for (const { index, 2: example = "" } of text.matchAll(EXAMPLE)) {
      const path = join(folder, `${tests.length}.ts`);
      const code = example.replaceAll(/^ *\* ?/gm, "")
        .replaceAll(
          /(\bfrom |^import )"(\.[^"]*)"/gm,
          (_, before, path) => `${before}${JSON.stringify(`file://${join(root, dirname(source), path)}`)}`,
        );
      writeFileSync(path, code);
      const name = `${source}:${text.slice(0, index).split("\n").length}`;
      tests.push(`Deno.test(${JSON.stringify(name)}, () => import(${JSON.stringify(`file://${path}`)}));\n`);
    }
  }
  return tests.join("");
}
