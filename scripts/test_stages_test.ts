import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { BOTH_FORMS, CHECKOUT, ONCE, STAGES } from "./test_stages.ts";

Deno.test("each file of tests/ is named once, as a test of both forms or of one", () => {
  const files = [...Deno.readDirSync(join(CHECKOUT, "tests"))]
    .filter(({ name }) => name.endsWith("_test.ts"))
    .map(({ name }) => name.slice(0, -"_test.ts".length));
  assertEquals([...Object.keys(BOTH_FORMS), ...ONCE].sort(), files.sort());
});

Deno.test("a stage starts after one that is before it in the list", () => {
  const names = STAGES.map(({ name }) => name);
  const wrong = STAGES.filter(({ name, after }) =>
    after !== undefined && !names.slice(0, names.indexOf(name)).includes(after)
  );
  assertEquals(wrong, []);
});
