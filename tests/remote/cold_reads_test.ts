// Promise: what a host has not read before is fetched and checked once, and what is needed next while this is read; so
// time grows with the content, and not faster.

import { assert, assertEquals } from "@std/assert";
import { findFd, searchFd } from "../../fd/mod.ts";
import { disk } from "../../fd/disk/disk.ts";
import { openHostCache } from "../../src/sharing/open_host_cache.ts";
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
  const content = manyLines(40 * 2 ** 20);
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
  await cache.get({ kind: "record", id: 1 });
  const search = async () =>
    await searchFd(cache.store, findFd(cache.store, "fd:1"), { pattern: "nosuchword[0-9]", keep: 1 });
  for (const isCold of [true, false]) {
    using counted = countedChecks();
    proxy.reset();
    assertEquals((await search()).total, 0);
    assert(counted.checks >= blocks - 1, `${counted.checks} checks of ${blocks} blocks`);
    assert(counted.checks <= blocks * 1.01, `${counted.checks} checks of ${blocks} blocks`);
    assert(proxy.requests.length <= (isCold ? 12 : 0), `${proxy.requests.length} requests`);
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
