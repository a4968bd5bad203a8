/** The fields of a request as JSON Schema: draft 7, without rules that only code can check. */

import type { RequestField, RequestFields, RequestForm } from "../requests/request_fields.ts";

export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: JsonSchema;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
}

/** Without the fields that are only accepted, which have no description. */
export function toolSchemaOf({ fields, required = [] }: RequestForm): JsonSchema {
  const listed = Object.entries(fields).filter(([, { description }]) => description !== undefined);
  const isRequired = (name: string) => fields[name]!.isRequired === true || required.includes(name);
  return objectSchema(Object.fromEntries(listed), isRequired);
}

export function objectSchema(
  fields: RequestFields,
  isRequired = (name: string) => fields[name]!.isRequired === true,
): JsonSchema {
  const described = ([name, field]: [string, RequestField]) => {
    const { description } = field;
    return [name, { ...typeSchema(field), ...(description === undefined ? {} : { description }) }];
  };
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(fields).map(described)),
    required: Object.keys(fields).filter(isRequired),
    additionalProperties: false,
  };
}

function typeSchema(field: RequestField): JsonSchema {
  const list = (items: JsonSchema) => ({ type: "array", items, minItems: 1 });
  switch (field.kind) {
    case "flag":
      return { type: "boolean" };
    case "fd":
      return { type: "string", minLength: 1 };
    case "integer": {
      const { least, most } = field;
      return {
        type: "integer",
        ...(least === undefined ? {} : { minimum: least }),
        ...(most === undefined ? {} : { maximum: most }),
      };
    }
    case "duration":
      return { anyOf: [{ type: "number" }, { type: "string" }] };
    case "text":
      if (field.choices !== undefined) return { enum: [...field.choices], type: "string" };
      return { type: "string", ...(field.isNeverEmpty === true ? { minLength: 1 } : {}) };
    case "texts":
      return { anyOf: [{ type: "string" }, list({ type: "string" })] };
    case "words":
      return { type: "array", items: { type: "string" } };
    case "object":
      return objectSchema(field.fields);
    case "list":
      return list(objectSchema(field.fields));
    case "json":
      return {};
  }
}
