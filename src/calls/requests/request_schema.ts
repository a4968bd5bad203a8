/** Schemas of requests, made from their fields, which check what comes as JSON. Only what takes JSON loads this. */

import * as v from "valibot";
import type { JsonObject } from "./json_object.ts";
import { fieldOf } from "./lenient_json.ts";
import type { RequestField, RequestFields, RequestOf } from "./request_fields.ts";

/** The schema of an object with `fields`. Whatever they do not name is refused. */
export function schemaOf(fields: RequestFields) {
  const entries: Record<string, v.GenericSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    const { description } = field;
    const schema = description === undefined
      ? typeSchema(field)
      : v.pipe(typeSchema(field), v.description(description));
    entries[name] = field.isRequired === true ? schema : v.optional(schema);
  }
  // A list is an object to valibot.
  return v.pipe(v.custom<JsonObject>((value) => !Array.isArray(value)), v.strictObject(entries));
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
    case "duration":
      return v.union([v.number(), v.string()]);
    case "text":
      if (field.choices !== undefined) return v.picklist(field.choices);
      return field.isNeverEmpty === true ? v.pipe(v.string(), v.minLength(1)) : v.string();
    case "texts":
      return v.union([v.string(), v.pipe(v.array(v.string()), v.minLength(1))]);
    case "words":
    case "fds":
      return v.array(v.string());
    case "object":
      return schemaOf(field.fields);
    case "list":
      return v.pipe(v.array(schemaOf(field.fields)), v.minLength(1));
    case "json":
      return v.unknown();
  }
}

/** The faults of an object by its fields, in their order; of unknown fields the first. */
export function objectFaults(fields: RequestFields, value: JsonObject) {
  return (v.safeParse(schemaOf(fields), value).issues ?? []).map((issue) => {
    const keys = (issue.path ?? []).map(({ key }) => key as string | number);
    const isUnknown = issue.expected === "never";
    return {
      /** Such as `edits[0].old_string`. */
      field: keys.reduce<string>(
        (path, key) => typeof key === "number" ? `${path}[${key}]` : fieldOf(path, key),
        "",
      ),
      /** Undefined if it is missing. */
      value: issue.input,
      wanted: isUnknown ? "a known parameter" : wantedBy(issue, fieldAt(fields, keys)),
      isUnknown,
    };
  });
}

/** `value` as a request of `fields`, which fdtool has stored itself. */
export function storedRequest<const Fields extends RequestFields>(
  fields: Fields,
  value: unknown,
): RequestOf<Fields> {
  // Valibot cannot compute the type of a schema that is made in a loop.
  return v.parse(schemaOf(fields), value) as RequestOf<Fields>;
}

const WORDS: Readonly<Record<RequestField["kind"], string>> = {
  flag: "true or false",
  fd: "a string",
  text: "a string",
  texts: "one of string, list",
  words: "a list",
  fds: "a list",
  integer: "a whole number",
  duration: "one of number, string",
  object: "an object",
  list: "a list",
  json: "a value",
};

/** The expected type of a field. */
export function wantedOf({ kind, ...field }: RequestField): string {
  const choices = "choices" in field ? field.choices : undefined;
  return choices === undefined
    ? WORDS[kind]
    : `one of ${choices.map((each) => JSON.stringify(each)).join(", ")}`;
}

function wantedBy(issue: v.GenericIssue, field: RequestField): string {
  const requirement = "requirement" in issue ? issue.requirement : undefined;
  switch (issue.type) {
    case "min_value":
      return `at least ${requirement}`;
    case "max_value":
      return `at most ${requirement}`;
    case "min_length":
      return "a value that is not empty";
    case "string":
    case "strict_object":
    case "custom":
      // A missing field, or an element of a list, whose field is the list.
      if (issue.received === "undefined") return wantedOf(field);
      return WORDS[issue.type === "string" ? "text" : "object"];
    default:
      return wantedOf(field);
  }
}

/** The field that has the value at `keys`. */
function fieldAt(fields: RequestFields, keys: readonly (string | number)[]): RequestField {
  let field: RequestField = { kind: "object", fields };
  for (const key of keys) {
    if (typeof key === "string" && "fields" in field) field = field.fields[key] ?? field;
  }
  return field;
}
