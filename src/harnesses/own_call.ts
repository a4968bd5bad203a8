/**
 * Whether a shell command is nothing but calls of fdtool: its output is stored already, or bounded. Everything that is hard
 * to read (pipes, substitutions, groups, here-documents) counts as another program's output, which is stored.
 */

/** A comment, a line continuation, a redirection of stderr or stdin, a separator, or a piece of a word, in this order. */
const TOKEN =
  /(?<![^\s;&])#[^\n]*|\\\n|(?:2>&1|[12]?>>?\s*\/dev\/null|<\s*\/dev\/null)(?![^\s;&])|;|&&|\|\||\n|[^\S\n]+|'[^']*'|"(?:\\.|\$(?:\w+|\{\w+\})|[^"\\$`])*"|\$(?:\w+|\{\w+\})|\\.|[^\s'"\\;&|<>(){}$`#]|(?<=[^\s;&])#/gsy;

/** Builtins that print nothing. */
const SILENT = new Set(["exit", "true", "false", ":", "cd", "set", "export", "unset"]);
/** Commands whose child prints what it likes. */
const FORWARDING = new Set(["fork", "spawn"]);
const VALUE_OPTIONS = new Set(["--store", "--root", "--format", "--color"]);

export function isOwnCall(command: string): boolean {
  // Each line of a shell comes here.
  if (!command.includes("fdtool")) return false;
  const calls = simpleCommands(command);
  return calls !== undefined && calls.some(isFdtool) &&
    calls.every((words) => isFdtool(words) || SILENT.has(words[0]!));
}

function isFdtool([program = "", ...words]: readonly string[]): boolean {
  if (!/^(?:.*\/)?fdtool(?:[-.][^/]*)?$/s.test(program)) return false;
  const at = words.findIndex((word, index) =>
    !word.startsWith("-") && !VALUE_OPTIONS.has(words[index - 1] ?? "")
  );
  return !FORWARDING.has(words[at] ?? "");
}

/** The words of each simple command, without assignments before it; undefined if there is anything else. */
function simpleCommands(command: string): string[][] | undefined {
  const calls: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined && !(words.length === 0 && /^\w+=/.test(word))) words.push(word);
    word = undefined;
  };
  const endCall = () => {
    endWord();
    if (words.length > 0) calls.push(words);
    words = [];
  };
  TOKEN.lastIndex = 0;
  for (let read = 0; read < command.length; read = TOKEN.lastIndex) {
    const token = TOKEN.exec(command)?.[0];
    if (token === undefined) return undefined;
    if (/^(?:;|&&|\|\||\n)$/.test(token)) endCall();
    else if (/^\s/.test(token)) endWord();
    else if (/^(?:#.|[<>]|2>|1>)/s.test(token) && token.length > 1) endWord();
    else if (token !== "\\\n") word = (word ?? "") + unquoted(token);
  }
  endCall();
  return calls;
}

function unquoted(token: string): string {
  return token.startsWith("'")
    ? token.slice(1, -1)
    : token.startsWith('"')
    ? token.slice(1, -1).replace(/\\(["\\$`])/g, "$1")
    : token.replace(/^\\/, "");
}

/** The model's command in what Claude Code gives to the shell: a snapshot, if there is one, is loaded before it, and its directory kept. */
const IN_CLAUDE_CODE = /^(?:source .*? && )?eval (.*) && pwd -P >\| .*$/s;

/** The words to record for a call of `shell` with `words`: of a command line, what the model wrote. */
export function recordedCommand(words: readonly string[], shell: string): string[] {
  const at = lineIndex(words);
  if (at === undefined) return [shell, ...words];
  return [...words.slice(0, at), commandLineOf(words)!, ...words.slice(at + 1)];
}

/** The command line of a call of a shell; of Claude Code's, the model's part. */
export function commandLineOf(words: readonly string[]): string | undefined {
  const line = words[lineIndex(words) ?? -1];
  const own = line && IN_CLAUDE_CODE.exec(line)?.[1];
  return own === undefined ? line : simpleCommands(own)?.[0]?.[0] ?? line;
}

/** The place of the command line: after `-c` and all options, also those that follow it. */
export function lineIndex(words: readonly string[]): number | undefined {
  const option = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word));
  const at = words.findIndex((word, index) => index > option && !/^[-+]/.test(word));
  return option >= 0 && at >= 0 ? at : undefined;
}
