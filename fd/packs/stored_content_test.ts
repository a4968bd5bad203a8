// Promise: packed content is refused without taking memory if it claims, or holds, more than was stored.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { zstdCompressSync } from "node:zlib";
import { encodeSeekTable, FRAME_BYTES, frameLength } from "./seek_table.ts";
import { DamagedPack, openPacked } from "./stored_content.ts";

const BYTE_COUNT = 3 * FRAME_BYTES + 5;
const PLAIN = new Uint8Array(BYTE_COUNT).map((_, at) => 97 + at % 7);

function frameOf(plain: Uint8Array): Uint8Array {
  return zstdCompressSync(plain, { pledgedSrcSize: plain.length });
}

const FRAMES = [0, 1, 2, 3].map((frame) =>
  frameOf(PLAIN.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES))
);

/** A zstd frame that claims `claimed` bytes and has `blocks` blocks of 128 KiB, four bytes each. */
function bomb({ claimed, blocks, windowByte }: { claimed: number; blocks: number; windowByte: number }) {
  const frame = new Uint8Array(10 + 4 * blocks);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 0xfd2fb528, true);
  frame.set([0x80, windowByte], 4);
  view.setUint32(6, claimed, true);
  for (let block = 0; block < blocks; block++) {
    // The byte that is repeated is the fourth.
    const header = FRAME_BYTES << 3 | 1 << 1 | (block + 1 === blocks ? 1 : 0);
    view.setUint32(10 + 4 * block, header | 65 << 24, true);
  }
  return frame;
}

function tableOf(frames: readonly Uint8Array[]): Uint8Array {
  return encodeSeekTable(
    frames.map(({ length }, frame) => ({ packedBytes: length, plainBytes: frameLength(frame, BYTE_COUNT) })),
  );
}

interface Pack extends Disposable {
  path: string;
}

function packOf(
  frames: readonly Uint8Array[],
  table = tableOf(frames),
): Pack {
  const path = Deno.makeTempFileSync({ prefix: "fdtool-pack-" });
  Deno.writeFileSync(path, new Uint8Array(frames.concat(table).flatMap((each) => [...each])));
  return { path, [Symbol.dispose]: () => Deno.removeSync(path) };
}

const AS_BEFORE = 0x38;

function assertSame(bytes: Uint8Array, fromByte: number, length: number): void {
  assertEquals(
    Buffer.compare(bytes, PLAIN.subarray(fromByte, fromByte + length)),
    0,
    `from byte ${fromByte}`,
  );
}

/** The damaged ranges, frame by frame. */
function damagedIn(path: string): [number, number][] {
  const packed = openPacked(path, BYTE_COUNT);
  try {
    return FRAMES.flatMap((_, frame): [number, number][] => {
      const fromByte = frame * FRAME_BYTES;
      const length = Math.min(FRAME_BYTES, BYTE_COUNT - fromByte);
      try {
        assertSame(packed.bytesAt(fromByte, length), fromByte, length);
        return [];
      } catch (thrown) {
        if (!(thrown instanceof DamagedPack)) throw thrown;
        return [[thrown.fromByte, thrown.toByte]];
      }
    });
  } finally {
    packed.close();
  }
}

Deno.test("a frame that holds more than it claims, or claims a huge window, loses only its own bytes", () => {
  const before = Deno.memoryUsage().rss;
  for (
    const each of [
      { claimed: FRAME_BYTES, blocks: 33_000, windowByte: AS_BEFORE },
      { claimed: FRAME_BYTES, blocks: 2, windowByte: 0xff },
      { claimed: 0xffff_fff0, blocks: 33_000, windowByte: AS_BEFORE },
      { claimed: 0xffff_fff0, blocks: 1, windowByte: 0xff },
    ]
  ) {
    using pack = packOf([FRAMES[0]!, bomb(each), FRAMES[2]!, FRAMES[3]!]);
    assertEquals(damagedIn(pack.path), [[FRAME_BYTES, 2 * FRAME_BYTES]], JSON.stringify(each));
  }
  // The frames hold 8 GiB.
  assert(Deno.memoryUsage().rss - before < 2 ** 28);
});

Deno.test("a thousand empty frames in the place of one are read as what they hold", () => {
  const empty = frameOf(new Uint8Array());
  const many = new Uint8Array([...FRAMES[1]!, ...Array.from({ length: 1000 }, () => [...empty]).flat()]);
  using pack = packOf([FRAMES[0]!, many, FRAMES[2]!, FRAMES[3]!]);
  assertEquals(damagedIn(pack.path), []);
});

Deno.test("a seek table that claims more frames than the file can hold is refused", () => {
  const footer = (frameCount: number) => {
    const bytes = new Uint8Array(17);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, 0x184d2a5e, true);
    view.setUint32(4, 8 * frameCount + 9, true);
    view.setUint32(8, frameCount, true);
    view.setUint32(13, 0x8f92eab1, true);
    return bytes;
  };
  for (const frameCount of [5, 1000, 0xffff_ffff]) {
    using pack = packOf(FRAMES, footer(frameCount));
    assertThrows(() => openPacked(pack.path), DamagedPack);
    // With the length that the record says, the frames are found without the table.
    assertEquals(damagedIn(pack.path), []);
  }
  using pack = packOf(FRAMES);
  for (const byteCount of [BYTE_COUNT + 1, 10 * BYTE_COUNT, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
    assertThrows(() => openPacked(pack.path, byteCount), DamagedPack);
  }
});

Deno.test("any byte of the seek table can be damaged", () => {
  const table = tableOf(FRAMES);
  for (let at = 0; at < table.length; at++) {
    for (const bit of [0x01, 0x80]) {
      const damaged = table.slice();
      damaged[at]! ^= bit;
      using pack = packOf(FRAMES, damaged);
      assertEquals(damagedIn(pack.path), [], `byte ${at}`);
    }
  }
  for (let length = 0; length < table.length; length++) {
    using pack = packOf(FRAMES, table.subarray(0, length));
    assertEquals(damagedIn(pack.path), [], `cut to ${length}`);
  }
});

Deno.test("a frame without a seek table is not taken for more than a frame can be", () => {
  const tooLong = bomb({ claimed: FRAME_BYTES, blocks: 40_000, windowByte: AS_BEFORE });
  using pack = packOf([FRAMES[0]!, tooLong, FRAMES[2]!, FRAMES[3]!], new Uint8Array());
  assertThrows(() => openPacked(pack.path, BYTE_COUNT), DamagedPack);
});

Deno.test("a flipped bit in any byte of a frame gives the stored bytes or damage within that frame", () => {
  const [first] = FRAMES;
  for (let at = 0; at < first!.length; at++) {
    const damaged = first!.slice();
    damaged[at]! ^= 0x04;
    using pack = packOf([damaged, ...FRAMES.slice(1)]);
    const packed = openPacked(pack.path, BYTE_COUNT);
    try {
      packed.bytesAt(0, FRAME_BYTES);
    } catch (thrown) {
      assert(thrown instanceof DamagedPack && thrown.toByte === FRAME_BYTES, `byte ${at}: ${thrown}`);
    } finally {
      packed.close();
    }
    const after = openPacked(pack.path, BYTE_COUNT);
    assertSame(after.bytesAt(FRAME_BYTES, 100), FRAME_BYTES, 100);
    after.close();
  }
});
