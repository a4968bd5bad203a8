/**
 * Starts programs on Windows that its own call does not start as they are named: lines for cmd.exe, which are not words,
 * and batch files, which cmd.exe runs.
 */

import process from "node:process";
import { CMD_FLAGS, isNamed } from "./find_program.ts";
import type { CommandToStart } from "./start_command.ts";

type Start = Pick<CommandToStart, "path" | "calledAs" | "args" | "verbatim">;

/** How to start the program at `path` with `args`; undefined if cmd.exe cannot pass them to this batch file. */
export function windowsStart(path: string, calledAs: string, args: readonly string[]): Start | undefined {
  if (isNamed(path, "cmd") && args.length === 4 && CMD_FLAGS.every((flag, at) => args[at] === flag)) {
    return { path, calledAs, args: [...CMD_FLAGS, `"${args[3]}"`], verbatim: true };
  }
  if (!/\.(cmd|bat)$/i.test(path)) return { path, calledAs, args };
  if (args.some((arg) => /[\0\r\n]/.test(arg)) || /["%]/.test(path)) return undefined;
  const line = [`"${path}"`, ...args.map(batchWord)].join(" ");
  const shell = process.env["ComSpec"] || "cmd.exe";
  const words = ["/e:ON", "/v:OFF", ...CMD_FLAGS, `"${line}"`];
  return { path: shell, calledAs: shell, args: words, verbatim: true };
}

/** ASCII that needs no quotes, neither for cmd.exe nor for the program that gets the word. */
const PLAIN = /^[A-Za-z0-9#$*+\-./:?@\\_]+$/;

/**
 * One word for a batch file, by the rules of Rust's standard library: in quotes cmd.exe takes `&|<>^` as they are, `""` is
 * a quote, and of `%%cd:~,%` it makes a single `%` that names no variable. Backslashes before a quote are doubled for the
 * program that the batch file calls.
 */
function batchWord(word: string): string {
  const escaped = word.replace(/(\\*)"/g, '$1$1""').replaceAll("%", "%%cd:~,%");
  if (PLAIN.test(word) && !word.endsWith("\\")) return escaped;
  return `"${escaped.replace(/\\+$/, "$&$&")}"`;
}
