/**
 * The store as a library (section 9): each example of docs/library.md is a script that runs in a foreign directory, on
 * Deno, on Bun and, bundled, on Node, and prints what the page says. What the library puts, the program reads, and the other way.
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { BUN, examples, isThere, printedBy as printedBySteps, spread } from "./library_examples.ts";
import { jsonOf } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { CHECKOUT, makeWorld, type World } from "./world.ts";

const RUNTIMES = {
  deno: [[Deno.execPath(), "run", "-A", "--quiet", "--no-lock", "--node-modules-dir=manual", "script.ts"]],
  bun: [[BUN, "run", "--no-install", "script.ts"]],
  node: [[BUN, "build", "--target=node", "--outfile=script.mjs", "script.ts"], ["node", "script.mjs"]],
} as const;
type Runtime = keyof typeof RUNTIMES;

const HERE: readonly Runtime[] = ["deno", "bun", ...(isThere("node") ? ["node" as const] : [])];

/** Runs a script that uses the library's source, in a foreign directory; answers what it printed. */
function printedBy(world: World, runtime: Runtime, script: string): Promise<string> {
  const text = script.replaceAll("@fdtool/store", `${CHECKOUT}/fd/library/mod.ts`);
  return printedBySteps(world, RUNTIMES[runtime], "script.ts", text);
}

Deno.test("library: every script of the page runs here", () => {
  const page = Deno.readTextFileSync(join(CHECKOUT, "docs/library.md"));
  assertEquals(examples().length, page.split("```ts\n").length - 1);
  assert(examples().length >= 4);
});

for (const { title, script, prints } of examples()) {
  for (const runtime of HERE) {
    Deno.test(`library: "${title}" prints what the page says, on ${runtime}`, async () => {
      using world = makeWorld();
      assertEquals(spread(await printedBy(world, runtime, script)), spread(prints));
    });
  }
}

for (const runtime of HERE) {
  Deno.test(`library: on ${runtime} it uses the program's own store, and each reads what the other put`, async () => {
    using world = makeWorld();
    assertEquals(await store(world, "from the program\n"), "fd:1");
    const script = `
      import { findFd, formatFd, openUserStore, putStream, sliceText } from "@fdtool/store";
      const store = openUserStore();
      console.log(sliceText(store, findFd(store, "fd:1"), { all: true }).trimEnd());
      const failing = (async function* () {
        yield new TextEncoder().encode("all that came\\n");
        throw new Error("the source failed");
      })();
      try {
        await putStream(store, failing, { source: "library" });
      } catch (thrown) {
        console.log((thrown as Error).message);
      }
      console.log(formatFd((await putStream(store, new Blob(["x".repeat(300_000)]).stream(), { source: "library" })).id));
    `;
    assertEquals(await printedBy(world, runtime, script), "from the program\nthe source failed\nfd:3\n");
    const incomplete = jsonOf(await world.run(["stat", "fd:2", "--format", "json"]));
    assertEquals([incomplete["state"], incomplete["bytes"], incomplete["source"]], [
      "incomplete",
      14,
      "library",
    ]);
    const whole = jsonOf(await world.run(["stat", "fd:3", "--format", "json"]));
    assertEquals([whole["state"], whole["bytes"]], ["sealed", 300_000]);
    assertEquals((await world.run(["verify"])).code, 0);
  });
}

Deno.test("library: an export never replaces a file, and leaves no litter", async () => {
  using world = makeWorld();
  world.write("there.txt", "mine");
  const script = `
    import { exportSlice, FdError, openStore, putBytes } from "@fdtool/store";
    const store = openStore("../store");
    const entry = putBytes(store, new TextEncoder().encode("new"), { source: "test" });
    for (const path of ["there.txt", "no/such/directory.txt"]) {
      try {
        exportSlice(store, entry, { all: true }, path);
      } catch (thrown) {
        console.log(thrown instanceof FdError ? thrown.failure.kind : thrown);
      }
    }
  `;
  assertEquals(await printedBy(world, "bun", script), "file_exists\nwrite_error\n");
  assertEquals(world.text("there.txt"), "mine");
  assertEquals(Array.from(Deno.readDirSync(world.dir), ({ name }) => name).sort(), [
    "script.ts",
    "there.txt",
  ]);
});

Deno.test("library: every export of both interfaces has a doc comment, and so has each field of the library's types", () => {
  const undocumented = (door: string) => {
    const { stderr } = new Deno.Command(Deno.execPath(), {
      args: ["doc", "--lint", door],
      cwd: CHECKOUT,
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdout: "null",
    }).outputSync();
    return new TextDecoder().decode(stderr).split(/^error\[/m).filter((each) =>
      each.startsWith("missing-jsdoc")
    );
  };
  assertEquals(undocumented("fd/library/mod.ts"), []);
  assertEquals(undocumented("fd/mod.ts").filter((each) => /^ *[0-9]+ \| export /m.test(each)), []);
});
