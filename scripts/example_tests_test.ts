import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { exampleTests } from "./example_tests.ts";

Deno.test("each example in a comment is a module that imports what its file does, and a test", () => {
  const directory = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(
      join(directory, "a.ts"),
      '/**\n * Adds.\n *\n * ```ts\n * import { add } from "../b.ts";\n *\n * if (add(1, 2) !== 3) throw new Error();\n * ```\n */\n' +
        '  /**\n   * ```ts\n   * import * as fs from "node:fs";\n   * ```\n   */\n/** ```js\n * no();\n * ```\n */\n',
    );
    const folder = join(directory, "examples");
    const tests = exampleTests(directory, ["a.ts"], folder);
    assertEquals(["0.ts", "1.ts"].map((name) => Deno.readTextFileSync(join(folder, name))), [
      `import { add } from "file://${
        join(directory, "../b.ts")
      }";\n\nif (add(1, 2) !== 3) throw new Error();\n`,
      `import * as fs from "node:fs";\n`,
    ]);
    assertEquals(
      tests,
      [[0, 4], [1, 11]].map(([at, line]) =>
        `Deno.test("a.ts:${line}", () => import("file://${join(folder, `${at}.ts`)}"));\n`
      ).join(""),
    );
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
