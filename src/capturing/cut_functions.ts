/**
 * Functions for bash that copy the input of a pipe's last program to a file, if that program lets only a part of it
 * through. Bash reads them from a file before the command; scripts and other programs do not see them.
 *
 * Such a function runs in the process that bash made for the end of the pipe, and that process becomes the program: its
 * process id, exit code, signals and messages are as without fdtool. Only its input comes from a `tee`. Another process
 * waits until the program has ended and then ends the `tee`, so that the writer before it gets SIGPIPE as under bash.
 */

import {
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { atEnd, ifPossible } from "../../fd/system.ts";
import { shellWord } from "../answers/parts/next_command.ts";
import { DEFAULT_THRESHOLD_CHARS } from "./capture_options.ts";
import { findProgram } from "../calls/streams/find_program.ts";
import type { Environment } from "../../fd/mod.ts";

interface Cutter {
  /** Its words must match, as an extended regular expression of bash. */
  only?: string;
  /** Its words must not match: it would end before its input does, write its output to a file, or only count. */
  never?: string;
  /** How many of its words cannot be files to read instead of its input. */
  patterns?: number;
}

const MATCHER: Cutter = {
  never: " (-[a-zA-Z]*[qclLmf]|--(quiet|silent|count|max-count|files|file=))",
  patterns: 1,
};

const CUTTERS: Readonly<Record<string, Cutter>> = {
  tail: {},
  head: { only: "^ ((-n ?|--lines=|-)([1-9][0-9]{0,3}) )?$" },
  grep: MATCHER,
  rg: MATCHER,
  sed: { only: " -[a-zA-Z]*n", never: "(^|[^a-zA-Z]|/)[qQwW]([^a-zA-Z]|$)| -[a-zA-Z]*[fi]", patterns: 1 },
  awk: { never: "exit|getline|system|print[^|]*>| -f", patterns: 1 },
  cut: {},
  sort: { only: " (-[a-zA-Z]*u|--unique)", never: " -([a-zA-Z]*[oc]|-output|-check|-files)" },
};

const NAMES = Object.keys(CUTTERS).join("|");
const ASSIGNMENTS = "(?:\\w+=\\S*\\s+)*";

/** A pipe into one of them, as it is usually written. */
const CUT = new RegExp(`(?<![|>])\\|&?\\s*${ASSIGNMENTS}(${NAMES})(?![\\w./-])`, "g");

const NAMED = new RegExp(`(?<![\\w./$-])(${NAMES})(?![\\w./-])`, "g");

/** Text before a name that is a word of another command. */
const BEFORE_WORD =
  /(?:^|[\s;&|(){}`!'"])(?<!(?:[<>]&?|\btime)\s*)(?!(?:then|do|else|elif|if|while|until|time|coproc|function)\s)[\w./-][\w./:@%+,^-]*[ \t]+$/;

/** Chars before a name that are looked at. */
const MAX_WORD_CHARS = 100;

/** Builtins that the functions call. */
const BUILTINS = ":|command|exec|exit|kill|local|mapfile|printf|read|return|set|shift|trap|ulimit|unset";

/** The beginning of a command. */
const START = "(?:^|[;&|({!\\n`]|\\b(?:then|do|else|elif|if|while|until|time|builtin)\\s)\\s*";

/**
 * Commands and options that would show the functions, call them by another name, take their builtins, or run the traps of
 * the line inside them.
 */
const REVEALING = new RegExp([
  `${START}eval\\s`,
  "\\b(?:PS4|DEBUG|RETURN|BASH_(?:COMMAND|EXECUTION_STRING|LINENO|SOURCE|ARG[CV]|XTRACEFD|CMDS)|BASHOPTS|SHELLOPTS|FUNCNAME|FUNCNEST|functrace|keyword|extdebug|lastpipe|restricted|posix)\\b",
  "\\b(?:ulimit|compgen|caller|hash|enable)\\b",
  `(?<![\\w-])(?:${BUILTINS})\\s*\\(\\s*\\)|\\bfunction\\s+(?:${BUILTINS})\\b`,
  "\\b(?:declare|typeset|local|export|readonly)\\s(?:[^;|&\\n]*\\s)?-\\w*[fFp]",
  "\\b(?:declare|typeset|set)\\s*(?:[;|&)}<>`\\n]|\\d+[<>]|$)",
  "\\bset\\s[^;|&\\n]*-\\w*[Tkr]",
  `(?<![\\w./-])(?:type|command\\s+-\\w*[vV])\\s[^;|&\\n]*(?:[$\`*?]|\\b(?:${NAMES})\\b)`,
  "(?<![$\\w{])PATH\\b(?!\\+=|=\\S*\\$\\{?PATH\\b|(?<=export PATH)(?!=))",
].join("|"));

/** Variables of a caller by which bash would start otherwise, or with functions of these names. */
const TAKEN = new RegExp(
  `^(?:SHELLOPTS|BASHOPTS|POSIXLY_CORRECT|FUNCNEST|BASH_XTRACEFD|BASH_FUNC_(?:${NAMES}|${BUILTINS})%%)$`,
);

/** Whether a file of commands that bash is to read can be read by a command instead: it has no expansions or messages. */
function canRead(file: string | undefined): boolean {
  return file === undefined ||
    /^\/[^$`\\]*$/.test(file) && ifPossible(() => statSync(file).isDirectory()) === false;
}

/** Options before the command line that do not change how bash reads the functions. */
const PLAIN_OPTIONS = /^(?:-[ceul]+|--login|--norc|--noprofile|--)$/;

/** A bare line whose last command is such a pipe, so that a command after it gets to know how its stages ended. */
const ENDS_IN_CUT = new RegExp(`(?<!\\|)\\|&?\\s*${ASSIGNMENTS}(?:${NAMES})(?![\\w./-])[^|;&\\n()]*$`);

/** Lines that would show that command, or take it for their own. */
const SEES_END = /(?<!<)<<(?!<)|\b(?:trap|xtrace|verbose|ps|pgrep|pkill|cmdline)\b|\bset\s[^;|&\n]*-\w*[vx]/;

/** `line` without redirections, and with a word for what is quoted. */
export function bareLine(line: string): string {
  return line.replace(/'[^']*'|"(?:\\.|[^"\\])*"/gs, "Q").replace(/\d*[<>]+&?\s*\S+/g, "");
}

/** Whether a command may be added to the line. In one that is not complete, bash would count its errors' lines otherwise. */
function mayBeContinued(line: string): boolean {
  const bare = bareLine(line);
  const count = (form: RegExp) => bare.match(form)?.length;
  return ENDS_IN_CUT.test(bare) && !SEES_END.test(line) && !/['"\\]/.test(bare) &&
    count(/[({]/g) === count(/[)}]/g) &&
    count(/\b(?:if|for|while|until|case|select)\b/g) === count(/\b(?:fi|done|esac)\b/g);
}

/** Most pipes of one shell that are copied: each costs a process or two, and a loop may have thousands. */
const MAX_COPIED = 40;
const MAX_COPY_BYTES = 2 ** 30;

/**
 * Writes the functions for a command line.
 *
 * @param words those of the call of bash
 * @param at which of them is the command line
 * @param line that without what a harness puts around it
 * @returns undefined if the line has no such pipe, could see the functions, or they cannot be written
 */
export function cutFunctions(words: readonly string[], at: number, line: string, env: Environment) {
  if (env["FDTOOL_KEEP_CUT"] === "0" || process.platform === "win32") return undefined;
  if (!words.slice(0, at).every((word) => PLAIN_OPTIONS.test(word))) return undefined;
  const all = [line, ...exportedFunctions(line, env)].join("\n");
  const names = namesIn(all, env);
  const isSeen = REVEALING.test(all) || /\$\(|`/.test(env["PS4"] ?? "") ||
    Object.keys(env).some((variable) => TAKEN.test(variable));
  if (names.length === 0 || isSeen || !canRead(env["BASH_ENV"])) return undefined;
  const programs = ["tee", "dd", "tail"].flatMap((name) => {
    const found = findProgram(name, "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
    return found.kind === "program" ? [shellWord(found.path, "posix")] : [];
  });
  const limits = ifPossible(() => readFileSync("/proc/self/limits", "latin1")) ?? "";
  // Whatever prevents a copy must do so before a program reads.
  if (programs.length < 3 || !/^Max file size +unlimited/m.test(limits)) return undefined;
  const temporary = env["TMPDIR"]?.startsWith("/") ? env["TMPDIR"] : "/tmp";
  // Once more, because another call that ends may have just removed the directory.
  for (const parent of [temporary, temporary, "/tmp"]) {
    const umask = process.umask(0o077);
    using _umask = atEnd(() => process.umask(umask));
    const written = ifPossible(() => {
      const isForNetwork = !(Number(env["SHLVL"]) >= 1) && fstatSync(0).isSocket();
      const shared = sharedDirectory(parent);
      if (shared === undefined) return undefined;
      const directory = mkdtempSync(join(shared, `${process.pid}-`));
      const path = join(directory, "functions");
      const { bavail, bsize } = statfsSync(directory);
      const copyKiB = Math.floor(Math.min(MAX_COPY_BYTES, bavail * bsize / 4) / 1024);
      const functions = [
        commonFunction(shellWord(directory, "posix"), programs, copyKiB),
        ...names.filter((name) => name !== "head" || copyKiB * 1024 > HEAD_ROUNDS * HEAD_BYTES).map(
          functionFor,
        ),
        ...startLines(env["BASH_ENV"], isForNetwork),
      ];
      writeFileSync(path, `${functions.join("\n")}\n`);
      return {
        directory,
        copyBytes: copyKiB * 1024,
        /** To be set for bash, which expands it as in double quotes. */
        env: { BASH_ENV: path.replace(/[\\$`"]/g, "\\$&"), ...isForNetwork ? { SHLVL: "1" } : {} },
        /** The command line for bash, which notes how its last pipe ended; undefined if it cannot. */
        commandLine: mayBeContinued(line) ? withNote(words[at]!, line) : undefined,
        /** Whether something is to be stored or reported. */
        hasCopies: () => hasCopies(directory),
        end(): void {
          rmSync(directory, { recursive: true, force: true });
          // Unless other calls have copies there.
          ifPossible(() => rmdirSync(shared));
        },
      };
    });
    if (written !== undefined) return written;
  }
  return undefined;
}

/** The directory of this user's calls, which `ls` does not list, without what killed calls left there; undefined if others can write there. */
function sharedDirectory(parent: string): string | undefined {
  const directory = join(parent, `.fdtool-cut-${process.getuid?.()}`);
  // It may exist, but its parent is not made: a TMPDIR that is missing stays so.
  ifPossible(() => mkdirSync(directory, 0o700));
  const { mode, uid } = lstatSync(directory);
  if (mode !== (constants.S_IFDIR | 0o700) || uid !== process.getuid?.()) return undefined;
  for (const name of readdirSync(directory)) {
    // That of a process that has ended, but whose parent has not noticed, is empty.
    const words = ifPossible(() => readFileSync(`/proc/${parseInt(name)}/cmdline`, "latin1"));
    if (!words) rmSync(join(directory, name), { recursive: true, force: true });
  }
  return directory;
}

function hasCopies(directory: string): boolean {
  return ifPossible(() =>
    readdirSync(directory).some((name) => {
      const path = join(directory, name);
      if (name === ENDINGS) return /[1-9]/.test(readFileSync(path, "latin1"));
      return /^\d+$/.test(name) && statSync(path).size > DEFAULT_THRESHOLD_CHARS;
    })
  ) === true;
}

/** The bodies of the functions of the caller that the line may call. */
function exportedFunctions(line: string, env: Environment): string[] {
  return Object.entries(env).flatMap(([variable, body = ""]) => {
    const name = /^BASH_FUNC_(.+)(?:%%|\(\))$/s.exec(variable)?.[1];
    return name !== undefined && line.includes(name) ? [body] : [];
  });
}

/** The cutters that the line runs at the ends of pipes, and nowhere else: their process may become the program. */
function namesIn(line: string, env: Environment): string[] {
  const counts = new Map<string, number>();
  for (const [, name] of line.matchAll(CUT)) counts.set(name!, (counts.get(name!) ?? 0) + 1);
  for (const { 1: name, index } of line.matchAll(NAMED)) {
    const isWord = BEFORE_WORD.test(line.slice(Math.max(0, index - MAX_WORD_CHARS), index));
    if (!isWord) counts.set(name!, (counts.get(name!) ?? 0) - 1);
  }
  return [...counts].filter(([name, more]) =>
    // Each pipe counts in both. Of a missing program bash itself says so.
    more === 0 && findProgram(name, undefined, env["PATH"]).kind === "program"
  ).map(([name]) => name);
}

/** The file with the exit codes of the last pipe's stages. */
export const ENDINGS = "endings";
/** Added to a copy's name for the file with the program's words. */
export const WORDS = ".words";
/** The first of them, if the program's output goes to a file. */
export const INTO_FILE = "file";

/**
 * Undoes what makes bash read the functions. A first shell whose stdin is a socket takes itself for one of rshd: it reads
 * ~/.bashrc, and BASH_ENV only if SHLVL says that it is not the first.
 */
function startLines(bashEnv: string | undefined, isForNetwork: boolean): string[] {
  const files = isForNetwork
    ? ["/etc/bash.bashrc", "~/.bashrc"].map((file) => `[[ ! -r ${file} ]] || . ${file}`)
    : bashEnv === undefined
    ? []
    : [`. ${shellWord(bashEnv, "posix")}`];
  // A call leaves its last word in $_, which is what the shell began with.
  return [
    bashEnv === undefined
      ? `__fdtool_start() { unset BASH_ENV; unset -f __fdtool_start; }\n__fdtool_start "$_"`
      : `BASH_ENV=${shellWord(bashEnv, "posix")}`,
    ...isForNetwork ? ["SHLVL=1"] : [],
    ...files,
  ];
}

/**
 * The function `name`. Tracing shows its call alone. In the words of a loop, BASH_COMMAND is still the call as it is
 * written: `$X` or `"$@"` may run such a program elsewhere than at the end of a pipe. In a trap, `return` alone would mean
 * the code before the trap.
 */
function functionFor(name: string): string {
  const { only = "", never = "^$", patterns = 0 } = CUTTERS[name]!;
  const rules = [name, only, never].map((text) => shellWord(text, "posix")).join(" ");
  return `${name}() {
  { for __command in "$BASH_COMMAND"; do local - IFS=' ' __process=$BASHPID; set +xeu; done; } 2>/dev/null
  __fdtool_end ${rules} ${patterns} "$@" || return $?
}`;
}

/**
 * The part that all functions share. A variable here would hide an exported one of that name from the program. Its `exec`
 * takes one from SHLVL. If a file calls it that the line sources, that process may have more to do.
 *
 * With stdout or stderr closed, a file that bash opens for the pipes would take its number.
 *
 * The programs of a copy get no environment: bash takes 0.8 s to make one of 15,000 variables.
 *
 * The copy may be as large as a file can be here, and the pipe goes on without it. It stays open: its name goes when the
 * shell ends, which a pipe in the background may outlive.
 */
function commonFunction(directory: string, [tee, dd, tail]: readonly string[], copyKiB: number): string {
  return `__fdtool_end() {
  local __name=$1 __only=$2 __never=$3 __patterns=$4 __copy=${directory}/$__process __count __into __room=65536
  shift 4
  [[ $__name != head ]] || __room=${HEAD_ROUNDS * HEAD_BYTES}
  if [[ $__process != $$ && "\${BASH_SOURCE[*]:2}" =~ ^(environment ?)*$ &&
    "$__command " =~ ^([a-zA-Z_][a-zA-Z0-9_]*=[^\\ ]*\\ )*$__name\\  ]]; then
    [[ ! -f /dev/stdout ]] || __into=${INTO_FILE}
    [[ ! $SHLVL =~ ^[0-9]+$ ]] || SHLVL=$((SHLVL + 1))
    if [[ -p /dev/stdin && ! /dev/stdin -ef /proc/$$/fd/0 && ! " $* " =~ $__never && " $* " =~ $__only ]] &&
      [[ -e /dev/stdout && -e /dev/stderr && ( $# -le $__patterns || ! -e \${!#} ) ]] && {
        printf . >> ${directory}/count && { read -r __count < ${directory}/count || ((\${#__count} <= ${MAX_COPIED})); } &&
          printf '%s\\0' "$__into" "$__name" "$@" > "$__copy${WORDS}" &&
          printf "%\${__room}s" > "$__copy" && : >| "$__copy" && : 59< /dev/null
      } 2>/dev/null; then
      exec "$__name" "$@" < <(__fdtool_copy "$@" 2>/dev/null) 59> >(
        exec >&- 2>&-
        read -r
        read -r __count < "/proc/$!/task/$!/children"
        kill -9 $! $__count
      )
    fi
    exec "$__name" "$@"
  fi
  command "$__name" "$@" || return $?
}
__fdtool_copy() {
  trap '' XFSZ
  ulimit -f ${copyKiB}
  [[ $__name == head ]] || exec -c ${tee} "$__copy"
  exec 58<> "$__copy" || exec -c ${tail} -c +1
  __copy=/proc/self/fd/58
  local __lines=$* __from=1 __words __children
  __lines=\${__lines//[!0-9]}
  __lines=\${__lines:-10}
  while ((__from <= ${HEAD_ROUNDS} * ${HEAD_BYTES})); do
    __words=$(exec -c ${dd} bs=${HEAD_BYTES} count=1 2>&1 >&58) || break
    [[ $__words != 0+0* ]] || exit
    __words=\${__words##*$'\\n'}
    mapfile -n "$__lines" __children < "$__copy"
    if [[ \${#__children[@]} == "$__lines" && \${__children[__lines - 1]} == *$'\\n' ]]; then
      __fdtool_has_writer || (exec -c ${dd} bs=65536 count=16 iflag=nonblock >&58)
      exec -c ${tail} -c "+$__from" "$__copy" < /dev/null
    fi
    (exec -c ${tail} -c "+$__from" "$__copy") || exit
    ((__from += \${__words%% *}))
  done
  exec -c ${tee} -a "$__copy"
}
__fdtool_note() {
  { printf '%s ' "\${@:2}" >| ${directory}/${ENDINGS} || :; } 2>/dev/null
  return "$1"
}
__fdtool_has_writer() {
  local __child __words
  read -r __words < "/proc/$__process/stat"
  __words=(\${__words##*) })
  __words=$(< "/proc/\${__words[1]}/task/\${__words[1]}/children")
  [[ " $__words " == *" $__process "* ]] || return 0
  for __child in $__words; do
    [[ $__child == "$__process" ]] || [[ ! /proc/$__child/fd/1 -ef /dev/stdin && ! /proc/$__child/fd/2 -ef /dev/stdin ]] || return 0
  done
  return 1
}`;
}

/**
 * `head -N` reads pieces of this size. The copy must not read more than it does: the writer before it gets SIGPIPE when it
 * would under bash. What is still in the pipe is taken only if no process is left that could write more and notice. A
 * piece comes from the copy, so there must be room for all of them before one is read.
 */
const HEAD_BYTES = 8192;
/** After so many pieces the copy goes on without counting lines. */
const HEAD_ROUNDS = 64;

/** Notes how the stages of the last pipe ended. */
const NOTE = '\n__fdtool_note "$?" "${PIPESTATUS[@]}"';

/** The system limits words to 128 KiB. */
const MAX_NOTED_CHARS = 30_000;

/** `whole` with the note at the end of `line`: a harness may have it run by `eval`, which hides that from what follows. */
function withNote(whole: string, line: string): string | undefined {
  // Bytes that are not UTF-8 would be lost.
  if (whole.length > MAX_NOTED_CHARS || whole.includes("\uFFFD")) return undefined;
  if (whole === line) return whole + NOTE;
  return whole.replace(/(?<=\beval '.*)'(?=(?:\s*<\s*\/dev\/null)? && pwd -P >\| )/s, () => `${NOTE}'`);
}
