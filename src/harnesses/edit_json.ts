/**
 * Adds one value to JSON text and removes it again, leaving all else as it is: comments, order, indentation, line ends.
 * Edits are made at the offsets of the parse tree; the added value is laid out like its neighbours.
 */

import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { jsonFault } from "../calls/requests/json_fault.ts";
import type { LineProblem } from "../calls/terms/write_faults.ts";

export interface ParsedJson {
  text: string;
  /** Undefined if the text has only whitespace and comments. */
  root: Node | undefined;
}

/** Parses JSON with comments and trailing commas. */
export function parseJsonText(text: string): ParsedJson | { problems: LineProblem[] } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (thrown) {
    // The parser recurses, and the nesting is too deep.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { problems: [{ lineNumber: 1, problem: "it is nested too deeply" }] };
  }
  // The others follow from the first.
  const [error] = errors;
  return error === undefined ? { text, root } : { problems: [jsonFault(text, error)] };
}

export function valueAt({ root }: ParsedJson, path: JSONPath): Node | undefined {
  return root === undefined ? undefined : findNodeAtLocation(root, path);
}

/**
 * Finds what prevents a value at `path`: a value on the way that is not an object, or a duplicate key, of which readers may
 * take either.
 */
export function obstacleAt(parsed: ParsedJson, path: JSONPath): LineProblem | undefined {
  let node = parsed.root;
  for (const [depth, key] of path.entries()) {
    if (node === undefined) return undefined;
    const wanted = typeof key === "number" ? "array" : "object";
    if (node.type !== wanted) {
      const what = depth === 0 ? "the whole" : path.slice(0, depth).join(".");
      return { lineNumber: lineAt(parsed.text, node.offset), problem: `${what} is not an ${wanted}` };
    }
    if (typeof key === "number") return undefined;
    const members = (node.children ?? []).filter((member) => member.children?.[0]?.value === key);
    if (members.length > 1) {
      return { lineNumber: lineAt(parsed.text, members[1]!.offset), problem: `duplicate key ${key}` };
    }
    node = members[0]?.children?.[1];
  }
  return undefined;
}

/** The place of a new value: member `key` of the object at `path`; without `key`, the end of the array there. */
interface JsonPlace {
  path: JSONPath;
  key: string | undefined;
}

/** Adds `value` and any missing containers on the way. Call {@link obstacleAt} first. */
export function withAddition(parsed: ParsedJson, { path, key }: JsonPlace, value: unknown): string {
  const { text } = parsed;
  let depth = path.length;
  while (depth > 0 && valueAt(parsed, path.slice(0, depth)) === undefined) depth--;
  const container = valueAt(parsed, path.slice(0, depth));
  const [name, ...inner] = key === undefined ? path.slice(depth) : [...path.slice(depth), key];
  const own = key === undefined && name !== undefined ? [value] : value;
  const added = inner.reduceRight((value: unknown, key) => ({ [key]: value }), own);
  if (container !== undefined) return inserted(parsed, container, name, added);
  const eol = lineEndOf(text);
  const gap = text === "" || text.endsWith("\n") ? "" : eol;
  return `${text}${gap}${layOut(name === undefined ? added : { [name]: added }, "", "  ", eol)}${eol}`;
}

