import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./checkout.ts";
import { SLOW_TESTS, STAGES } from "./test_stages.ts";

Deno.test("a stage starts after one that is before it in the list", () => {
  const names = STAGES.map(({ name }) => name);
  const wrong = STAGES.filter(({ name, after }) =>
    after !== undefined && !names.slice(0, names.indexOf(name)).includes(after)
  );
  assertEquals(wrong, []);
});

Deno.test("each slow test file exists", () => {
  assertEquals(Object.keys(SLOW_TESTS).filter((path) => !existsSync(join(CHECKOUT, path))), []);
});
