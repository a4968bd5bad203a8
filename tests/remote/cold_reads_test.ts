// Promise: what a host has not read before is fetched and checked once, and what is needed next while this is read; so
// time grows with the content, and not faster.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "../contents.ts";
import { findFd, searchFd } from "../../fd/mod.ts";
import { disk } from "../../fd/disk/disk.ts";
import { openHostCache } from "../../src/sharing/open_cache.ts";
import { startUi } from "../ui_server.ts";
import { makeWorld } from "../world.ts";
import { manyLines, sharedTest } from "./shared_world.ts";

const BLOCK_BYTES = 32_768;

/** Counts reads of whole blocks, each of which is a check: nothing is read without one. */
function countedChecks() {
  const { read } = disk;
  const counted = { checks: 0, [Symbol.dispose]: () => void (disk.read = read) };
  disk.read = ((...args: Parameters<typeof read>) => {
    const [, , , length, fromByte] = args as unknown as [number, Uint8Array, number, number, number | null];
    if (length === BLOCK_BYTES && fromByte !== null && fromByte % BLOCK_BYTES === 0) counted.checks++;
    return read(...args);
  }) as typeof read;
  return counted;
}

sharedTest("a search of what is not in the cache checks each block once", async ({ proxy, a, b }) => {
  const content = manyLines(10 * 2 ** 20);
  await a.capture(content);
  const blocks = Math.ceil(content.length / BLOCK_BYTES);
  const cache = await openHostCache(b.env["FDTOOL_STORE"]!, {
    env: b.env,
    cwd: b.world.path(""),
    version: "test",
    storeOption: undefined,
    root: undefined,
    operations: () => [],
  });
  await cache.store.backend.refresh({ kind: "record", id: 1 });
  const search = async () =>
    await searchFd(cache.store, findFd(cache.store, "fd:1"), { pattern: "nosuchword[0-9]", keep: 1 });
  for (const isCold of [true, false]) {
    using counted = countedChecks();
    proxy.reset();
    assertEquals((await search()).total, 0);
    assert(counted.checks >= blocks - 1, `${counted.checks} checks of ${blocks} blocks`);
    assert(counted.checks <= blocks * 1.01, `${counted.checks} checks of ${blocks} blocks`);
    assert(proxy.requests.length <= (isCold ? 8 : 0), `${proxy.requests.length} requests`);
    assert(proxy.receivedBytes <= content.length * 1.01);
  }
});

sharedTest("commands that write take content that is not in the cache", async ({ a, b }) => {
  const content = manyLines(2 * 2 ** 20);
  await a.capture(content);
  const text = new TextDecoder().decode(content);
  const path = b.world.write("file.txt", "old\n");
  const writes: readonly (readonly string[])[] = [
    ["edit", path, "--old", "old\n", "--new-from", "fd:1"],
    ["to-file", "fd:1", path, "--mode", "write"],
    ["call", "fd_to_file"],
  ];
  for (const [number, args] of writes.entries()) {
    b.world.write("file.txt", "old\n");
    // The next command finds nothing either.
    if (number > 0) Deno.removeSync(b.world.path("cache"), { recursive: true });
    const { code, stderr } = await b.run(args, { stdin: JSON.stringify({ fd: "fd:1", file_path: path }) });
    assertEquals([code, stderr], [0, ""], args.join(" "));
    assert(b.world.text("file.txt") === text, args.join(" "));
  }
});

sharedTest("a shared fd reads as a plain one", async ({ a, b }) => {
  using local = makeWorld();
  const contents = [
    fc.sample(fc.string({ unit: anyChar, maxLength: 4000 }), { numRuns: 30, seed: 7 }),
    // Longer than a block, with lines that blocks cut.
    fc.sample(fc.string({ unit: "grapheme", maxLength: 30_000, size: "max" }), { numRuns: 40, seed: 8 })
      .map((text) => `${text}\n`),
    [new TextDecoder().decode(manyLines(1_500_000))],
  ].map((parts) => parts.join("")).filter((content) => content !== "");
  for (const content of contents) {
    await a.capture(content);
    await local.run(["capture", "--always", "--preview", "none"], { stdin: content });
  }
  const calls = contents.flatMap((_, at): readonly (readonly string[])[] => {
    const fd = `fd:${at + 1}`;
    return [
      ["read", fd, "--all"],
      ["read", fd, "--lines", "3-5"],
      ["read", fd, "--tail", "4"],
      ["read", fd, "--mode", "char", "--start", "1000", "--count", "700"],
      ["search", fd, "e.*1", "--max-count", "5", "-C", "2"],
    ];
  });
  calls.push(["diff", "fd:1", "fd:3", "--volatile", "show"], ["count", "fd:3"]);
  for (const [at, call] of calls.entries()) {
    const shared = await b.run(call, { env: { FDTOOL_CACHE: b.world.path(`cold${at}`) } });
    const plain = await local.run(call);
    assertEquals([shared.code, shared.text], [plain.code, plain.text], call.join(" "));
  }
});

sharedTest("extractions, archives and the page take content that is not in the cache", async ({ a, b }) => {
  const content = manyLines(3 * 2 ** 20);
  const lines = new TextDecoder().decode(content).split("\n");
  await a.capture(content);
  let caches = 0;
  const cold = () => ({ ...b.env, FDTOOL_CACHE: b.world.path(`cold${++caches}`) });

  const part = await b.answer(["read", "fd:1", "--lines", "40000-40001", "--extract", "--name", "part"], {
    env: cold(),
  });
  assertEquals(await a.read("ref:part"), `${lines[39_999]}\n${lines[40_000]}\n`);
  assertEquals((await a.answer(["stat", `${part["new_fd"]}`]))["names"], ["part"]);
  await b.answer(["search", "fd:1", "line 7777 ", "--extract", "--name", "found"], { env: cold() });
  assertEquals(await a.read("ref:found"), `${lines[7776]}\n`);

  const archive = await b.run(["export", "fd:1"], { env: cold() });
  assertEquals(archive.code, 0, archive.stderr);
  using local = makeWorld();
  await local.run(["import"], { stdin: archive.stdout });
  await b.run(["import"], { stdin: archive.stdout });
  assertEquals((await a.read("fd:4", "--all")).length, content.length);
  assertEquals((await local.run(["read", "fd:1", "--all", "--format", "raw"])).stdout, content);

  await using page = await startUi(b.world, [], cold());
  const shown = await page.ask("lines?fd=fd:1&from=50000&count=2");
  assertEquals(shown.lines.map(({ t }: { t: string }) => t), lines.slice(49_999, 50_001));
  assertEquals((await page.ask("fds?show=all")).fds.length, 4);
});
