import { assertEquals } from "@std/assert";
import { STAGES } from "./test_stages.ts";

Deno.test("a stage starts after one that is before it in the list", () => {
  const names = STAGES.map(({ name }) => name);
  const wrong = STAGES.filter(({ name, after }) =>
    after !== undefined && !names.slice(0, names.indexOf(name)).includes(after)
  );
  assertEquals(wrong, []);
});
