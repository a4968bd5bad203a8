/**
 * Distinguishes JSON that a transport truncated from invalid JSON: truncated text is a proper beginning of some JSON
 * text. Engines report this differently and some not at all, so the text is walked here.
 */

/** The result of reading JSON text. `charCount` counts code points that arrived. */
export type JsonReading =
  | { kind: "value"; value: unknown }
  | { kind: "truncated"; charCount: number; insideString: boolean }
  | { kind: "invalid"; reason: string };

/**
 * Parses JSON text and says how it failed where it did. Empty text is invalid, not cut: nothing arrived at all.
 *
 * ```ts
 * import { readJson } from "./truncated_json.ts";
 * if (readJson('{"old_string": "abc').kind !== "truncated") throw new Error();
 * if (readJson('{"old_string": abc').kind !== "invalid") throw new Error();
 * ```
 */
export function readJson(text: string): JsonReading {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    return { kind: "value", value: JSON.parse(json) };
  } catch (thrown) {
    if (json.trim() === "") return { kind: "invalid", reason: "nothing arrived" };
    const cut = walk(json);
    if (cut !== undefined) {
      return { kind: "truncated", charCount: countCodePoints(json), insideString: cut.insideString };
    }
    return { kind: "invalid", reason: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

// deno-lint-ignore no-control-regex -- JSON forbids bare control characters in strings
const STRING_BODY = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE_BEGINNING = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_BEGINNING = /^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?)?$/;

type Wanted = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end";

/** Walks `json`, which does not parse: says where it is truncated; returns undefined if it is invalid before its end. */
function walk(json: string): { insideString: boolean } | undefined {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(json)?.[0] ?? "";
    at += found.length;
    return found;
  };
  while (true) {
    skip(SPACE);
    if (at >= json.length) return { insideString: false };
    const char = json[at]!;
    if (wanted === "comma or end") {
      const container = open.at(-1);
      if (container === undefined) return undefined;
      if (char === ",") wanted = container === "{" ? "key" : "value";
      else if (char === (container === "{" ? "}" : "]")) open.pop();
      else return undefined;
      at++;
    } else if (wanted === "colon") {
      if (char !== ":") return undefined;
      at++;
      wanted = "value";
    } else if (char === '"') {
      const isKey: boolean = wanted === "key" || wanted === "key or }";
      at++;
      skip(STRING_BODY);
      if (at >= json.length || ESCAPE_BEGINNING.test(json.slice(at))) return { insideString: true };
      if (json[at] !== '"') return undefined;
      at++;
      wanted = isKey ? "colon" : "comma or end";
    } else if (char === "}" && wanted === "key or }" || char === "]" && wanted === "value or ]") {
      at++;
      open.pop();
      wanted = "comma or end";
    } else if (wanted === "key" || wanted === "key or }") {
      return undefined;
    } else if (char === "{" || char === "[") {
      at++;
      open.push(char);
      wanted = char === "{" ? "key or }" : "value or ]";
    } else {
      const rest = json.slice(at, at + 400);
      const word = ["true", "false", "null"].find((each) => rest.startsWith(each) || each.startsWith(rest));
      if (word !== undefined && rest.length < word.length) return { insideString: false };
      if (word !== undefined) at += word.length;
      else if (NUMBER_BEGINNING.test(rest)) return { insideString: false };
      else if (skip(NUMBER) === "") return undefined;
      wanted = "comma or end";
    }
  }
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