/** Adds a member (without `key`: an element) at the end of a container. */
function inserted(
  { text, root }: ParsedJson,
  container: Node,
  key: JSONPath[number] | undefined,
  value: unknown,
): string {
  const eol = lineEndOf(text);
  const open = container.offset + 1;
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const isOneLine = !text.slice(open, close).includes("\n");
  const isLaidOut = !isOneLine || last === undefined && isOnOwnLines(text, root);
  const label = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const outer = lineIndent(text, container.offset);
  const unit = indentUnit(text, root);
  const indent = last !== undefined && startsItsLine(text, last.offset)
    ? lineIndent(text, last.offset)
    : outer + unit;
  const added = isLaidOut
    ? `${eol}${indent}${label}${layOut(value, indent, unit, eol)}`
    : `${label}${JSON.stringify(value)}`;
  if (last === undefined) {
    // After all comments, before the line of the closing bracket.
    const at = isOneLine ? close : text.slice(0, close).trimEnd().length;
    return splice(text, [[at, at, isOneLine && isLaidOut ? `${added}${eol}${outer}` : added]]);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  const next = comma === undefined ? end : comma + 1;
  const after = isLaidOut ? endOfLineComments(text, next, close) : next;
  const spaced = isLaidOut ? added : ` ${added}`;
  return comma === undefined
    ? splice(text, [[end, end, ","], [after, after, spaced]])
    : splice(text, [[after, after, `${spaced},`]]);
}

/**
 * Removes the member or element `node` with its comma and line. A container left empty is removed too, except the root.
 */
export function withoutNode({ text, root }: ParsedJson, node: Node): string {
  let gone = node.parent?.type === "property" ? node.parent : node;
  while (gone.parent !== undefined && gone.parent !== root && gone.parent.children?.length === 1) {
    gone = gone.parent.parent?.type === "property" ? gone.parent.parent : gone.parent;
  }
  const siblings = gone.parent?.children ?? [];
  const index = siblings.indexOf(gone);
  const before = siblings[index - 1];
  const end = gone.offset + gone.length;
  const containerEnd = gone.parent === undefined ? end : gone.parent.offset + gone.parent.length - 1;
  const comma = commaAfter(text, end, containerEnd);
  const rangeEnd = comma === undefined ? end : comma + 1;
  const outside = before === undefined ? (gone.parent?.offset ?? 0) + 1 : before.offset + before.length;
  const gap = startOfGap(text, gone.offset);
  // The line end after a comment stays, unless another one follows.
  const start = endsInLineComment(text.slice(outside, gap)) && !/^[ \t]*\r?\n/.test(text.slice(rangeEnd))
    ? gone.offset
    : gap;
  if (comma !== undefined) return splice(text, [[start, rangeEnd, ""]]);
  if (before !== undefined) {
    const beforeEnd = before.offset + before.length;
    const commaBefore = commaAfter(text, beforeEnd, gone.offset)!;
    return splice(text, [[commaBefore, commaBefore + 1, ""], [Math.max(start, commaBefore + 1), end, ""]]);
  }
  const inside = text.slice(gone.parent!.offset + 1, start) + text.slice(end, containerEnd);
  // Only the line ends that were added with it are left.
  return inside.trim() === ""
    ? splice(text, [[gone.parent!.offset + 1, containerEnd, ""]])
    : splice(text, [[start, end, ""]]);
}

/** Whether `between` (whitespace, commas, comments) ends with a line comment. */
function endsInLineComment(between: string): boolean {
  const lines = between.replace(/\/\*[^]*?\*\//g, "").split("\n");
  return lines.at(-1)!.includes("//");
}

/** Replaces ranges of the text. */
function splice(text: string, changes: readonly (readonly [number, number, string])[]): string {
  return applyEdits(text, changes.map(([offset, to, content]) => ({ offset, length: to - offset, content })));
}

/** Formats the value: the first line without indentation, the others at `indent`. */
function layOut(value: unknown, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

const TRIVIA = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;

/** The offset of the next comma after `from`, past whitespace and comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const at = from + matchAt(TRIVIA, text, from);
  return at < to && text[at] === "," ? at : undefined;
}

const LINE_COMMENTS = /(?:[ \t]*\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;

/** The end of comments on the rest of the line, if nothing else follows there: they belong to the value before them. */
function endOfLineComments(text: string, from: number, to: number): number {
  const end = from + matchAt(LINE_COMMENTS, text, from);
  return /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, to)) ? end : from;
}

function matchAt(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** The start of the whitespace before `offset` on its line, with the line end before that. */
function startOfGap(text: string, offset: number): number {
  return text.slice(0, offset).replace(/(?:\r?\n)?[ \t]*$/, "").length;
}

/** The line end that a text has, or would have. */
export function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function lineIndent(text: string, offset: number): string {
  return /(?:^|\n)([ \t]*)[^\n]*$/.exec(text.slice(0, offset))![1]!;
}

function startsItsLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, offset));
}

/** One level of indentation: that of the text's first member, or two spaces. */
function indentUnit(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (first === undefined || !startsItsLine(text, first.offset)) return "  ";
  const own = lineIndent(text, first.offset);
  const outer = lineIndent(text, root!.offset);
  return own.startsWith(outer) && own.length > outer.length ? own.slice(outer.length) : "  ";
}

/** Whether the text has its members on lines of their own; true for an empty text. */
function isOnOwnLines(text: string, root: Node | undefined): boolean {
  if (root?.children === undefined || root.children.length === 0) return true;
  return text.slice(root.offset, root.offset + root.length).includes("\n");
}

/** The line of `offset`, from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
