// Promise: the package that a release makes of the library is complete. Installed without a network into an empty folder, it
// does on Node, Bun and Deno, and bundled, what its README says, and on Node what docs/library.md says; its types pass
// strict checks, and it has no dependencies.

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { LIBRARY_NAME, writeLibraryPackage } from "../scripts/releasing/library_package.ts";
import { packPackage } from "../scripts/releasing/npm_packages.ts";
import { BUN, examples, isThere, printedBy, spread, type Steps } from "./library_examples.ts";
import { CHECKOUT, makeWorld, programUnderTest, type World } from "./world.ts";

/** The ways to run `script.mjs`. The package is in its folder, and nothing else of the project. */
const WAYS: Readonly<Record<string, Steps>> = {
  node: [["node", "script.mjs"]],
  bun: [[BUN, "run", "--no-install", "script.mjs"]],
  deno: [[Deno.execPath(), "run", "-A", "--quiet", "--no-lock", "--node-modules-dir=manual", "script.mjs"]],
  "a bundle": [
    [BUN, "build", "--target=node", "--minify", "--outfile=bundled/script.mjs", "script.mjs"],
    ["node", "bundled/script.mjs"],
  ],
};

/** Every mode, a live fd, removal and verification; kernels in WebAssembly get content of several blocks. */
const WALK = `
import * as fds from "@fdtool/store";
import { readFileSync, writeFileSync } from "node:fs";

const store = fds.openStore("walk");
const bytes = (text) => new TextEncoder().encode(text);
const lines = Array.from({ length: 40_000 }, (_, at) => "line " + (at + 1) + " äöü €\\n").join("");
const put = fds.putBytes(store, bytes(lines), { source: "walk", names: ["big"] });
console.log(put.byteCount, put.charCount, put.lineCount, put.pageCount, await fds.digestFd(store, put));
const read = (request) => JSON.stringify(fds.sliceText(store, put, request));
console.log(read({ mode: "line", start: 39_999, count: 5 }), read({ mode: "char", start: 500_000, count: 9 }));
console.log(read({ mode: "page", start: 100 }).length, read({ mode: "line", tail: 1 }));
const pieces = [...fds.readSlice(store, put, fds.locateSlice(store, put, { all: true })).chunks()];
console.log(pieces.reduce((sum, piece) => sum + piece.length, 0) === put.byteCount);
const { total, hits } = await fds.searchFd(store, put, { pattern: "^line \\\\d*77 ", keep: 2 });
console.log(total, hits.map(({ lineNumber }) => lineNumber).join());

writeFileSync("given.txt", "\\x1b[31mred\\x1b[0m\\n");
const given = fds.putFile(store, "given.txt", { source: "file" });
const stored = fds.readWhole(fds.readSlice(store, given, { fromByte: 0, toByte: given.byteCount }));
console.log(new TextDecoder().decode(fds.cleanBytes(stored)).trimEnd());

const live = fds.beginPut(store, { source: "live" });
live.write(bytes("one\\n"));
let entry = fds.findFd(store, fds.formatFd(live.id));
const cursor = fds.cursorAt(entry, entry.byteCount);
const news = fds.awaitFd(store, entry, { for: "news" });
live.write(bytes("two\\n"));
entry = await news;
console.log(entry.state, JSON.stringify(fds.sliceText(store, entry, { since: cursor })));
live.seal({ exitCode: 0 });
console.log((await fds.awaitFd(store, entry, { for: "end" })).state);

const removal = await fds.removeFd(store, given, "done");
console.log(removal.byteCount, fds.listRemoved(store).length, fds.listFds(store).map(({ id }) => id).join());
for (const call of [
  () => fds.findFd(store, "fd:2"),
  () => fds.findFd(store, "fd:99"),
  () => fds.sliceText(store, put, { mode: "word" }),
]) {
  try {
    call();
  } catch (thrown) {
    console.log(thrown instanceof fds.FdError, String(thrown).replace(/removedAtMs: \\d+, /, ""));
  }
}
const { fdCount, findings } = await fds.checkStore(store);
console.log(fdCount, findings.length, readFileSync(await fds.plainFile(store, put)).length === put.byteCount);
`;

const WALKED = `868894 668894 40000 168 63a14471eaa88c371490a3c774a5eb9696a30194b9deddbb873577b0526e16bc
"line 39999 äöü €\\nline 40000 äöü €\\n" "ine 30066"
4232 "line 40000 äöü €\\n"
true
400 77,177
red
live "two\\n"
sealed
13 1 1,3
true FdError: removed (fd: fd:2, why: done, source: file, isImported: false, byteCount: 13, sha256: 12c1357a66efc9740570e1943eb45974f78f8944911e7405747d1f1161ba135d)
true FdError: not_found (fd: fd:99, highestId: 3)
true FdError: invalid_parameter (field: request.mode, got: "word", wanted: one of page, line, char)
3 0 true
`;

