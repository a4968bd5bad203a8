/** Replaces the matches of a regular expression, or of plain text in any case (jp's `fs_modify_file`). */

import { failUsage } from "../calls/requests/usage_failure.ts";
import { refuse } from "../calls/terms/write_failure.ts";
import { lineAround, lineNumberAt } from "../writing/checks/text_difference.ts";

/** How to read a pattern, and its index among the edits, from 0. */
interface PatternOptions {
  path: string;
  edit: number;
  replace_all?: boolean | undefined;
  replace_using_regex?: boolean | undefined;
  case_sensitive?: boolean | undefined;
}

const REPORTED_LINES = 20;

/**
 * `text` with what `pattern.old` matches replaced: once, or every time.
 *
 * Throws `match_not_found`, `match_not_unique`, and `bad_arguments` for an invalid expression.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { replacePattern } from "./replace_pattern.ts";
 * const options = { path: "a", edit: 0, replace_using_regex: true };
 * assertEquals(replacePattern("v12;", { old: "v(\\d+)", new: "w${1}0" }, options), "w120;");
 * ```
 */
export function replacePattern(
  text: string,
  pattern: { old: string; new: string },
  options: PatternOptions,
): string {
  const { path, edit } = options;
  const expression = expressionOf(pattern.old, options);
  const matches = [...text.matchAll(expression)].filter(({ index }) => !isPastLastLine(text, index));
  const sought = `patterns[${edit}].old`;
  if (matches.length === 0) {
    return refuse({ kind: "match_not_found", path, edit, sought, nearest: [] });
  }
  if (matches.length > 1 && options.replace_all !== true) {
    const lines = matches.slice(0, REPORTED_LINES).map(({ index }) => (
      { lineNumber: lineNumberAt(text, index), text: lineAround(text, index) }
    ));
    return refuse({ kind: "match_not_unique", path, edit, sought, lines, matchCount: matches.length });
  }
  const isLiteral = options.replace_using_regex !== true;
  return text.replace(expression, (...given) => {
    const groupCount = given.findIndex((each) => typeof each === "number");
    if (isPastLastLine(text, given[groupCount] as number)) return "";
    return isLiteral ? pattern.new : expanded(pattern.new, given);
  });
}

/** Whether a match starts after a final LF, where no line is and so nothing can match. */
function isPastLastLine(text: string, charIndex: number): boolean {
  return charIndex > 0 && charIndex === text.length && text.endsWith("\n");
}

function expressionOf(old: string, { edit, replace_using_regex, case_sensitive }: PatternOptions): RegExp {
  const source = replace_using_regex === true ? old : old.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  try {
    return new RegExp(source, `gmu${case_sensitive === false ? "i" : ""}`);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const wanted = `a valid regular expression: ${thrown.message}`;
    const faults = [{ field: `patterns[${edit}].old`, got: JSON.stringify(old), wanted }];
    return failUsage({ kind: "bad_arguments", tool: "fs_modify_file", faults });
  }
}

/**
 * Expands `$1`, `$name`, `${1}` and `${name}` to groups (empty if there is no such group), and `$$` to a dollar sign.
 */
function expanded(replacement: string, given: readonly unknown[]): string {
  const last = given.at(-1);
  const named = typeof last === "object" && last !== null
    ? new Map(Object.entries(last))
    : new Map<string, unknown>();
  const groupCount = given.findIndex((each) => typeof each === "number");
  const group = (name: string): string => {
    const value = /^\d+$/.test(name) && Number(name) < groupCount ? given[Number(name)] : named.get(name);
    return typeof value === "string" ? value : "";
  };
  return replacement.replace(/\$(?:\$|\{(\w+)\}|(\d+)|([A-Za-z_]\w*))/g, (whole, braced, number, name) => {
    return whole === "$$" ? "$" : group(braced ?? number ?? name);
  });
}
