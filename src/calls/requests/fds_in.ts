import { isJsonObject } from "./json_object.ts";
import type { RequestFields } from "./request_fields.ts";
import { placeIn } from "./requested_slice.ts";

/** Yields the fds that a request names by its fields, at any depth; a word in place of an fd may name something else. */
export function* fdsIn(fields: RequestFields, request: Readonly<Record<string, unknown>>): Iterable<string> {
  for (const [name, field] of Object.entries(fields)) {
    for (const value of [request[name]].flat()) {
      if (field.kind === "fd" || field.kind === "fds") {
        if (value !== undefined) yield placeIn(String(value))?.fd ?? String(value);
      } else if ((field.kind === "object" || field.kind === "list") && isJsonObject(value)) {
        yield* fdsIn(field.fields, value);
      }
    }
  }
}
