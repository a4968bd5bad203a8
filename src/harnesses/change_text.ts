/**
 * Adds parts to the text of a settings file of any kind, and removes them. A conflict is returned, not thrown.
 */

import { getNodeValue } from "jsonc-parser";
import { membersIn } from "../calls/requests/json_object.ts";
import {
  lineAt,
  lineEndOf,
  obstacleAt,
  type ParsedJson,
  parseJsonText,
  valueAt,
  withAddition,
  withoutNode,
} from "./edit_json.ts";
import {
  inlineToml,
  isSame,
  ownTomlElement,
  parseToml,
  tomlLine,
  tomlValueAt,
  withoutTomlElement,
  withoutTomlTable,
  withTomlElement,
  withTomlTable,
} from "./edit_toml.ts";
import type { LineProblem } from "../calls/terms/write_faults.ts";
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
    problems: readonly LineProblem[];
    isOther?: boolean | undefined;
  };

/** Adds all parts; `text` undefined is a missing file. */
export function withParts(text: string | undefined, parts: readonly Part[]): ChangedText {
  return changeAll(text, parts, withPart);
}

/** Removes all parts, the last first. */
export function withoutParts(text: string, parts: readonly Part[]): ChangedText {
  return changeAll(text, parts.toReversed(), (before, part) => withoutPart(before ?? "", part));
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

/** A place for a part: what is there, and the text with the part in it and without. */
interface Place {
  /** From 1. */
  lineNumber: number;
  /** The part, or something else in its place; `isOurs`: for any program and store. */
  found?: { value?: unknown; isCurrent: boolean; isOurs: boolean } | undefined;
  /** Another value, which prevents an addition. */
  obstacle?: LineProblem | undefined;
  /** The words for a change by hand, if the next two return undefined. */
  byHand?: readonly [what: string, where: string];
  with(): string | undefined;
  /** Undefined for a file: remove it. */
  without(): string | undefined;
}

function withPart(text: string | undefined, part: Part): ChangedText {
  const place = placeIn(text, part);
  if ("kind" in place) return place;
  const { obstacle, found, lineNumber, byHand: [what, where] = [] } = place;
  if (obstacle !== undefined) return refuse(obstacle);
  // A list may have the element of another store, too.
  if (found === undefined || part.kind === "toml_element" && !found.isCurrent) {
    const added = place.with();
    if (added !== undefined) return { kind: "changed", text: added };
    return refuse({ lineNumber, problem: `add ${what} to ${where} by hand: it has another form` });
  }
  if (found.isCurrent || !found.isOurs && staysIfForeign(part)) return UNCHANGED;
  return found.isOurs
    ? { ...refuse({ lineNumber, problem: OTHER_SETTINGS }), isOther: true }
    : refuse({ lineNumber, problem: foreignProblem(part) });
}

function withoutPart(text: string, part: Part): ChangedText {
  const place = placeIn(text, part);
  if ("kind" in place) return place;
  const { found, lineNumber, byHand: [what, where] = [] } = place;
  if (found === undefined) return UNCHANGED;
  if (!found.isOurs) return isNamed(part) ? refuse({ lineNumber, problem: foreignProblem(part) }) : UNCHANGED;
  const left = place.without();
  if (left !== undefined || part.kind === "file") return { kind: "changed", text: left };
  return refuse({ lineNumber, problem: `remove ${what} from ${where} by hand: it has another form` });
}

function staysIfForeign(part: Part): boolean {
  return part.kind === "toml_element" || part.kind === "json" && part.yields === true;
}

/** Whether what is in the part's place has fdtool's name, and so is not a choice of the user's. */
function isNamed(part: Part): boolean {
  return part.kind === "toml" || part.kind === "json" && part.key === "fdtool";
}

function foreignProblem(part: Part): string {
  if (isNamed(part)) return "the entry named fdtool does not start `fdtool mcp`; remove it by hand";
  return part.kind === "json"
    ? `${part.key} has another value; write "${part.key}": ${JSON.stringify(part.value)}, then install again`
    : "another file has this name";
}

const UNCHANGED: ChangedText = { kind: "unchanged" };
const OTHER_SETTINGS = "fdtool is already configured differently; run `fdtool uninstall` first";
const CUT_PARAGRAPH = "one of the two fdtool markers is missing; remove the paragraph by hand";

type Refusal = Extract<ChangedText, { kind: "refused" }>;

function refuse(problem: LineProblem): Refusal {
  return { kind: "refused", language: undefined, problems: [problem] };
}

function placeIn(text: string | undefined, part: Part): Place | Refusal {
  switch (part.kind) {
    case "json":
      return jsonPlace(text ?? "", part);
    case "toml":
    case "toml_element":
      return tomlPlace(text ?? "", part);
    case "paragraph":
      return paragraphPlace(text ?? "", part.text);
    case "file": {
      const isCurrent = text === part.text;
      const found = text === undefined ? undefined : { isCurrent, isOurs: text.includes(part.mark) };
      return { lineNumber: 1, found, with: () => part.text, without: () => undefined };
    }
  }
}

function jsonPlace(text: string, part: Extract<Part, { kind: "json" }>): Place | Refusal {
  const parsed = parseJsonText(text);
  if ("problems" in parsed) return { kind: "refused", language: "JSON", problems: parsed.problems };
  const found = findJsonPart(parsed, part);
  return {
    found,
    lineNumber: found === undefined ? 1 : lineAt(text, found.node.offset),
    obstacle: obstacleAt(parsed, [...part.path, part.key ?? -1]),
    with: () => withAddition(parsed, { path: [...part.path], key: part.key }, part.value),
    without: () => withoutNode(parsed, found!.node),
  };
}

/** The part's value, or another value under its name. */
function findJsonPart(parsed: ParsedJson, part: Extract<Part, { kind: "json" }>) {
  if (part.key !== undefined) {
    const node = valueAt(parsed, [...part.path, part.key]);
    if (node === undefined) return undefined;
    const value: unknown = getNodeValue(node);
    return { node, value, isCurrent: isCurrent(value, part.value), isOurs: part.isOurs?.(value) ?? true };
  }
  const list = valueAt(parsed, [...part.path]);
  const found = list === undefined ? undefined : part.findIn?.(getNodeValue(list));
  const node = found && valueAt(parsed, [...part.path, ...found.path]);
  return node && { node, isCurrent: found!.isCurrent, isOurs: true };
}

function tomlPlace(text: string, part: Extract<Part, { kind: "toml" | "toml_element" }>): Place | Refusal {
  const parsed = parseToml(text);
  if (!("value" in parsed)) return { kind: "refused", language: "TOML", problems: [parsed] };
  const { path } = part;
  const value = tomlValueAt(parsed.value, path);
  const lineNumber = tomlLine(text, path);
  if (part.kind === "toml") {
    const found = { value, isCurrent: isCurrent(value, part.value), isOurs: part.isOurs(value) };
    return {
      lineNumber,
      found: value === undefined ? undefined : found,
      byHand: [`${path.at(-1)} = ${inlineToml(part.value)}`, path.slice(0, -1).join(".")],
      with: () => withTomlTable(text, path, part.value),
      without: () => withoutTomlTable(text, path),
    };
  }
  const list: unknown[] = Array.isArray(value) ? value : [];
  const own = ownTomlElement(text, path, part.value);
  const isThere = list.includes(part.value);
  const isBlocked = value !== undefined && !Array.isArray(value);
  return {
    lineNumber,
    found: isThere || own !== undefined ? { isCurrent: isThere, isOurs: own !== undefined } : undefined,
    byHand: [JSON.stringify(part.value), path.join(".")],
    obstacle: isBlocked ? { lineNumber, problem: `${path.join(".")} is not a list` } : undefined,
    with: () => withTomlElement(text, path, part.value),
    without: () => withoutTomlElement(text, path, own!),
  };
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
  const place = placeIn(text, part);
  const { enabled, disabled } = membersIn("kind" in place ? undefined : place.found?.value);
  return enabled === false || disabled === true;
}

const BEGIN = "<!-- >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out -->";
const END = "<!-- <<< fdtool -->";

function paragraphPlace(text: string, paragraph: string): Place | Refusal {
  const from = text.indexOf(BEGIN);
  const end = text.indexOf(END, Math.max(from, 0));
  if (from === -1 !== (end === -1)) return refuse({ lineNumber: 1, problem: CUT_PARAGRAPH });
  const to = end + END.length;
  const eol = lineEndOf(text);
  const marked = [BEGIN, ...paragraph.split("\n"), END].join(eol);
  const isCurrent = text.slice(from, to) === marked;
  return {
    lineNumber: 1,
    found: from === -1 ? undefined : { isCurrent, isOurs: true },
    with() {
      if (text === "") return `${marked}${eol}`;
      return text.endsWith("\n") ? `${text}${eol}${marked}${eol}` : `${text}${eol}${eol}${marked}`;
    },
    without: () => withoutRange(text, from, to),
  };
}

/** Removes a paragraph and the line ends that were added with it. */
function withoutRange(text: string, from: number, to: number): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lineEnd = /^\r?\n/.exec(after)?.[0] ?? "";
  // If the text had no final line end, one was added before the paragraph and none after it.
  const cameBefore = lineEnd === "" ? /(?:\r?\n){1,2}$/ : /(?<=\n)\r?\n$/;
  return before.replace(after === "" || lineEnd !== "" ? cameBefore : /$^/, "") + after.slice(lineEnd.length);
}
