/**
 * The scripts a newcomer starts with: what they say where something is missing, and that they find the checkout from
 * anywhere.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT, makeWorld, programUnderTest, type World } from "./world.ts";

/** The scripts are the same whichever program is tested; once is enough. */
const ignore = programUnderTest().length > 1;

/** What the scripts use besides Node and npm. */
const TOOLS = "sh cat chmod cksum dirname find grep head kill mkdir mktemp readlink rm sed sleep tail uname"
  .split(" ");

/** A checkout without an installed toolchain, and a PATH that holds only the scripts' tools and `programs`. */
async function bareCheckout(world: World, programs: Readonly<Record<string, string>>): Promise<string> {
  const bin = world.path("bin");
  Deno.mkdirSync(bin);
  for (const tool of TOOLS) {
    const { text } = await world.shell(`command -v ${tool}`);
    const path = text.trim();
    if (path.startsWith("/")) Deno.symlinkSync(path, join(bin, tool));
  }
  for (const [name, script] of Object.entries(programs)) {
    Deno.writeTextFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  await world.shell(
    `mkdir checkout && cd '${CHECKOUT}' && cp -R scripts package.json package-lock.json "$OLDPWD/checkout"`,
  );
  return bin;
}

for (
  const [missing, programs, sentence] of [
    ["Node", {}, "Node.js is not installed"],
    ["npm", { node: "exit 0" }, "npm is not installed"],
    [
      "the network",
      { node: "exit 0", npm: "echo 'npm error code ENOTFOUND'; exit 1" },
      "the npm registry cannot be reached. The first run needs it; later runs work offline.",
    ],
    [
      "a sound npm",
      { node: "exit 0", npm: "echo 'npm error EUSAGE: odd'; exit 1" },
      "npm could not install the toolchain",
    ],
    ["a Bun for this system", { node: "exit 0", npm: "exit 0" }, "npm has no Bun that runs on this system"],
  ] as const
) {
  Deno.test({
    name: `without ${missing} the scripts end with a sentence`,
    ignore,
    async fn() {
      using world = makeWorld();
      const PATH = await bareCheckout(world, programs);
      const { code, text, stderr } = await world.shell("checkout/scripts/fdtool --version", {
        env: { PATH },
      });
      assertEquals([code, text], [1, ""]);
      const last = stderr.trimEnd().split("\n").at(-1) ?? "";
      assertEquals(last.startsWith("fdtool: "), true, stderr);
      assertStringIncludes(last, sentence);
      assertEquals(
        [...Deno.readDirSync(world.path("checkout"))].some(({ name }) => name === ".toolchain-lock"),
        false,
      );
    },
  });
}

Deno.test({
  name: "the scripts find their checkout through symlinks, and leave arguments and stdin alone",
  ignore,
  async fn() {
    using world = makeWorld();
    Deno.mkdirSync(world.path("a b"));
    Deno.symlinkSync(join(CHECKOUT, "scripts", "fdtool"), world.path("a b/tool"));
    const linked = await world.shell("'./a b/tool' --version");
    assertEquals([linked.code, linked.stderr], [0, ""]);
    assertStringIncludes(linked.text, "fdtool ");
    const piped = await world.shell("printf 'a\\0b' | './a b/tool' capture");
    assertEquals([piped.code, piped.text, piped.stderr], [0, "a\0b", ""]);
  },
});
