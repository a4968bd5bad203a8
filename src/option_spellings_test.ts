// Promise: a table's own names win over the spellings that are made of them.

import { assertEquals } from "@std/assert";
import { spelledOptions, spellingsOf } from "./option_spellings.ts";

Deno.test("a name is spelled with dashes, underscores and capitals", () => {
  assertEquals(spellingsOf("page-size"), ["page-size", "page_size", "pageSize"]);
  assertEquals(spellingsOf("all"), ["all"]);
});

Deno.test("the opposite of a flag is made unless the table has it", () => {
  const create = { kind: "flag", help: "" } as const;
  const spelled = spelledOptions([{ "no-create": create, all: create }]);
  assertEquals(spelled.get("create"), { name: "no-create", spec: create, negated: true });
  assertEquals(spelled.get("no-all"), { name: "all", spec: create, negated: true });
  const both = spelledOptions([{ create, "no-create": create }]);
  assertEquals(both.get("no-create")?.negated, false);
  assertEquals(both.get("create")?.negated, false);
});
