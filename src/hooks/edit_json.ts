/**
 * Adds one value to JSON text, and takes it out again, without touching anything else: comments, order, indentation, line
 * ends. The text is edited at the places that the parse tree names; nothing is formatted but what is added, and that is
 * in the manner of what stands around it.
 *
 * @module
 */

import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** What is wrong with the text, by line. */
export interface JsonProblem {
  lineNumber: number;
  problem: string;
}

/** JSON text that was understood. */
export interface ParsedJson {
  text: string;
  /** The value of the whole text; undefined where there is none but white space and comments. */
  root: Node | undefined;
}

/** Reads JSON with comments and trailing commas. */
export function parseJsonText(text: string): ParsedJson | { problems: JsonProblem[] } {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch (thrown) {
    // The stack of the parser is used up.
    if (!(thrown instanceof RangeError)) throw thrown;
    return { problems: [{ lineNumber: 1, problem: "it is nested too deeply" }] };
  }
  const problems = errors.map(({ error, offset }) => ({
    lineNumber: lineAt(text, offset),
    problem: printParseErrorCode(error),
  }));
  return problems.length > 0 ? { problems } : { text, root };
}

/** The value at `path`, if there is one. */
export function valueAt({ root }: ParsedJson, path: JSONPath): Node | undefined {
  return root === undefined ? undefined : findNodeAtLocation(root, path);
}

/**
 * What stands in the way of a value at `path`: something that is no object where one is needed, or a key twice (readers do
 * not agree on which counts).
 */
export function obstacleAt(parsed: ParsedJson, path: JSONPath): JsonProblem | undefined {
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

/** Where a value goes: as member `key` of the object at `path`, or, without `key`, at the end of the array there. */
export interface JsonPlace {
  path: JSONPath;
  key: string | undefined;
}

/** The text with `value` added. What is missing on the way is made. Nothing may be in the way ({@link obstacleAt}). */
export function withAddition(parsed: ParsedJson, place: JsonPlace, value: unknown): string {
  // From the whole value inwards to the first container that is not there.
  const steps: JSONPath = place.key === undefined ? [...place.path] : [...place.path, place.key];
  let container = parsed.root;
  let depth = 0;
  while (container !== undefined && depth < place.path.length) {
    const inner = findNodeAtLocation(container, [place.path[depth]!]);
    if (inner === undefined) break;
    container = inner;
    depth++;
  }
  const isElement = place.key === undefined;
  let added: unknown = isElement && depth < place.path.length ? [value] : value;
  if (container === undefined) {
    for (const key of steps.toReversed()) added = { [key]: added };
    const eol = parsed.text.includes("\r\n") ? "\r\n" : "\n";
    const gap = parsed.text === "" || parsed.text.endsWith("\n") ? "" : eol;
    return `${parsed.text}${gap}${layOut(added, "", "  ", eol)}${eol}`;
  }
  for (const key of steps.slice(depth + 1).toReversed()) added = { [key]: added };
  const key = depth < steps.length ? steps[depth] as string : undefined;
  return inserted(parsed, container, key, added);
}

/** Adds one member (or, without `key`, one element) at the end of a container. */
function inserted(
  { text, root }: ParsedJson,
  container: Node,
  key: string | undefined,
  value: unknown,
): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const open = container.offset + 1;
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const unit = indentUnit(text, root);
  const isLaidOut = text.slice(open, close).includes("\n") || last === undefined && isOnOwnLines(text, root);
  const label = key === undefined ? "" : `${JSON.stringify(key)}: `;

  if (!isLaidOut) {
    const added = `${label}${JSON.stringify(value)}`;
    if (last === undefined) return splice(text, [[close, close, added]]);
    const end = last.offset + last.length;
    const comma = commaAfter(text, end, close);
    return comma === undefined
      ? splice(text, [[end, end, `, ${added}`]])
      : splice(text, [[comma + 1, comma + 1, ` ${added},`]]);
  }

  const outer = lineIndent(text, container.offset);
  const indent = last !== undefined && startsItsLine(text, last.offset)
    ? lineIndent(text, last.offset)
    : outer + unit;
  const added = `${eol}${indent}${label}${layOut(value, indent, unit, eol)}`;
  if (last === undefined) {
    const isOneLine = !text.slice(open, close).includes("\n");
    // Before the line of the closing bracket, after whatever comments there are.
    const at = isOneLine ? close : text.slice(0, close).trimEnd().length;
    return splice(text, [[at, at, isOneLine ? `${added}${eol}${outer}` : added]]);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  const after = endOfLineComments(text, comma === undefined ? end : comma + 1, close);
  return comma === undefined
    ? splice(text, [[end, end, ","], [after, after, added]])
    : splice(text, [[after, after, `${added},`]]);
}

/**
 * The text without the member or element `node`, with the comma and the line that came with it. A container that is left
 * empty goes too, but for the whole.
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
  // The line end after a comment stays, unless there is another one behind.
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
  // Nothing is left but the line ends that came with it.
  return inside.trim() === ""
    ? splice(text, [[gone.parent!.offset + 1, containerEnd, ""]])
    : splice(text, [[start, end, ""]]);
}

/** Whether white space, commas and comments end in a comment that ends with its line. */
function endsInLineComment(between: string): boolean {
  const lines = between.replace(/\/\*[^]*?\*\//g, "").split("\n");
  return lines.at(-1)!.includes("//");
}

/** Replaces ranges of the text, in the order of their places. */
function splice(text: string, changes: readonly (readonly [number, number, string])[]): string {
  let result = "";
  let at = 0;
  for (const [from, to, content] of changes) {
    result += text.slice(at, from) + content;
    at = to;
  }
  return result + text.slice(at);
}

/** The value as text: its first line as it follows a key, the others at `indent`. */
function layOut(value: unknown, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${indent}`);
}

/** White space and comments. */
const TRIVIA = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;

/** The offset of the comma that follows `from`, past white space and comments. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const at = from + matchAt(TRIVIA, text, from);
  return at < to && text[at] === "," ? at : undefined;
}

/** Comments on what is left of a line. */
const LINE_COMMENTS = /(?:[ \t]*\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y;

/** Where the comments end that follow on the same line, where nothing else does: they belong to what stands before them. */
function endOfLineComments(text: string, from: number, to: number): number {
  const end = from + matchAt(LINE_COMMENTS, text, from);
  return /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, to)) ? end : from;
}

/** How much of `text` the sticky `pattern` matches at `offset`. */
function matchAt(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Where the white space before `offset` begins: on its line, and with the line end before that. */
function startOfGap(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  if (text[at - 1] === "\n") at -= text[at - 2] === "\r" ? 2 : 1;
  return at;
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))![0];
}

function startsItsLine(text: string, offset: number): boolean {
  return lineIndent(text, offset).length === offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

/** One level of indentation, as the text has it: that of its first member; two spaces where nothing tells. */
function indentUnit(text: string, root: Node | undefined): string {
  const first = root?.children?.[0];
  if (first === undefined || !startsItsLine(text, first.offset)) return "  ";
  const own = lineIndent(text, first.offset);
  const outer = lineIndent(text, root!.offset);
  return own.startsWith(outer) && own.length > outer.length ? own.slice(outer.length) : "  ";
}

/** Whether the text is laid out over lines; an empty one is to be. */
function isOnOwnLines(text: string, root: Node | undefined): boolean {
  if (root?.children === undefined || root.children.length === 0) return true;
  return text.slice(root.offset, root.offset + root.length).includes("\n");
}

/** The number of the line on which `offset` is, from 1. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
