/**
 * Finds half a surrogate pair in JSON. JSON can carry it (`"\ud800"`), UTF-8 cannot: on its way to a path or a file it would
 * become U+FFFD, and two texts would become one.
 *
 * @module
 */

/** What is said of a text with half a surrogate pair. */
export const NOT_TEXT = "half a surrogate pair, which is no text";

/** A value on the way down, and how it is reached. */
interface Place {
  value: unknown;
  name: string | number;
  above: Place | undefined;
}

/**
 * The field of the first text in `value`, key or string, that has no UTF-8; undefined if there is none. The value itself is
 * called by an empty name.
 *
 * ```ts
 * import { loneSurrogateIn } from "./lone_surrogate.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(loneSurrogateIn({ edits: [{ old_string: "a\ud800" }] }), "edits[0].old_string");
 * assertEquals(loneSurrogateIn({ emoji: "\ud83d\ude00" }), undefined);
 * ```
 */
export function loneSurrogateIn(value: unknown): string | undefined {
  // Not by recursion: how deep JSON goes is the caller's choice.
  const pending: Place[] = [{ value, name: "", above: undefined }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value } = place;
    if (typeof value === "string") {
      if (!value.isWellFormed()) return fieldOf(place);
    } else if (typeof value === "object" && value !== null) {
      const isList = Array.isArray(value);
      const below: Place[] = [];
      for (const [key, inner] of Object.entries(value)) {
        if (!key.isWellFormed()) return fieldOf({ value: inner, name: JSON.stringify(key), above: place });
        below.push({ value: inner, name: isList ? Number(key) : key, above: place });
      }
      for (const next of below.reverse()) pending.push(next);
    }
  }
  return undefined;
}

function fieldOf(place: Place): string {
  const names: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.above !== undefined; at = at.above) names.unshift(at.name);
  return names.reduce<string>(
    (field, name) =>
      typeof name === "number" ? `${field}[${name}]` : field === "" ? name : `${field}.${name}`,
    "",
  );
}
