/**
 * Reads the JSON that models write. What has one meaning is taken, and a note says how it was read: a byte order mark, a
 * code fence around the object, comments and trailing commas, unescaped line feeds in strings, an object that was
 * written into a string. What has two meanings is refused: two objects, a key twice, prose.
 *
 * Truncated text is never completed: what is missing could be anything.
 */

import { ifPossible } from "../../../fd/system.ts";
import { failUsage } from "./usage_failure.ts";
import { jsonFault } from "./json_fault.ts";
import { editOfPatch, PATCH_INSTEAD, patchForm } from "./patch_edits.ts";
import { type Node, type ParseError, parseTree } from "jsonc-parser";

/** A JSON value and how it was understood; `notes` is empty if the text was plain JSON. */
interface UnderstoodJson {
  value: unknown;
  notes: string[];
}

/** How often JSON may be wrapped in a string. */
const MAX_WRAPPINGS = 3;
/** Letters first, except the words of JSON: a string that begins so has no JSON, whole or truncated. */
const PROSE = /^\s*(?:$|(?!(?:true|false|null)\s*$)\p{L})/u;

/**
 * Reads `text` as one JSON value. `what` names it in failures. Blank text is an empty object: a tool without
 * parameters is called with nothing.
 *
 * Throws `truncated_payload` for truncated text, `bad_json` for anything that is not one value.
 */
export function understandJson(text: string, what: string): UnderstoodJson {
  try {
    return understandText(text, what);
  } catch (thrown) {
    // The stack of the parser is used up.
    if (!(thrown instanceof RangeError)) throw thrown;
    return failUsage({ kind: "bad_json", what, reason: "it is nested too deeply" });
  }
}

