/** A tool's request as JSON Schema, converted from the schema that checks its calls. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { RequestFields, RequestForm } from "../calls/requests/request_fields.ts";
import { schemaOf } from "../calls/requests/request_schema.ts";

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
  minItems?: number | undefined;
}

/** Without the fields that are only accepted, which have no description. */
export function toolSchemaOf({ fields, required = [] }: RequestForm): JsonSchema {
  const listed = Object.entries(fields).filter(([, { description }]) => description !== undefined);
  return describedOnce(objectSchema(Object.fromEntries(
    listed.map(([name, field]) => [name, required.includes(name) ? { ...field, isRequired: true } : field]),
  )));
}

/** Drops a description that a field of the same name has further out: that of each edit, or of each plan. */
function describedOnce(schema: JsonSchema): JsonSchema {
  const said = new Set<string>();
  return JSON.parse(JSON.stringify(schema, (name, field) => {
    const words = field?.description;
    const isNew = typeof words !== "string" || said.size < said.add(`${name}: ${words}`).size;
    return isNew ? field : { ...field, description: undefined };
  }));
}

/** Draft 7, without the bounds of safe integers, which mean nothing to a model. */
export function objectSchema(fields: RequestFields): JsonSchema {
  // Rules that only code can check, such as mutually exclusive parameters, are left to the call.
  const { $schema: _, ...json } = toJsonSchema(schemaOf(fields), {
    errorMode: "ignore",
    overrideAction: ({ valibotAction }) =>
      valibotAction.type === "safe_integer" ? { type: "integer" } : undefined,
  });
  return json as JsonSchema;
}
