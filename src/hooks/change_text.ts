/**
 * Adds parts to the text of a settings file of any kind, and removes them. A conflict is returned, not thrown.
 */

import { getNodeValue, type Node } from "jsonc-parser";
import {
  type JsonProblem,
  lineAt,
  obstacleAt,
  type ParsedJson,
  parseJsonText,
  valueAt,
  withAddition,
  withoutNode,
} from "./edit_json.ts";
import {
  ourTomlElement,
  parseToml,
  tomlLine,
  tomlValueAt,
  withoutTomlElement,
  withoutTomlTable,
  withTomlBlock,
  withTomlElement,
} from "./edit_toml.ts";
import type { Part } from "./harness.ts";

export type ChangedText =
  /** `text` undefined: remove the file. */
  | { kind: "changed"; text: string | undefined }
  | { kind: "unchanged" }
  /**
   * The text is not valid in its `language` or, if that is undefined, the part's place holds something else: with `isOther`,
   * fdtool's part with other settings.
   */
  | {
    kind: "refused";
    language: string | undefined;
    problems: readonly JsonProblem[];
    isOther?: boolean | undefined;
  };

/** Adds all parts; `text` undefined is a missing file. */
export function withParts(text: string | undefined, parts: readonly Part[]): ChangedText {
  return changeAll(text, parts, withPart);
}

export function withoutParts(text: string, parts: readonly Part[]): ChangedText {
  return changeAll(text, parts, (before, part) => withoutPart(before ?? "", part));
}

export function holdsPart(text: string, part: Part): boolean {
  return withoutPart(text, part).kind === "changed";
}

function changeAll(
  text: string | undefined,
  parts: readonly Part[],
  change: (text: string | undefined, part: Part) => ChangedText,
): ChangedText {
  let result: ChangedText = { kind: "unchanged" };
  for (const part of parts) {
    const changed = change(result.kind === "changed" ? result.text : text, part);
    if (changed.kind === "refused") return changed;
    if (changed.kind === "changed") result = changed;
  }
  return result;
}

function withPart(text: string | undefined, part: Part): ChangedText {
  switch (part.kind) {
    case "json":
      if (part.isObsolete) return text === undefined ? { kind: "unchanged" } : withoutPart(text, part);
      return withJsonPart(text ?? "", part);
    case "toml":
      return withTomlTable(text ?? "", part);
    case "toml_element":
      return withElement(text ?? "", part);
    case "paragraph": {
      const found = findParagraph(text ?? "");
      if (found === "cut") return refuse(1, CUT_PARAGRAPH);
      if (found === "absent") return { kind: "changed", text: withParagraph(text ?? "", part.text) };
      const isCurrent = text?.slice(found.from, found.to) === markedParagraph(text ?? "", part.text);
      return isCurrent ? { kind: "unchanged" } : refuseOther(1);
    }
    case "file":
      if (text === undefined) return { kind: "changed", text: part.text };
      if (text === part.text) return { kind: "unchanged" };
      return text.includes(part.mark) ? refuseOther(1) : refuse(1, "another file has this name");
  }
}

function withoutPart(text: string, part: Part): ChangedText {
  switch (part.kind) {
    case "json": {
      const parsed = parseJsonText(text);
      if ("problems" in parsed) return { kind: "refused", language: "JSON", problems: parsed.problems };
      const found = findJsonPart(parsed, part);
      if (found === undefined) return { kind: "unchanged" };
      if (!found.isOurs && part.yields === true) return { kind: "unchanged" };
      if (!found.isOurs) return refuse(lineAt(text, found.node.offset), FOREIGN);
      return { kind: "changed", text: withoutNode(parsed, found.node) };
    }
    case "toml":
      return withoutTable(text, part);
    case "toml_element":
      return withoutElement(text, part);
    case "paragraph": {
      const found = findParagraph(text);
      if (found === "cut") return refuse(1, CUT_PARAGRAPH);
      return found === "absent"
        ? { kind: "unchanged" }
        : { kind: "changed", text: withoutParagraph(text, found) };
    }
    case "file":
      return text.includes(part.mark) ? { kind: "changed", text: undefined } : { kind: "unchanged" };
  }
}

const OTHER_SETTINGS = "fdtool is already configured differently; run `fdtool uninstall` first";
const FOREIGN = "the entry named fdtool does not start `fdtool mcp`; remove it by hand";
const CUT_PARAGRAPH = "one of the two fdtool markers is missing; remove the paragraph by hand";

function refuse(lineNumber: number, problem: string): ChangedText {
  return { kind: "refused", language: undefined, problems: [{ lineNumber, problem }] };
}

