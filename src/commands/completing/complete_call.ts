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
  if (commandAt === undefined) return await completeStart(before, typed, completable);
  const operation = operationOf(before[commandAt]!, completable);
  if (operation === undefined) return NOTHING_FITS;
  const { spec } = await operation.load();
  const tables = [spec.options, globalOptions()];
  const tokens = splitWords(before, tables).filter(({ index }) => index !== commandAt);
  // Of `completion`, the rest is a call of fdtool.
  const restAt = operation.name === "completion" ? undefined : restStart(spec, tokens, before.length);
  if (restAt !== undefined) return { candidates: [], commandAt: restAt };
  const isTerminated = tokens.some(({ kind }) => kind === "option-terminator");
  const { name: command } = operation;
  const call: TypedCall = { command, tables, tokens, typed, typedAt: before.length, completable };
  const option = isTerminated ? undefined : await completeOption(call);
  return option ?? await completeArgument(call, spec);
}

/** A call whose command is known, up to the word that is typed. */
interface TypedCall {
  command: string;
  tables: readonly OptionTable[];
  tokens: readonly Token[];
  typed: string;
  typedAt: number;
  completable: Completable;
}

/** Completes a word before the command's name: the name, or an option of every command. */
async function completeStart(
  before: readonly string[],
  typed: string,
  completable: Completable,
): Promise<Fitting> {
  const tables = [globalOptions()];
  const tokens = splitWords(before, tables);
  const option = await completeOption({ command: "", tables, tokens, typed, typedAt: 0, completable });
  return option ?? await completable.values("COMMAND", { typed, given: [], command: "", store: undefined });
}

/** The operation that a word means, as it is or as another tool's name: `cat`. */
function operationOf(written: string, { find }: Completable): Operation | undefined {
  return find(written) ?? find(callMeant([written])?.[0] ?? written);
}

/** The place of the first word of a wrapped command; `typedAt` if that is the one being typed. */
function restStart(spec: CommandSpec, tokens: readonly Token[], typedAt: number): number | undefined {
  if (spec.takesRest !== true) return undefined;
  for (const { kind, index } of tokens) {
    if (kind === "option-terminator") return Math.min(index + 1, typedAt);
    if (kind === "positional" && spec.positionals.most === 0) return index;
  }
  return undefined;
}

/** Completes an option or its value; undefined if `typed` is neither. */
async function completeOption(call: TypedCall): Promise<Fitting | undefined> {
  const { tables, tokens, typed } = call;
  const last = tokens.at(-1);
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
  const given = new Set(tokens.flatMap((token) => token.kind === "option" ? [token.name] : []));
  return { candidates: optionNames(Object.assign({}, ...tables), given, typed) };
}

/** Options that are not given yet; letters only as long as nothing but a dash is typed. */
function optionNames(options: OptionTable, given: ReadonlySet<string>, typed: string): Candidate[] {
  return Object.entries(options).flatMap(([name, spec]) => {
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
  return await call.completable.values(name === "store" ? "STORE" : value, asked(typed, call));
}

/** The meaning of a choice in its option's help: `hook: store large shell output; mcp: …`. */
function choiceMeaning(help: string, choice: string): string | undefined {
  const parts = help.split(/; /);
  const own = parts.find((part) => part.startsWith(`${choice}:`) || part.startsWith(`${choice} (default):`));
  return own?.slice(own.indexOf(":") + 2);
}

function asked(typed: string, { command, tokens }: TypedCall): Asked {
  const given = tokens.flatMap((token) => token.kind === "positional" ? [token.value] : []);
  const store = tokens.findLast((token) => token.kind === "option" && token.name === "store");
  return { typed, given, command, store: store?.kind === "option" ? store.value : undefined };
}

/** Completes an argument or, if the call has all of its arguments, an option. */
async function completeArgument(call: TypedCall, spec: CommandSpec): Promise<Fitting> {
  const { tables, tokens, typed, completable } = call;
  const { names = [], most } = spec.positionals;
  const isGiven = (option: string) =>
    tokens.some((token) => token.kind === "option" && token.name === option);
  let slot = tokens.filter(({ kind }) => kind === "positional").length;
  // The one argument whose place an option takes.
  if (isGiven("all-fds") && names[0] === "fd") slot++;
  if (slot >= most) {
    // The first word that is not an option begins the wrapped command, with `--` before it or without.
    if (spec.takesRest === true && typed !== "") return { candidates: [], commandAt: call.typedAt };
    return typed === "" ? { candidates: optionNames({ ...tables[0] }, new Set(), "--") } : NOTHING_FITS;
  }
  const name = names[Math.min(slot, names.length - 1)] ?? "words";
  const values = spec.values?.[name] ?? name.toUpperCase();
  return typeof values === "string"
    ? await completable.values(values, asked(typed, call))
    : { candidates: values.map((word) => ({ word })) };
}
