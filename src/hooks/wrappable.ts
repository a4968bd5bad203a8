/**
 * Which commands are left alone: those that wrapping could change, and those that are no whole command by themselves.
 *
 * @module
 */

import { spawnSync } from "node:child_process";
import process from "node:process";

/** The beginning of a simple command: where a word is a command's name, and not one of its arguments. */
const COMMAND_START = String
  .raw`(?:^|[;&|(){}\n]|\b(?:then|do|else|elif|if|while|until|time)\s|!\s)\s*(?:\w+=\S*\s+)*`;

const LEFT_ALONE: readonly RegExp[] = [
  // It is fdtool's own output, or goes to it already.
  new RegExp(String.raw`${COMMAND_START}["']?(?:[^\s"'=]*/)?fdtool["']?(?:$|[\s;&|)}])`),
  // They change what the wrapping stands on: the shell's process and streams, its trap on EXIT.
  new RegExp(String.raw`${COMMAND_START}(?:(?:command|builtin)\s+)?(?:exec|trap)\b`),
  // A shell that traces would trace the wrapping too.
  /\bset\s+(?:[-+]o\s+(?:xtrace|verbose|noexec)|-\w*[xvn])/,
  // It ends in the middle of a line, or holds what no shell can be given.
  /\\$/,
  /\0/,
];

/**
 * Whether `command` may be wrapped: nothing in it stands against that, and it is whole. Whole is what bash says: braces
 * around a part of a command would change what it means.
 */
export function isWrappable(command: string): boolean {
  if (LEFT_ALONE.some((pattern) => pattern.test(command.trimEnd()))) return false;
  if (command.split("\n").every((line) => /^\s*(?:#|$)/.test(line))) return false;
  return isWhole(command);
}

/** Nothing is run by `-n`. A here-document without an end is told of, but is no error. */
function isWhole(command: string): boolean {
  const { status, stderr, error } = spawnSync("bash", ["-n", "-c", command], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 5000,
  });
  return error === undefined && status === 0 && stderr.length === 0;
}