function understandText(text: string, what: string): UnderstoodJson {
  const notes: string[] = [];
  let json = withoutMark(text);
  if (json.trim() === "") return { value: {}, notes };
  const fenced = insideFence(json, what);
  if (fenced !== undefined) {
    json = fenced;
    notes.push("the JSON was read from its code fence");
  }
  const source: Source = { what, arrived: text };
  let value = parsedText(json, source, notes);
  for (let wrappings = 0; typeof value === "string" && wrappings < MAX_WRAPPINGS; wrappings++) {
    // Valid JSON, though not what was expected: the caller reports that.
    if (PROSE.test(value)) break;
    notes.push("a JSON string was read as the JSON it contains");
    value = parsedText(value, source, notes);
  }
  // Only an escape can bring half a surrogate pair: what was decoded from UTF-8 has none.
  if (SURROGATE_ESCAPE.test(text)) refuseUnusable(value, what);
  return { value, notes };
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Throws `bad_json` if `value` holds a text without UTF-8, or is nested too deeply. */
export function refuseUnusable(value: unknown, what: string): void {
  const found = unusableIn(value);
  if (found === undefined) return;
  failUsage({ kind: "bad_json", what, reason: `${found.field || "it"} holds ${found.problem}` });
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The content of the one code fence in `text`; undefined if `text` does not need one. */
function insideFence(text: string, what: string): string | undefined {
  if (/^\s*["{[]/.test(text)) return undefined;
  const opening = /(?:^|\n)[ \t]*(`{3,}|~{3,})[^\n`]*\r?\n/.exec(text);
  if (opening === null) return undefined;
  const rest = text.slice(opening.index + opening[0].length);
  const fence = opening[1]!;
  const closing = new RegExp(`(?:^|\\n)[ \\t]*${fence[0]}{${fence.length},}[ \\t]*\\r?(?=\\n|$)`).exec(rest);
  if (closing === null) return rest;
  if (/(?:^|\n)[ \t]*(`{3,}|~{3,})/.test(rest.slice(closing.index + closing[0].length))) {
    failUsage({ kind: "bad_json", what, reason: "it has two code fences" });
  }
  return rest.slice(0, closing.index);
}

/** The text that is read: its name, and all of it as it arrived. */
interface Source {
  what: string;
  arrived: string;
}

function failTruncated({ what, arrived }: Source): never {
  failUsage({ kind: "truncated_payload", what, charCount: [...arrived].length });
}

function parsedText(json: string, source: Source, notes: string[]): unknown {
  const { what } = source;
  const reading = readJson(json);
  if (reading.kind === "truncated") failTruncated(source);
  const escaped = reading.kind === "value" ? json : withEscapedControls(json);
  if (escaped !== json) {
    if (readJson(escaped).kind === "truncated") failTruncated(source);
    notes.push("unescaped line ends and tabs in strings were accepted");
  }
  const errors: ParseError[] = [];
  const tree = parseTree(escaped, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) {
    const patch = patchForm(escaped);
    if (patch !== undefined) {
      const reason = `got ${patch}, expected ${PATCH_INSTEAD}`;
      failUsage({ kind: "bad_json", what, reason, retry: editOfPatch(escaped) });
    }
    if (error === undefined) return failUsage({ kind: "bad_json", what, reason: "nothing arrived" });
    const { lineNumber, column, problem } = jsonFault(escaped, error);
    const reason = `not valid JSON (line ${lineNumber}, column ${column}: ${problem})`;
    failUsage({ kind: "bad_json", what, reason });
  }
  if (reading.kind !== "value" && escaped === json) {
    notes.push("trailing commas and comments were ignored");
  }
  return valueOf(tree, what);
}

/** `json` with the unescaped control chars in its strings written as escapes. */
function withEscapedControls(json: string): string {
  // deno-lint-ignore no-control-regex -- these are the chars that JSON forbids in strings
  const control = /[\u0000-\u001f]/g;
  return json.replace(
    /"(?:[^"\\]|\\[\s\S])*"?/g,
    (text) => text.replace(control, (char) => JSON.stringify(char).slice(1, -1)),
  );
}

/** The value of a syntax tree. Throws `bad_json` for a duplicate key: either value could be meant. */
function valueOf(node: Node, what: string): unknown {
  switch (node.type) {
    case "array":
      return (node.children ?? []).map((child) => valueOf(child, what));
    case "object": {
      const entries = new Map<string, unknown>();
      for (const { children: [key, value] = [] } of node.children ?? []) {
        const name = String(key?.value);
        if (entries.has(name)) {
          failUsage({ kind: "bad_json", what, reason: `duplicate key ${JSON.stringify(name)}` });
        }
        entries.set(name, value && valueOf(value, what));
      }
      return Object.fromEntries(entries);
    }
    default:
      return node.value;
  }
}

const NOT_TEXT = "half a surrogate pair, which is not valid Unicode";
const TOO_DEEP = "a value nested too deeply";

/** Deeper than any request; a few thousand levels fit in the stack of a parser. */
const MAX_LEVELS = 1000;

/**
 * The first text in `value`, key or string, that has no UTF-8, or the first place that is too deep; undefined for neither. The field
 * is empty for the value itself.
 *
 * ```ts
 * import { unusableIn } from "./lenient_json.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unusableIn({ edits: [{ old_string: "a\ud800" }] })?.field, "edits[0].old_string");
 * assertEquals(unusableIn({ emoji: "\ud83d\ude00" }), undefined);
 * ```
 */
export function unusableIn(
  value: unknown,
  field = "",
  level = 0,
): { field: string; problem: string } | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : { field, problem: NOT_TEXT };
  if (typeof value !== "object" || value === null) return undefined;
  // The whole name would have thousands of brackets.
  if (level > MAX_LEVELS) return { field: /^[^.[]*/.exec(field)![0], problem: TOO_DEEP };
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? `${field}[${key}]` : fieldOf(field, key);
    if (!key.isWellFormed()) return { field: fieldOf(field, JSON.stringify(key)), problem: NOT_TEXT };
    const found = unusableIn(inner, name, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The name of a member of the field `within`. */
export function fieldOf(within: string, name: string): string {
  return within === "" ? name : `${within}.${name}`;
}

/** JSON text as far as it is JSON; `truncated`: a proper beginning of some JSON text, as a transport leaves it. */
type JsonReading = { kind: "value"; value: unknown } | { kind: "truncated" } | { kind: "invalid" };

/**
 * Parses JSON text. Empty text is invalid, not cut: nothing arrived at all.
 *
 * ```ts
 * import { readJson } from "./lenient_json.ts";
 * if (readJson('{"old_string": "abc').kind !== "truncated") throw new Error();
 * if (readJson('{"old_string": abc').kind !== "invalid") throw new Error();
 * ```
 */
export function readJson(text: string): JsonReading {
  const json = withoutMark(text);
  try {
    return { kind: "value", value: JSON.parse(json) };
  } catch {
    return { kind: json.trim() !== "" && canBeCompleted(json) ? "truncated" : "invalid" };
  }
}

/** Texts that complete what can be cut: a key, a value, or a char inside a string; zeros are the rest of an escape, too. */
const ENDS = ["", ...'0 :0 "":0 rue ue alse lse se e ull ll l'.split(" ")];
const STRING_ENDS = String.raw`0000" 0000":0 \" \":0`.split(" ");

/** Whether something can follow `json` that makes it JSON: engines report where text is cut differently, or not at all. */
function canBeCompleted(json: string): boolean {
  const closing: string[] = [];
  let isInString = false;
  // A loop: a regular expression runs out of stack in a string of some megabytes.
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!;
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === "\\" ? 1 : 0;
    else if (char === "[" || char === "{") closing.push(char === "[" ? "]" : "}");
    else if (char === "]" || char === "}") closing.pop();
  }
  const closed = closing.reverse().join("");
  return (isInString ? STRING_ENDS : ENDS).some((end) => isJson(json + end + closed));
}

function isJson(text: string): boolean {
  return ifPossible(() => (JSON.parse(text), true), Error) ?? false;
}
