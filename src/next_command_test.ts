// Promise: the next command can be copied into a shell as it stands (contract, law 7).

import { assertEquals } from "@std/assert";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { nextCommand, shellLine } from "./next_command.ts";

Deno.test("the store is repeated where it was given", () => {
  assertEquals(nextCommand(["read", "fd:1"], undefined), "fdtool read fd:1");
  assertEquals(nextCommand(["read", "fd:1"], "/a b"), "fdtool read fd:1 --store '/a b'");
});

Deno.test("a shell reads back exactly the words that were written", () => {
  const word = fc.string({ unit: "grapheme", maxLength: 8 }).filter((text) => !text.includes("\0"));
  const words = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), 20);
  words.push(["'", "''", "a'b", "$(x)", "`x`", "\\", "*", "~", "a\nb", "!", ""]);
  for (const each of words) {
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${shellLine(each)}`], { encoding: "utf8" });
    assertEquals(stdout.split("\0").slice(0, -1), each);
  }
});
