/**
 * The scripts a newcomer starts with: what they say where something is missing, and that they find the checkout from
 * anywhere.
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT, makeWorld, programUnderTest, type World } from "./world.ts";

/** The scripts are the same whichever program is tested; once is enough. */
const ignore = programUnderTest().length > 1;

/** The programs that scripts use besides Node and npm. */
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

for (const { name } of Deno.readDirSync(join(CHECKOUT, "scripts"))) {
  const path = join(CHECKOUT, "scripts", name);
  const { isFile, mode } = Deno.statSync(path);
  if (!isFile || ((mode ?? 0) & 0o111) === 0) continue;
  Deno.test({
    name: `scripts/${name} --help describes its arguments`,
    ignore,
    async fn() {
      using world = makeWorld();
      const { code, text, stderr } = await world.shell(`'${path}' --help`);
      // The build that `scripts/fdtool` may need first reports on stderr.
      assertEquals([code, name === "fdtool" ? "" : stderr], [0, ""]);
      assertMatch(text, name === "fdtool" ? /^fdtool / : new RegExp(`usage: scripts/${name}`, "i"));
    },
  });
}

Deno.test({
  name: "scripts/fdtool finds its checkout through symlinks and spaces, and leaves arguments and stdin alone",
  ignore,
  async fn() {
    using world = makeWorld();
    await bareCheckout(world, {});
    await world.shell(
      "mv checkout 'a checkout' && ln -s 'a checkout/scripts/fdtool' tool && touch 'a checkout/main.ts'",
    );
    await world.shell("mkdir 'a checkout/fd' 'a checkout/src' 'a checkout/dist'");
    const binary = world.write("a checkout/dist/fdtool", `#!/bin/sh\nprintf '<%s>' "$@"\ncat\nexit 7\n`);
    Deno.chmodSync(binary, 0o755);
    const { code, text, stderr } = await world.shell(`printf 'a\\0b' | ./tool run -- 'x y' '' '*'`);
    assertEquals([code, text, stderr], [7, "<run><--><x y><><*>a\0b", ""]);
  },
});

Deno.test({
  name: "scripts/fdtool builds when a source is newer than the binary, and says so on stderr only",
  ignore,
  async fn() {
    using world = makeWorld();
    const PATH = await bareCheckout(world, { node: "exit 0", npm: "echo no; exit 1" });
    await world.shell(
      "cd checkout && mkdir fd src dist && touch main.ts && printf '#!/bin/sh\\n' >dist/fdtool",
    );
    await world.shell("chmod +x checkout/dist/fdtool && touch -t 203001010000 checkout/fd/new.ts");
    const { code, text, stderr } = await world.shell("checkout/scripts/fdtool x", { env: { PATH } });
    assertEquals([code, text], [1, ""]);
    assertStringIncludes(stderr, "installing the pinned toolchain");
  },
});
