/**
 * Turns the words of a call into a {@link CommandCall}, by the tables alone: nothing touches a disk. `node:util` splits
 * the words; what is here says which spelling means which option, and what a wrong word is told.
 *
 * A call is split twice. The first time only global options are known, which is enough to find the command's name
 * (`fdtool --store DIR read fd:1`); the second time the command's own table says which words are values.
 *
 * @module
 */

import { parseArgs } from "node:util";
import type { CommandCall, CommandSpec, OptionSpec, OptionValue } from "./command.ts";
import { type Format, FORMATS, GLOBAL_OPTIONS } from "./global_options.ts";
import { type SpelledOption, spelledOptions, spellingsOf } from "./option_spellings.ts";
import { failUsage } from "./usage_failure.ts";

/** Values of {@link GLOBAL_OPTIONS}; absent options are absent. */
export interface GlobalValues {
  store?: string;
  root?: string;
  format?: Format;
  color?: "auto" | "always" | "never";
  help?: boolean;
  version?: boolean;
}

/** Where the command's name stands in the words, and what the global options around it say. */
export interface FoundCommand {
  /** Undefined where the words hold no command. */
  name: string | undefined;
  /** The words without the name. */
  words: string[];
  globals: GlobalValues;
}

/** A command's call and the global options around it. With `--help` or `--version` the call is not checked further. */
export interface ParsedCall {
  call: CommandCall;
  globals: GlobalValues;
}

type Tokens = NonNullable<ReturnType<typeof splitWords>>;

function splitWords(
  words: readonly string[],
  long: Map<string, SpelledOption>,
  positionals: readonly string[],
) {
  const options: Record<string, { type: "string" | "boolean"; short?: string }> = {};
  const shorts = new Set<string>();
  for (const [spelling, { spec, negated }] of long) {
    const type = spec.kind === "flag" || negated ? "boolean" : "string";
    if (spec.short !== undefined && !negated && !shorts.has(spec.short)) {
      shorts.add(spec.short);
      options[spelling] = { type, short: spec.short };
    } else {
      options[spelling] = { type };
    }
  }
  for (const positional of positionals) options[positional] ??= { type: "string" };
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/**
 * Finds the command's name: the first word that is neither an option nor the value of a global one. Of the words after
 * it only the format is looked at, so that whatever is wrong with them is told in the dress that was asked for.
 */
export function findCommand(words: readonly string[]): FoundCommand {
  const long = spelledOptions([GLOBAL_OPTIONS]);
  const tokens = splitWords(words, long, []);
  const name = tokens.find((token) => token.kind === "positional");
  const globals: GlobalValues = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") break;
    if (token.kind !== "option") continue;
    const option = long.get(token.name);
    if (name === undefined || token.index < name.index) {
      if (option === undefined) {
        return failUnknownOption(token.rawName, words, token.index, undefined, [GLOBAL_OPTIONS]);
      }
      take(globals as Record<string, OptionValue>, option, token, undefined);
    } else if (option?.name === "format" && FORMATS.includes(token.value as Format)) {
      globals.format = token.value as Format;
    }
  }
  if (name === undefined) return { name: undefined, words: [...words], globals };
  return { name: name.value, words: words.filter((_, index) => index !== name.index), globals };
}

/**
 * Parses the words that stand around a command's name.
 *
 * For a command that takes no positional arguments but a rest (`run`), the first word that is no option opens the
 * rest, with or without `--` before it: the options of the wrapped command are its own.
 *
 * Throws a {@link UsageError} that names the word, what came and what is wanted.
 */
