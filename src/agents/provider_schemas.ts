/**
 * Converts a request's JSON Schema to each provider's subset. Constraints that the subset lacks go into descriptions,
 * so that the model still sees them.
 */

import { hasOtherSpellings } from "../requests/lenient_arguments.ts";
import type { JsonSchema } from "./request_schema.ts";

/**
 * OpenAI's strict mode: every property is required, optional ones may be null, objects are closed, and bounds are in
 * descriptions ("Structured Outputs: supported schemas").
 */
export function strictSchema(schema: JsonSchema): JsonSchema {
  if (isUntyped(schema)) return strictSchema({ ...schema, anyOf: ANSWERS });
  const described = inWords(schema);
  const { properties, items, anyOf, required } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => !BOUNDS.includes(keyword))),
    ...(described === undefined ? {} : { description: described }),
    ...(properties === undefined ? {} : {
      properties: mapValues(properties, (each, name) => {
        const strict = strictSchema(each);
        return required?.includes(name) === true ? strict : nullable(strict);
      }),
      required: Object.keys(properties),
      additionalProperties: false,
    }),
    ...(items === undefined ? {} : { items: strictSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(strictSchema) }),
  };
}

/** Gemini's subset of OpenAPI 3.0: no `additionalProperties`, enums of strings only (Gemini API reference, `Schema`). */
export function geminiSchema(schema: JsonSchema): JsonSchema {
  if (isUntyped(schema)) return geminiSchema({ ...schema, anyOf: ANSWERS });
  const { properties, items, anyOf, required, additionalProperties: _, ...rest } = schema;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties, geminiSchema) }),
    ...(required === undefined || required.length === 0 ? {} : { required }),
    ...(items === undefined ? {} : { items: geminiSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(geminiSchema) }),
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

/** Keywords that strict mode lacks; {@link inWords} puts them into descriptions. */
const BOUNDS = ["minimum", "maximum", "minLength", "minItems"];

function inWords({ description, minimum, maximum, minItems }: JsonSchema): string | undefined {
  const words = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minItems === undefined ? [] : [`at least ${minItems} of them`]),
  ];
  if (words.length === 0) return undefined;
  return `${description === undefined ? "" : `${description} `}(${words.join(", ")})`;
}

function mapValues<From, To>(
  record: Record<string, From>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/**
 * Opens `schema` for MCP clients, which check a call by it before they send it: a strict schema would make them refuse what
 * {@link understandArguments} accepts, such as a number as text or another spelling. It allows more properties, moves
 * choices into descriptions, and does so with `required` for a parameter that has other spellings. Each schema gets a
 * type or options with one, because Gemini CLI drops tools with an untyped parameter.
 */
export function openSchema(schema: JsonSchema, name = ""): JsonSchema {
  const { type, description, enum: choices, properties, required = [], items, anyOf: several } = schema;
  const described = description === undefined ? {} : { description };
  if (several !== undefined) return { anyOf: several.map(openOption), ...described };
  switch (type) {
    case "integer":
    case "number":
    case "boolean":
      return { ...options(type, "string"), ...described };
    case "array":
      return { type, ...described, ...(items === undefined ? {} : { items: openSchema(items) }) };
    case "object":
      return { type, ...described, ...openProperties(properties ?? {}, required) };
    case "string":
      if (/(?:^|_)fd$/.test(name)) return { ...options("string", "integer"), ...described };
      return choices === undefined
        ? { type, ...described }
        : { type, description: withChoices(description, choices) };
    default:
      return { ...options("boolean", "string", "object"), ...described };
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

function options(...types: string[]): JsonSchema {
  return { anyOf: types.map((type) => ({ type })) };
}

function withChoices(description: string | undefined, choices: readonly unknown[]): string {
  if (description === undefined) return choices.join(", ");
  const isNamed = choices.every((choice) => description.includes(String(choice)));
  return isNamed ? description : `${description} One of: ${choices.join(", ")}.`;
}
