/** @std/assert as npm redistributes it, with its types: what `deno.json` maps "@std/assert" to. */

// @ts-types="./std_assert.d.ts"
export * from "deno-std/assert/mod.js";
