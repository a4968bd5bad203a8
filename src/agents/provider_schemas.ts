/**
 * Converts a request's JSON Schema to each provider's subset. Constraints that the subset lacks go into descriptions,
 * so that the model still sees them.
 */

import { hasOtherSpellings } from "../calls/requests/lenient_arguments.ts";
import type { JsonSchema } from "./request_schema.ts";

/**
 * OpenAI's strict mode: every property is required, optional ones may be null, objects are closed, and bounds are in
 * descriptions ("Structured Outputs: supported schemas").
 */
export function strictSchema(schema: JsonSchema): JsonSchema {
  if (isUntyped(schema)) return strictSchema({ ...schema, anyOf: ANSWERS });
  const { minimum, maximum, minLength: _, minItems, ...rest } = schema;
  const { properties, required = [] } = rest;
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minItems === undefined ? [] : [`at least ${minItems} of them`]),
  ];
  const words = [rest.description, bounds.length === 0 ? undefined : `(${bounds.join(", ")})`];
  const strict = {
    ...rest,
    description: words.filter((part) => part !== undefined).join(" ") || undefined,
    required: properties && Object.keys(properties),
    additionalProperties: properties && false,
  };
  return withInner(strict, (each, name) => {
    const inner = strictSchema(each);
    return name === undefined || required.includes(name) ? inner : nullable(inner);
  });
}

/**
 * Gemini's subset of OpenAPI 3.0: no `additionalProperties`, enums of strings only (Gemini API reference, `Schema`).
 * Vertex AI refuses the whole request if `anyOf` is beside another key.
 */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, required = [], additionalProperties: _, ...rest } = schema;
  const several = isUntyped(schema) ? ANSWERS : anyOf;
  if (several !== undefined) return anyOfOnly(several.map(geminiSchema), rest.description);
  const needed = required.length === 0 ? undefined : required;
  return withInner({ ...rest, properties, required: needed, items }, geminiSchema);
}

/** A schema with no other key than `anyOf`: its first option has the description. */
function anyOfOnly([first, ...others]: readonly JsonSchema[], description: string | undefined): JsonSchema {
  return { anyOf: [{ ...first, description }, ...others] };
}

/** The schema with those inside it converted; properties have names. */
export function withInner(
  schema: JsonSchema,
  convert: (inner: JsonSchema, name?: string) => JsonSchema,
): JsonSchema {
  const { properties, items, anyOf } = schema;
  const converted = Object.entries(properties ?? {}).map(([name, each]) => [name, convert(each, name)]);
  return {
    ...schema,
    properties: properties && Object.fromEntries(converted),
    items: items && convert(items),
    anyOf: anyOf?.map((each) => convert(each)),
  };
}

/** The types of an answer to a question. Neither subset can express "any value". */
const ANSWERS: JsonSchema[] = [
  { type: "boolean" },
  { type: "string" },
  { type: "object", properties: { overwrite: { type: "boolean" }, content: { type: "string" } } },
];

function isUntyped({ type, anyOf }: JsonSchema): boolean {
  return type === undefined && anyOf === undefined;
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema;
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  const choices = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, type: [String(type), "null"], ...choices };
}

/**
 * Opens `schema` for MCP clients, some of which check a call by it before they send it: a strict schema would make them refuse
 * what {@link understandArguments} accepts, such as another spelling. It allows more properties, moves choices into
 * descriptions, and does so with `required` for a parameter that has other spellings. Each schema gets a type or options
 * with one, because Gemini CLI drops tools with an untyped parameter. A number or flag has one type, although text is
 * read too: clients pass the schemas on to Vertex AI, which takes no `anyOf` beside another key.
 */
export function openSchema(schema: JsonSchema): JsonSchema {
  const { type, description, enum: choices, properties, required = [], items, anyOf } = schema;
  const several = isUntyped(schema) ? ANSWERS : anyOf;
  if (several !== undefined) return anyOfOnly(several.map(openSchema), description);
  switch (type) {
    case "array":
      return { type, description, items: items && openSchema(items) };
    case "object":
      return { type, description, ...openProperties(properties ?? {}, required) };
    default:
      return { type, description: choices === undefined ? description : withChoices(description, choices) };
  }
}

function openProperties(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  const strict = required.filter((name) => !hasOtherSpellings(name));
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        if (!required.includes(name) || strict.includes(name)) return [name, openSchema(property)];
        return [name, openSchema({ ...property, description: `${property.description ?? name} (required)` })];
      }),
    ),
    required: strict.length === 0 ? undefined : strict,
  };
}

function withChoices(description: string | undefined, choices: readonly unknown[]): string {
  if (description === undefined) return choices.join(", ");
  const isNamed = choices.every((choice) => description.includes(String(choice)));
  return isNamed ? description : `${description} One of: ${choices.join(", ")}.`;
}
