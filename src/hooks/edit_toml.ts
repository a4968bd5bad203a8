/**
 * Adds a table at the end of TOML text or an element to a list, and removes both; all else stays. The addition is
 * recognised by its values, not only by its markers, because a harness that rewrites its settings drops comments. The
 * text is parsed before and after, so that its meaning changes in no other place.
 */

import { parse, TomlError } from "smol-toml";
import { type TomlStatement, tomlStatements } from "./toml_statements.ts";

const BEGIN = "# >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out";
const END = "# <<< fdtool";

/** The parsed text, or the line that is invalid. */
export type ParsedToml = { value: Record<string, unknown> } | { lineNumber: number; problem: string };

export function parseToml(text: string): ParsedToml {
  try {
    return { value: parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [problem = "it cannot be read"] = thrown.message.split("\n");
    return { lineNumber: thrown.line, problem };
  }
}

export function tomlValueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Object.getOwnPropertyDescriptor(at, name)!.value;
  }
  return at;
}

/** The line, from 1, of what is at `path` or of the innermost table above it that is in the text; else the first. */
export function tomlLine(text: string, path: readonly string[]): number {
  const statements = tomlStatements(text);
  for (let depth = path.length; depth > 0; depth--) {
    const found = statements.find((statement) => isBelow(statement, path.slice(0, depth)));
    if (found !== undefined) return text.slice(0, found.from).split("\n").length;
  }
  return 1;
}

export function withTomlBlock(text: string, lines: readonly string[]): string {
  const eol = lineEndOf(text);
  const block = [BEGIN, ...lines, END].join(eol);
  return text === "" || text.endsWith("\n") ? `${text}${block}${eol}` : `${text}${eol}${block}`;
}

/** Removes the table at `path` and its subtables; undefined if it is part of an inline table. */
export function withoutTomlTable(text: string, path: readonly string[]): string | undefined {
  const statements = tomlStatements(text);
  const isGone = statements.map((statement) => isBelow(statement, path));
  if (!isGone.includes(true)) return undefined;
  return withoutStatements(text, statements, isGone);
}

/** An element of a list of strings: `[table] key = [… value …]`. */
export interface TomlElement {
  table: string;
  key: string;
  value: string;
}

/** Adds the element, and the list if it is missing; undefined if the table has another form. */
export function withTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const written = JSON.stringify(value);
  const list = statements.find(({ path }) => isSamePath(path, [table, key]));
  if (list !== undefined) return withFirstElement(text, list, written);
  const header = statements.find(({ isHeader, path }) => isHeader && isSamePath(path, [table]));
  const eol = lineEndOf(text);
  const line = `${key} = [${written}]`;
  if (header !== undefined) {
    const isLast = !text.slice(header.from, header.to).endsWith("\n");
    return splice(text, header.to, header.to, isLast ? `${eol}${line}` : `${line}${eol}`);
  }
  return statements.some(({ path }) => path[0] === table)
    ? undefined
    : withTomlBlock(text, [`[${table}]`, line]);
}

/**
 * The value of fdtool's element: the given one, or the only element between markers, which another store's fdtool
 * wrote.
 */
export function ourTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const list = statements.find(({ path }) => isSamePath(path, [table, key]));
  if (list?.elements === undefined) return undefined;
  if (list.elements.some((element) => element.value === value)) return value;
  return isMarked(text, list) && list.elements.length === 1 ? list.elements[0]!.value : undefined;
}

/** Removes the element. A list left empty is removed, and so is the table that was made for it. */
export function withoutTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const index = statements.findIndex(({ path }) => isSamePath(path, [table, key]));
  const list = statements[index];
  const found = list?.elements?.find((element) => element.value === value);
  if (list === undefined || found === undefined) return undefined;
  if (list.elements?.length !== 1) return withoutElement(text, list, found);
  // A header that was there before stays, though nothing follows it.
  const isMade = isMarked(text, list);
  const isGone = statements.map((each, at) =>
    at === index || isMade && at === index - 1 && each.isHeader && isSamePath(each.path, [table])
  );
  return withoutStatements(text, statements, isGone);
}

/** Whether a list and its header are all between two markers, of which the harness may have dropped one. */
function isMarked(text: string, { from, to }: TomlStatement): boolean {
  return text.slice(0, from).split("\n").at(-3)?.trim() === BEGIN || text.slice(to).startsWith(END);
}

function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function splice(text: string, from: number, to: number, content: string): string {
  return text.slice(0, from) + content + text.slice(to);
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function isBelow({ path }: TomlStatement, above: readonly string[]): boolean {
  return path.length >= above.length && above.every((name, index) => name === path[index]);
}

/**
 * Removes the statements that are `isGone` with the markers around them. The harness may have dropped the first marker,
 * or put something before the second. If the text had no final line end, the one added before the block is removed too.
 */
function withoutStatements(
  text: string,
  statements: readonly TomlStatement[],
  isGone: readonly boolean[],
): string {
  const lines = statements.map(({ from, to }) => text.slice(from, to));
  const markers = statements.map(({ isTrivia }, index) => isTrivia ? lines[index]!.trim() : "-");
  const goes = [...isGone];
  let isEndMarkerDue = false;
  for (const [index, marker] of markers.entries()) {
    const next = statements.findIndex(({ isTrivia }, at) => at > index && !isTrivia);
    if (marker === BEGIN && isGone[next] === true || marker === END && isEndMarkerDue) goes[index] = true;
    if (isGone[index] === true) isEndMarkerDue = true;
    else if (marker === END || marker === BEGIN) isEndMarkerDue = false;
  }
  for (const index of lines.keys()) {
    // Without its first marker, the harness wrote the table with a blank line before it.
    const isFirst = isGone[index] === true && goes[index - 1] === false && markers[index - 1] === "";
    const after = goes.indexOf(false, index);
    if (isFirst && (after === -1 || markers[after] === "")) goes[index - 1] = true;
  }
  const left = lines.filter((_, index) => goes[index] === false).join("");
  return goes.at(-1) === true && !text.endsWith("\n") ? left.replace(/\r?\n$/, "") : left;
}

/** Inserts at the front, where no final comma or comment needs care. */
function withFirstElement(
  text: string,
  { listFrom, elements }: TomlStatement,
  written: string,
): string | undefined {
  if (listFrom === undefined || elements === undefined) return undefined;
  if (elements.length === 0) return splice(text, listFrom + 1, listFrom + 1, written);
  const lineBreak = /^\r?\n[ \t]*(?=["'])/.exec(text.slice(listFrom + 1))?.[0];
  const added = lineBreak === undefined ? `${written}, ` : `${lineBreak}${written},`;
  return splice(text, listFrom + 1, listFrom + 1, added);
}

function withoutElement(
  text: string,
  { elements }: TomlStatement,
  found: { from: number; to: number },
): string {
  const comma = /^[ \t]*,/.exec(text.slice(found.to))?.[0].length;
  const end = found.to + (comma ?? 0);
  const lineBreak = /\r?\n[ \t]*$/.exec(text.slice(0, found.from))?.[0].length;
  const isOnItsLine = lineBreak !== undefined && /^[ \t]*\r?\n/.test(text.slice(end));
  // A comma before it may stay: TOML allows a trailing comma.
  if (isOnItsLine) return splice(text, found.from - lineBreak, end, "");
  const before = elements!.findLast(({ to }) => to <= found.from);
  if (comma === undefined && before !== undefined) return splice(text, before.to, found.to, "");
  return splice(text, found.from, end + /^[ \t]*/.exec(text.slice(end))![0].length, "");
}
