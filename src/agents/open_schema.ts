/**
 * A request's JSON Schema as MCP servers publish it: open to whatever {@link understandArguments} understands. Clients check
 * calls by it before they send them, and would refuse what fdtool can read: a number written as text, a parameter in
 * another spelling, a word in the plural.
 *
 * @module
 */

import { hasOtherSpellings } from "../requests/lenient_arguments.ts";
import type { JsonSchema } from "./request_schema.ts";

/**
 * `schema`, opened. Further properties are allowed. A parameter that can be spelled in another way is not `required`, but
 * said to be in its description. Choices are in descriptions. Each schema has a type, or options that have one: Gemini CLI
 * drops tools with an untyped parameter.
 */
export function openSchema(schema: JsonSchema, name = ""): JsonSchema {
  const { type, description, enum: choices, properties, required = [], items, anyOf: options } = schema;
  const told = description === undefined ? {} : { description };
  if (options !== undefined) return { anyOf: options.map(({ type }) => ({ type: String(type) })), ...told };
  switch (type) {
    case "integer":
    case "number":
    case "boolean":
      return { ...anyOf(type, "string"), ...told };
    case "array":
      return { type, ...told, ...(items === undefined ? {} : { items: openSchema(items) }) };
    case "object":
      return { type, ...told, ...openProperties(properties ?? {}, required) };
    case "string":
      if (/(?:^|_)fd$/.test(name)) return { ...anyOf("string", "integer"), ...told };
      return choices === undefined
        ? { type, ...told }
        : { type, description: withChoices(description, choices) };
    default:
      return { ...anyOf("boolean", "string", "object"), ...told };
  }
}

function openProperties(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  const strict = required.filter((name) => !hasOtherSpellings(name));
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const open = openSchema(property, name);
        if (!required.includes(name) || strict.includes(name)) return [name, open];
        return [name, { ...open, description: `${open.description ?? name} (required)` }];
      }),
    ),
    ...(strict.length === 0 ? {} : { required: strict }),
  };
}

function anyOf(...types: string[]): JsonSchema {
  return { anyOf: types.map((type) => ({ type })) };
}

function withChoices(description: string | undefined, choices: readonly unknown[]): string {
  if (description === undefined) return choices.join(", ");
  const isSaid = choices.every((choice) => description.includes(String(choice)));
  return isSaid ? description : `${description} One of: ${choices.join(", ")}.`;
}
