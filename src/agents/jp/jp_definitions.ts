/** The TOML configuration with which jp runs `fdtool serve-jp CONTEXT TOOL` for each call. */

import { stringify } from "smol-toml";
import type { Tool } from "../tool.ts";
import { CREATE_TOOL } from "./jp_tools.ts";
import { type JsonSchema, toolSchemaOf } from "../request_schema.ts";

/** jp fills in both arguments, each as one word. */
const COMMAND = "fdtool serve-jp {{context}} {{tool}}";

export function jpDefinitions(tools: readonly Tool[]): string {
  return stringify({
    conversation: { tools: Object.fromEntries(tools.map((tool) => [tool.name, definitionOf(tool)])) },
  });
}

function definitionOf(tool: Tool): Record<string, unknown> {
  const { name, description } = tool;
  const schema = toolSchemaOf(tool);
  const [summary = "", ...lines] = description.split("\n");
  const isExample = (line: string) => line.startsWith(EXAMPLE);
  const rest = lines.filter((line) => !isExample(line));
  const examples = lines.filter(isExample).map((line) => line.slice(EXAMPLE.length));
  return {
    enable: true,
    source: "local",
    command: COMMAND,
    summary,
    ...(rest.length === 0 ? {} : { description: rest.join("\n") }),
    ...(examples.length === 0 ? {} : { examples: examples.join("\n") }),
    style: { parameters: COMMAND },
    parameters: parametersOf(schema),
    // Asks the conversation's own model: the cheaper one that jp uses for questions does not know the file's content.
    ...(name === CREATE_TOOL
      ? { questions: { file_content: { target: { model: { id: "inherit" } } } } }
      : {}),
  };
}

const EXAMPLE = "Example: ";

/** The fields of an object. jp wants `required` at each field, at every depth; JSON Schema has one list. */
function parametersOf({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      { ...shapeOf(property), required: required.includes(name) },
    ]),
  );
}

/**
 * One parameter. Constraints that jp's configuration would refuse are left to the call, and of alternatives it has the
 * first. The model sees a `summary`; it would have to ask for a `description`.
 */
function shapeOf(schema: JsonSchema): Record<string, unknown> {
  const { type, description, enum: choices, items, properties } = { ...schema.anyOf?.[0], ...schema };
  return {
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { summary: description }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(properties === undefined ? {} : { properties: parametersOf(schema) }),
  };
}
