/** A tool's request as JSON Schema, converted from the schema that checks its calls. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { RequestFields, RequestForm } from "../requests/request_fields.ts";
import { schemaOf } from "../requests/request_schema.ts";

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
  const schema = objectSchema(Object.fromEntries(listed));
  const all = new Set([...schema.required ?? [], ...required]);
  return { ...schema, required: Object.keys(schema.properties ?? {}).filter((name) => all.has(name)) };
}

/** Draft 7, without the bounds of safe integers, which mean nothing to a model. */
export function objectSchema(fields: RequestFields): JsonSchema {
  // Rules that only code can check, such as mutually exclusive parameters, are left to the call.
  const { $schema: _, ...json } = toJsonSchema(schemaOf(fields), {
    errorMode: "ignore",
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type !== "safe_integer") return undefined;
      const { minimum, maximum, ...rest } = jsonSchema;
      return {
        ...rest,
        ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
        ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
      };
    },
  });
  return json as JsonSchema;
}
