// Promise: pages follow the rule (contract, Units).

import { deepStrictEqual } from "node:assert/strict";
import { endOfPage } from "./page_rule.ts";

Deno.test("a page takes the rest of the content if it fits, whatever lines it has", () => {
  deepStrictEqual(endOfPage(undefined, undefined, 10), 10);
  deepStrictEqual(endOfPage(undefined, 4, 10), 10);
  deepStrictEqual(endOfPage(10, 4, 10), 10);
  deepStrictEqual(endOfPage(undefined, undefined, 0), 0);
});

Deno.test("a page that is not the last ends after its last LF", () => {
  deepStrictEqual(endOfPage(8, 4, 10), 5);
  deepStrictEqual(endOfPage(8, 7, 10), 8);
});

Deno.test("a page without LF ends after its chars", () => {
  deepStrictEqual(endOfPage(8, undefined, 10), 8);
});
