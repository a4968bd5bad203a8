/**
 * Turns the words of a call into a {@link CommandCall}, by the tables alone: nothing touches a disk. What is here says
 * which spelling means which option, and how a wrong word is reported.
 *
 * If options come before the command's name (`fdtool --store DIR read fd:1`), the words are split twice: by the
 * global table to find the name, then by the command's own, which says what else is a value.
 */

import { parseByteCount } from "../../../fd/mod.ts";
import { hugeDecimal, parseDecimal } from "../../../fd/system.ts";
import type { CommandCall, CommandSpec, Operation, OptionSpec, OptionValue } from "../terms/command.ts";
import { type ColorChoice, type Format, globalOptions } from "./global_options.ts";
import { dashed, findOption, madeTables, type OptionTables, type SpelledOption } from "./option_spellings.ts";
import { splitWords, type Token } from "./split_words.ts";
import type { IntegerLimits } from "../requests/request_fields.ts";
import { failUsage, failValue } from "../requests/usage_failure.ts";

/** Values of {@link globalOptions}; absent options are absent. */
interface GlobalValues {
  store?: string;
  fresh?: boolean;
  root?: string;
  format?: Format;
  color?: ColorChoice;
  "no-pager"?: boolean;
  help?: boolean;
  version?: boolean;
}

/** The operation that is called. */
type NamedOperation = Pick<Operation, "name" | "effect">;

/** The position of the command's name in the words, and the global options around it. */
interface FoundCommand {
  /** Undefined if the words have no command. */
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

/**
 * Finds the command's name: the first word that is neither an option nor the value of a global one. Nothing behind it is
 * looked at.
 */
export function findCommand(words: readonly string[]): FoundCommand {
  if (words[0]?.startsWith("-") === false) return { name: words[0], words: words.slice(1), globals: {} };
  const tables = [globalOptions];
  const globals: GlobalValues = {};
  for (const token of splitWords(words, tables, undefined, true)) {
    if (token.kind === "positional") {
      return {
        name: token.value,
        words: [...words.slice(0, token.index), ...words.slice(token.index + 1)],
        globals,
      };
    }
    if (token.kind === "option-terminator") continue;
    const option = findOption(tables, token.name);
    if (option === undefined) return failUnknownOption(token.rawName, words, token.index, undefined, tables);
    take(globals as Record<string, OptionValue>, option, token, undefined);
  }
  return { name: undefined, words: [...words], globals };
}

/** The format and colour that the words seem to request, whatever else is wrong with them, to report that. */
export function displayAmong(words: readonly string[]): Pick<GlobalValues, "format" | "color"> {
  const tables = [globalOptions];
  const display: Record<string, OptionValue> = {};
  for (const token of splitWords(words, tables)) {
    if (token.kind === "option-terminator") break;
    if (token.kind !== "option") continue;
    const { name, spec } = findOption(tables, token.name) ?? {};
    if (name !== "format" && name !== "color") continue;
    if (token.value !== undefined && spec?.choices?.includes(token.value) === true) {
      display[name] = token.value;
    }
  }
  return display;
}

/**
 * Parses the words around a command's name.
 *
 * For a command that takes no positional arguments but a rest (`run`), the first word that is not an option opens the
 * rest, with or without `--` before it: the options of the wrapped command are its own.
 *
 * Throws a {@link UsageError} that names the word, what came and what is expected.
 */
export function parseCall(
  operation: NamedOperation,
  spec: CommandSpec,
  words: readonly string[],
): ParsedCall {
  // The most frequent call has no words and needs no table: `make | fdtool capture`.
  if (spec.takesAll === true || words.length === 0 && spec.positionals.least === 0) {
    return { call: { command: operation.name, positionals: [], options: {}, rest: words }, globals: {} };
  }
  const tables = [spec.optionsFor ?? spec.options, globalOptions];
  const options: Record<string, OptionValue> = {};
  const globals: GlobalValues = {};
  const slots: string[] = [];
  const inOrder: string[] = [];
  let rest: readonly string[] = [];
  const tokens = splitWords(words, tables, spec.positionals.names);
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
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
    const option = findOption(tables, token.name);
    if (option === undefined) {
      slots[slotNamed(operation, spec, token, words, tables)] = token.value!;
      continue;
    }
    if (
      option.name === "format" && token.value === "prometheus" && spec.options["prometheus"] !== undefined
    ) {
      options["prometheus"] = true;
      continue;
    }
    const isGlobal = option.table > 0;
    take(isGlobal ? globals as Record<string, OptionValue> : options, option, token, operation.name);
  }

  if (inOrder.length > spec.positionals.most && spec.countOf !== undefined) {
    takeCount(spec.countOf, tokens, inOrder, options);
  }
  for (let at = 0, slot = 0; at < inOrder.length; at++) {
    while (slots[slot] !== undefined) slot++;
    slots[slot] = inOrder[at]!;
  }
  if (globals.help !== true && globals.version !== true) {
    checkPositionals(operation, spec, slots, words, tokens);
  }
  return { call: { command: operation.name, positionals: slots, options, rest }, globals };
}

/** Takes the number behind the flag's letter, which is one argument too many, as the count that other tools take there. */
function takeCount(
  { flag, option }: NonNullable<CommandSpec["countOf"]>,
  tokens: readonly Token[],
  inOrder: string[],
  options: Record<string, OptionValue>,
): void {
  const at = tokens.findIndex((token, index) => {
    const before = tokens[index - 1];
    return token.kind === "positional" && /^\d+$/.test(token.value) &&
      before?.kind === "option" && before.name === flag && before.rawName.length === 2;
  });
  const count = tokens[at];
  if (count?.kind !== "positional") return;
  inOrder.splice(inOrder.indexOf(count.value), 1);
  delete options[flag];
  options[option] = Number(count.value);
}