export function parseCall(spec: CommandSpec, words: readonly string[]): ParsedCall {
  const names = spec.positionals.names ?? [];
  const named = new Map<string, number>();
  names.forEach((name, slot) => {
    if (spec.options[name] !== undefined) return;
    for (const spelling of spellingsOf(name)) named.set(spelling, slot);
  });
  const long = spelledOptions([spec.options, GLOBAL_OPTIONS]);
  const tokens = splitWords(words, long, [...named.keys()]);

  const options: Record<string, OptionValue> = {};
  const globals: GlobalValues = {};
  const slots: string[] = [];
  const inOrder: string[] = [];
  let rest: readonly string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") {
      if (spec.takesRest !== true) continue;
      rest = words.slice(token.index + 1);
      break;
    }
    if (token.kind === "positional") {
      if (spec.takesRest === true && spec.positionals.most === 0) {
        rest = words.slice(token.index);
        break;
      }
      inOrder.push(token.value);
      continue;
    }
    const slot = named.get(token.name);
    if (slot !== undefined) {
      if (token.value === undefined) failMissingValue(spec.name, token.rawName, "a value");
      slots[slot] = token.value;
      continue;
    }
    const option = long.get(token.name);
    if (option === undefined) {
      return failUnknownOption(token.rawName, [spec.name, ...words], token.index + 1, spec.name, [
        spec.options,
        GLOBAL_OPTIONS,
      ]);
    }
    const isGlobal = spec.options[option.name] === undefined;
    take(isGlobal ? globals as Record<string, OptionValue> : options, option, token, spec.name);
  }

  for (let slot = 0; inOrder.length > 0; slot++) slots[slot] ??= inOrder.shift()!;
  if (globals.help !== true && globals.version !== true) checkPositionals(spec, slots);
  return { call: { positionals: slots, options, rest }, globals };
}

function checkPositionals(spec: CommandSpec, slots: readonly string[]): void {
  const { least, most, names } = spec.positionals;
  for (let slot = 0; slot < Math.max(least, slots.length); slot++) {
    if (slots[slot] !== undefined) continue;
    const argument = (names?.[slot] ?? `argument ${slot + 1}`).toUpperCase().replaceAll("-", "_");
    failUsage({ kind: "missing_argument", command: spec.name, argument });
  }
  if (slots.length > most) failUsage({ kind: "extra_argument", command: spec.name, got: slots[most]!, most });
}

/** Puts one option's value into `values`; the last of several wins, except where many are collected. */
function take(
  values: Record<string, OptionValue>,
  { name, spec, negated }: SpelledOption,
  token: Tokens[number] & { kind: "option" },
  command: string | undefined,
): void {
  if (spec.kind === "flag") {
    values[name] = flagValue(command, token.rawName, token.value) !== negated;
    return;
  }
  const wanted = spec.choices !== undefined
    ? `one of ${spec.choices.join(", ")}`
    : spec.kind === "integer"
    ? "a whole number"
    : "a value";
  if (token.value === undefined) return failMissingValue(command, token.rawName, wanted);
  if (spec.choices !== undefined && !spec.choices.includes(token.value)) {
    return failUsage({ kind: "bad_value", command, option: token.rawName, got: token.value, wanted });
  }
  if (spec.kind === "integer") values[name] = integerValue(command, token.rawName, token.value, wanted);
  else if (spec.many === true) values[name] = [...(values[name] as readonly string[] ?? []), token.value];
  else values[name] = token.value;
}

function flagValue(command: string | undefined, option: string, written: string | undefined): boolean {
  switch (written?.toLowerCase()) {
    case undefined:
    case "true":
      return true;
    case "false":
      return false;
    default:
      return failUsage({ kind: "bad_value", command, option, got: written!, wanted: "true or false" });
  }
}

function integerValue(command: string | undefined, option: string, written: string, wanted: string): number {
  const value = /^[+-]?[0-9]+$/.test(written) ? Number(written) : NaN;
  if (!Number.isSafeInteger(value)) {
    failUsage({ kind: "bad_value", command, option, got: written, wanted });
  }
  return value === 0 ? 0 : value;
}

function failMissingValue(command: string | undefined, option: string, wanted: string): never {
  failUsage({ kind: "missing_value", command, option, wanted });
}

function failUnknownOption(
  got: string,
  words: readonly string[],
  at: number,
  command: string | undefined,
  tables: readonly Readonly<Record<string, OptionSpec>>[],
): never {
  const known: string[] = [];
  for (const table of tables) {
    for (const [name, { short, aliases }] of Object.entries(table)) {
      known.push(`--${name}`, ...(aliases ?? []).map((alias) => `--${alias}`));
      if (short !== undefined) known.push(`-${short}`);
    }
  }
  failUsage({ kind: "unknown_option", command, got, known, words, at });
}
