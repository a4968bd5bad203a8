import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { hardenRuntime } from "./hardened_runtime.ts";

/** A made-up runtime: the names that every real one has, and `extra`. */
function runtimeWith(extra: string): Buffer {
  return Buffer.from(
    `\0BUN_BE_BUN\0BUN_TCC_OPTIONS\0failedBUN_OPTIONSBUN_INSPECTBUN_INSPECT_CONNECT_TOBUN_INSPECT_PRELOAD\0${extra}`,
    "latin1",
  );
}

Deno.test("names in the data are cut off at their first byte, alone or run together", () => {
  const runtime = runtimeWith("");
  hardenRuntime(runtime);
  assertEquals(
    runtime.toString("latin1"),
    "\0\0UN_BE_BUN\0\0UN_TCC_OPTIONS\0failed\0UN_OPTIONS\0UN_INSPECT\0UN_INSPECT_CONNECT_TO\0UN_INSPECT_PRELOAD\0",
  );
});

Deno.test("the runtime's scripts and messages stay as they are", () => {
  const script = 'process.env.BUN_INSPECT_NOTIFY || "BUN_X" (BUN_FFI_IMPORT) BUN_Y, BUN_1.2';
  const runtime = runtimeWith(script);
  hardenRuntime(runtime);
  assertEquals(runtime.toString("latin1").endsWith(script), true);
});

Deno.test("the prefix that machine code compares is made to contradict itself", () => {
  const compares = [..."BUN_JSC_"].map((letter, at) =>
    at === 0 ? `\x80>${letter}u\xe5` : `A\x80~${String.fromCharCode(at)}${letter}u\xe5`
  ).join("");
  const runtime = runtimeWith(compares);
  assertEquals(hardenRuntime(runtime).places["BUN_JSC_*"], 1);
  assertEquals(runtime.toString("latin1").includes("A\x80~\x00Uu"), true);
});

Deno.test("the same on arm64, where the code is made of words", () => {
  const compares = [..."BUN_JSC_"].flatMap((letter, at) => [
    0x3940012a | (at << 10), // ldrb w10, [x9, #at]
    0x7100015f | (letter.charCodeAt(0) << 10), // cmp w10, #letter
    0x54ffff01, // b.ne
  ]);
  const base = runtimeWith("");
  const padding = Buffer.alloc((4 - (base.length % 4)) % 4);
  const runtime = Buffer.concat([base, padding, Buffer.from(new Uint32Array(compares).buffer)]);
  assertEquals(hardenRuntime(runtime).places["BUN_JSC_*"], 1);
  const words = compares.map((_, at) => runtime.readUInt32LE(base.length + padding.length + at * 4));
  assertEquals(words, compares.map((word, at) => (at === 3 ? 0x3940012a : word)));
});

Deno.test("what this processor's code hides is reported", () => {
  assertEquals(hardenRuntime(runtimeWith("")).reachable, ["BUN_JSC_*", "mimalloc_*"]);
});

Deno.test("a runtime that lacks the known names is refused", () => {
  assertThrows(() => hardenRuntime(Buffer.from("a runtime of another kind")), Error, "BUN_BE_BUN");
});
