/**
 * The command line of an operation, from the fields of its request: its options and arguments, and the request that a call
 * makes.
 *
 * @module
 */

import type { CommandCall, CommandSpec, OptionSpec, OptionValue } from "../terms/command.ts";
import type {
  FieldOption,
  IntegerLimits,
  RequestField,
  RequestFields,
  RequestOf,
} from "../requests/request_fields.ts";
import { failUsage } from "../requests/usage_failure.ts";
import { dashed } from "./option_spellings.ts";

/** The options of `fields`, in their order. */
export function optionsFrom(fields: RequestFields): Record<string, OptionSpec> {
  const options: Record<string, OptionSpec> = {};
  for (const field in fields) {
    const { kind, option, ...limits } = fields[field]!;
    if (option === undefined || kind === "object" || kind === "list" || kind === "json") continue;
    const name = optionName(field, fields[field]!);
    const ownName = dashed(field);
    const { short, value, aliases = [], help } = option;
    options[name] = {
      kind: kind === "fd" || kind === "texts" ? "text" : kind,
      many: kind === "texts" ? true : undefined,
      short,
      value,
      choices: "choices" in limits ? limits.choices : undefined,
      aliases: name === ownName ? aliases : [ownName, ...aliases],
      help,
    };
  }
  return options;
}

/** The arguments without a name, in the order of the fields. */
export function positionalsFrom(fields: RequestFields): CommandSpec["positionals"] {
  const all = Object.entries(fields).filter(([, { isArgument }]) => isArgument === true);
  const least = all.filter(([, { isRequired }]) => isRequired === true).length;
  return { least, most: all.length, names: all.map(([name, field]) => argumentName(name, field)) };
}

/** Those fields of a request that a command line can give. */
type CommandLineFields<Fields> = {
  [
    Name in keyof Fields as Fields[Name] extends { isArgument: true } | { option: FieldOption } ? Name : never
  ]: Fields[Name];
};

/**
 * The request that a call of `command` makes, without the fields that only tools give. Throws `bad_value` for a number beyond
 * its limits, or an argument that is not one of its choices. The one cast between a call and a request: the call was parsed by
 * the options and arguments of the same fields.
 */
export function requestFrom<const Fields extends RequestFields>(
  command: string,
  fields: Fields,
  { positionals, options }: Pick<CommandCall, "options"> & { positionals: readonly (string | undefined)[] },
): RequestOf<CommandLineFields<Fields>> {
  const request: Record<string, OptionValue | undefined> = {};
  let argument = 0;
  for (const name in fields) {
    const field: RequestField = fields[name]!;
    if (field.kind === "texts") {
      const first = field.isArgument === true ? positionals[argument++] : undefined;
      const given = options[optionName(name, field)] as readonly string[] | undefined ?? [];
      request[name] = textsOf(first === undefined ? given : [first, ...given]);
    } else if (field.isArgument === true) {
      const given = positionals[argument++];
      checkChoice(command, argumentName(name, field), given, field);
      request[name] = given;
    } else if (field.option !== undefined) {
      const option = optionName(name, field);
      const value = options[option];
      if (field.kind === "integer" && typeof value === "number") checkLimits(command, option, value, field);
      request[name] = value;
    }
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

/** One text as it is, several as a list. */
function textsOf(given: readonly string[]): string | readonly string[] | undefined {
  return given.length > 1 ? given : given[0];
}

function optionName(field: string, { option }: RequestField): string {
  return option?.name ?? dashed(field);
}

function argumentName(field: string, { argumentName }: RequestField): string {
  return argumentName ?? dashed(field);
}

function checkChoice(
  command: string,
  argument: string,
  given: string | undefined,
  field: RequestField,
): void {
  if (field.kind !== "text" || field.choices === undefined) return;
  if (given === undefined || field.choices.includes(given)) return;
  const wanted = `one of ${field.choices.join(", ")}`;
  failUsage({ kind: "bad_value", command, option: argument.toUpperCase(), got: given, wanted });
}

function checkLimits(command: string, option: string, value: number, limits: IntegerLimits): void {
  const { least = -Infinity, most = Infinity } = limits;
  if (value >= least && value <= most) return;
  const wanted = limits.expected ?? (most === Infinity ? `at least ${least}` : `${least} to ${most}`);
  failUsage({ kind: "bad_value", command, option: `--${option}`, got: String(value), wanted });
}
