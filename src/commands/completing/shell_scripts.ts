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

/** The words of a call in `shell`, as {@link SCRIPTS} pass them. */
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

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  // Bash splits words at ":" and "=" too, and replaces what is behind the last of them. Works with bash 3.2 and later.
  bash: `# Completion of fdtool in bash. See: fdtool help completion
_fdtool() {
  local words=() starts=() rest=$COMP_LINE count=0 typed= prefix= also= i at piece line
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    piece=\${COMP_WORDS[i]}
    if [[ $i -gt 0 && -n $piece && $rest != [[:space:]]* ]]; then
      prefix=\${words[count - 1]}
    else
      rest=\${rest#"\${rest%%[![:space:]]*}"} prefix= starts[count]=$i count=$((count + 1))
    fi
    if ((i == COMP_CWORD)); then
      at=$((COMP_POINT - \${#COMP_LINE} + \${#rest}))
      if ((at > 0)); then piece=\${piece:0:at}; else piece=; fi
    fi
    rest=\${rest#"$piece"}
    words[count - 1]=$prefix$piece
  done
  typed=\${words[count - 1]}
  case $piece in :|=) prefix=$typed ;; esac
  while IFS= read -r line; do
    if [[ -z $also ]]; then also=$line; continue; fi
    if [[ $typed != [\\"\\']* && $line == *[!A-Za-z0-9:=_./,+@%-]* ]]; then printf -v line %q "$line"; fi
    COMPREPLY[\${#COMPREPLY[@]}]=\${line#"$prefix"}
  done < <(fdtool completion words-bash -- "\${words[@]:1}" 2>/dev/null)
  case $also in
    *command=*)
      at=\${also#*command=}
      if declare -F _comp_command_offset >/dev/null; then _comp_command_offset "\${starts[at]}"
      elif declare -F _command_offset >/dev/null; then _command_offset "\${starts[at]}"
      elif ((at == count - 1)); then
        while IFS= read -r line; do COMPREPLY[\${#COMPREPLY[@]}]=$line; done < <(compgen -c -- "$typed")
      fi ;;
    *files*)
      if [[ -z $typed && \${#COMPREPLY[@]} -gt 0 ]]; then
        while IFS= read -r line; do
          [[ -d $line ]] && line=$line/
          printf -v line %q "$line"
          COMPREPLY[\${#COMPREPLY[@]}]=$line
        done < <(compgen -f)
      fi ;;
    *directories*) compopt +o default -o plusdirs -o filenames 2>/dev/null ;;
    *) compopt +o default 2>/dev/null ;;
  esac
}
complete -o default -o nosort -F _fdtool fdtool 2>/dev/null || complete -o default -F _fdtool fdtool
`,

  zsh: `#compdef fdtool
# Completion of fdtool in zsh. See: fdtool help completion
_fdtool() {
  local -a typed lines fits remarks shown
  local also line
  integer at width=0
  typed=("\${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || typed=()
  lines=("\${(@f)$(fdtool completion words-zsh -- "$typed[@]" "\${(Q)PREFIX}" 2>/dev/null)}")
  also=$lines[1]
  if [[ $also == *command=* ]]; then
    at=\${also#*command=}
    shift $at words
    (( CURRENT -= at ))
    _normal
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    fits+=("\${line%%$'\\t'*}")
    remarks+=("\${line#*$'\\t'}")
    (( $#fits[-1] > width )) && width=$#fits[-1]
  done
  for (( at = 1; at <= $#fits; at++ )); do
    if [[ $remarks[at] == $fits[at] ]]; then shown+=("$fits[at]")
    else shown+=("\${(r:width:)fits[at]}  -- $remarks[at]"); fi
  done
  if (( $#fits )); then
    if [[ "$remarks" == "$fits" ]]; then compadd -V fdtool -- "$fits[@]"
    else compadd -V fdtool -l -d shown -- "$fits[@]"; fi
  fi
  if [[ $PREFIX == --*=* && $also == *(files|directories)* ]]; then compset -P '*='; fi
  case $also in
    *files*) _files ;;
    *directories*) _path_files -/ ;;
  esac
}
if [[ $funcstack[1] == _fdtool ]]; then _fdtool "$@"
elif (( $+functions[compdef] )); then compdef _fdtool fdtool
fi
`,

  fish: `# Completion of fdtool in fish. See: fdtool help completion
function __fdtool_fitting
  set -l words (commandline -opc)
  set -l raw (commandline -ct)
  set -l typed (string unescape -- "$raw"; or echo "$raw")
  set -q typed[1]; or set typed ''
  set -l lines (fdtool completion words-fish -- $words[2..-1] "$typed" 2>/dev/null)
  set -l also $lines[1]
  if string match -q '*command=*' -- $also
    set -l at (math 1 + (string replace -r '.*command=' '' -- $also))
    complete -C (string join ' ' -- (string escape -- $words[$at..-1]) "$raw")
    return
  end
  set -q lines[2]; and printf '%s\\n' $lines[2..-1]
  set -l option (string match -r '^--[^=]*=' -- "$typed")
  set -q option[1]; or set option ''
  set -l path (string replace -r '^--[^=]*=' '' -- "$typed")
  switch "$also"
    case '*files*'
      for each in (__fish_complete_path "$path")
        echo $option$each
      end
    case '*directories*'
      for each in (__fish_complete_directories "$path" '')
        echo $option$each
      end
  end
end
complete -c fdtool -e
complete -c fdtool -f -k -a '(__fdtool_fitting)'
`,
};

/**
 * Takes quotes and backslashes away, as the shell would, also those that are not closed yet. Variables
 * and other substitutions stay as they are.
 */
function unquoted(typed: string): string {
  let word = "";
  let quote = "";
  for (let at = 0; at < typed.length; at++) {
    const char = typed[at]!;
    if (char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) quote = char;
    else if (char === "\\" && quote !== "'") {
      const next = typed[at + 1] ?? "";
      // Between double quotes a backslash is one, except before what it can protect there.
      if (quote === '"' && !'"\\$`'.includes(next)) word += char;
      else {
        word += next;
        at++;
      }
    } else word += char;
  }
  return word;
}
