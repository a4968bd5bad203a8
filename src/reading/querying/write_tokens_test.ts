// Promise: a value that is too deep for jq is written as jq would write it.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "../../../tests/contents.ts";
import { runJq } from "./run_jq.ts";
import { tokenFilter, tokenFlags, tokenWriter } from "./write_tokens.ts";

const FILTERS = [
  ".",
  ".., 1e1000, nan",
  "tostream",
  ". as [$a] | $a # a comment",
  "input, error",
  "[.[]?] | .[1:]",
];

function run(args: readonly string[], text: string, write: (bytes: Uint8Array) => void): string {
  const messages: string[] = [];
  const end = runJq({
    args: ["-c", ...args],
    input: [new TextEncoder().encode(text)],
    nowMs: 0,
    memoryBytes: 2 ** 30,
    output: write,
    message: (bytes) => messages.push(new TextDecoder().decode(bytes)),
  });
  return JSON.stringify([end, messages.join("")]);
}

Deno.test("tokens are put together as jq writes values", () => {
  fc.assert(
    fc.property(
      fc.array(fc.json({ stringUnit: anyChar }), { maxLength: 4 }),
      fc.constantFrom(...FILTERS),
      fc.constantFrom([], ["--raw-output"], ["--slurp"]),
      fc.nat(30),
      (values, filter, flags, skippedBytes) => {
        let wanted = "";
        let got = "";
        const text = values.join("\n");
        const end = run([...flags, "--", filter], text, (bytes) => wanted += bytes.reduce(hex, ""));
        const write = tokenWriter(flags, skippedBytes, (bytes) => got += bytes.reduce(hex, ""));
        const tokenEnd = run([...tokenFlags(flags), "--", tokenFilter(filter)], text, write);
        assertEquals([tokenEnd, got], [end, wanted.slice(2 * skippedBytes)]);
      },
    ),
    { numRuns: 40 },
  );
});

const hex = (text: string, byte: number) => text + byte.toString(16).padStart(2, "0");
