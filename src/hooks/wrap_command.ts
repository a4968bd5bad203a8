/**
 * What a shell command of a harness is rewritten to, so that its output goes through fdtool and nothing else changes.
 *
 * The command stays in the shell that the harness started, between braces: `cd`, `export` and functions last as they did,
 * and `$!`, `jobs` and `wait` see what they saw. Before it, `fdtool hook open` writes a script that the shell runs: it
 * makes FIFOs, starts a keeper (`fdtool hook keep`) at their other ends, and turns the shell's stdout and stderr to them.
 * After it, the shell writes a mark into the FIFOs and waits until the keepers have answered.
 *
 * What each part is for:
 *
 * - The keeper is started in a subshell, twice removed, so that it is no child of the shell: a bare `wait` in the command
 *   would wait for it, and it for the command. Nor is it ended by the signals that end the command: what came until then
 *   is shown.
 * - The end is told by a mark and not by the end of the pipe, which a background job holds open. What such a job writes
 *   later is passed on as it comes, by the keeper's `cat`, so that the job finds a reader as long as the harness is one.
 * - The mark is random and never stands in a command line as one word: `ps` in the command cannot write it.
 * - Where the command ends the shell itself (`exit`, `set -e`, a signal), the trap on EXIT does the same.
 * - Two streams stay two. Where the harness has joined them (both are one file), they are one here too, in order.
 * - On a terminal, beside another trap on EXIT, without mkfifo or without fdtool, the command just runs.
 *
 * @module
 */

import { shellWord } from "../next_command.ts";

/** The command line that starts fdtool, with the store that the caller named. */
export interface FdtoolCall {
  /** `fdtool`, or the path of the program. */
  program: string;
  storeOption: string | undefined;
}

function callWords({ program, storeOption }: FdtoolCall, ...words: string[]): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  return [program, "hook", ...words, ...store].map(shellWord).join(" ");
}

/**
 * `command`, wrapped. It stands on the same line as before, so that messages that name a line name the same one. The
 * colon before it is for dash, which gives the redirections of a group to a subshell that stands alone in it, in the
 * place of the subshell's own.
 *
 * The last line is the command's status, whether or not anything was set up.
 */
export function wrapCommand(command: string, call: FdtoolCall): string {
  const open = callWords(call, "open");
  const found = shellWord(call.program);
  return `eval "$(command -v ${found} >/dev/null 2>&1 && ${open} 2>/dev/null)"; { :; ${command}\n` +
    `} 7>&- 8>&-; eval "\${__fdtool_end-(exit \\$?)}"`;
}

/** What {@link openingScript} needs: how to start the keepers, and the two halves of the mark. */
export interface Opening {
  call: FdtoolCall;
  markHalves: readonly [string, string];
  /** The directory to make FIFOs in: absolute, since the command may go elsewhere. */
  temporaryDirectory: string;
}

/** The script that sets the shell up for one command, for a POSIX shell (tested in bash, dash and zsh). */
export function openingScript({ call, markHalves, temporaryDirectory }: Opening): string {
  const [first, second] = markHalves.map(shellWord);
  const keep = callWords(call, "keep", ...markHalves);
  const template = shellWord(`${temporaryDirectory}/fdtool-XXXXXX`);
  // Signals are ignored before the FIFO is open: from then on the command may send some.
  const keeper = (number: 1 | 2, to: string) =>
    `((trap '' INT TERM HUP; { ${keep} || cat; exec 9>&-; cat; command -p rm -rf "$__fdtool"; } ` +
    `${to}9>"$__fdtool/e" <"$__fdtool/${number}") &)`;
  const mark = (number: 1 | 2) => `{ printf %s%s ${first} ${second} 1<>"$__fdtool/${number}"; } 2>/dev/null`;
  return `if [ ! -t 1 ] && case "$(trap)" in *EXIT*) false ;; esac &&
  __fdtool=$(mktemp -d ${template} 2>/dev/null)
then
  if mkfifo "$__fdtool/1" "$__fdtool/e" 2>/dev/null &&
    if [ /dev/fd/1 -ef /dev/fd/2 ]; then ln -s 1 "$__fdtool/2"; else mkfifo "$__fdtool/2"; fi
  then
    ${keeper(1, "")}
    if [ ! -L "$__fdtool/2" ]; then ${keeper(2, ">&2 ")}; fi
    exec 9<"$__fdtool/e" 7>&1 8>&2 >"$__fdtool/1" 2>"$__fdtool/2"
    __fdtool_mark='${quoteWithin(mark(1))}; if [ ! -L "$__fdtool/2" ]; then ${quoteWithin(mark(2))}; fi'
    __fdtool_wait='read -r __fdtool_x <&9 2>/dev/null || :; command -p rm -rf "$__fdtool"'
    __fdtool_end='__fdtool_s=$?; trap - EXIT; eval "$__fdtool_mark"; exec >&7 2>&8 7>&- 8>&-; eval "$__fdtool_wait"
exec 9<&-; eval "unset __fdtool __fdtool_mark __fdtool_wait __fdtool_end __fdtool_s __fdtool_x; (exit $__fdtool_s)"'
    trap 'eval "$__fdtool_mark"; eval "$__fdtool_wait"' EXIT
  else
    rm -rf "$__fdtool"
    unset __fdtool
  fi
fi
:
`;
}

/** Text for a place between single quotes. */
function quoteWithin(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
