// Promise: the list of commands and the help of each command agree.

import { assertEquals } from "@std/assert";
import { COMMANDS } from "./command_table.ts";
import { dashed } from "./arguments/option_spellings.ts";

for (const entry of COMMANDS) {
  Deno.test(`${entry.name} has the same name, summary and aliases in the list of commands and in its help`, async () => {
    const { name, summary, aliases } = (await entry.load()).spec;
    assertEquals({ name, summary, aliases: [...new Set(aliases.map(dashed))].sort() }, {
      name: entry.name,
      summary: entry.summary,
      aliases: [...entry.aliases].sort(),
    });
  });
}
