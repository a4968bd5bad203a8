/** A tool's request as JSON Schema, converted from the schema that checks its calls. */

import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Tool } from "./tool.ts";

/** JSON Schema as valibot's converter makes it from requests. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  nullable?: boolean;
}

export function toolSchemaOf({ request, required = [] }: Pick<Tool, "request" | "required">): JsonSchema {
  const schema = listedOnly(requestSchemaOf(request));
  const all = new Set([...schema.required ?? [], ...required]);
  return { ...schema, required: Object.keys(schema.properties ?? {}).filter((name) => all.has(name)) };
}

/** Without the fields that are only accepted, which have no description. */
function listedOnly(schema: JsonSchema): JsonSchema {
  const listed = Object.entries(schema.properties ?? {}).filter(([, field]) =>
    field.description !== undefined
  );
  return { ...schema, properties: Object.fromEntries(listed) };
}

/** Draft 7, without the bounds of safe integers, which mean nothing to a model. */
export function requestSchemaOf(schema: GenericSchema): JsonSchema {
  // Rules that only code can check, such as mutually exclusive parameters, are left to the call.
  const { $schema: _, ...json } = toJsonSchema(schema, {
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
