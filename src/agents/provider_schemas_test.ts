// Promise: every tool's definition is in its provider's subset of JSON Schema, and means the same as the schema that
// checks calls.

import { deepStrictEqual } from "node:assert/strict";
import type { JsonSchema } from "./request_schema.ts";
import { geminiSchema, strictSchema } from "./provider_schemas.ts";
import { toolSchemaOf } from "./request_schema.ts";
import { definitionsFor, mcpTool } from "./tool_definitions.ts";
import { listOperations } from "../commands/rows.ts";
import { toolsOf } from "./tool_table.ts";

const TOOLS = toolsOf(listOperations());

/** A schema as a provider gets it. */
function sent(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema));
}

/** `schema` and all schemas inside it. */
function* allSchemas(schema: JsonSchema): Iterable<JsonSchema> {
  yield sent(schema);
  for (const property of Object.values(schema.properties ?? {})) yield* allSchemas(property);
  for (const option of schema.anyOf ?? []) yield* allSchemas(option);
  if (schema.items !== undefined) yield* allSchemas(schema.items);
}

/**
 * The keywords of strict function calling, without those that only newer models support; all properties are required, objects
 * closed, no anyOf at the top (platform.openai.com/docs/guides/structured-outputs, Supported schemas).
 */
const STRICT = [
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
];
const GEMINI = [
  "type",
  "description",
  "properties",
  "required",
  "items",
  "enum",
  "anyOf",
  "nullable",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/**
 * Checks the rules by which the Gemini API and Vertex AI refuse a whole request. Vertex: "When using any_of, it must be the
 * only field set" (BerriAI/litellm #11164, anomalyco/opencode #15795). Both: "enum: only allowed for STRING type"
 * (decolua/9router #380), "properties: should be non-empty for OBJECT type" (pipecat-ai/pipecat-flows #110), one type,
 * and lists with the type of their items (ai.google.dev/api/caching, Schema).
 */
function assertTakenByVertex(schema: JsonSchema): void {
  const { type, anyOf, enum: choices, properties, items } = schema;
  if (anyOf !== undefined) return deepStrictEqual(Object.keys(schema), ["anyOf"]);
  deepStrictEqual(typeof type, "string");
  if (choices !== undefined) deepStrictEqual(type, "string");
  if (type === "object") deepStrictEqual(Object.keys(properties ?? {}).length > 0, true);
  if (type === "array") deepStrictEqual(items !== undefined, true);
}

for (const tool of TOOLS) {
  const { name } = tool;
  const schema = toolSchemaOf(tool);

  Deno.test(`clients can pass the MCP schema of ${name} on to Gemini and Vertex AI`, () => {
    if (Object.keys(schema.properties ?? {}).length === 0) return;
    for (const brief of [true, false]) {
      for (const each of allSchemas(mcpTool(tool, { brief, outputSchemas: false }).inputSchema)) {
        assertTakenByVertex(each);
      }
    }
  });

  // platform.claude.com/docs: no anyOf, oneOf or allOf at the top; names of 1 to 64 letters, digits, "_", "." and "-".
  Deno.test(`Anthropic takes the parameters of ${name}`, () => {
    deepStrictEqual([schema.type, schema.anyOf], ["object", undefined]);
    deepStrictEqual(/^[a-zA-Z0-9_-]{1,64}$/.test(name), true);
    for (const { properties = {} } of allSchemas(schema)) {
      for (const key of Object.keys(properties)) {
        deepStrictEqual(/^[a-zA-Z0-9_.-]{1,64}$/.test(key), true, key);
      }
    }
  });

  Deno.test(`OpenAI's strict mode takes the parameters of ${name}`, () => {
    deepStrictEqual([strictSchema(schema).type, strictSchema(schema).anyOf], ["object", undefined]);
    for (const each of allSchemas(strictSchema(schema))) {
      deepStrictEqual(Object.keys(each).filter((keyword) => !STRICT.includes(keyword)), []);
      deepStrictEqual(each.type !== undefined || each.anyOf !== undefined, true);
      if (each.properties === undefined) continue;
      deepStrictEqual(each.required, Object.keys(each.properties));
      deepStrictEqual(each.additionalProperties, false);
    }
    for (const [parameter, property] of Object.entries(strictSchema(schema).properties ?? {})) {
      const types = [property, ...property.anyOf ?? []].flatMap(({ type }) => type ?? []);
      const mayBeNull = types.includes("null");
      deepStrictEqual(mayBeNull, schema.required?.includes(parameter) !== true, parameter);
    }
  });

  Deno.test(`Gemini takes the parameters of ${name}`, () => {
    for (const each of allSchemas(geminiSchema(schema))) {
      deepStrictEqual(Object.keys(each).filter((keyword) => !GEMINI.includes(keyword)), []);
      assertTakenByVertex(each);
    }
    deepStrictEqual(Object.keys(geminiSchema(schema).properties ?? {}), Object.keys(schema.properties ?? {}));
    deepStrictEqual(geminiSchema(schema).required ?? [], schema.required ?? []);
  });

  Deno.test(`every parameter of ${name} is described, and the tool with an example`, () => {
    deepStrictEqual(tool.description.includes("Example: {"), true);
    for (const [parameter, property] of Object.entries(schema.properties ?? {})) {
      deepStrictEqual((property.description ?? "") !== "", true, parameter);
    }
  });
}

Deno.test("names and parameters are those of the contract", () => {
  const parametersOf = (name: string) => Object.keys(TOOLS.find((tool) => tool.name === name)?.fields ?? {});
  const contract: Record<string, string[]> = {
    read_fd: ["fd", "read_all", "extract_to_new_fd", "mode", "start", "count"],
    fd_to_file: ["fd", "file_path", "mode", "create", "exist_ok"],
    search_fd: ["fd", "pattern"],
    list_fds: [],
    list_refs: [],
    create_file: ["path"],
    answer_inquiry: ["inquiry_id", "answer"],
    rewrite_file: ["filePath", "content", "createIfMissing", "acknowledgement", "expectedLineCount"],
    edit_file: ["path", "old_string", "new_string", "replace_all", "edits"],
    count_lines: [],
    write_plan: ["intent", "target_file", "operations", "safety_checks", "plans"],
    undo_write: [],
  };
  for (const [name, parameters] of Object.entries(contract)) {
    const known = parametersOf(name);
    deepStrictEqual(TOOLS.some((tool) => tool.name === name), true, name);
    deepStrictEqual(parameters.filter((parameter) => !known.includes(parameter)), [], name);
  }
});

Deno.test("the schema of rewrite_file requires both checks", () => {
  const schema = toolSchemaOf(TOOLS.find(({ name }) => name === "rewrite_file")!);
  deepStrictEqual(schema.required, ["filePath", "acknowledgement", "expectedLineCount"]);
  deepStrictEqual(strictSchema(schema).properties?.["expectedLineCount"]?.type, "integer");
  deepStrictEqual(geminiSchema(schema).required, schema.required);
});

Deno.test("the MCP list has at most 7,000 bytes, and tools that take content say how much a call may have", () => {
  const listed = TOOLS.filter(({ brief }) => brief !== undefined)
    .map((tool) => mcpTool(tool, { brief: true, outputSchemas: false }));
  const { length } = new TextEncoder().encode(JSON.stringify(listed));
  deepStrictEqual(length <= 7000, true, `${length} bytes`);
  for (const name of ["edit_file", "answer_inquiry"]) {
    const { description } = listed.find((tool) => tool.name === name)!;
    deepStrictEqual(/at most about 8000 characters/.test(description), true, name);
  }
});

Deno.test("bounds that strict mode lacks are in the description", () => {
  const { properties } = strictSchema({
    type: "object",
    properties: { count: { type: "integer", minimum: 1, description: "How many." } },
    required: [],
  });
  deepStrictEqual(sent(properties!["count"]!), {
    type: ["integer", "null"],
    description: "How many. (at least 1)",
  });
});

Deno.test("a value of any type becomes one of the types of answers", () => {
  const { anyOf } = strictSchema({ description: "The answer." });
  deepStrictEqual(anyOf?.map(({ type }) => type), ["boolean", "string", "object"]);
  deepStrictEqual(anyOf?.[2]?.required, ["overwrite", "content"]);
  deepStrictEqual(geminiSchema({}).anyOf?.length, 3);
});

Deno.test("each provider gets its own frame", () => {
  const one = TOOLS.slice(0, 1);
  const keys = (value: unknown) => Object.keys(JSON.parse(JSON.stringify(value)));
  deepStrictEqual(keys(definitionsFor("anthropic", one)[0]), ["name", "description", "input_schema"]);
  deepStrictEqual(keys(definitionsFor("openai", one)[0]), ["type", "function"]);
  deepStrictEqual(keys(definitionsFor("gemini", one)[0]), ["functionDeclarations"]);
  deepStrictEqual(keys(definitionsFor("mcp", one)[0]), [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
  ]);
});
