/**
 * Functions for bash that give the end of a pipe to `keep-cut`, if it is a program that lets only a part of its input
 * through. Bash reads them from a file before the command; scripts and other programs do not see them.
 */

import { appendFileSync, fstatSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ifPossible } from "../../../fd/system.ts";
import { ownProgram } from "./own_program.ts";
import { findProgram } from "../../calls/streams/find_program.ts";
import { shellWord } from "../../answers/parts/next_command.ts";
import type { Environment } from "../../../fd/mod.ts";

/** The programs, and the option without which they let everything through. */
const CUTTERS: Environment = {
  tail: undefined,
  head: undefined,
  grep: undefined,
  rg: undefined,
  sed: "n",
  awk: undefined,
  cut: undefined,
  wc: undefined,
  sort: "u",
  uniq: undefined,
  less: undefined,
  column: undefined,
};

/** A pipe into one of them, as it is usually written. */
const CUT = new RegExp(`\\|&?\\s*(?:\\w+=\\S*\\s+)*(${Object.keys(CUTTERS).join("|")})\\b`, "g");

/** Most pipes of one shell that are kept: each costs a process, and a loop may have thousands. */
const MAX_KEPT = 40;

/** A small pipe counts as so many: one of a loop is followed by more that would be kept in vain. */
const SMALL_COUNTS = 5;

/** Writes the functions for a command line; undefined if it has no such pipe, or they cannot be written. */
export function cutFunctions(line: string, env: Environment) {
  if (env["FDTOOL_KEEP_CUT"] === "0" || process.platform === "win32") return undefined;
  // Of a missing program bash itself says so.
  const names = new Set(
    Array.from(line.matchAll(CUT), ([, name]) => name!).filter((name) =>
      findProgram(name, undefined, env["PATH"]).kind === "program"
    ),
  );
  if (names.size === 0) return undefined;
  return ifPossible(() => {
    const isForNetwork = !(Number(env["SHLVL"]) >= 1) && fstatSync(0).isSocket();
    const directory = mkdtempSync(join(env["TMPDIR"] || "/tmp", "fdtool-cut-"));
    const path = join(directory, FUNCTIONS);
    writeFileSync(path, functionsFor([...names], directory, env["BASH_ENV"], isForNetwork));
    return {
      /** To be set for bash. */
      env: { BASH_ENV: path, ...isForNetwork ? { SHLVL: "1" } : {} },
      end: () => rmSync(directory, { recursive: true, force: true }),
    };
  });
}

const FUNCTIONS = "functions";
const COUNT = "count";
const ENOUGH = "enough";

/**
 * The stdin of the end of a pipe is another one than the shell's own. A first shell whose stdin is a socket takes itself for
 * one of rshd: it reads ~/.bashrc, and BASH_ENV only if SHLVL says that it is not the first.
 */
function functionsFor(
  names: readonly string[],
  directory: string,
  bashEnv: string | undefined,
  isForNetwork: boolean,
): string {
  const { path, args } = ownProgram();
  const word = (text: string) => shellWord(text, "posix");
  const keep = [path, ...args, "keep-cut", directory].map(word).join(" ");
  const functions = names.map((name) => {
    const option = CUTTERS[name];
    const cuts = option === undefined ? "" : ` && " $*" == *" -"*${option}*`;
    // set -x shows the call alone.
    return `${name}() {
  { local -; set +x; } 2>/dev/null
  if [[ -p /dev/stdin && ! /dev/stdin -ef /proc/$$/fd/0${cuts} && ! -e ${
      word(join(directory, ENOUGH))
    } ]] && type -P ${name} >/dev/null; then
    ${keep} ${name} "$@"
  else
    command ${name} "$@"
  fi
}`;
  });
  const files = isForNetwork
    ? ["/etc/bash.bashrc", "~/.bashrc"]
    : bashEnv === undefined
    ? []
    : [word(bashEnv)];
  const before = [
    bashEnv === undefined ? "unset BASH_ENV" : `BASH_ENV=${word(bashEnv)}`,
    ...isForNetwork ? ["SHLVL=1"] : [],
    ...files.map((file) => isForNetwork ? `[[ ! -r ${file} ]] || . ${file}` : `. ${file}`),
  ];
  return [...before, ...functions, ""].join("\n");
}

/** Counts a pipe that is kept or was small; after the last one the functions leave pipes alone. */
export function countCut(directory: string, isSmall: boolean): void {
  // The shell may have ended and removed it.
  ifPossible(() => {
    appendFileSync(join(directory, COUNT), ".".repeat(isSmall ? SMALL_COUNTS : 1));
    if (statSync(join(directory, COUNT)).size >= MAX_KEPT) writeFileSync(join(directory, ENOUGH), "");
  });
}