/** The place of the argument that is given as an option; its value must be there. */
function slotNamed(
  operation: NamedOperation,
  { positionals }: CommandSpec,
  token: Token & { kind: "option" },
  words: readonly string[],
  tables: OptionTables,
): number {
  const slot = positionals.names?.indexOf(dashed(token.name)) ?? -1;
  if (slot === -1) {
    failUnknownOption(token.rawName, [operation.name, ...words], token.index + 1, operation, tables);
  }
  if (token.value === undefined) failMissingValue(operation.name, token.rawName, "a value");
  return slot;
}

/**
 * Throws a {@link UsageError} for the first argument that a call lacks. A caller checks that after {@link parseCall}: an fd
 * that is left out may be found first.
 */
export function requireArguments(
  { positionals: { least, names }, usage }: CommandSpec,
  { command, positionals }: CommandCall,
): void {
  for (let slot = 0; slot < least || slot < positionals.length; slot++) {
    if (positionals[slot] !== undefined) continue;
    const argument = (names?.[slot] ?? `argument ${slot + 1}`).toUpperCase().replaceAll("-", "_");
    failUsage({ kind: "missing_argument", command, argument, usage });
  }
}

function checkPositionals(
  { name, effect }: NamedOperation,
  spec: CommandSpec,
  slots: readonly string[],
  words: readonly string[],
  tokens: readonly Token[],
): void {
  const { most } = spec.positionals;
  if (slots.length > most) {
    const flagAt = flagWithValue(tokens);
    failUsage({
      kind: "extra_argument",
      command: name,
      reads: effect === "reads",
      got: slots[most]!,
      most,
      usage: spec.usage,
      words,
      flagAt,
    });
  }
}

/** The place of a flag that `true` or `false` follows, which was meant as the flag's value. */
function flagWithValue(tokens: readonly Token[]): number | undefined {
  const at = tokens.findIndex((token, index) => {
    const before = tokens[index - 1];
    return token.kind === "positional" && /^(true|false)$/i.test(token.value) && before?.kind === "option" &&
      before.rawName.startsWith("--") && before.value === undefined;
  });
  return tokens[at - 1]?.index;
}

/** Puts one option's value into `values`; the last of several wins, except where many are collected. */
function take(
  values: Record<string, OptionValue>,
  { name, spec, negated }: SpelledOption,
  token: Token & { kind: "option" },
  command: string | undefined,
): void {
  if (spec.kind === "flag") {
    values[name] = flagValue(command, token.rawName, token.value) !== negated;
    return;
  }
  if (token.value === undefined) return failMissingValue(command, token.rawName, wantedOf(spec));
  if (spec.kind === "integer") values[name] = integerValue(command, token.rawName, token.value, spec.limits);
  else if (spec.kind === "bytes") {
    values[name] = parseByteCount(token.value) ??
      failValue(command, token.rawName, token.value, wantedOf(spec));
  } else if (spec.choices?.includes(token.value) === false) {
    failValue(command, token.rawName, token.value, wantedOf(spec));
  } else if (spec.many === true) values[name] = [...(values[name] as readonly string[] ?? []), token.value];
  else values[name] = token.value;
}

/** Describes the value that an option expects. */
function wantedOf({ choices, kind, value = "a value" }: OptionSpec): string {
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (kind === "bytes") return "a number of bytes, such as 2097152 or 2M";
  return kind === "integer" ? "a whole number" : value;
}

function flagValue(command: string | undefined, option: string, written = "true"): boolean {
  const value = written.toLowerCase();
  if (value !== "true" && value !== "false") failValue(command, option, written, "true or false");
  return value === "true";
}

function integerValue(
  command: string | undefined,
  option: string,
  written: string,
  { least = -Infinity, most = Infinity, expected }: IntegerLimits = {},
): number {
  const sign = written.startsWith("-") ? -1 : 1;
  const digits = sign === -1 || written.startsWith("+") ? written.slice(1) : written;
  const value = parseDecimal(digits) ?? hugeDecimal(digits);
  if (value === undefined) return failValue(command, option, written, "a whole number");
  const signed = value === 0 ? 0 : sign * value;
  if (signed >= least && signed <= most) return signed;
  const range = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  return failValue(command, option, written, expected ?? range);
}

function failMissingValue(command: string | undefined, option: string, wanted: string): never {
  failUsage({ kind: "missing_value", command, option, wanted });
}

function failUnknownOption(
  got: string,
  words: readonly string[],
  at: number,
  operation: NamedOperation | undefined,
  tables: OptionTables,
): never {
  const known: string[] = [];
  const aliasOf: Record<string, string> = {};
  for (const table of madeTables(tables)) {
    for (const [name, { kind, short, aliases = [] }] of Object.entries(table)) {
      known.push(`--${name}`, ...aliases.map((alias) => `--${alias}`));
      if (kind === "flag") known.push(name.startsWith("no-") ? `--${name.slice(3)}` : `--no-${name}`);
      if (short !== undefined) known.push(`-${short}`);
      for (const alias of aliases) aliasOf[`--${alias}`] = `--${name}`;
    }
  }
  failUsage({
    kind: "unknown_option",
    command: operation?.name,
    reads: operation?.effect === "reads",
    got,
    known,
    aliasOf,
    words,
    at,
  });
}
