/**
 * Finds what JSON can carry and nothing here can use. Half a surrogate pair (`"\ud800"`) has no UTF-8: on its way to a path or
 * a file it would become U+FFFD, and two texts would become one. What is nested without end uses up the stack of whatever
 * walks it.
 */

/** A problem that makes a value unusable, and its place: a field such as `edits[0].old_string`, empty for the value itself. */
export interface Unusable {
  field: string;
  problem: string;
}

const NOT_TEXT = "half a surrogate pair, which is not valid Unicode";
const TOO_DEEP = "a value nested too deeply";

/** Deeper than any request; a few thousand levels fit in the stack of a parser. */
const MAX_LEVELS = 1000;

/** A value on the way down, and how it is reached. */
interface Place {
  value: unknown;
  name: string | number;
  above: Place | undefined;
  level: number;
}

/**
 * The first text in `value`, key or string, that has no UTF-8, or the first place that is too deep; undefined for neither.
 *
 * ```ts
 * import { unusableIn } from "./unusable_value.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unusableIn({ edits: [{ old_string: "a\ud800" }] })?.field, "edits[0].old_string");
 * assertEquals(unusableIn({ emoji: "\ud83d\ude00" }), undefined);
 * ```
 */
export function unusableIn(value: unknown): Unusable | undefined {
  // Not by recursion: how deep JSON goes is the caller's choice.
  const pending: Place[] = [{ value, name: "", above: undefined, level: 0 }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value, level } = place;
    if (typeof value === "string") {
      if (!value.isWellFormed()) return { field: fieldOf(place), problem: NOT_TEXT };
    } else if (typeof value === "object" && value !== null) {
      if (level > MAX_LEVELS) return { field: topFieldOf(place), problem: TOO_DEEP };
      const isList = Array.isArray(value);
      const below: Place[] = [];
      for (const [key, inner] of Object.entries(value)) {
        const next = { value: inner, name: isList ? Number(key) : key, above: place, level: level + 1 };
        if (!key.isWellFormed()) {
          return { field: fieldOf({ ...next, name: JSON.stringify(key) }), problem: NOT_TEXT };
        }
        below.push(next);
      }
      for (const next of below.reverse()) pending.push(next);
    }
  }
  return undefined;
}

/** The name of what the place is in: all levels of it would be a name of thousands of brackets. */
function topFieldOf(place: Place): string {
  let at = place;
  while (at.above?.above !== undefined) at = at.above;
  return String(at.name);
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
