// Promise: a table's own names win over the spellings that are made of them.

import { assertEquals } from "@std/assert";
import { findOption, findShort } from "./option_spellings.ts";
import { dashed } from "./option_spellings.ts";

Deno.test("underscores and capitals count as dashes", () => {
  for (const written of ["page-size", "page_size", "pageSize"]) assertEquals(dashed(written), "page-size");
  assertEquals(dashed("all"), "all");
});

Deno.test("the opposite of a flag is made unless the table has it", () => {
  const flag = { kind: "flag", aliases: ["every"], help: "" } as const;
  const one = [{ "no-create": flag, all: flag }];
  assertEquals(findOption(one, "create"), { name: "no-create", spec: flag, table: 0, negated: true });
  assertEquals(findOption(one, "noAll"), { name: "all", spec: flag, table: 0, negated: true });
  const both = [{ create: flag, "no-create": flag }];
  assertEquals(findOption(both, "no_create")?.negated, false);
  assertEquals(findOption(both, "create")?.negated, false);
  assertEquals(findOption([{ mode: { kind: "text", help: "" } }], "no-mode"), undefined);
});

Deno.test("the first table that has a name or letter answers for it", () => {
  const own = { kind: "text", short: "n", help: "own" } as const;
  const other = { kind: "text", short: "n", help: "other" } as const;
  assertEquals(findOption([{ name: own }, { name: other }], "name")?.spec.help, "own");
  assertEquals(findShort([{ a: own }, { b: other }], "n")?.name, "a");
  assertEquals(findShort([{ a: own }], "x"), undefined);
});
