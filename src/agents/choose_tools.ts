/** Chooses tools by `--only`: comma-separated names of tools or parts. */

import { failUsage, failValue } from "../calls/requests/usage_failure.ts";
import { type Part, PARTS } from "./tool.ts";

/** Refuses an unknown tool name. Suggests only read-only tools, so that a wrong guess changes nothing. */
export function failUnknownTool(got: string, tools: readonly { name: string; readOnly: boolean }[]): never {
  const known = tools.map(({ name }) => name);
  const readOnly = tools.filter(({ readOnly }) => readOnly).map(({ name }) => name);
  failUsage({ kind: "unknown_tool", got, known, readOnly });
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
