/**
 * The command line of an operation, from the fields of its request: its options and arguments, and the request that a call
 * makes. Loops, since `read` does this on every call.
 */

import type { CommandCall, CommandSpec, OptionSpec, OptionValue } from "../terms/command.ts";
import type { FieldOption, RequestField, RequestFields, RequestOf } from "../requests/request_fields.ts";
import { dashed } from "./option_spellings.ts";
import { failValue } from "../requests/usage_failure.ts";

/** The arguments and options of `fields`, after the options that `options` has. */
export function commandLineFrom(
  fields: RequestFields,
  options: Record<string, OptionSpec> = {},
): { positionals: CommandSpec["positionals"]; options: Record<string, OptionSpec> } {
  for (const name in fields) addOption(options, name, fields[name]!);
  return { positionals: argumentsFrom(fields), options };
}

/** The arguments of `fields`. */
export function argumentsFrom(fields: RequestFields): CommandSpec["positionals"] {
  const names: string[] = [];
  let least = 0;
  let most: number | undefined;
  for (const fieldName in fields) {
    const field: RequestField = fields[fieldName]!;
    if (field.isArgument !== true) continue;
    const { kind, option } = field;
    names.push(field.argumentName ?? dashed(fieldName));
    if (kind === "words" || kind === "fds") most = Infinity;
    if (field.isRequired === true && option === undefined) least++;
  }
  return { least, most: most ?? names.length, names };
}

/** The option of the field `name`, alone in a table; none if the option has another name. */
export function optionOfField(fields: RequestFields, name: string): Record<string, OptionSpec> {
  const options: Record<string, OptionSpec> = {};
  const option = fields[name]?.option;
  if (option !== undefined && option.name === undefined) addOption(options, name, fields[name]!);
  return options;
}

/** Adds the option of a field to `options`, if it has one. */
function addOption(options: Record<string, OptionSpec>, fieldName: string, field: RequestField): void {
  const { kind, option } = field;
  if (option === undefined || kind === "object" || kind === "list" || kind === "json") return;
  const { name, aliases } = option;
  options[name ?? dashed(fieldName)] = {
    kind: kind === "flag" || kind === "integer" ? kind : "text",
    many: kind === "texts" || kind === "words" || kind === "fds" ? true : undefined,
    short: option.short,
    value: option.value,
    choices: kind === "text" ? field.choices : undefined,
    limits: kind === "integer" ? field : undefined,
    aliases: name === undefined ? aliases : [dashed(fieldName), ...aliases ?? []],
    hidden: option.instead === undefined ? undefined : true,
    help: option.help ?? field.description ?? "",
  };
}

/** An option's help, or the sentence that describes its field, as help has it: `Ignore case.` as `ignore case`. */
export function helpLine({ help }: OptionSpec): string {
  return help.charAt(0).toLowerCase() + help.slice(1, help.endsWith(".") ? -1 : undefined);
}

/** Those fields of a request that a command line can give. */
type CommandLineFields<Fields> = {
  [
    Name in keyof Fields as Fields[Name] extends { isArgument: true } | { option: FieldOption } ? Name : never
  ]: Fields[Name];
};

/**
 * The request that a call makes, without the fields that only tools give. Throws `bad_value` for an argument
 * that is not one of its choices. The one cast between a call and a request: the call was parsed by the options and arguments
 * of the same fields.
 */
export function requestFrom<const Fields extends RequestFields>(
  fields: Fields,
  { command, positionals, options }: Pick<CommandCall, "command" | "options"> & {
    positionals: readonly (string | undefined)[];
  },
): RequestOf<CommandLineFields<Fields>> {
  const request: Record<string, OptionValue | undefined> = {};
  let argument = 0;
  for (const name in fields) {
    if (argument === positionals.length) break;
    const field: RequestField = fields[name]!;
    if (field.isArgument !== true) continue;
    if (field.kind === "words" || field.kind === "fds") {
      request[name] = positionals.slice(argument) as string[];
      break;
    }
    const given = positionals[argument++];
    if (field.kind === "text" && given !== undefined && field.choices?.includes(given) === false) {
      const option = (field.argumentName ?? dashed(name)).toUpperCase();
      failValue(command, option, given, `one of ${field.choices.join(", ")}`);
    }
    if (given !== undefined) request[name] = given;
  }
  for (const option in options) {
    const own = fields[option]?.option;
    let name: string | undefined = own !== undefined && own.name === undefined ? option : undefined;
    if (name === undefined) {
      for (const each in fields) {
        const spelled = fields[each]!.option;
        if (spelled !== undefined && (spelled.name ?? dashed(each)) === option) name ??= each;
      }
    }
    if (name === undefined) continue;
    const value = options[option]!;
    request[name] = typeof value === "object" && fields[name]!.kind === "texts"
      ? textsOf(request[name], value)
      : value;
  }
  return request as RequestOf<CommandLineFields<Fields>>;
}

/** The fields of `request`, with those of `stated` that have a value in their place. */
export function overridden<Request extends object>(request: Request, stated: Partial<Request>): Request {
  const merged = { ...request };
  for (const name in stated) {
    const value = stated[name];
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/** The texts of an argument and an option: one as it is, several as a list. */
function textsOf(argument: OptionValue | undefined, given: readonly string[]): OptionValue | undefined {
  const texts = typeof argument === "string" ? [argument, ...given] : given;
  return texts.length > 1 ? texts : texts[0];
}
