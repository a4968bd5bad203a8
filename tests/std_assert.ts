/** @std/assert as npm redistributes it, with its types: what `deno.json` maps "@std/assert" to. */

import type {} from "./assert_signatures.ts";
// @ts-types="./assert_signatures.ts"
export * from "deno-std/assert/mod.js";
