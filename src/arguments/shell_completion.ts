/**
 * Completion of calls in shells. The scripts are small and never change; which words fit is worked out here, from the
 * tables that parse the call.
 *
 * @module
 */

import type { CommandEntry, OptionSpec } from "../terms/command.ts";
import { GLOBAL_OPTIONS } from "./global_options.ts";
import { findOption, findShort, type OptionTable } from "./option_spellings.ts";
import { failUsage } from "../requests/usage_failure.ts";

const SHELLS = ["bash", "zsh", "fish"];

/** The choices of completion. `handles` is called only if an fd fits. */
export interface Completable {
  commands: readonly CommandEntry[];
  find(name: string): CommandEntry | undefined;
  handles(): readonly string[];
}

/**
 * The words that may stand where the last of `words` (without the program's name) is being typed, and begin with it.
 * Empty where only a file or free text fits.
 */
export async function fittingWords(words: readonly string[], completable: Completable): Promise<string[]> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  if (before.includes("--")) return [];
  const globals = [GLOBAL_OPTIONS];
  const commandAt = positionalsAmong(before, globals)[0];
  const entry = commandAt === undefined ? undefined : completable.find(before[commandAt]!);
  const spec = (await entry?.load())?.spec;
  const tables = spec === undefined ? globals : [spec.options, GLOBAL_OPTIONS];

  const pending = valueOption(before.at(-1), tables);
  const fitting = (): readonly string[] => {
    if (pending !== undefined) return pending.choices ?? [];
    if (typed.startsWith("-")) {
      return Object.keys({ ...spec?.options, ...GLOBAL_OPTIONS }).map((name) => `--${name}`);
    }
    if (spec === undefined) return shownNames(completable);
    if (spec.name === "help") return shownNames(completable);
    if (spec.name === "completion") return SHELLS;
    const slot = positionalsAmong(before, tables).length - 1;
    const names = spec.positionals.names ?? [];
    const name = names[Math.min(slot, spec.positionals.most === Infinity ? names.length - 1 : slot)];
    return name === "fd" || name?.endsWith("-fd") === true ? completable.handles() : [];
  };
  return fitting().filter((word) => word.startsWith(typed));
}

function shownNames({ commands }: Completable): string[] {
  return commands.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
}

/** The positions of words that are neither options nor their values. */
function positionalsAmong(words: readonly string[], tables: readonly OptionTable[]): number[] {
  return words.flatMap((word, index) =>
    word.startsWith("-") || valueOption(words[index - 1], tables) !== undefined ? [] : [index]
  );
}

/** The option that takes the word after `word` as its value. */
function valueOption(word: string | undefined, tables: readonly OptionTable[]): OptionSpec | undefined {
  if (word === undefined || !word.startsWith("-")) return undefined;
  const spec = (word.startsWith("--") ? findOption(tables, word.slice(2)) : findShort(tables, word.slice(1)))
    ?.spec;
  return spec === undefined || spec.kind === "flag" ? undefined : spec;
}

/** The script that a shell reads at start. */
export function completionScript(shell: string): string {
  switch (shell) {
    case "bash":
      return BASH;
    case "zsh":
      return ZSH;
    case "fish":
      return FISH;
    default:
      return failUsage({
        kind: "bad_value",
        command: "completion",
        option: "SHELL",
        got: shell,
        wanted: `one of ${SHELLS.join(", ")}`,
      });
  }
}

// Bash breaks words at ":" and "=", so the line is split here, and the text before the last break is cut off again.
const BASH = `_fdtool() {
  local line="\${COMP_LINE:0:COMP_POINT}" words typed word
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  typed="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  while IFS= read -r word; do
    [[ $typed == *[:=]* ]] && word="\${word#"\${typed%[:=]*}"?}"
    COMPREPLY+=("$word")
  done < <(fdtool completion words -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _fdtool fdtool
`;

const ZSH = `#compdef fdtool
_fdtool() {
  local -a fitting
  fitting=("\${(@f)$(fdtool completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $fitting[1] ]]; then compadd -- $fitting; else _files; fi
}
compdef _fdtool fdtool
`;

const FISH = `function __fdtool_fitting
  fdtool completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c fdtool -a '(__fdtool_fitting)'
`;
