/** Chooses tools by `--only`: comma-separated names of tools or parts. */

import { failUsage, failValue } from "../calls/requests/usage_failure.ts";
import { type Part, PARTS } from "./tool.ts";

/** Refuses an unknown tool name. Suggests only read-only tools, so that a wrong guess changes nothing. */
export function failUnknownTool(got: string, tools: readonly { name: string; readOnly: boolean }[]): never {
  const known = tools.map(({ name }) => name);
  const readOnly = tools.filter(({ readOnly }) => readOnly).map(({ name }) => name);
  failUsage({ kind: "unknown_tool", got, known, readOnly });
}

/** Words in the names of other harnesses' tools, and the tool that does the same here. */
const DOINGS: readonly (readonly [RegExp, string])[] = [
  [/edit|replace|patch|insert/i, "edit_file"],
  [/write|create|save/i, "create_file"],
  [/search|grep|find/i, "search_fd"],
  [/read|view|cat|open/i, "read_fd"],
  [/undo|revert/i, "undo_write"],
];

/** The tool among `known` that does what `got` does elsewhere, such as create_file for write_file. */
export function meantTool(got: string, known: { has(name: string): boolean }): string | undefined {
  return DOINGS.find(([words, name]) => words.test(got) && known.has(name))?.[1];
}

/** The words of `only`, each of which is `known`; undefined if there is no choice. */
function wordsOf(
  only: readonly string[] | undefined,
  known: readonly string[],
  command: string,
): string[] | undefined {
  const words = only?.flatMap((value) => value.split(",")).map((word) => word.trim());
  const chosen = words?.filter((word) => word !== "");
  const got = chosen?.find((word) => !known.includes(word));
  if (got === undefined) return chosen;
  failValue(command, "--only", got, `some of ${known.join(", ")}`);
}

/** The tools that `only` names by name or part, in their own order; all if it is undefined. */
export function chosenTools<Chosen extends { name: string; part: Part }>(
  tools: readonly Chosen[],
  only: readonly string[] | undefined,
  command: string,
): Chosen[] {
  const words = wordsOf(only, [...tools.map(({ name }) => name), ...PARTS], command);
  return tools.filter(({ name, part }) => words?.includes(name) !== false || words.includes(part));
}

/** The parts that `only` names; all if it is undefined. */
export function chosenParts(only: readonly string[] | undefined, command: string): Part[] {
  const words = wordsOf(only, PARTS, command);
  return PARTS.filter((part) => words?.includes(part) !== false);
}
