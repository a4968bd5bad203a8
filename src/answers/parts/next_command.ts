/** Writes an answer's next step as a command line that can be copied into a shell. */

import { utf8Bytes } from "../../../fd/system.ts";
import { INVISIBLE_CHARS, STEERING_CHARS } from "../../calls/terms/control_chars.ts";
import type {
  CallWriter,
  Message,
  NamedCall,
  NamedParameter,
  NextCall,
  ParameterWriter,
} from "../../calls/terms/next_call.ts";

/** A loop, because the first use of a regular expression costs more than a short word. */
function isPlain(word: string): boolean {
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    const isPlainCode = code >= 0x61 && code <= 0x7a || // a-z
      code >= 0x2b && code <= 0x3a || // + , - . / 0-9 :
      code >= 0x40 && code <= 0x5a || // @ A-Z
      code === 0x5f || code === 0x3d || code === 0x25; // _ = %
    if (!isPlainCode) return false;
  }
  return word !== "";
}

/**
 * One word as a POSIX shell reads it back: unchanged where it needs no quotes, else in single quotes. On Windows, as
 * cmd.exe and PowerShell both do: in double quotes. What either takes for more than text stays in PowerShell's quotes.
 *
 * @example
 * ```ts
 * import { shellWord } from "./next_command.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(shellWord("fd:1"), "fd:1");
 * assertEquals(shellWord("it's"), `'it'\\''s'`);
 * ```
 */
export function shellWord(word: string, platform: string = process.platform): string {
  if (isPlain(word)) return word;
  if (platform === "win32") return windowsWord(word);
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function windowsWord(word: string): string {
  if (/^[\w+,\-./:@=\\]+$/.test(word)) return word;
  // A backslash before the last quote would make it part of the word.
  if (!/["%$`!]/.test(word) && !word.endsWith("\\")) return `"${word}"`;
  return `'${word.replaceAll("'", "''")}'`;
}

/** A word without control characters, for a user to type or paste. */
function typedWord(word: string): string {
  if (isPlain(word)) return word;
  return isUntypable(word) ? printedWord(word) : shellWord(word);
}

/** Whether pasting `text` would complete a word, control the terminal, or look like something else; or a model would lose it. */
function isUntypable(text: string): boolean {
  return new RegExp(`[${STEERING_CHARS}${INVISIBLE_CHARS}]`).test(text);
}

/** A word with control characters, printed by `printf`: `"$(printf 'a\033b')"`. */
function printedWord(word: string): string {
  // Command substitution drops final line feeds.
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

export function shellLine(words: readonly string[], wordOf = shellWord): string {
  let line = "";
  for (let at = 0; at < words.length; at++) line += at === 0 ? wordOf(words[at]!) : ` ${wordOf(words[at]!)}`;
  return line;
}

/** The arguments that are written without their names: none of these is an option of a command that is offered. */
const POSITIONALS =
  " fd pattern filter old_fd new_fd file_path path tx inquiry_id action file command url harness ";

function optionNamed(name: string): string {
  switch (name) {
    case "read_all":
      return "all";
    case "extract_to_new_fd":
      return "extract";
    case "old_string":
      return "old";
    case "new_string":
      return "new";
    case "new_fd":
    case "content_fd":
      return "content";
    default:
      return name.includes("_") ? name.replaceAll("_", "-") : name;
  }
}

/** Writes a parameter as an option: `--ignore-times`, `--eol crlf`. */
export function optionText({ parameter, value }: NamedParameter): string {
  const name = parameter.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${optionNamed(name)}${value === true ? "" : ` ${shellWord(value)}`}`;
}

/** Writes a parameter as in a tool call: `ignore_times=true`, `eol="crlf"`. */
export function parameterText({ parameter, value }: NamedParameter): string {
  return `${parameter}=${JSON.stringify(value)}`;
}

/** The words of a call, without the program's name. */
export function callWords({ command, args }: NamedCall): string[] {
  const words: string[] = [command];
  // The content of a file is given on stdin.
  const given = command === "create" && args.content !== undefined ? { ...args, content: "-" } : args;
  addWords(words, given, command === "edit");
  return words;
}

/** Adds the words of `args`, and those of the edits in it. */
function addWords(words: string[], args: object, isEdit: boolean): void {
  const values = args as Readonly<Record<string, unknown>>;
  for (const name in values) {
    const value = values[name];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (let item = 0; item < value.length; item++) {
        if (isEdit) addWords(words, value[item], isEdit);
        else words.push(`--${optionNamed(name)}=${value[item]}`);
      }
      continue;
    }
    const written = typeof value === "string" ? value : `${value}`;
    const isOption = written[0] === "-" && written !== "-";
    const isPositional = POSITIONALS.includes(` ${name} `) && !(isEdit && name === "new_fd");
    if (!isOption && isPositional) words.push(written);
    else if (value === true) {
      // Of several edits, all have it or none.
      if (!isEdit || !words.includes(`--${optionNamed(name)}`)) words.push(`--${optionNamed(name)}`);
    } else if (value === false) words.push(`--no-${optionNamed(name)}`);
    // A value that begins with a dash would be read as an option.
    else if (isOption && typeof value === "string") words.push(`--${optionNamed(name)}=${written}`);
    else words.push(`--${optionNamed(name)}`, written);
  }
}

/** The line `fdtool WORDS…`. It repeats the caller's `--store`, without which it would mean another store. */
export function commandLine(call: NextCall, storeOption: string | undefined): string {
  const { own, store, others } = "words" in call
    ? typedParts(call.words, storeOption)
    : { own: callWords(call), store: call.store ?? storeOption, others: [] };
  const line = `fdtool ${shellLine(own, typedWord)}`;
  const inStore = store === undefined ? line : `${line} --store ${typedWord(store)}`;
  return others.length === 0 ? inStore : `${inStore} ${shellLine(others, typedWord)}`;
}

/** The user's own words, with the store unless they name it; words from `--` on belong to another program. */
function typedParts(words: readonly string[], storeOption: string | undefined) {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  const namesStore = own.includes("--store") || own[0] === "store" && own.includes(storeOption ?? "");
  return { own, store: namesStore ? undefined : storeOption, others: end === -1 ? [] : words.slice(end) };
}

/** Writes calls as command lines, and parameters by `writeParameter`: as options, unless the caller sent JSON. */
export function commandWriter(
  storeOption: string | undefined,
  writeParameter: ParameterWriter = optionText,
): (part: NextCall | NamedParameter) => string {
  return (part) => "parameter" in part ? writeParameter(part) : commandLine(part, storeOption);
}

/** Writes out a message; a call that its reader cannot make is named as a command. */
export function messageText(message: Message, write: CallWriter): string {
  if (typeof message === "string") return message;
  const writeCommand = commandWriter(undefined);
  return message.map((part) => typeof part === "string" ? part : write(part) ?? writeCommand(part)).join("");
}

export function inSentences(messages: readonly Message[]): Message {
  const parts: Exclude<Message, string>[number][] = [];
  let isText = true;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    if (at > 0) parts.push(" ");
    for (const part of typeof message === "string" ? [message] : message) {
      parts.push(part);
      isText &&= typeof part === "string";
    }
  }
  return isText ? parts.join("") : parts;
}
