/**
 * Rules between the fields of a request, as data. Each interface words a broken rule with the names that its callers write:
 * `arguments/check_rules.ts` for the command line, `lenient_arguments.ts` for tools.
 */

/** A field counts as given unless it is `false`. */
export type FieldRule<Name extends string = string> =
  /** `field` is not given together with any of `excludes`. `wanted`: "one way to select the slice". */
  | { field: Name; excludes: readonly Name[]; wanted?: string; why?: string }
  /** `field` is given only with `needs`. `otherwise` says, on the command line, how to do without. */
  | { field: Name; needs: Name; otherwise?: string }
  /** Exactly one is given, or `unless` is. `wanted` names it, if not by the fields. */
  | { oneOf: readonly Name[]; unless?: Name; wanted?: string };

/** How a request breaks a rule. */
export type BrokenRule =
  | { kind: "conflict"; first: string; second: string; wanted: string | undefined; why: string | undefined }
  | { kind: "lacks"; field: string; needs: string; otherwise: string | undefined }
  | { kind: "missing"; oneOf: readonly string[]; unless: string | undefined; wanted: string | undefined };

/** The rules that `request` breaks. Loops, since `read` does this on every call. */
export function brokenRules(
  rules: readonly FieldRule[],
  request: Readonly<Record<string, unknown>>,
): BrokenRule[] {
  const broken: BrokenRule[] = [];
  for (let at = 0; at < rules.length; at++) {
    const rule = rules[at]!;
    if ("needs" in rule) {
      const { field, needs, otherwise } = rule;
      if (isGiven(request[field]) && !isGiven(request[needs])) {
        broken.push({ kind: "lacks", field, needs, otherwise });
      }
      continue;
    }
    const isChoice = "oneOf" in rule;
    if (isChoice ? isGiven(request[rule.unless ?? ""]) : !isGiven(request[rule.field])) continue;
    const names = isChoice ? rule.oneOf : [rule.field, ...rule.excludes];
    const { wanted, why } = isChoice ? {} as { wanted?: string; why?: string } : rule;
    let first: string | undefined;
    for (const name of names) {
      if (!isGiven(request[name])) continue;
      if (first === undefined) first = name;
      else broken.push({ kind: "conflict", first, second: name, wanted, why });
    }
    if (isChoice && first === undefined) {
      broken.push({ kind: "missing", oneOf: rule.oneOf, unless: rule.unless, wanted: rule.wanted });
    }
  }
  return broken;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false;
}
