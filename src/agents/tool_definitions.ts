/** Makes each provider's tool definitions (contract, Agents) from the request schemas. */

import { geminiSchema, openSchema, strictSchema, withInner } from "./provider_schemas.ts";
import { type JsonSchema, toolSchemaOf } from "./request_schema.ts";
import {
  ANSWERS,
  listed,
  maybe,
  REPORT_FIELDS,
  type Schema,
  schemaOfFields,
  text,
} from "../calls/terms/answers.ts";
import type { Tool, ToolAnswer } from "./tool.ts";

/** jp has its own tools, in `jp_definitions.ts`. */
export const PROVIDERS = ["anthropic", "openai", "gemini", "mcp", "jp"] as const;
type Provider = typeof PROVIDERS[number];

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
  const { name, title, answers } = tool;
  const brief = isBrief ? tool.brief : undefined;
  const schema = brief === undefined ? toolSchemaOf(tool) : briefSchema(toolSchemaOf(tool), brief.parameters);
  return {
    name,
    title,
    description: brief?.description ?? tool.description,
    inputSchema: { ...openSchema(schema), type: "object" },
    outputSchema: outputSchemas ? outputSchemaOf(answers) : { type: "object" },
    annotations: hintsOf(tool, brief !== undefined),
    _meta: claudeCodeChars && {
      "anthropic/alwaysLoad": ALWAYS_LOADED.has(name) || undefined,
      "anthropic/maxResultSizeChars": claudeCodeChars,
    },
  };
}

/** Keeps only the parameters `names`, and drops the descriptions of nested fields. */
function briefSchema({ properties = {}, ...schema }: JsonSchema, names: readonly string[]): JsonSchema {
  const brief = names.map((name) => {
    const { [name]: property = {} } = properties;
    return [name, { ...undescribed(property), description: property.description }];
  });
  return { ...schema, properties: Object.fromEntries(brief) };
}

function undescribed(schema: JsonSchema): JsonSchema {
  return withInner({ ...schema, description: undefined }, undescribed);
}

/**
 * A brief list has no hint that MCP assumes: that a tool writes, destroys, and reaches beyond its server. A tool that only reads
 * has none about writes, which MCP ignores.
 */
function hintsOf({ readOnly, destructive, idempotent, openWorld = false }: Tool, isBrief: boolean) {
  return {
    readOnlyHint: isBrief && !readOnly ? undefined : readOnly,
    destructiveHint: readOnly || isBrief && destructive ? undefined : destructive,
    idempotentHint: readOnly || isBrief ? undefined : idempotent,
    openWorldHint: isBrief && openWorld ? undefined : openWorld,
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
