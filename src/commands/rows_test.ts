// Promise: what is known of operations in several places agrees: rows, tools, and commands that run unasked.

import { assertEquals, assertMatch } from "@std/assert";
import { toolsOf } from "../agents/tool_table.ts";
import { UNASKED_COMMANDS } from "../calls/terms/command.ts";
import type { DefinedOperation } from "../calls/arguments/define_operation.ts";
import { findOperation, listOperations } from "./rows.ts";

Deno.test("each name and alias means one operation", () => {
  for (const operation of listOperations()) {
    for (const written of [operation.name, ...operation.aliases]) {
      assertEquals(findOperation(written)?.name, operation.name);
    }
  }
});

Deno.test("each tool has the parameters of its operation, which answers requests", async () => {
  for (const { command, name, fields: ofTool } of toolsOf(listOperations())) {
    const { answer, fields } = await findOperation(command!)!.load() as DefinedOperation;
    assertEquals([typeof answer, command], ["function", command]);
    // `read` is described for its own start only.
    if (command === "read") continue;
    assertEquals(Object.keys(ofTool), Object.keys(fields), name);
  }
});

Deno.test("commands that run unasked only read", () => {
  assertEquals(
    UNASKED_COMMANDS.map((name) => findOperation(name)?.effect),
    UNASKED_COMMANDS.map(() => "reads" as const),
  );
});

Deno.test("words that help calls FD are of fields of fds, which a shared store prepares", async () => {
  for (const { name, load } of listOperations()) {
    const { line = {} } = await load();
    for (const [field, { kind, isArgument, option }] of Object.entries(line)) {
      const isNamed = isArgument === true && /^(?:.*_)?fd$/.test(field);
      // Alone it is the pattern.
      if (isNamed && name === "search" || !isNamed && !/\bFD\b/.test(option?.value ?? "")) continue;
      assertMatch(kind, /^fds?$/, `${name} ${field}`);
    }
  }
});
