/** Makes each provider's tool definitions (contract, Agents) from the request schemas. */

import { geminiSchema, openSchema, strictSchema } from "./provider_schemas.ts";
import { type JsonSchema, toolSchemaOf } from "./request_schema.ts";
import {
  ANSWERS,
  listed,
  maybe,
  REPORT_FIELDS,
  type Schema,
  schemaOfFields,
  text,
} from "../terms/answers.ts";
import type { Tool, ToolAnswer } from "./tool.ts";

/** jp has its own tools, in `jp_definitions.ts`. */
export const PROVIDERS = ["anthropic", "openai", "gemini", "mcp", "jp"] as const;
export type Provider = typeof PROVIDERS[number];

export interface McpListing {
  brief: boolean;
  /** Add schemas of the answers' fields. Clients need only know that answers are objects. */
  outputSchemas: boolean;
  /** For Claude Code, in `_meta`: the longest answer to show whole, in chars. */
  claudeCodeChars?: number | undefined;
}

/** Returns the value of `tools` in a request to the provider. */
export function definitionsFor(provider: Exclude<Provider, "jp">, tools: readonly Tool[]): unknown[] {
  switch (provider) {
    case "anthropic":
      return tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        input_schema: toolSchemaOf(tool),
      }));
    case "openai":
      return tools.map((tool) => {
        const { name, description } = tool;
        const parameters = strictSchema(toolSchemaOf(tool));
        return { type: "function", function: { name, description, strict: true, parameters } };
      });
    case "gemini":
      return [{
        functionDeclarations: tools.map((tool) => ({
          name: tool.name,
          description: tool.description,
          // Gemini refuses an object schema without properties.
          ...(Object.keys(tool.fields).length === 0 ? {} : { parameters: geminiSchema(toolSchemaOf(tool)) }),
        })),
      }];
    case "mcp":
      return tools.map((tool) => mcpTool(tool, { brief: false, outputSchemas: true }));
  }
}

/** Loaded by Claude Code at once: previews name them, and searching for them would cost a turn. */
const ALWAYS_LOADED = new Set(["read_fd", "search_fd", "run_command"]);

export function mcpTool(tool: Tool, { brief: isBrief, outputSchemas, claudeCodeChars }: McpListing) {
  const { name, title, readOnly, destructive, idempotent, answers, openWorld = false } = tool;
  const brief = isBrief ? tool.brief : undefined;
  const schema = brief === undefined ? toolSchemaOf(tool) : briefSchema(toolSchemaOf(tool), brief.parameters);
  const always = ALWAYS_LOADED.has(name) ? { "anthropic/alwaysLoad": true } : {};
  return {
    name,
    title,
    description: brief?.description ?? tool.description,
    inputSchema: { ...openSchema(schema), type: "object" },
    outputSchema: outputSchemas ? outputSchemaOf(answers) : { type: "object" },
    annotations: brief === undefined
      ? {
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: openWorld,
      }
      : unusualHints(tool),
    ...(claudeCodeChars === undefined ? {} : {
      _meta: { ...always, "anthropic/maxResultSizeChars": claudeCodeChars },
    }),
  };
}

/** Keeps only the parameters in `described`, with its descriptions, and drops those of nested fields. */
function briefSchema(
  { properties = {}, required = [] }: JsonSchema,
  described: Readonly<Record<string, string>>,
): JsonSchema {
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(described).map(([name, description]) => {
        const { items, ...property } = properties[name]!;
        const own = items === undefined ? {} : { items: undescribed(items) };
        return [name, { ...property, description, ...own }];
      }),
    ),
    required,
  };
}

function undescribed({ description: _, properties, ...rest }: JsonSchema): JsonSchema {
  if (properties === undefined) return rest;
  const inner = Object.entries(properties).map(([name, property]) => [name, undescribed(property)]);
  return { ...rest, properties: Object.fromEntries(inner) };
}

/** A tool's hints where they are not what MCP assumes: that a tool writes, destroys, and reaches beyond its server. */
function unusualHints({ readOnly, destructive, openWorld = false }: Tool) {
  return {
    ...(readOnly ? { readOnlyHint: true } : {}),
    ...(readOnly || destructive ? {} : { destructiveHint: false }),
    ...(openWorld ? {} : { openWorldHint: false }),
  };
}

const ERROR_FIELDS = {
  error: text(),
  message: text(),
  fd: maybe(text()),
  path: maybe(text()),
  next: REPORT_FIELDS.next,
};

/** The schema of a tool's answers: one of `answers`, or `fd_error`. It lists the fields that callers rely on. */
function outputSchemaOf(answers: readonly ToolAnswer[]): { type: "object"; [key: string]: unknown } {
  const types = [...answers, "fd_error"];
  const tables = new Map(Object.entries({ ...ANSWERS, fd_error: ERROR_FIELDS }));
  return {
    type: "object",
    properties: { type: { type: "string", enum: types } },
    required: ["type"],
    anyOf: types.map((type): Schema =>
      schemaOfFields({ type: listed<string>({ const: type }), ...tables.get(type) ?? REPORT_FIELDS })
    ),
  };
}
