/**
 * An operation as one record: the fields of its request and the rules between them, what help says, and what it does. The
 * command line and tools are made of it.
 */

import type { FieldRule } from "../requests/field_rules.ts";
import type { RequestFields, RequestOf } from "../requests/request_fields.ts";
import { failUsage } from "../requests/usage_failure.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../terms/command.ts";
import { checkRules, wordOf } from "./check_rules.ts";
import { commandLineFrom, requestFrom } from "./field_options.ts";

interface OperationRecord<Fields extends RequestFields, Line extends RequestFields>
  extends Omit<CommandSpec, "positionals" | "options"> {
  /** Of the request. */
  fields?: Fields | undefined;
  /** Rules between the fields, which every interface checks. */
  rules?: readonly FieldRule<keyof Fields & string>[] | undefined;
  /** The fields of the command line, if they are not those of the request. */
  line?: Line | undefined;
  /** Options of the command line before those of the fields, as help shows them. */
  leadingOptions?: CommandSpec["options"] | undefined;
  /** Answers a checked request. */
  answer?(request: RequestOf<Fields>, host: Host): Promise<Outcome>;
  /** Makes the request of a call, if its options and arguments are more than the fields. */
  requestOf?(call: CommandCall, host: Host): Promise<RequestOf<Fields>>;
  /** The host of a call of the command line, with what its options say. */
  hostOf?(call: CommandCall, host: Host): Host;
  /** Completes the outcome of a call of the command line. */
  complete?(outcome: Outcome, call: CommandCall, host: Host): Promise<Outcome>;
  /** Runs a call of the command line, if it does more than to answer its request. */
  run?(request: RequestOf<Line>, host: Host, call: CommandCall): Promise<Outcome>;
}

/** A record that answers requests, or runs calls itself. */
type CompleteRecord<Fields extends RequestFields, Line extends RequestFields> =
  & OperationRecord<Fields, Line>
  & Required<Pick<OperationRecord<Fields, Line>, "answer"> | Pick<OperationRecord<Fields, Line>, "run">>;

/** A command whose requests tools answer, too. */
export interface DefinedOperation<Fields extends RequestFields = RequestFields> extends Command {
  fields: Fields;
  rules: readonly FieldRule[];
  answer?(request: RequestOf<Fields>, host: Host): Promise<Outcome>;
}

export function defineOperation<
  const Fields extends RequestFields = Record<never, never>,
  const Line extends RequestFields = Fields,
>(record: CompleteRecord<Fields, Line>): DefinedOperation<Fields> {
  const { fields = {} as Fields, rules = [], leadingOptions, answer, ...rest } = record;
  const { line = fields as unknown as Line, requestOf, hostOf, complete, run, ...spec } = rest;
  return {
    spec: { ...spec, ...commandLineFrom(line, { ...leadingOptions }) },
    line,
    fields,
    rules,
    ...(answer === undefined ? {} : { answer }),
    async run(call, host) {
      if (run !== undefined) {
        const request = requestFrom(line, call);
        // A command line that makes a request of its own options has its rules checked there.
        if (answer === undefined) checkRules(call.command, line, rules, request);
        return await run(request as unknown as RequestOf<Line>, host, call);
      }
      const own = hostOf?.(call, host) ?? host;
      const request = await requestOf?.(call, own) ??
        requestFrom(fields, call) as unknown as RequestOf<Fields>;
      checkRequest(call.command, { fields, rules }, request);
      const outcome = await answer!(request, own);
      return await (complete?.(outcome, call, own) ?? outcome);
    },
  };
}

/** Throws for the first rule that a request of `command` breaks, and for a field that is missing. */
export function checkRequest<Fields extends RequestFields>(
  command: string,
  { fields, rules }: Pick<DefinedOperation<Fields>, "fields" | "rules">,
  request: object,
): void {
  const given = request as Readonly<Record<string, unknown>>;
  checkRules(command, fields, rules, given);
  for (const [name, field] of Object.entries<RequestFields[string]>(fields)) {
    if (field.isRequired !== true || field.isArgument !== true || given[name] !== undefined) continue;
    failUsage({ kind: "missing_argument", command, argument: wordOf(fields, name) });
  }
}
