/**
 * Adds a table or an element of a list to TOML text, and removes it; all else stays. The result is parsed, so that its meaning
 * changes in no other place.
 */

import { parse, stringify, TomlError } from "smol-toml";
import type { LineProblem } from "../calls/terms/write_faults.ts";
import { tomlFault } from "../writing/checks/structure_check.ts";
import { lineAt, lineEndOf } from "./edit_json.ts";

const MARK = "# fdtool: written by `fdtool install`; `fdtool uninstall` takes it out";

/** The parsed text, or the line that is invalid. */
type ParsedToml = { value: Record<string, unknown> } | LineProblem;

export function parseToml(text: string): ParsedToml {
  try {
    return { value: parse(text) };
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return tomlFault(thrown);
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
    const at = statements.findIndex((statement) => isBelow(statement, path.slice(0, depth)));
    if (at >= 0) return lineAt(text, joined(statements.slice(0, at)).length);
  }
  return 1;
}

/**
 * `text` with `value` at `path`: as a table at its end, or in the table, inline table or dotted keys that the user wrote.
 * Undefined if something else is in the way.
 */
export function withTomlTable(text: string, path: readonly string[], value: unknown): string | undefined {
  const eol = lineEndOf(text);
  const table = stringify(withValueAt({}, path, value)).trimEnd().replace(/\[ (.*) \]$/gm, "[$1]");
  const added = [MARK, ...table.split("\n")].join(eol);
  const isEnded = text === "" || text.endsWith("\n");
  const member = `${path.at(-1)} = ${inlineToml(value)}`;
  const outer = path.slice(0, -1).join(".");
  const places: [string, change: (match: RegExpExecArray, after: string) => string][] = [
    [
      "^ \\[ NAME \\][^\n]*(\n?)",
      ([header, end], after) => end === "" ? header + eol + member : header + member + eol + after,
    ],
    ["^ NAME = \\{ ", ([start], after) => `${start}${member}${after.startsWith("}") ? " " : ", "}${after}`],
    ["^NAME\\.", ([start], after) => `${outer}.${member}${eol}${start}${after}`],
  ];
  const changed = places.flatMap(([pattern, change]) =>
    changedAt(text, pattern.replace("NAME", outer).replaceAll(" ", "[ \\t]*"), change)
  );
  return firstMeant([isEnded ? text + added + eol : text + eol + added, ...changed], text, path, value);
}

/** `text` changed at each place that matches `pattern`, at one at a time: any may be inside a string. */
function changedAt(
  text: string,
  pattern: string,
  change: (match: RegExpExecArray, after: string) => string,
): string[] {
  return [...text.matchAll(new RegExp(pattern, "gm"))].map((match) =>
    text.slice(0, match.index) + change(match, text.slice(match.index + match[0].length))
  );
}

