/**
 * Completes a call that is being typed, from the tables that parse it: commands, options and what they take.
 */

import type { CommandSpec, Operation, OptionSpec } from "../../calls/terms/command.ts";
import { callMeant } from "../../calls/arguments/guess_command.ts";
import { helpLine } from "../../calls/arguments/field_options.ts";
import { globalOptions } from "../../calls/arguments/global_options.ts";
import { findOption, type OptionTable } from "../../calls/arguments/option_spellings.ts";
import { splitWords, type Token } from "../../calls/arguments/split_words.ts";
import { type Asked, type Candidate, type Fitting, NOTHING_FITS, prefixed } from "./fitting.ts";

/** How a command is found, and the values that fit where `kind` is asked for: a word of help such as `FD` or `FILE|-|FD`. */
interface Completable {
  find(name: string): Operation | undefined;
  values(kind: string, asked: Asked): Promise<Fitting>;
}

/** Completes the last of `words`, which are those behind the program's name. */
export async function completeCall(words: readonly string[], completable: Completable): Promise<Fitting> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const commandAt = splitWords(before, [globalOptions()]).find(({ kind }) => kind === "positional")?.index;
  const operation = commandAt === undefined ? undefined : operationOf(before[commandAt]!, completable);
  if (commandAt !== undefined && operation === undefined) return NOTHING_FITS;
  const spec = operation === undefined ? BEFORE_COMMAND : (await operation.load()).spec;
  const tables = [spec.options, globalOptions()];
  const tokens = splitWords(before, tables).filter(({ index }) => index !== commandAt);
  const command = operation?.name ?? "";
  // Of `completion`, the rest is a call of fdtool.
  const restAt = command === "completion" ? undefined : restStart(spec, tokens, before.length);
  if (restAt !== undefined) return { candidates: [], commandAt: restAt };
  const given = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : []);
  const options = new Map(
    tokens.flatMap((token) => token.kind === "option" ? [[token.name, token.value]] : []),
  );
  const asked = { command, typed, given, store: options.get("store") };
  const call = { ...asked, tables, last: tokens.at(-1), options, typedAt: before.length, completable };
  const isTerminated = tokens.some(({ kind }) => kind === "option-terminator");
  return (isTerminated ? undefined : await completeOption(call)) ?? await completeArgument(call, spec);
}

/** A word before the command's name: the name, or an option of every command. */
const BEFORE_COMMAND: CommandParts = { options: {}, positionals: { names: ["command"], least: 0, most: 1 } };

type CommandParts = Pick<CommandSpec, "options" | "positionals" | "takesRest" | "values">;

/** A call up to the word that is typed; `command` is empty before its name. */
interface TypedCall extends Asked {
  tables: readonly OptionTable[];
  last: Token | undefined;
  /** Its options with their values. */
  options: ReadonlyMap<string, string | undefined>;
  typedAt: number;
  completable: Completable;
}

/** The operation that a word means, as it is or as another tool's name: `cat`. */
function operationOf(written: string, { find }: Completable): Operation | undefined {
  return find(written) ?? find(callMeant([written])?.[0] ?? written);
}

/** The place of the first word of a wrapped command; `typedAt` if that is the one being typed. */
function restStart(spec: CommandParts, tokens: readonly Token[], typedAt: number): number | undefined {
  if (spec.takesRest !== true) return undefined;
  for (const { kind, index } of tokens) {
    if (kind === "option-terminator") return Math.min(index + 1, typedAt);
    if (kind === "positional" && spec.positionals.most === 0) return index;
  }
  return undefined;
}

/** Completes an option or its value; undefined if `typed` is neither. */
async function completeOption(call: TypedCall): Promise<Fitting | undefined> {
  const { tables, last, options, typed } = call;
  if (last?.kind === "option" && last.value === undefined) {
    const pending = findOption(tables, last.name);
    if (pending !== undefined && pending.spec.kind !== "flag") {
      return await valuesOf(pending.name, pending.spec, typed, call);
    }
  }
  const equals = typed.startsWith("--") ? typed.indexOf("=") : -1;
  if (equals > 0) {
    const option = findOption(tables, typed.slice(2, equals));
    if (option === undefined) return NOTHING_FITS;
    const fitting = await valuesOf(option.name, option.spec, typed.slice(equals + 1), call);
    return prefixed(fitting, typed.slice(0, equals + 1));
  }
  if (!typed.startsWith("-")) return undefined;
  return { candidates: optionNames(Object.assign({}, ...tables), options, typed) };
}

/** Options that are not given yet; letters only as long as nothing but a dash is typed. */
function optionNames(table: OptionTable, given: TypedCall["options"], typed: string): Candidate[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const { short, many, help, hidden } = spec;
    if (hidden === true || given.has(name) && many !== true) return [];
    const words = [`--${name}`];
    if (typed === "-" && short !== undefined) words.unshift(`-${short}`);
    if (help.includes(`--no-${name}`)) words.push(`--no-${name}`);
    return words.map((word) => ({ word, about: helpLine(spec) }));
  });
}

async function valuesOf(
  name: string,
  { kind, choices, value = "", help }: OptionSpec,
  typed: string,
  call: TypedCall,
): Promise<Fitting> {
  if (kind === "flag") return { candidates: [{ word: "true" }, { word: "false" }] };
  if (choices !== undefined) {
    return { candidates: choices.map((word) => ({ word, about: choiceMeaning(help, word) })) };
  }
  // Of all directories, those that are stores.
  return await call.completable.values(name === "store" ? "STORE" : value, { ...call, typed });
}

/** The meaning of a choice in its option's help: `hook: store large shell output; mcp: …`. */
function choiceMeaning(help: string, choice: string): string | undefined {
  const parts = help.split(/; /);
  const own = parts.find((part) => part.startsWith(`${choice}:`) || part.startsWith(`${choice} (default):`));
  return own?.slice(own.indexOf(":") + 2);
}

/** Completes an argument or, if the call has all of its arguments, an option. */
async function completeArgument(call: TypedCall, spec: CommandParts): Promise<Fitting> {
  const { tables, given, options, typed, completable } = call;
  const { names = [], most } = spec.positionals;
  // The one argument whose place an option takes.
  const slot = given.length + (options.has("all-fds") && names[0] === "fd" ? 1 : 0);
  if (slot >= most) {
    // The first word that is not an option begins the wrapped command, with `--` before it or without.
    if (spec.takesRest === true && typed !== "") return { candidates: [], commandAt: call.typedAt };
    return typed === "" ? { candidates: optionNames({ ...tables[0] }, new Map(), "--") } : NOTHING_FITS;
  }
  const name = names[Math.min(slot, names.length - 1)] ?? "words";
  const values = spec.values?.[name] ?? name.toUpperCase();
  return typeof values === "string"
    ? await completable.values(values, call)
    : { candidates: values.map((word) => ({ word })) };
}
