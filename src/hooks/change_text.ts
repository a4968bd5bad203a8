/**
 * Adds a part to the text of a settings file, and takes it out, whatever kind of file it is. Text in, text out: what is
 * in the way is answered and not thrown.
 *
 * @module
 */

import { getNodeValue, type Node } from "jsonc-parser";
import {
  type JsonProblem,
  obstacleAt,
  type ParsedJson,
  parseJsonText,
  valueAt,
  withAddition,
  withoutNode,
} from "./edit_json.ts";
import { hasTomlBlock, parseToml, withoutTomlBlock, withTomlBlock } from "./edit_toml.ts";
import type { Part } from "./harnesses.ts";

/** What became of the text. */
export type ChangedText =
  /** `text` undefined: the file goes. */
  | { kind: "changed"; text: string | undefined }
  /** It was already so. */
  | { kind: "as_wanted" }
  /** The text cannot be read, or holds something else in the part's place. */
  | { kind: "refused"; language: string; problems: readonly JsonProblem[] };

/** The text with the part; undefined is a file that is not there. */
export function withPart(text: string | undefined, part: Part): ChangedText {
  switch (part.kind) {
    case "json":
      return withJsonPart(text ?? "", part);
    case "toml":
      return withTomlPart(text ?? "", part);
    case "file":
      if (text === undefined) return { kind: "changed", text: part.text };
      if (text === part.text) return { kind: "as_wanted" };
      return refuse("plugin", 1, text.includes(part.mark) ? OTHER_SETTINGS : "another file is there");
  }
}

/** The text without the part. */
export function withoutPart(text: string, part: Part): ChangedText {
  switch (part.kind) {
    case "json": {
      const parsed = parseJsonText(text);
      if ("problems" in parsed) return { kind: "refused", language: "JSON", problems: parsed.problems };
      const found = findJsonPart(parsed, part);
      return found === undefined
        ? { kind: "as_wanted" }
        : { kind: "changed", text: withoutNode(parsed, found.node) };
    }
    case "toml":
      return hasTomlBlock(text) ? { kind: "changed", text: withoutTomlBlock(text) } : { kind: "as_wanted" };
    case "file":
      return text.includes(part.mark) ? { kind: "changed", text: undefined } : { kind: "as_wanted" };
  }
}

const OTHER_SETTINGS = "fdtool is there already with other settings: uninstall it first";

function refuse(language: string, lineNumber: number, problem: string): ChangedText {
  return { kind: "refused", language, problems: [{ lineNumber, problem }] };
}

type JsonPart = Extract<Part, { kind: "json" }>;

function withJsonPart(text: string, part: JsonPart): ChangedText {
  const parsed = parseJsonText(text);
  if ("problems" in parsed) return { kind: "refused", language: "JSON", problems: parsed.problems };
  const path = [...part.path, part.key ?? -1];
  const obstacle = obstacleAt(parsed, path);
  if (obstacle !== undefined) return { kind: "refused", language: "JSON", problems: [obstacle] };
  const found = findJsonPart(parsed, part);
  if (found === undefined) {
    const place = { path: [...part.path], key: part.key };
    return { kind: "changed", text: withAddition(parsed, place, part.value) };
  }
  if (found.isAsWanted) return { kind: "as_wanted" };
  return refuse("JSON", text.slice(0, found.node.offset).split("\n").length, OTHER_SETTINGS);
}

/** The value that is this part, or stands under its name. */
function findJsonPart(parsed: ParsedJson, part: JsonPart): { node: Node; isAsWanted: boolean } | undefined {
  if (part.key !== undefined) {
    const node = valueAt(parsed, [...part.path, part.key]);
    return node === undefined ? undefined : { node, isAsWanted: isSame(getNodeValue(node), part.value) };
  }
  const list = valueAt(parsed, [...part.path]);
  const found = list === undefined ? undefined : part.findIn?.(getNodeValue(list));
  if (found === undefined) return undefined;
  const node = valueAt(parsed, [...part.path, ...found.path]);
  return node === undefined ? undefined : { node, isAsWanted: found.isAsWanted };
}

type TomlPart = Extract<Part, { kind: "toml" }>;

function withTomlPart(text: string, part: TomlPart): ChangedText {
  const before = parseToml(text);
  if (!("value" in before)) return { kind: "refused", language: "TOML", problems: [before] };
  const found = tableAt(before.value, part.table);
  if (isSame(found, part.value)) return { kind: "as_wanted" };
  if (found !== undefined) return refuse("TOML", 1, `[${part.table.join(".")}]: ${OTHER_SETTINGS}`);
  const changed = withTomlBlock(text, part.lines);
  const after = parseToml(changed);
  // `mcp_servers = { … }` cannot be added to by a table.
  if (!("value" in after)) return { kind: "refused", language: "TOML", problems: [after] };
  // After `[[mcp_servers]]` a table of that name belongs to the last of a list.
  if (!isSame(tableAt(after.value, part.table), part.value)) {
    return refuse(
      "TOML",
      1,
      `[${part.table.join(".")}] would mean something else here: ${part.table[0]} is no table`,
    );
  }
  return { kind: "changed", text: changed };
}

function tableAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** Whether two JSON values are the same, whatever the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1).map(([key, each]) => [
    key,
    sorted(each),
  ]);
}
