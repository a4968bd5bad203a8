/**
 * Tool definitions as each provider wants them (contract, Agents), all made from the request schemas.
 *
 * @module
 */

import { outputSchemaOf } from "./answer_schemas.ts";
import { geminiSchema, strictSchema } from "./provider_schemas.ts";
import { toolSchemaOf } from "./request_schema.ts";
import type { Tool } from "./tool.ts";

/** What definitions can be made for. jp has tools of its own, see `jp_definitions.ts`. */
export const PROVIDERS = ["anthropic", "openai", "gemini", "mcp", "jp"] as const;
export type Provider = typeof PROVIDERS[number];

/** A tool as an MCP server lists it. */
export interface McpTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema: { type: "object"; [key: string]: unknown };
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** What stands under `tools` in a request to the provider. */
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
          // Gemini refuses an object without properties: a function without parameters has none.
          ...(Object.keys(tool.request.entries).length === 0
            ? {}
            : { parameters: geminiSchema(toolSchemaOf(tool)) }),
        })),
      }];
    case "mcp":
      return tools.map(mcpTool);
  }
}

/** `tool` as an MCP server lists it. */
export function mcpTool(tool: Tool): McpTool {
  const { name, title, description, readOnly, destructive, idempotent } = tool;
  return {
    name,
    title,
    description,
    inputSchema: { ...toolSchemaOf(tool), type: "object" },
    outputSchema: outputSchemaOf(tool.answers),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  };
}