/** `value` on one line, as fdtool writes it into an inline table. */
export function inlineToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineToml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, each]) => `${name} = ${inlineToml(each)}`).join(", ")} }`;
}

/** Removes what is at `path` and below; undefined if it is a part of another value, which fdtool did not write so. */
export function withoutTomlTable(text: string, path: readonly string[]): string | undefined {
  const member = `${path.at(-1)} = ${inlineToml(tomlValueAt(valueOf(text), path))}`;
  const [before = "", after = ""] = text.split(member);
  const inline = /[{,][ \t]*$/.test(before) ? [before + after.replace(/^(?:, | (?=\}))/, "")] : [];
  const left = without(tomlStatements(text), (each) => isBelow(each, path));
  return firstMeant([...inline, left], text, path, undefined);
}

/** Adds an element to a list of strings, and the list if it is missing; undefined if it has another form. */
export function withTomlElement(text: string, path: readonly string[], value: string): string | undefined {
  const wanted = [value, ...listAt(text, path)];
  return changedList(text, path, (list) => withFirstElement(list, JSON.stringify(value)), wanted) ??
    withTomlTable(text, path, [value]);
}

/** `text` with the list at `path`, in whatever table, changed to mean `wanted`; `change` gets the text from its bracket on. */
function changedList(
  text: string,
  path: readonly string[],
  change: (list: string) => string,
  wanted: readonly unknown[],
): string | undefined {
  const pattern = `${path.at(-1)}[ \\t]*=[ \\t]*(?=\\[)`;
  return firstMeant(changedAt(text, pattern, ([key], list) => key + change(list)), text, path, wanted);
}

/** Inserts at the front, where no final comma or comment needs care. */
function withFirstElement(list: string, written: string): string {
  return list.replace(/\[((?:\r?\n)?[ \t]*)([^])/, (_, gap: string, next: string) => {
    if (next === "]") return `[${written}${gap}]`;
    const isString = next === '"' || next === "'";
    return isString ? `[${gap}${written},${gap || " "}${next}` : `[${written},${gap}${next}`;
  });
}

/**
 * The element of a list that is fdtool's: the given one, or the only one of a table that fdtool made, maybe for another store.
 */
export function ownTomlElement(text: string, path: readonly string[], value: string): string | undefined {
  const statements = tomlStatements(text);
  const at = statements.findIndex((each) => isSamePath(each.path, path));
  const list = listAt(text, path);
  if (list.includes(value)) return value;
  return statements[at - 2]?.text.trim() === MARK && list.length === 1 ? String(list[0]) : undefined;
}

/** Removes an element. A list left empty is removed, and so is a header with nothing else. */
export function withoutTomlElement(text: string, path: readonly string[], value: string): string | undefined {
  const statements = tomlStatements(text);
  const at = statements.findIndex((each) => isSamePath(each.path, path));
  const left = listAt(text, path).filter((each) => each !== value);
  if (left.length > 0) return changedList(text, path, (list) => withoutElement(list, value), left);
  if (at === -1) return withoutTomlTable(text, path);
  const next = statements.slice(at + 1).find(({ isTrivia }) => !isTrivia);
  const isAlone = next === undefined || next.isHeader;
  const header = `[${path.slice(0, -1).join(".")}]`;
  const isGone = (each: TomlStatement) => each === statements[at] || isAlone && each.text.trim() === header;
  return firstMeant([without(statements, isGone)], text, path, undefined);
}

function withoutElement(list: string, value: string): string {
  const literal = [JSON.stringify(value), `'${value}'`].find((each) => list.includes(each)) ?? "";
  const from = list.indexOf(literal);
  const [before, after] = [list.slice(0, from), list.slice(from + literal.length)];
  // A comma before it may stay: TOML allows a trailing comma.
  if (/\n[ \t]*$/.test(before) && /^[ \t]*,?[ \t]*\r?\n/.test(after)) {
    return before.replace(/\r?\n[ \t]*$/, "") + after.replace(/^[ \t]*,?/, "");
  }
  const rest = after.replace(/^[ \t]*,[ \t]*/, "");
  return rest === after ? before.replace(/,[ \t]*$/, "") + after : before + rest;
}

/** The text without the statements that go, and without the mark or blank line before a header that goes. */
function without(statements: readonly TomlStatement[], isGone: (each: TomlStatement) => boolean): string {
  const left = statements.filter((each, at) => {
    const next = statements[at + 1];
    const isSpace = ["", MARK].includes(each.text.trim());
    return !isGone(each) && !(isSpace && next !== undefined && next.isHeader && isGone(next));
  });
  // If the text had no final line end, one was added before the table.
  return statements.at(-1)?.text.endsWith("\n") === false ? joined(left).replace(/\r?\n$/, "") : joined(left);
}

/** The first of `texts` that means what `text` does with `value` at `path`. */
function firstMeant(texts: readonly string[], text: string, path: readonly string[], value: unknown) {
  const wanted = withValueAt(valueOf(text), path, value);
  if (!isSame(tomlValueAt(wanted, path), value)) return undefined;
  return texts.find((each) => isSame(valueOf(each), wanted));
}

function valueOf(text: string): unknown {
  const parsed = parseToml(text);
  return "value" in parsed ? parsed.value : undefined;
}

function listAt(text: string, path: readonly string[]): unknown[] {
  const list = tomlValueAt(valueOf(text), path);
  return Array.isArray(list) ? list : [];
}

/** `value` with `wanted` at `path`. */
function withValueAt(value: unknown, [first, ...more]: readonly string[], wanted: unknown): unknown {
  if (first === undefined) return wanted;
  const members = value ?? {};
  if (typeof members !== "object" || Array.isArray(members)) return value;
  return { ...members, [first]: withValueAt(tomlValueAt(members, [first]), more, wanted) };
}

/** Compares two values. The order of keys does not matter, and nothing is as good as an empty table, which an edit may leave. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.entries(value).map(([key, each]) => [key, sorted(each)] as const)
    .filter(([, each]) => each !== undefined && JSON.stringify(each) !== "[]")
    .sort(([one], [other]) => one < other ? -1 : 1);
}

function joined(statements: readonly TomlStatement[]): string {
  return statements.map(({ text }) => text).join("");
}

function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function isBelow({ path }: TomlStatement, above: readonly string[]): boolean {
  return isSamePath(path.slice(0, above.length), above);
}

/** A header, a key with its value, or a blank or comment line. Together they are the whole text. */
interface TomlStatement {
  /** With its line end. */
  text: string;
  isHeader: boolean;
  isTrivia: boolean;
  /** The keys that lead to its value, inline tables with one member included. Empty inside `[[lists]]` of tables. */
  path: readonly string[];
}

/**
 * Splits `text`, which must be valid TOML, into statements, whose places the parser does not report. Only a statement's end is
 * found here; its meaning comes from the parser.
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
    statements.push({ text: written, isHeader, isTrivia, path });
    from = to;
  }
  return statements;
}

/** The statement's keys from the outermost in, as long as each has one member. */
function namesIn(written: string): string[] {
  const names: string[] = [];
  const read = parseToml(written);
  let value: unknown = "value" in read ? read.value : undefined;
  while (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const entries: [string, unknown][] = Object.entries(value);
    if (entries.length !== 1) break;
    names.push(entries[0]![0]);
    value = entries[0]![1];
  }
  return names;
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
