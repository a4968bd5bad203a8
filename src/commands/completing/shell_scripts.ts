/**
 * The scripts that shells read to complete calls. They do not know fdtool's commands: they ask `fdtool completion
 * words-SHELL -- …` for the words that fit, and leave paths and the calls of other programs to the shell.
 *
 * The answer is, line by line: `:` with what else fits (`files`, `directories`, `command=N`: word N begins another call), then
 * each word, in zsh and fish with a tab and a remark.
 */

import type { Candidate, Fitting } from "./fitting.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = typeof SHELLS[number];

/** The words of a call in `shell`, as its script passes them. */
export function typedWords(shell: Shell, passed: readonly string[]): readonly string[] {
  return shell === "bash" ? passed.map(unquoted) : passed;
}

/** The answer to the script of `shell`. zsh and fish choose by themselves among words; bash gets those that fit `typed`. */
export function fittingText(shell: Shell, typed: string, { candidates, paths, commandAt }: Fitting): string {
  // Word 0 is the program's name.
  const also = commandAt === undefined ? paths : `command=${commandAt + 1}`;
  const fitting = shell === "bash" ? candidates.filter(({ word }) => word.startsWith(typed)) : candidates;
  const lines = fitting.map((each) => shell === "bash" ? oneLine(each.word) : remarked(each));
  return [`: ${also ?? ""}`, ...lines].join("\n") + "\n";
}

function remarked({ word, about }: Candidate): string {
  return about === undefined ? oneLine(word) : `${oneLine(word)}\t${oneLine(about)}`;
}

function oneLine(text: string): string {
  return text.replace(/[\n\t]/g, " ");
}

/** The script of `shell`. */
export async function scriptOf(shell: Shell): Promise<string> {
  const scripts = {
    bash: () => import("./fdtool.bash", { with: { type: "text" } }),
    zsh: () => import("./fdtool.zsh", { with: { type: "text" } }),
    fish: () => import("./fdtool.fish", { with: { type: "text" } }),
  };
  return (await scripts[shell]()).default;
}

const QUOTED = /'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.?)/gs;

/**
 * Takes quotes and backslashes away, as the shell would, also those that are not closed yet. Variables
 * and other substitutions stay as they are.
 */
function unquoted(typed: string): string {
  return typed.replace(
    QUOTED,
    (_, single?: string, double?: string, escaped?: string) =>
      // Between double quotes a backslash is one, except before what it can protect there.
      single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "",
  );
}
