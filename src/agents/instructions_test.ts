// Promise: instructions are short, and teach the loop in the same words wherever they are; each call in them is one that
// fdtool takes.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { HARNESSES } from "../harnesses/harnesses.ts";
import { RUN_WHOLE, SHELL_INSTRUCTIONS } from "../harnesses/shell_instructions.ts";
import { setupOf } from "../harnesses/settings_order.ts";
import type { Host } from "../calls/terms/command.ts";
import { parseCall } from "../calls/arguments/parse_arguments.ts";
import { listOperations } from "../commands/rows.ts";
import { instructionsOf, mcpInstructions } from "./instructions.ts";
import { PARTS } from "./tool.ts";
import { toolsOf } from "./tool_table.ts";

const HOST: Host = {
  env: { HOME: "/home" },
  cwd: "/",
  storeOption: undefined,
  root: undefined,
  version: "",
  operations: listOperations,
};
const PARAGRAPHS = HARNESSES.flatMap(({ wirings }) =>
  wirings.filter(({ via }) => via === "memory").map((wiring) => {
    const [part] = wiring.parts({ ...setupOf(HOST, "project"), program: "fdtool" });
    assert(part?.kind === "paragraph");
    return part.text;
  })
);

Deno.test("instructions have at most 1,800 characters, and say how to run commands in the same words", () => {
  const prompts = [
    instructionsOf(PARTS),
    `<fdtool_instructions>\n${SHELL_INSTRUCTIONS}\n</fdtool_instructions>\n`,
  ];
  for (const text of [...prompts, mcpInstructions({ has: () => true })]) {
    assert(text.length <= 1800, `${text.length}`);
    assertStringIncludes(text, RUN_WHOLE);
  }
});

Deno.test("the memory file of each harness has the text of the prompt for a shell", () => {
  assertEquals(PARAGRAPHS.length, HARNESSES.length);
  for (const text of PARAGRAPHS) assertEquals(text, `## fdtool\n\n${SHELL_INSTRUCTIONS}`);
});

Deno.test("each command in the instructions for a shell can be called so", async () => {
  const lines = SHELL_INSTRUCTIONS.split("\n").filter((line) => /^fdtool .* {2}/.test(line));
  const called: string[] = [];
  for (const line of lines) {
    const command = /fdtool (.*?)(?: {2,}|$)/.exec(line)![1]!;
    const [name, ...words] = command.match(/'[^']*'|\S+/g)!.map((word) => word.replaceAll("'", ""));
    const entry = listOperations().find((each) => each.name === name)!;
    parseCall(entry, (await entry.load()).spec, words);
    called.push(name!);
  }
  assertEquals([...new Set(called)], ["run", "wait", "search", "read", "query", "diff", "path"]);
});

Deno.test("each call in the instructions for tools names a tool and its parameters", () => {
  const tools = toolsOf(listOperations());
  const calls = [...instructionsOf(PARTS).matchAll(/^(\w+)\(([^)]*)\)/gm)];
  for (const [, name, words = ""] of calls) {
    const parameters = tools.find((tool) => tool.name === name)?.fields;
    assert(parameters !== undefined, name);
    for (const [, parameter] of words.matchAll(/(\w+)=/g)) {
      assert(parameter! in parameters, `${name} ${parameter}`);
    }
  }
  assertEquals(calls.length, 11);
});
