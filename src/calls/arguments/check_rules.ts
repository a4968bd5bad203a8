/** Checks the rules between the fields of a request that a command line gave. */

import { brokenRules, type FieldRule } from "../requests/field_rules.ts";
import type { RequestFields } from "../requests/request_fields.ts";
import { failConflict, failUsage, failValue } from "../requests/usage_failure.ts";
import { dashed } from "./option_spellings.ts";

/** Throws for the first rule that a request of `command` breaks, in the words of its options. */
export function checkRules(
  command: string,
  fields: RequestFields,
  rules: readonly FieldRule[],
  request: Readonly<Record<string, unknown>>,
): void {
  const broken = brokenRules(rules, request)[0];
  if (broken === undefined) return;
  const word = (name: string) => wordOf(fields, name);
  switch (broken.kind) {
    case "conflict": {
      const { first, second, why } = broken;
      const wanted = `choose ${broken.wanted ?? "one"}${why === undefined ? "" : `; ${why}`}`;
      return failConflict(command, word(first), word(second), wanted);
    }
    case "lacks": {
      const { field, needs, otherwise } = broken;
      const wanted = `${word(needs)} too${otherwise === undefined ? "" : ` (${otherwise})`}`;
      return failValue(command, word(field), String(request[field]), wanted);
    }
    case "missing":
      return failUsage({ kind: "missing_argument", command, argument: word(broken.oneOf[0]!) });
  }
}

/** A field as help shows it: `--max-chars`, or `FD` for an argument. */
export function wordOf(fields: RequestFields, name: string): string {
  const field = fields[name]!;
  if (field.isArgument === true) {
    return (field.argumentName ?? dashed(name)).toUpperCase().replaceAll("-", "_");
  }
  return field.option?.instead ?? `--${field.option?.name ?? dashed(name)}`;
}
