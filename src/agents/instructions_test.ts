// Promise: the instructions for a shell are short, and each command in them is one that fdtool takes.

import { assert, assertEquals } from "@std/assert";
import { listOperations } from "../operations/rows.ts";
import { parseCall } from "../arguments/parse_arguments.ts";
import { SHELL_INSTRUCTIONS } from "./instructions.ts";

Deno.test("the instructions for a shell have at most 1,800 characters", () => {
  assert(SHELL_INSTRUCTIONS.length <= 1800, `${SHELL_INSTRUCTIONS.length}`);
});

Deno.test("each command in the instructions for a shell can be called so", async () => {
  const lines = SHELL_INSTRUCTIONS.split("\n").filter((line) => line.includes("   "));
  const called: string[] = [];
  for (const line of lines) {
    const command = /fdtool (.*?)(?: {2,}|$)/.exec(line)![1]!;
    const [name, ...words] = command.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
    const entry = listOperations().find((each) => each.name === name)!;
    parseCall(entry, (await entry.load()).spec, words);
    called.push(name!);
  }
  assertEquals([...new Set(called)], ["run", "capture", "search", "read", "query", "diff", "ls"]);
});
