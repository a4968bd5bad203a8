/** Checks what comes as JSON by the fields of its request. */

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
  isUnknown: boolean;
}

/** The faults of an object by its fields, in their order; of unknown fields the first. `within` is its own field. */
export function objectFaults(fields: RequestFields, given: JsonObject, within = ""): FieldFault[] {
  const faults = Object.entries(fields).flatMap(([name, field]) =>
    given[name] === undefined && field.isRequired !== true
      ? []
      : valueFaults(field, given[name], fieldOf(within, name))
  );
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return faults;
  const field = fieldOf(within, unknown);
  return [...faults, { field, value: given[unknown], wanted: "a known parameter", isUnknown: true }];
}

function valueFaults(field: RequestField, value: unknown, at: string): FieldFault[] {
  const wanted = hasType(field, value) ? limitBroken(field, value) : wantedOf(field);
  if (wanted !== undefined) return [{ field: at, value, wanted, isUnknown: false }];
  if (field.kind === "object") return objectFaults(field.fields, value as JsonObject, at);
  if (!Array.isArray(value) || field.kind !== "list" && field.kind !== "words") return [];
  const item = field.kind === "list" ? { ...field, kind: "object" } as const : { kind: "text" } as const;
  return value.flatMap((each, index) => valueFaults(item, each, `${at}[${index}]`));
}

/** The limit that a value of the field's type breaks. */
function limitBroken(field: RequestField, value: unknown): string | undefined {
  if (field.kind === "integer") {
    const { least = -Infinity, most = Infinity } = field;
    if (Number(value) < least) return `at least ${least}`;
    return Number(value) > most ? `at most ${most}` : undefined;
  }
  const isEmptied = Array.isArray(value)
    ? value.length === 0 && (field.kind === "list" || field.kind === "texts")
    : value === "" && (field.kind === "fd" || field.kind === "text" && field.isNeverEmpty === true);
  return isEmptied ? "something" : undefined;
}

/** `value` as a request of `fields`, which fdtool has stored itself. */
export function storedRequest<const Fields extends RequestFields>(
  fields: Fields,
  value: unknown,
): RequestOf<Fields> {
  const [fault] = isJsonObject(value) ? objectFaults(fields, value) : [];
  if (!isJsonObject(value) || fault !== undefined) {
    throw new Error(`a stored request is invalid: ${fault?.field}`);
  }
  // The request was checked by its fields.
  return value as RequestOf<Fields>;
}

const isText = (value: unknown) => typeof value === "string";

/** The types of fields: in words, and whether a value has them. */
const TYPES: Readonly<Record<RequestField["kind"], readonly [string, (value: unknown) => boolean]>> = {
  flag: ["true or false", (value) => typeof value === "boolean"],
  fd: ["a string", isText],
  text: ["a string", isText],
  texts: ["one of string, list", (value) => [value].flat().every(isText)],
  words: ["a list", Array.isArray],
  integer: ["a whole number", Number.isSafeInteger],
  duration: ["one of number, string", (value) => typeof value === "number" || isText(value)],
  object: ["an object", isJsonObject],
  list: ["a list", Array.isArray],
  json: ["a value", (value) => value !== undefined],
};

function hasType(field: RequestField, value: unknown): boolean {
  const isChosen = field.kind !== "text" || field.choices?.includes(String(value)) !== false;
  return TYPES[field.kind][1](value) && isChosen;
}

/** The expected type of a field. */
export function wantedOf(field: RequestField): string {
  return field.kind === "text" && field.choices !== undefined
    ? `one of ${field.choices.map((each) => JSON.stringify(each)).join(", ")}`
    : TYPES[field.kind][0];
}
