/**
 * Packing as its callers see it (contract, The store): processes that pack, unpack, read and remove at once, and the
 * sizes that `stat` and `gc` say.
 */

import { assert, assertEquals } from "@std/assert";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { jsonOf } from "./read_answer.ts";
import { assertBytes, contentFileOf, handlesOf, statOf, store, wholeOf } from "./store_calls.ts";
import { makeWorld } from "./world.ts";

/** Three frames. Every line names the content. */
function contentOf(n: number): Uint8Array {
  const lines = Array.from(
    { length: 9000 },
    (_, line) => `content ${n}, line ${line * 7919 % 65_536} of it\n`,
  );
  return new TextEncoder().encode(lines.join(""));
}

Deno.test("processes that pack, unpack, read and remove the same fds at once lose nothing", async () => {
  using world = makeWorld();
  const removed = new Set<string>();
  const contents = new Map<string, Uint8Array>();
  for (let round = 0; round < 4; round++) {
    const bytes = contentOf(round);
    const fds: string[] = [];
    for (let n = 0; n < 3; n++) fds.push(await store(world, bytes));
    for (const fd of fds) contents.set(fd, bytes);
    const [first, second, third] = fds as [string, string, string];
    const calls = [
      ["gc", "--pack"],
      ["path", first],
      ["read", second, "--all", "--format", "raw"],
      ["gc", "--pack"],
      ["rm", third],
      ["search", first, "line 7919 of"],
      ["path", second],
      ["gc", "--pack"],
      ["read", first, "--all", "--format", "raw"],
      ["verify"],
    ];
    const all = await Promise.all(calls.map((words) => world.run(words)));
    for (const [n, { code, stderr, stdout }] of all.entries()) {
      assertEquals([code, stderr], [0, ""], calls[n]!.join(" "));
      if (calls[n]![0] === "read") assertBytes(stdout, bytes, calls[n]!.join(" "));
    }
    removed.add(third);
    contents.delete(third);
  }
  await world.run(["gc", "--pack"]);
  const handles = await handlesOf(world);
  for (const [fd, bytes] of contents) {
    assert(handles.includes(fd), fd);
    assertBytes(await wholeOf(world, fd), bytes, fd);
    assertEquals(existsSync(join(world.store, `v2/fds/0000/${fd.slice(3)}.dat`)), false, `${fd} is packed`);
  }
  assertEquals(handles.filter((fd) => removed.has(String(fd))), []);
  const verified = jsonOf(await world.run(["verify", "--format", "json"]));
  assertEquals(verified["finding"] ?? [], []);
});

Deno.test("stat says what content takes on the disk: plain, packed, and both after path", async () => {
  using world = makeWorld();
  const bytes = contentOf(1);
  const fd = await store(world, bytes);
  const diskBytes = async () => (await statOf(world, fd))["disk_bytes"];
  assertEquals(await diskBytes(), undefined);
  const plan = jsonOf(await world.run(["gc", "--pack", "--plan", "--format", "json"]));
  assertEquals(await diskBytes(), undefined);
  const done = jsonOf(await world.run(["gc", "--pack", "--format", "json"]));
  const packed = statSync(join(world.store, "v2/fds/0000/1.pack")).size;
  assertEquals([await diskBytes(), done["disk_bytes_after"], plan["disk_bytes_after"]], [
    packed,
    packed,
    packed,
  ]);
  const path = await contentFileOf(world, fd);
  assertBytes(Deno.readFileSync(path), bytes);
  assertEquals(await diskBytes(), packed + bytes.length);
  const planned = jsonOf(await world.run(["gc", "--pack", "--plan", "--format", "json"]));
  assertEquals([planned["disk_bytes_before"], planned["disk_bytes_after"]], [packed + bytes.length, packed]);
  await world.run(["gc", "--pack"]);
  assertEquals([await diskBytes(), existsSync(path)], [packed, false]);
});
