/**
 * Writes the call that an answer offers as the next step as a command line, so that it can be copied into a shell as it is.
 *
 * @module
 */

import { utf8Bytes } from "../fd/mod.ts";
import { STEERING_CHARS } from "./control_chars.ts";
import type { CallWriter, Message, NamedCall, NextCall } from "./next_call.ts";

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

/** Whether a shell takes `word` as it stands. A loop: the first use of a regular expression costs more than a short word. */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    if (!PLAIN.includes(word[at]!)) return false;
  }
  return word !== "";
}

/**
 * One word as a POSIX shell reads it back: unchanged where it needs no quotes, else in single quotes.
 *
 * @example
 * ```ts
 * import { shellWord } from "./next_command.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellWord("fd:1"), "fd:1");
 * assertEquals(shellWord("it's"), `'it'\\''s'`);
 * ```
 */
export function shellWord(word: string): string {
  if (isPlain(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** One word as a person can type or paste it: no control character is in it. */
function typedWord(word: string): string {
  return isPlain(word) || !isUntypable(word) ? shellWord(word) : printedWord(word);
}

/** Whether pasting `text` would complete a word, steer the terminal, or not be what it looks like. */
function isUntypable(text: string): boolean {
  return new RegExp(`[${STEERING_CHARS}]`).test(text);
}

/** A word with control characters, which `printf` prints: `"$(printf 'a\033b')"`. */
function printedWord(word: string): string {
  // A command substitution drops line feeds at its end.
  const lineFeeds = /\n*$/.exec(word)![0];
  let format = "";
  for (const char of word.slice(0, word.length - lineFeeds.length)) {
    // printf would take a dash at the start for an option.
    if (isUntypable(char) || char === "-" && format === "") {
      for (const byte of utf8Bytes(char)) format += `\\${byte.toString(8).padStart(3, "0")}`;
    } else format += char === "'" ? `'\\''` : char === "%" || char === "\\" ? char + char : char;
  }
  return (format === "" ? "" : `"$(printf '${format}')"`) + (lineFeeds === "" ? "" : `'${lineFeeds}'`);
}

/** `words` as one line for a shell. */
export function shellLine(words: readonly string[], wordOf = shellWord): string {
  let line = "";
  for (let at = 0; at < words.length; at++) line += at === 0 ? wordOf(words[at]!) : ` ${wordOf(words[at]!)}`;
  return line;
}

/** The arguments of each command that are written without their names. */
const POSITIONALS: { readonly [Command in NamedCall["command"]]: readonly string[] } = {
  answer: ["inquiry_id"],
  call: ["name"],
  cancel: ["inquiry_id"],
  create: ["path"],
  diff: ["old_fd", "new_fd"],
  gc: [],
  help: ["command"],
  inquiries: [],
  log: ["tx"],
  ls: [],
  plan: ["action", "file"],
  read: ["fd"],
  recover: [],
  refs: [],
  search: ["fd", "pattern"],
  stat: ["fd"],
  stop: ["fd"],
  "to-file": ["fd", "file_path"],
  tools: [],
  undo: ["tx"],
  verify: [],
  wait: ["fd"],
};

/** Arguments that the command line calls by a shorter name. */
const SHORTER: Readonly<Record<string, string>> = { read_all: "all", extract_to_new_fd: "extract" };

/** The words of a call, without the program's name. */
export function callWords(call: NextCall): readonly string[] {
  if ("words" in call) return call.words;
  const words: string[] = [call.command];
  const bare = POSITIONALS[call.command];
  const args: Readonly<Record<string, unknown>> = call.args;
  for (const name in args) {
    const value = args[name];
    if (value === undefined) continue;
    const written = String(value);
    const option = `--${SHORTER[name] ?? name.replaceAll("_", "-")}`;
    const isOption = written.startsWith("-");
    if (bare.includes(name) && !isOption) words.push(written);
    else if (value === true) words.push(option);
    else if (value === false) words.push(`--no-${option.slice(2)}`);
    // A value that begins with a dash would be an option of its own.
    else if (isOption && typeof value === "string") words.push(`${option}=${written}`);
    else words.push(option, written);
  }
  return words;
}

/** The line `fdtool WORDS…`. `--store` is repeated where the caller gave it: without it the line means another store. */
export function commandLine(call: NextCall, storeOption: string | undefined): string {
  const words = callWords(call);
  const store = "words" in call ? storeOption : call.store ?? storeOption;
  // What follows `--` belongs to another program.
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  const line = `fdtool ${shellLine(own, typedWord)}` +
    (store === undefined || own.includes("--store") ? "" : ` --store ${typedWord(store)}`);
  return end === -1 ? line : `${line} ${shellLine(words.slice(end), typedWord)}`;
}

/** Writes calls as command lines. */
export function commandWriter(storeOption: string | undefined): (call: NextCall) => string {
  return (call) => commandLine(call, storeOption);
}

/** A message in words; a call that its reader cannot make is named as a command. */
export function messageText(message: Message, write: CallWriter): string {
  if (typeof message === "string") return message;
  return message.map((part) => typeof part === "string" ? part : write(part) ?? commandLine(part, undefined))
    .join("");
}

/** Several messages as one, in sentences. */
export function inSentences(messages: readonly Message[]): Message {
  const parts = messages.flatMap((message, at) => [
    ...(at === 0 ? [] : [" "]),
    ...(typeof message === "string" ? [message] : message),
  ]);
  return parts.every((part) => typeof part === "string") ? parts.join("") : parts;
}
