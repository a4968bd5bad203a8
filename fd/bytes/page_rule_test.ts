// Promise: the page rule, once (contract, Units).

import { deepStrictEqual } from "node:assert/strict";
import { endOfPage } from "./page_rule.ts";

Deno.test("a page takes the rest when the rest fits, whatever lines it holds", () => {
  deepStrictEqual(endOfPage(undefined, undefined, 10), 10);
  deepStrictEqual(endOfPage(undefined, 4, 10), 10);
  deepStrictEqual(endOfPage(10, 4, 10), 10);
  deepStrictEqual(endOfPage(undefined, undefined, 0), 0);
});

Deno.test("a page that is not the last ends right after its last LF", () => {
  deepStrictEqual(endOfPage(8, 4, 10), 5);
  deepStrictEqual(endOfPage(8, 7, 10), 8);
});

Deno.test("a page without an LF ends after its chars", () => {
  deepStrictEqual(endOfPage(8, undefined, 10), 8);
});
