// Promise: the lines in which two contents differ are found without the lines around them.

import { assertEquals } from "@std/assert";
import { differingMiddle } from "./differing_middle.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("the differing middle is found anywhere in contents of many windows", () => {
  const line = (number: number) => `line ${String(number).padStart(8)}\n`;
  const lines = Array.from({ length: 20_000 }, (_, at) => line(at));
  const before = encode(lines.join(""));
  for (const at of [0, 1, 4681, 4682, 9999, 19_998, 19_999]) {
    const after = encode(lines.with(at, "another\n").join(""));
    const middle = differingMiddle(before, after);
    assertEquals(
      [new TextDecoder().decode(middle.before), new TextDecoder().decode(middle.after)],
      [line(at), "another\n"],
      `line ${at}`,
    );
  }
  const same = differingMiddle(before, before.slice());
  assertEquals([same.before.length, same.after.length], [0, 0]);
});
