/**
 * Opens a request's JSON Schema for MCP clients, which check a call by it before they send it: a strict schema would
 * make them refuse what {@link understandArguments} accepts, such as a number as text or another spelling.
 */

import { hasOtherSpellings } from "../requests/lenient_arguments.ts";
import type { JsonSchema } from "./request_schema.ts";

/**
 * Opens `schema`: it allows more properties, moves choices into descriptions, and does so with `required` for a
 * parameter that has other spellings. Each schema gets a type or options with one, because Gemini CLI drops tools with
 * an untyped parameter.
 */
export function openSchema(schema: JsonSchema, name = ""): JsonSchema {
  const { type, description, enum: choices, properties, required = [], items, anyOf: options } = schema;
  const described = description === undefined ? {} : { description };
  if (options !== undefined) return { anyOf: options.map(openOption), ...described };
  switch (type) {
    case "integer":
    case "number":
    case "boolean":
      return { ...anyOf(type, "string"), ...described };
    case "array":
      return { type, ...described, ...(items === undefined ? {} : { items: openSchema(items) }) };
    case "object":
      return { type, ...described, ...openProperties(properties ?? {}, required) };
    case "string":
      if (/(?:^|_)fd$/.test(name)) return { ...anyOf("string", "integer"), ...described };
      return choices === undefined
        ? { type, ...described }
        : { type, description: withChoices(description, choices) };
    default:
      return { ...anyOf("boolean", "string", "object"), ...described };
  }
}

/** An option of several. Gemini refuses a list without the type of its items. */
function openOption({ type, items }: JsonSchema): JsonSchema {
  return { type: String(type), ...(items === undefined ? {} : { items: openSchema(items) }) };
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
  const isNamed = choices.every((choice) => description.includes(String(choice)));
  return isNamed ? description : `${description} One of: ${choices.join(", ")}.`;
}
