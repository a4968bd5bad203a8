/**
 * Adds a table at the end of TOML text or an element to a list, and removes both; all else stays. The addition is
 * recognised by its values, not only by its markers, because a harness that rewrites its settings drops comments. The
 * text is parsed before and after, so that its meaning changes in no other place.
 */

import { parse, TomlError } from "smol-toml";

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
  const list = tomlStatements(text).find(({ path }) => isSamePath(path, [table, key]));
  if (list === undefined) return undefined;
  const { elements } = listIn(text, list);
  if (elements.some((element) => element.value === value)) return value;
  return isMarked(text, list) && elements.length === 1 ? elements[0]!.value : undefined;
}

/** Removes the element. A list left empty is removed, and so is the table that was made for it. */
export function withoutTomlElement(text: string, { table, key, value }: TomlElement): string | undefined {
  const statements = tomlStatements(text);
  const index = statements.findIndex(({ path }) => isSamePath(path, [table, key]));
  const list = statements[index];
  if (list === undefined) return undefined;
  const { elements } = listIn(text, list);
  const at = elements.findIndex((element) => element.value === value);
  if (at < 0) return undefined;
  if (elements.length > 1) return withoutElement(text, elements[at]!, elements[at - 1]);
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
function withFirstElement(text: string, statement: TomlStatement, written: string): string | undefined {
  const { start, elements } = listIn(text, statement);
  if (start === undefined) return undefined;
  if (elements.length === 0) return splice(text, start, start, written);
  const lineBreak = /^\r?\n[ \t]*(?=["'])/.exec(text.slice(start))?.[0];
  const added = lineBreak === undefined ? `${written}, ` : `${lineBreak}${written},`;
  return splice(text, start, start, added);
}

/** Removes an element of several; `before` is the one before it. */
function withoutElement(text: string, { from, to }: ListElement, before: ListElement | undefined): string {
  const comma = /^[ \t]*,/.exec(text.slice(to))?.[0].length;
  const end = to + (comma ?? 0);
  const lineBreak = /\r?\n[ \t]*$/.exec(text.slice(0, from))?.[0].length;
  const isOnItsLine = lineBreak !== undefined && /^[ \t]*\r?\n/.test(text.slice(end));
  // A comma before it may stay: TOML allows a trailing comma.
  if (isOnItsLine) return splice(text, from - lineBreak, end, "");
  if (comma === undefined && before !== undefined) return splice(text, before.to, to, "");
  return splice(text, from, end + /^[ \t]*/.exec(text.slice(end))![0].length, "");
}

/** A header, a key with its value, or a blank or comment line. Together they are the whole text. */
interface TomlStatement {
  from: number;
  /** Offset after its line end. */
  to: number;
  isHeader: boolean;
  isTrivia: boolean;
  /** The keys that lead to its value, inline tables with one member included. Empty inside `[[lists]]` of tables. */
  path: readonly string[];
}

/** A string in a list, as written and as read. */
interface ListElement {
  from: number;
  to: number;
  value: string;
}

/**
 * Splits `text`, which must be valid TOML, into statements with their offsets, which the parser does not report. Only a
 * statement's end is found here; its meaning comes from the parser.
 */
function tomlStatements(text: string): TomlStatement[] {
  const statements: TomlStatement[] = [];
  let header: readonly string[] | undefined = [];
  for (let from = 0; from < text.length;) {
    const to = statementEnd(text, from);
    const written = text.slice(from, to);
    const content = written.trimStart();
    const isTrivia = content === "" || content.startsWith("#");
    const isHeader = content.startsWith("[");
    if (isHeader) header = content.startsWith("[[") ? undefined : namesIn(written);
    // A key under a `[[header]]` has no path.
    const own = isTrivia || isHeader ? [] : namesIn(written);
    const path = isTrivia || header === undefined ? [] : [...header, ...own];
    statements.push({ from, to, isHeader, isTrivia, path });
    from = to;
  }
  return statements;
}

/** The statement's keys from the outermost in, as long as each has one member. */
function namesIn(written: string): string[] {
  const names: string[] = [];
  let value: unknown = parsed(written);
  while (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const entries: [string, unknown][] = Object.entries(value);
    if (entries.length !== 1) break;
    names.push(entries[0]![0]);
    value = entries[0]![1];
  }
  return names;
}

function parsed(written: string): unknown {
  try {
    return parse(written);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return undefined;
  }
}

/** A string of any of the four kinds, a comment, a bracket or a line end. */
const TOKEN = /"""(?:\\[^]|[^\\])*?"""+|'''[^]*?'''+|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n/g;

/** The end of the statement at `from`: after the first line end outside of strings and brackets. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word === "[" || word === "{") depth++;
    else if (word === "]" || word === "}") depth--;
    else if (word === "\n" && depth === 0) return TOKEN.lastIndex;
  }
  return text.length;
}

/** The offset after the first bracket of a statement, and the strings after that. */
function listIn(
  text: string,
  { from, to }: TomlStatement,
): { start: number | undefined; elements: ListElement[] } {
  let start: number | undefined;
  const elements: ListElement[] = [];
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null && token.index < to; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word === "[") start ??= TOKEN.lastIndex;
    if (start === undefined || !/^["']/.test(word)) continue;
    const value = String(parse(`x = ${word}\n`)["x"]);
    elements.push({ from: token.index, to: TOKEN.lastIndex, value });
  }
  return { start, elements };
}
