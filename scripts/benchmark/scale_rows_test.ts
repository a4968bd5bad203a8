/** The conclusions of the rows of cost by size. */

import { assertAlmostEquals, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { Turns } from "./measure_turns.ts";
import { growthRows, lackOfSpace } from "./scale_rows.ts";

function turnsOf(ourMs: number, peerMs: number): Turns {
  const cost = (wallMs: number) => ({ wallMs, cpuMs: wallMs });
  return {
    ratio: ourMs / peerMs,
    cpuRatio: 1,
    ours: cost(ourMs),
    peer: cost(peerMs),
    spread: [1, 1],
    turnCount: 3,
  };
}

Deno.test("cost by size: the constant leaves out what starting takes, and linear is 1", () => {
  const sizes = [1, 32, 256, 1024].map((mib) => mib * 2 ** 20);
  const bySize = new Map(sizes.map((byteCount) => [
    byteCount,
    turnsOf(10 + 3e-6 * byteCount, 2 + 2e-6 * byteCount),
  ]));
  const [constant, step] = [...growthRows("capture", bySize)];
  assertAlmostEquals(constant!.value!, 1.5);
  assertAlmostEquals(step!.value!, 1);
  assertThrows(() => [...growthRows("capture", new Map([...bySize].slice(0, 2)))]);
});

Deno.test("--huge says what room it needs before it takes any", () => {
  const [ext4, tmpfs] = [0xef53, 0x01021994];
  assertEquals(lackOfSpace("/d", ext4, 22 * 2 ** 30), undefined);
  assertStringIncludes(
    lackOfSpace("/d", ext4, 3.5 * 2 ** 30) ?? "",
    "needs 22 GiB free in /d, which has 3.5",
  );
  assertStringIncludes(lackOfSpace("/d", tmpfs, 99 * 2 ** 30) ?? "", "/d is in memory");
});
