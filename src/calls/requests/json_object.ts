/** JSON objects. */

/** A JSON object, whose values can be anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether `value` is an object, not null or a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none of anything else. */
export function membersIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
