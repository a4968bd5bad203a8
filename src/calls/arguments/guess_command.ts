/**
 * Guesses which command an unknown one was meant to be. A guess is followed by agents without a second look, so it is
 * always a command that changes nothing: `show fd:1` never leads to `stop fd:1`.
 */

import { parseFdArgument } from "../../../fd/mod.ts";
import type { Operation } from "../terms/command.ts";
import { nearestWord } from "./nearest_word.ts";
import { dashed } from "./option_spellings.ts";
import { failUsage } from "../requests/usage_failure.ts";

/** Commands that a guess may name, but never call: the next command is their help. They replace and remove nothing. */
const NAMED_COMMANDS: ReadonlySet<string> = new Set(["capture", "run"]);

/** Commands of other tools, and what does the same here. Those that read are run; of the others, help is offered. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...all("read", "cat bat show view tail head less more print get open display dump fetch logs sed"),
  ...all("search", "rg ag ack egrep fgrep find match lookup"),
  ...all("ls", "dir ll fds ps"),
  ...all("stat", "info describe inspect status file"),
  ...all("count", "wc lines"),
  ...all("diff", "compare cmp delta"),
  ...all("log", "history journal"),
  ...all("refs", "names tags"),
  ...all("inquiries", "questions"),
  ...all("help", "man usage"),
  ...all("capture", "pipe stdin"),
  ...all("run", "exec sh bash"),
};

function all(command: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(" ").map((word) => [word, command]));
}

/** Commands of other tools that act, and the command whose help is offered for them: neither named nor called. */
const HELPED: Readonly<Record<string, string>> = {
  ...all("edit", "replace sub str_replace substitute"),
  ...all("plan", "append insert patch apply"),
  ...all("stop", "kill terminate abort"),
  ...all("again", "rerun repeat redo retry"),
  ...all("undo", "revert restore rollback"),
  ...all("rm", "delete remove drop"),
};

/** The commands that a guess may mean. */
export interface KnownCommands {
  /** The own name of every name that a command goes by. */
  aliasOf: Readonly<Record<string, string>>;
  /** Commands that only read: a guess may give a whole call of one, ready to run. */
  reading: readonly string[];
}

/** The probable meaning of an unknown command. */
export interface Guess {
  /** The command, where it may be named; of one that acts only the help is offered. */
  command?: string | undefined;
  /** The words of the next command; a call that reads, or help. */
  next: readonly string[];
}

/**
 * The guess for the unknown command `words[0]`, with the whole call if that is clear from the other words; undefined
 * if no command is near.
 */
export function guessCommand(
  words: readonly string[],
  { aliasOf, reading }: KnownCommands,
): Guess | undefined {
  const got = (words[0] ?? "").toLowerCase();
  const rest = words.slice(1);
  const meant = Object.hasOwn(SYNONYMS, got) ? SYNONYMS[got] : undefined;
  if (meant !== undefined) return { command: meant, next: ["help", meant] };
  if (Object.hasOwn(HELPED, got)) return { next: ["help", HELPED[got]!] };
  // The nearest of all names: if that one acts, a farther one was not meant either.
  const command = aliasOf[nearestWord(got, Object.keys(aliasOf)) ?? ""];
  if (command === undefined) return undefined;
  if (reading.includes(command)) return { command, next: [command, ...rest] };
  return { command: NAMED_COMMANDS.has(command) ? command : undefined, next: ["help", command] };
}

/**
 * The call that another tool's command means, with its options and arguments: `cat fd:1` is `read fd:1`. Undefined for any
 * other word, and for one that means a command that acts.
 */
export function callMeant(words: readonly string[]): readonly string[] | undefined {
  const got = words[0]!.toLowerCase();
  if (got === "sed") return sedCall(words.slice(1));
  const meant = Object.hasOwn(SYNONYMS, got) ? SYNONYMS[got]! : undefined;
  if (meant === undefined || NAMED_COMMANDS.has(meant)) return undefined;
  const rest = words.slice(1);
  if (got === "head" || got === "tail") return partCall(got, rest);
  if (meant === "count" && rest.some((word) => parseFdArgument(word) !== undefined)) {
    return ["stat", ...rest.filter((word) => !/^-[lcwm]+$/.test(word))];
  }
  return [meant, ...rest];
}

/** `sed -n 10,20p` of an fd. Undefined for any other script. */
function sedCall(rest: readonly string[]): string[] | undefined {
  const at = rest.findIndex((word) => /^\d+(,(\d+|\$))?p$/.test(word));
  if (at === -1 || !rest.includes("-n")) return undefined;
  const lines = rest[at]!.slice(0, -1).replace(",", "-").replace("$", "");
  return ["read", ...rest.filter((word, index) => index !== at && word !== "-n"), "--lines", lines];
}

/** `head` and `tail` of an fd, with as many lines or (`-c`) chars as were asked for; `tail -f` follows it. */
function partCall(got: "head" | "tail", rest: readonly string[]): string[] {
  if (got === "tail" && rest.includes("-f")) {
    return ["read", ...rest.filter((word) => word !== "-f"), "--follow"];
  }
  const kept: string[] = [];
  let count = "10";
  let unit: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    const glued = /^(?:-[nc]?|--(?:lines|bytes)=)(\d+)$/.exec(word)?.[1];
    const isApart = /^(?:-[nc]|--lines|--bytes)$/.test(word) && /^\d+$/.test(rest[at + 1] ?? "");
    if ((glued !== undefined || isApart) && /^(?:-c|--bytes)/.test(word)) unit = ["--mode", "char"];
    if (glued !== undefined) count = glued;
    else if (isApart) count = rest[++at]!;
    else kept.push(word);
  }
  return ["read", ...kept, ...unit, `--${got}`, count];
}

/** Refuses `words[at]`, which is not the name of any of `operations`. */
export function failUnknownCommand(
  operations: readonly Operation[],
  words: readonly string[],
  at: number,
): never {
  const aliasOf: Record<string, string> = {};
  const reading: string[] = [];
  for (const { name, aliases, effect, hidden } of operations) {
    if (hidden === true) continue;
    for (const each of [name, ...aliases]) aliasOf[dashed(each)] = name;
    if (effect === "reads") reading.push(name);
  }
  failUsage({ kind: "unknown_command", got: words[at]!, aliasOf, reading, words, at });
}
