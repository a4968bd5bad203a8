// Promise: every tool has a definition for every provider, alone or with others, and every answer of a tool has a
// schema.

import { assertEquals } from "@std/assert";
import * as v from "valibot";
import { defineTool, type Tool } from "./tool.ts";
import { type JsonSchema, toolSchemaOf } from "./request_schema.ts";
import { definitionsFor, mcpTool } from "./tool_definitions.ts";
import { listOperations } from "../commands/rows.ts";
import { toolsOf } from "./tool_table.ts";

const TOOLS = toolsOf(listOperations());

Deno.test("every tool alone has a definition for every provider, and an output schema for each of its answers", () => {
  for (const tool of TOOLS) {
    for (const provider of ["anthropic", "openai", "gemini", "mcp"] as const) {
      assertEquals(definitionsFor(provider, [tool]).length, 1, `${provider} ${tool.name}`);
    }
    const { outputSchema } = mcpTool(tool, { brief: false, outputSchemas: true });
    assertEquals(typesIn(outputSchema), [...tool.answers, "fd_error"], tool.name);
  }
});

function typesIn(schema: { [key: string]: unknown }): unknown[] {
  const types = v.parse(
    v.object({ enum: v.array(v.string()) }),
    Reflect.get(Object(schema["properties"]), "type"),
  );
  const described = v.parse(
    v.array(v.object({ properties: v.object({ type: v.object({ const: v.string() }) }) })),
    schema["anyOf"],
  );
  assertEquals(described.map(({ properties }) => properties.type.const), types.enum);
  return types.enum;
}

Deno.test("the compiler refuses a tool whose answer has no schema", () => {
  const tool: Tool = defineTool({
    name: "list_inquiries",
    title: "",
    part: "inquiries",
    description: "",
    fields: {},
    // @ts-expect-error pass_through has no schema; this line does not compile where the compiler would take it
    answers: ["pass_through"],
    readOnly: true,
    destructive: false,
    idempotent: true,
    run: () => Promise.resolve({ exitCode: 0 }),
  });
  assertEquals(tool.name, "list_inquiries");
});

Deno.test("a field inside another is not described again in the same words", () => {
  const text = (description: string) => ({ kind: "text", description }) as const;
  const fields = {
    old: text("What is there."),
    edits: {
      kind: "list",
      description: "Several.",
      fields: { old: text("What is there."), new: text("New.") },
    },
    other: { kind: "object", description: "One.", fields: { old: text("Another."), new: text("New, too.") } },
  } as const;
  const of = (schema: JsonSchema = {}) =>
    Object.entries(schema.properties ?? {}).map(([name, { description }]) => [name, description]);
  const { properties = {} } = toolSchemaOf({ fields });
  assertEquals(of(properties["edits"]?.items), [["old", undefined], ["new", "New."]]);
  assertEquals(of(properties["other"]), [["old", "Another."], ["new", "New, too."]]);
});
