/**
 * A tool's request as JSON Schema (draft 7), made from its fields. Rules that only code can check, such as mutually exclusive
 * parameters, are left to the call.
 */

import type { RequestField, RequestFields, RequestForm } from "../requests/request_fields.ts";

/** A keyword without a value is left out. */
export interface JsonSchema {
  type?: string | string[] | undefined;
  description?: string | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | undefined;
  items?: JsonSchema | undefined;
  enum?: readonly unknown[] | undefined;
  anyOf?: JsonSchema[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  minLength?: number | undefined;
  minItems?: number;
}

/** Without the fields that are only accepted, which have no description. */
export function toolSchemaOf({ fields, required = [] }: RequestForm): JsonSchema {
  const listed = Object.entries(fields).filter(([, { description }]) => description !== undefined);
  return objectSchema(Object.fromEntries(listed), required);
}

/** Of the fields, those that `required` names are required, too. */
export function objectSchema(fields: RequestFields, required: readonly string[] = []): JsonSchema {
  const entries = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, { ...typeSchema(field), description: field.description }]),
    ),
    required: entries.filter(([name, { isRequired }]) => isRequired === true || required.includes(name))
      .map(([name]) => name),
    additionalProperties: false,
  };
}

const TEXT = { type: "string" };

function typeSchema(field: RequestField): JsonSchema {
  switch (field.kind) {
    case "flag":
      return { type: "boolean" };
    case "fd":
      return { ...TEXT, minLength: 1 };
    case "integer":
      return { type: "integer", minimum: field.least, maximum: field.most };
    case "duration":
      return { anyOf: [{ type: "number" }, TEXT] };
    case "text":
      return { enum: field.choices, ...TEXT, minLength: field.isNeverEmpty && 1 };
    case "texts":
      return { anyOf: [TEXT, { type: "array", items: TEXT, minItems: 1 }] };
    case "words":
      return { type: "array", items: TEXT };
    case "object":
      return objectSchema(field.fields);
    case "list":
      return { type: "array", items: objectSchema(field.fields), minItems: 1 };
    case "json":
      return {};
  }
}
