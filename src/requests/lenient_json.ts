/**
 * Reads the JSON that models write. What has one meaning is taken, and a note says how it was read: a byte order mark, a
 * code fence around the object, comments and trailing commas, unescaped line feeds in strings, an object that was
 * written into a string. What has two meanings is refused: two objects, a key twice, prose.
 *
 * Truncated text is never completed: what is missing could be anything.
 */

import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { readJson } from "./truncated_json.ts";
import { failUsage } from "./usage_failure.ts";
import { unusableIn } from "./unusable_value.ts";

/** A JSON value and how it was understood; `notes` is empty if the text was plain JSON. */
export interface UnderstoodJson {
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
  const { field, problem } = found;
  failUsage({ kind: "bad_json", what, reason: `${field === "" ? "it" : field} holds ${problem}` });
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
    const reason = error === undefined
      ? "nothing arrived"
      : `${printParseErrorCode(error.error)} at char ${error.offset}`;
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
      const pairs = (node.children ?? []).map(({ children = [] }) => {
        const [key, value] = children;
        return [String(key?.value), value] as const;
      });
      const entries = new Map<string, unknown>();
      for (const [key, value] of pairs) {
        if (entries.has(key)) {
          failUsage({ kind: "bad_json", what, reason: `duplicate key ${JSON.stringify(key)}` });
        }
        entries.set(key, value === undefined ? undefined : valueOf(value, what));
      }
      return Object.fromEntries(entries);
    }
    default:
      return node.value;
  }
}
