// Promise: a small read of packed content gives the bytes stored, however the runtime's streams behave.

import { assert, assertEquals } from "@std/assert";
import { zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { type TemporaryStore, temporaryStore } from "../../tests/temporary_store.ts";
import { FdError } from "../disk/errors.ts";
import { packFds } from "../packing/pack_store.ts";
import { putBytes } from "../put/put_bytes.ts";
import { listFds } from "../records/list_fds.ts";
import { openContent } from "../slices/open_content.ts";
import { packPath } from "../store/store_paths.ts";
import { frameCountOf, placesInTable, seekTableLength } from "./seek_table.ts";

const BLOCK = 32_768;
const LINES = new TextEncoder().encode(
  Array.from({ length: 14_000 }, (_, n) => `line ${n + 1} of a log, with é and ${n * 7919 % 1000}\n`).join(
    "",
  ),
);

type Change = (frame: Uint8Array) => Uint8Array;

/** Results of streams that replace those of the runtime, for a packed frame. */
const STREAMS: Record<string, Change> = {
  sound: (frame) => zstdDecompressSync(frame),
  "too short": (frame) => zstdDecompressSync(frame).subarray(1),
  "too long": (frame) => new Uint8Array([...zstdDecompressSync(frame), 0]),
  failing() {
    throw new TypeError("damaged");
  },
};

/** Replaces the runtime's streams, of which Deno's have no zstd. */
function withStreams(change: Change | undefined) {
  const own = globalThis.DecompressionStream;
  const made = { count: 0, [Symbol.dispose]: () => void (globalThis.DecompressionStream = own) };
  globalThis.DecompressionStream = class extends TransformStream<Uint8Array, Uint8Array> {
    constructor() {
      if (change === undefined) throw new TypeError("unknown format");
      made.count++;
      super({
        transform(frame, controller) {
          const plain = change(frame);
          controller.enqueue(plain.subarray(0, 1000));
          controller.enqueue(plain.subarray(1000));
        },
      });
    }
  } as unknown as typeof DecompressionStream;
  return made;
}

async function packedWorld(): Promise<TemporaryStore> {
  const world = temporaryStore();
  putBytes(world.store, LINES, { source: "test" });
  assertEquals((await packFds(world.store, listFds(world.store), { nowMs: 0 })).packedCount, 1);
  return world;
}

/** Reads blocks as a small read does. */
async function readBlocks({ store }: TemporaryStore, blocks: readonly number[]): Promise<Uint8Array[]> {
  const content = openContent(store, listFds(store)[0]!);
  try {
    assert(content.prepare !== undefined);
    await content.prepare(Math.min(...blocks), Math.max(...blocks) + 1);
    return blocks.map((block) => new Uint8Array(content.block(block)));
  } finally {
    content.close();
  }
}

const plainBlocks = (blocks: readonly number[]) =>
  blocks.map((block) => LINES.slice(block * BLOCK, (block + 1) * BLOCK));

for (const [name, change] of [...Object.entries(STREAMS), ["missing", undefined] as const]) {
  Deno.test(`blocks are those stored if streams are ${name}`, async () => {
    using world = await packedWorld();
    using _streams = withStreams(change);
    const blockCount = Math.ceil(LINES.length / BLOCK);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: blockCount - 1 }), { minLength: 1, maxLength: 8 }),
        async (blocks) => assertEquals(await readBlocks(world, blocks), plainBlocks(blocks)),
      ),
      { numRuns: 20 },
    );
  });
}

Deno.test("a small read unpacks its frames by streams only", async () => {
  using world = await packedWorld();
  using streams = withStreams(STREAMS["sound"]);
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => ({})) as unknown as typeof getBuiltinModule;
  try {
    assertEquals(await readBlocks(world, [3, 4]), plainBlocks([3, 4]));
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
  assertEquals(streams.count, 2);
});

Deno.test("a frame of more blocks than it can need is not given to a stream", async () => {
  using world = await packedWorld();
  const path = packPath(world.store.path, 1);
  const bytes = Deno.readFileSync(path);
  // The first frame, as it claims: 131,072 bytes in one segment. Then blocks that repeat a byte 131,072 times.
  const bomb = new Uint8Array([
    ...bytes.subarray(0, 9),
    ...new Array(1000).fill([2, 0, 16, 65]).flat(),
    3,
    0,
    16,
    65,
  ]);
  bytes.set(bomb);
  Deno.writeFileSync(path, bytes);
  using streams = withStreams(STREAMS["sound"]);
  const thrown = await readBlocks(world, [0]).catch((failure: unknown) => failure);
  assert(thrown instanceof FdError && thrown.failure.kind === "store_corrupt");
  assertEquals(streams.count, 0);
});

Deno.test("wherever the seek table is damaged, every block is read", async () => {
  using world = await packedWorld();
  const path = packPath(world.store.path, 1);
  const bytes = Deno.readFileSync(path);
  const tableBytes = seekTableLength(frameCountOf(LINES.length));
  for (let fromEnd = 1; fromEnd <= tableBytes; fromEnd++) {
    const damaged = bytes.slice();
    damaged[bytes.length - fromEnd]! ^= 1 << fromEnd % 8;
    Deno.writeFileSync(path, damaged);
    for (const blocks of [[0], [4], [12, 0, 8], [8, 9]]) {
      assertEquals(await readBlocks(world, blocks), plainBlocks(blocks));
    }
  }
});

Deno.test("places in a seek table are the same in any order", async () => {
  using world = await packedWorld();
  const bytes = Deno.readFileSync(packPath(world.store.path, 1));
  const frameCount = frameCountOf(LINES.length);
  const table = bytes.slice(bytes.length - seekTableLength(frameCount));
  const inOrder = placesInTable(table, LINES.length, bytes.length)!;
  const expected = Array.from({ length: frameCount }, (_, frame) => inOrder.at(frame));
  assertEquals(expected[0]!.fromByte, 0);
  assertEquals(expected.at(-1)!.toByte, bytes.length - table.length);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: frameCount - 1 }), { maxLength: 20 }), (frames) => {
      const places = placesInTable(table, LINES.length, bytes.length)!;
      assertEquals(frames.map(places.at), frames.map((frame) => expected[frame]));
    }),
  );
});