/** A consumer in TypeScript. */
const CONSUMER = `
import { awaitFd, type FdEntry, FdError, type FdFailure, findFd, openStore, putStream, searchFd, sliceText, type SliceRequest, type Store } from "@fdtool/store";

const store: Store = openStore("typed", { ttlMs: 0 });
const entry: FdEntry = await putStream(store, new Blob(["a\\n"]).stream(), { source: "typed" });
const request: SliceRequest = { mode: "line", start: 1 };
const text: string = sliceText(store, entry, request);
const lines: number[] = (await searchFd(store, entry, { pattern: "a", keep: 1 })).hits.map((hit) => hit.lineNumber);
const again: FdEntry = await awaitFd(store, findFd(store, "fd:1"), { for: "end", timeoutMs: 10 });
function sentence(failure: FdFailure): string {
  return failure.kind === "invalid_page" ? "page " + failure.page + " of " + failure.pageCount : failure.kind;
}
try {
  // @ts-expect-error no such mode
  sliceText(store, entry, { mode: "word" });
  // @ts-expect-error the source is missing
  await putStream(store, [], {});
} catch (thrown) {
  if (thrown instanceof FdError) console.log(text.length, lines, again.state, sentence(thrown.failure));
}
`;

/** Packs the library, and installs it into the empty folder of `world` from the packed file alone. */
async function install(world: World): Promise<void> {
  const work = join(world.home, "packages");
  const tarball = packPackage(writeLibraryPackage(CHECKOUT, work), join(world.home, "tarballs"));
  world.write("package.json", "{}");
  const { code, stderr } = await world.shell(`npm install --offline "${tarball}"`, {
    env: {
      npm_config_cache: join(world.home, "npm-cache"),
      npm_config_userconfig: join(world.home, "npmrc"),
      npm_config_globalconfig: join(world.home, "npmrc-global"),
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      npm_config_fund: "false",
    },
  });
  assertEquals(code, 0, stderr);
}

Deno.test({
  name: "library package: installed from its file, it does what its documents say",
  // It is made from the source, so once is enough; without npm there is nothing to pack it.
  ignore: programUnderTest().length > 1 || !isThere("npm"),
  async fn(t) {
    using world = makeWorld();
    await install(world);
    const installed = (path: string) => world.text(join("node_modules", LIBRARY_NAME, path));

    await t.step("it depends on nothing, and carries the licenses of what is in it", () => {
      const manifest = JSON.parse(installed("package.json"));
      assertEquals(manifest.dependencies, undefined);
      assertEquals([...Deno.readDirSync(world.path("node_modules"))].map(({ name }) => name).sort(), [
        ".package-lock.json",
        "@fdtool",
      ]);
      assert(installed("THIRD-PARTY-NOTICES.txt").includes("valibot"));
      assert(installed("LICENSE").includes("MIT"));
      for (const path of Object.values(manifest.exports["."])) assert(installed(String(path)).length > 0);
    });

    for (const [way, steps] of Object.entries(WAYS)) {
      const run = (script: string) => printedBy(world, steps, "script.mjs", script);
      const fresh = () => {
        for (const { name } of Deno.readDirSync(world.dir)) {
          if (name !== "node_modules" && name !== "package.json") {
            Deno.removeSync(world.path(name), { recursive: true });
          }
        }
      };
      await t.step(`the README's start runs on ${way}`, async () => {
        fresh();
        const [, start, prints] = /^```js\n(.*?)```\n\nprints\n\n```\n(.*?)```\n/ms.exec(
          installed("README.md"),
        )!;
        assertEquals(await run(start!), prints!);
      });
      await t.step(`all of it works on ${way}`, async () => {
        fresh();
        assertEquals(await run(WALK), WALKED);
      });
      // On every runtime they run in tests/library_test.ts.
      for (const { title, script, prints } of way === "node" ? examples() : []) {
        await t.step(`"${title}" prints on ${way} what docs/library.md says`, async () => {
          fresh();
          assertEquals(spread(await run(withoutTypes(script))), spread(prints));
        });
      }
    }

    await t.step("its types pass strict checks, and find wrong calls", () => {
      world.write("consumer.ts", CONSUMER);
      world.write(
        "deno.json",
        JSON.stringify({ nodeModulesDir: "manual", compilerOptions: { strict: true } }),
      );
      const { code, stderr } = new Deno.Command(Deno.execPath(), {
        args: ["check", "--quiet", "--no-lock", "consumer.ts"],
        cwd: world.dir,
        env: { NO_COLOR: "1" },
      }).outputSync();
      assertEquals([code, new TextDecoder().decode(stderr)], [0, ""]);
    });
  },
});

/** The page's scripts have few types. */
function withoutTypes(script: string): string {
  return script.replaceAll("action: () => unknown", "action").replaceAll("!.", ".");
}
