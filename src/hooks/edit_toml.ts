/**
 * Adds a table to TOML text, at its end, where one can stand whatever comes before, or a text to a list; and takes both
 * out again. Nothing else is touched. What is to go is known by what it says, not only by the markers around it: a
 * harness that writes its own settings drops comments. The text is parsed before and after, so that it never comes to mean
 * something else.
 *
 * @module
 */

import { parse, TomlError } from "smol-toml";
import { type TomlStatement, tomlStatements } from "./toml_statements.ts";

const BEGIN = "# >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out";
const END = "# <<< fdtool";

/** What the text says, or the line that is wrong. */
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

/** The value that `path` leads to in a parsed text. */
export function tomlValueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Object.getOwnPropertyDescriptor(at, name)!.value;
  }
  return at;
}

/** The text with a marked block of `lines` at its end. */
export function withTomlBlock(text: string, lines: readonly string[]): string {
  const eol = lineEndOf(text);
  const block = [BEGIN, ...lines, END].join(eol);
  return text === "" || text.endsWith("\n") ? `${text}${block}${eol}` : `${text}${eol}${block}`;
}

/** The text without the table at `path` and all below it; undefined if it is in a table on one line with others. */
export function withoutTomlTable(text: string, path: readonly string[]): string | undefined {
  const statements = tomlStatements(text);
  const isGone = statements.map((statement) => isBelow(statement, path));
  if (!isGone.includes(true)) return undefined;
  return withoutStatements(text, statements, isGone);
}

/** A text in a list: `[table] key = [… value …]`. */
export interface TomlElement {
  table: string;
  key: string;
  value: string;
}

/** The text with the element, in the list that is there or in one that is made; undefined if the table has another form. */
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
 * The value of the element that is fdtool's: the one that is asked for, or what stands alone between markers, which another
 * store's fdtool wrote. Undefined if there is neither.
 */
export function ourTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const list = statements.find(({ path }) => isSamePath(path, [table, key]));
  if (list?.elements === undefined) return undefined;
  if (list.elements.some((element) => element.value === value)) return value;
  return isMarked(text, list) && list.elements.length === 1 ? list.elements[0]!.value : undefined;
}

/** The text without the element. A list that is left empty goes too, and the table that was made for it. */
export function withoutTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const index = statements.findIndex(({ path }) => isSamePath(path, [table, key]));
  const list = statements[index];
  const found = list?.elements?.find((element) => element.value === value);
  if (list === undefined || found === undefined) return undefined;
  if (list.elements?.length !== 1) return withoutElement(text, list, found);
  // A header that was there before stays, though nothing is left below it.
  const isMade = isMarked(text, list);
  const isGone = statements.map((each, at) =>
    at === index || isMade && at === index - 1 && each.isHeader && isSamePath(each.path, [table])
  );
  return withoutStatements(text, statements, isGone);
}

/** Whether a list and its header are all that is between two markers, one of which may have been dropped. */
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
 * The text without the statements that are `isGone`, and without the markers around them: the first one may have been
 * dropped, and something else put before the second. A text without a last line end got one before the block, and the
 * block has none: that goes too.
 */
function withoutStatements(
  text: string,
  statements: readonly TomlStatement[],
  isGone: readonly boolean[],
): string {
  const lines = statements.map(({ from, to }) => text.slice(from, to));
  const markers = statements.map(({ isTrivia }, index) => isTrivia ? lines[index]!.trim() : "-");
  const goes = [...isGone];
  let isMarkerOwed = false;
  for (const [index, marker] of markers.entries()) {
    const next = statements.findIndex(({ isTrivia }, at) => at > index && !isTrivia);
    if (marker === BEGIN && isGone[next] === true || marker === END && isMarkerOwed) goes[index] = true;
    if (isGone[index] === true) isMarkerOwed = true;
    else if (marker === END || marker === BEGIN) isMarkerOwed = false;
  }
  for (const index of lines.keys()) {
    // Without its first marker the table was written anew, with a blank line before it.
    const isFirst = isGone[index] === true && goes[index - 1] === false && markers[index - 1] === "";
    const after = goes.indexOf(false, index);
    if (isFirst && (after === -1 || markers[after] === "")) goes[index - 1] = true;
  }
  const left = lines.filter((_, index) => goes[index] === false).join("");
  return goes.at(-1) === true && !text.endsWith("\n") ? left.replace(/\r?\n$/, "") : left;
}

/** At the front, where neither a last comma nor a comment is in the way. */
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
  // A comma before it may stay: TOML allows one after the last element.
  if (isOnItsLine) return splice(text, found.from - lineBreak, end, "");
  const before = elements!.findLast(({ to }) => to <= found.from);
  if (comma === undefined && before !== undefined) return splice(text, before.to, found.to, "");
  return splice(text, found.from, end + /^[ \t]*/.exec(text.slice(end))![0].length, "");
}
