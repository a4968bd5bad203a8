/**
 * Schemas of requests, which check what comes as JSON. Only the doors for JSON load this.
 */

import * as v from "valibot";
import type { RequestField, RequestFields, RequestOf } from "./request_fields.ts";

/** A schema of an object: its parameters are `entries`. Whatever it does not name is refused. */
export type RequestSchema<Request extends object = object> = v.GenericSchema<unknown, Request> & {
  readonly entries: Readonly<Record<string, v.GenericSchema>>;
};

/** The schema that `fields` describe. The one cast between the two: valibot cannot compute the type of a schema made in a loop. */
export function schemaOf<const Fields extends RequestFields>(
  fields: Fields,
): RequestSchema<RequestOf<Fields>> {
  return strictSchema(fields) as RequestSchema as RequestSchema<RequestOf<Fields>>;
}

function strictSchema(fields: RequestFields) {
  const entries: Record<string, v.GenericSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    const schema = fieldSchema(field);
    entries[name] = field.isRequired === true ? schema : v.optional(schema);
  }
  return v.strictObject(entries);
}

function fieldSchema(field: RequestField): v.GenericSchema {
  const schema = typeSchema(field);
  return field.description === undefined ? schema : v.pipe(schema, v.description(field.description));
}

function typeSchema(field: RequestField): v.GenericSchema {
  switch (field.kind) {
    case "flag":
      return v.boolean();
    case "fd":
      return v.pipe(v.string(), v.minLength(1));
    case "integer": {
      const { least, most } = field;
      return v.pipe(
        v.number(),
        v.safeInteger(),
        ...(least === undefined ? [] : [v.minValue<number, number>(least)]),
        ...(most === undefined ? [] : [v.maxValue<number, number>(most)]),
      );
    }
    case "text":
      if (field.choices !== undefined) return v.picklist(field.choices);
      return field.isNeverEmpty === true ? v.pipe(v.string(), v.minLength(1)) : v.string();
    case "texts":
      return v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1))]);
    case "words":
      return v.array(v.string());
    case "object":
      return strictSchema(field.fields);
    case "list":
      return v.pipe(v.array(strictSchema(field.fields)), v.minLength(1));
    case "json":
      return v.unknown();
  }
}
