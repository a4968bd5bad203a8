/**
 * Tool definitions for jp: the TOML that its configuration takes. jp runs `fdtool serve-jp CONTEXT TOOL` for each call.
 *
 * @module
 */

import { stringify } from "smol-toml";
import type { JpTool } from "./jp_tools.ts";
import { type JsonSchema, requestSchemaOf } from "./request_schema.ts";

/** How jp starts a tool; it fills in the two arguments, each as one word. */
const COMMAND = "fdtool serve-jp {{context}} {{tool}}";

/** The configuration of `tools`. */
export function jpDefinitions(tools: readonly JpTool[]): string {
  return stringify({
    conversation: { tools: Object.fromEntries(tools.map((tool) => [tool.name, definitionOf(tool)])) },
  });
}

function definitionOf({ description, request, asksContent }: JpTool): Record<string, unknown> {
  const schema = requestSchemaOf(request);
  const [summary = "", ...rest] = description.split("\n");
  return {
    enable: true,
    source: "local",
    command: COMMAND,
    summary,
    ...(rest.length === 0 ? {} : { description: rest.join("\n") }),
    style: { parameters: COMMAND },
    parameters: Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([name, property]) => [
        name,
        parameterOf(property, schema.required?.includes(name) === true),
      ]),
    ),
    // The content is the conversation's own work: a cheaper model that answers inquiries does not know it.
    ...(asksContent ? { questions: { file_content: { target: { model: { id: "inherit" } } } } } : {}),
  };
}

/** One parameter, as far as jp's parameters can say it; the call checks the rest. */
function parameterOf(property: JsonSchema, required: boolean): Record<string, unknown> {
  const { description, ...schema } = property;
  return {
    ...tomlOf(schema),
    required,
    ...(description === undefined ? {} : { summary: description }),
  };
}

function tomlOf(
  { type, enum: choices, items, properties, required, anyOf, oneOf }: JsonSchema,
): Record<string, unknown> {
  const options = anyOf ?? oneOf;
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(items === undefined ? {} : { items: describedToml(items) }),
    ...(properties === undefined ? {} : {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, describedToml(property)]),
      ),
      ...(required === undefined ? {} : { required }),
    }),
    ...(options === undefined ? {} : { one_of: options.map(describedToml) }),
  };
}

function describedToml(schema: JsonSchema): Record<string, unknown> {
  const { description } = schema;
  return { ...tomlOf(schema), ...(description === undefined ? {} : { description }) };
}