function refuseOther(lineNumber: number, name = ""): ChangedText {
  const problems = [{ lineNumber, problem: `${name}${OTHER_SETTINGS}` }];
  return { kind: "refused", language: undefined, problems, isOther: true };
}

type JsonPart = Extract<Part, { kind: "json" }>;

function withJsonPart(text: string, part: JsonPart): ChangedText {
  const parsed = parseJsonText(text);
  if ("problems" in parsed) return { kind: "refused", language: "JSON", problems: parsed.problems };
  const path = [...part.path, part.key ?? -1];
  const obstacle = obstacleAt(parsed, path);
  if (obstacle !== undefined) return { kind: "refused", language: undefined, problems: [obstacle] };
  const found = findJsonPart(parsed, part);
  if (found === undefined) {
    const place = { path: [...part.path], key: part.key };
    return { kind: "changed", text: withAddition(parsed, place, part.value) };
  }
  if (found.isCurrent || !found.isOurs && part.yields === true) return { kind: "unchanged" };
  return refuseOther(lineAt(text, found.node.offset));
}

/** The part's value, or another value under its name. */
function findJsonPart(
  parsed: ParsedJson,
  part: JsonPart,
): { node: Node; isCurrent: boolean; isOurs: boolean } | undefined {
  if (part.key !== undefined) {
    const node = valueAt(parsed, [...part.path, part.key]);
    if (node === undefined) return undefined;
    const value = getNodeValue(node);
    return { node, isCurrent: isCurrent(value, part.value), isOurs: part.isOurs?.(value) ?? true };
  }
  const list = valueAt(parsed, [...part.path]);
  const found = list === undefined ? undefined : part.findIn?.(getNodeValue(list));
  if (found === undefined) return undefined;
  const node = valueAt(parsed, [...part.path, ...found.path]);
  return node === undefined ? undefined : { node, isCurrent: found.isCurrent, isOurs: true };
}

type TomlTable = Extract<Part, { kind: "toml" }>;
type TomlListElement = Extract<Part, { kind: "toml_element" }>;

/** A change of TOML: the text, what all of it must mean, and what to say if it does not. */
interface TomlEdit {
  text: string | undefined;
  value: unknown;
  byHand: string;
}

/** Changes what is at `path`, if the text then means what it should; refuses the text, or the edit. */
function changeToml(
  text: string,
  path: readonly string[],
  edit: (value: unknown, found: unknown, lineNumber: number) => TomlEdit | ChangedText,
): ChangedText {
  const before = parseToml(text);
  if (!("value" in before)) return { kind: "refused", language: "TOML", problems: [before] };
  const lineNumber = tomlLine(text, path);
  const edited = edit(before.value, tomlValueAt(before.value, path), lineNumber);
  if ("kind" in edited) return edited;
  const after = parseToml(edited.text ?? "");
  return edited.text !== undefined && "value" in after &&
      isSame(withoutEmpty(after.value), withoutEmpty(edited.value))
    ? { kind: "changed", text: edited.text }
    : refuse(lineNumber, edited.byHand);
}

function withTomlTable(text: string, { table, lines, value: wanted }: TomlTable): ChangedText {
  return changeToml(text, table, (value, found, lineNumber) => {
    if (isCurrent(found, wanted)) return { kind: "unchanged" };
    if (found !== undefined) return refuseOther(lineNumber, `[${table.join(".")}]: `);
    // A table cannot extend an inline table, `mcp_servers = { … }`, and after `[[mcp_servers]]` it would belong to the last
    // element of that list.
    const byHand = `${table[0]} is not a table that can be extended; add ${table[1]} = { ${
      lines.slice(1).join(", ")
    } } to it by hand`;
    return { text: withTomlBlock(text, lines), value: withValueAt(value, table, wanted), byHand };
  });
}

function withoutTable(text: string, { table, isOurs }: TomlTable): ChangedText {
  return changeToml(text, table, (value, found, lineNumber) => {
    if (found === undefined) return { kind: "unchanged" };
    const name = `[${table.join(".")}]`;
    if (!isOurs(found)) return refuse(lineNumber, `${name}: ${FOREIGN}`);
    const byHand = `remove ${name} by hand: it shares a line with others`;
    return { text: withoutTomlTable(text, table), value: withValueAt(value, table, undefined), byHand };
  });
}

