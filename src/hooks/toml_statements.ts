/**
 * Splits TOML text into statements with their offsets, which the parser does not report. Only a statement's end is
 * found here; its meaning comes from the parser.
 */

import { parse, TomlError } from "smol-toml";

/** A header, a key with its value, or a blank or comment line. Together they are the whole text. */
export interface TomlStatement {
  from: number;
  /** Offset after its line end. */
  to: number;
  isHeader: boolean;
  isTrivia: boolean;
  /** The keys that lead to its value, inline tables with one member included. Empty inside `[[lists]]` of tables. */
  path: readonly string[];
  /** For a list of strings: the offset of its bracket, and its elements. */
  listFrom?: number | undefined;
  elements?: readonly { from: number; to: number; value: string }[] | undefined;
}

/** Splits `text`, which must be valid TOML. */
export function tomlStatements(text: string): TomlStatement[] {
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
    const listFrom = isHeader || isTrivia ? undefined : listStart(text, from, to);
    const elements = listFrom === undefined ? undefined : textElements(text, listFrom, to);
    statements.push({ from, to, isHeader, isTrivia, path, listFrom, elements });
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

/** The offset of the bracket that opens a statement's value, if it is a list. */
function listStart(text: string, from: number, to: number): number | undefined {
  const key = /^(?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'=])*=[ \t]*(?=\[)/.exec(text.slice(from, to));
  return key === null ? undefined : from + key[0].length;
}

/** The list's elements; undefined if one is not a single-line string. */
function textElements(
  text: string,
  listFrom: number,
  to: number,
): { from: number; to: number; value: string }[] | undefined {
  const elements: { from: number; to: number; value: string }[] = [];
  TOKEN.lastIndex = listFrom + 1;
  for (let token = TOKEN.exec(text); token !== null && token.index < to; token = TOKEN.exec(text)) {
    const [word] = token;
    if (word === "]") return elements;
    if (word === "\n" || word.startsWith("#")) continue;
    const value = /^["']/.test(word) ? parsed(`x = ${word}\n`) : undefined;
    if (typeof value !== "object" || value === null || !("x" in value) || typeof value.x !== "string") {
      return undefined;
    }
    elements.push({ from: token.index, to: TOKEN.lastIndex, value: value.x });
  }
  return undefined;
}
