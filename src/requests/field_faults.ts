/** Checks values that came as JSON by the fields of a request. */

import { isJsonObject, type JsonObject } from "./json_object.ts";
import { fieldOf } from "./lenient_json.ts";
import type { RequestField, RequestFields, RequestOf } from "./request_fields.ts";

/** A value that its field does not take. */
export interface FieldFault {
  /** The field, such as `edits[0].old_string`. */
  field: string;
  /** Undefined if it is missing. */
  value: unknown;
  wanted: string;
  /** For an unknown field: the known ones. */
  known?: readonly string[];
}

const WORDS: Readonly<Record<RequestField["kind"], string>> = {
  flag: "true or false",
  fd: "a string",
  text: "a string",
  texts: "one of string, list",
  words: "a list",
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

/** The faults of an object, in the order of its fields; `at` is its own name. */
export function objectFaults(fields: RequestFields, value: JsonObject, at = ""): FieldFault[] {
  const known = Object.keys(fields);
  const faults = known.flatMap((name) => {
    const [field, place] = [fields[name]!, fieldOf(at, name)];
    if (Object.hasOwn(value, name) && value[name] !== undefined) {
      return valueFaults(field, value[name], place);
    }
    return field.isRequired === true ? [{ field: place, value: undefined, wanted: wantedOf(field) }] : [];
  });
  const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name)).map((name) => (
    { field: fieldOf(at, name), value: value[name], wanted: "a known parameter", known }
  ));
  return [...faults, ...others];
}

/** `value` as a request of `fields`, which fdtool has stored itself. */
export function storedRequest<const Fields extends RequestFields>(
  fields: Fields,
  value: unknown,
): RequestOf<Fields> {
  if (isJsonObject(value) && objectFaults(fields, value).length === 0) return value as RequestOf<Fields>;
  throw new Error("a stored request has other fields");
}

function valueFaults(field: RequestField, value: unknown, at: string): FieldFault[] {
  const fault = (wanted = wantedOf(field)): FieldFault[] => [{ field: at, value, wanted }];
  switch (field.kind) {
    case "flag":
      return typeof value === "boolean" ? [] : fault();
    case "integer": {
      const { least = -Infinity, most = Infinity } = field;
      if (!Number.isSafeInteger(value)) return fault();
      return Number(value) < least
        ? fault(`at least ${least}`)
        : Number(value) > most
        ? fault(`at most ${most}`)
        : [];
    }
    case "duration":
      return typeof value === "number" || typeof value === "string" ? [] : fault();
    case "fd":
    case "text": {
      const { choices, isNeverEmpty } = { choices: undefined, isNeverEmpty: field.kind === "fd", ...field };
      if (typeof value !== "string" || choices?.includes(value) === false) return fault();
      return value === "" && isNeverEmpty === true ? fault("something") : [];
    }
    case "texts":
    case "words":
      if (typeof value === "string" && field.kind === "texts") return [];
      if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) return fault();
      return value.length === 0 && field.kind === "texts" ? fault("something") : [];
    case "object":
      return isJsonObject(value) ? objectFaults(field.fields, value, at) : fault();
    case "list":
      if (!Array.isArray(value)) return fault();
      if (value.length === 0) return fault("something");
      return value.flatMap((each, index) =>
        valueFaults({ kind: "object", fields: field.fields }, each, `${at}[${index}]`)
      );
    case "json":
      return [];
  }
}