function withElement(text: string, part: TomlListElement): ChangedText {
  const path = [part.table, part.key];
  const name = path.join(".");
  return changeToml(text, path, (value, list = [], lineNumber) => {
    if (!Array.isArray(list)) return refuse(lineNumber, `${name} is not a list`);
    if (list.includes(part.value)) return { kind: "unchanged" };
    if (typeof (tomlValueAt(value, [part.table]) ?? {}) !== "object") {
      return refuse(lineNumber, `${part.table} is not a table`);
    }
    return {
      text: withTomlElement(text, part),
      value: withValueAt(value, path, [part.value, ...list]),
      byHand: `add ${JSON.stringify(part.value)} to ${name} by hand, then install again`,
    };
  });
}

function withoutElement(text: string, part: TomlListElement): ChangedText {
  const path = [part.table, part.key];
  return changeToml(text, path, (value, list) => {
    const ours = ourTomlElement(text, part);
    if (!Array.isArray(list) || ours === undefined) return { kind: "unchanged" };
    const left = list.toSpliced(list.indexOf(ours), 1);
    return {
      text: withoutTomlElement(text, { ...part, value: ours }),
      value: withValueAt(value, path, left.length > 0 ? left : undefined),
      byHand: `remove ${JSON.stringify(ours)} from ${path.join(".")} by hand`,
    };
  });
}

/** The members by which a user turns a server off: `doctor` reports them. */
const SWITCHES = ["enabled", "disabled"];

/** Whether `found` has all that fdtool writes. What the user added to it is the user's. */
function isCurrent(found: unknown, wanted: unknown): boolean {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return isSame(found, wanted);
  const members = new Map(Object.entries(found));
  return Object.entries(wanted ?? {}).every(([name, value]) =>
    SWITCHES.includes(name) || isSame(members.get(name), value)
  );
}

/** Whether the text has the part, and the user turned it off. */
export function isTurnedOff(text: string, part: Part): boolean {
  const found = part.kind === "json" && part.key !== undefined
    ? valueIn(parseJsonText(text), [...part.path, part.key])
    : part.kind === "toml"
    ? valueIn(parseToml(text), part.table)
    : undefined;
  if (typeof found !== "object" || found === null) return false;
  const members = new Map<string, unknown>(Object.entries(found));
  return members.get("enabled") === false || members.get("disabled") === true;
}

function valueIn(
  parsed: ReturnType<typeof parseJsonText> | ReturnType<typeof parseToml>,
  path: readonly string[],
): unknown {
  if ("value" in parsed) return tomlValueAt(parsed.value, path);
  const node = "root" in parsed ? valueAt(parsed, [...path]) : undefined;
  return node === undefined ? undefined : getNodeValue(node);
}

/** `value` with `wanted` at `path`; undefined removes what is there. */
function withValueAt(value: unknown, [first, ...more]: readonly string[], wanted: unknown): unknown {
  if (first === undefined) return wanted;
  const members = value ?? {};
  if (typeof members !== "object" || Array.isArray(members)) return value;
  return { ...members, [first]: withValueAt(tomlValueAt(members, [first]), more, wanted) };
}

/** `value` without undefined members and empty objects, which an edit may leave or remove. */
function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Date) return value;
  const members = Object.entries(value).map(([key, each]) => [key, withoutEmpty(each)]);
  return Object.fromEntries(
    members.filter(([, each]) => each !== undefined && JSON.stringify(each) !== "{}"),
  );
}

/** Compares two JSON values; the order of keys does not matter. */
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

const BEGIN = "<!-- >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out -->";
const END = "<!-- <<< fdtool -->";

/** The paragraph's offsets, markers included; `cut` if one of the two markers is missing. */
function findParagraph(text: string): { from: number; to: number } | "absent" | "cut" {
  const from = text.indexOf(BEGIN);
  const end = text.indexOf(END, Math.max(from, 0));
  if (from === -1 && end === -1) return "absent";
  return from === -1 || end === -1 ? "cut" : { from, to: end + END.length };
}

function markedParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return [BEGIN, ...paragraph.split("\n"), END].join(eol);
}

/** Adds the paragraph at the end, after a blank line. */
function withParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const marked = markedParagraph(text, paragraph);
  if (text === "") return `${marked}${eol}`;
  return text.endsWith("\n") ? `${text}${eol}${marked}${eol}` : `${text}${eol}${eol}${marked}`;
}

/** Removes the paragraph and the line ends that were added with it. */
function withoutParagraph(text: string, { from, to }: { from: number; to: number }): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lineEnd = /^\r?\n/.exec(after)?.[0] ?? "";
  // If the text had no final line end, one was added before the paragraph and none after it.
  const cameBefore = lineEnd === "" ? /(?:\r?\n){1,2}$/ : /(?<=\n)\r?\n$/;
  return before.replace(after === "" || lineEnd !== "" ? cameBefore : /$^/, "") + after.slice(lineEnd.length);
}
