/**
 * Finds the faults of a tool call that the schema of its request cannot express. They are reported together with the
 * schema's faults, so that all can be corrected at once.
 */

import { type BrokenRule, brokenRules, type FieldRule } from "./field_rules.ts";
import { isJsonObject, type JsonObject } from "./json_object.ts";
import type { RequestFields } from "./request_fields.ts";
import type { ArgumentFault } from "./usage_failure.ts";

/**
 * Returns the faults of a request as far as it could be understood; values that its schema refuses are unchanged.
 * `isRefused`: its schema already found faults.
 */
export type FormFaults = (given: JsonObject, isRefused: boolean) => ArgumentFault[];

/**
 * The faults by `rules`, and by those of the lists among `fields`. Fields in `required` are optional in the schema, because
 * the operation reports a missing one; if there are other faults, they are reported here.
 */
export function formFaultsBy(
  fields: RequestFields,
  rules: readonly FieldRule[],
  required: readonly string[] = [],
): FormFaults {
  return (given, isRefused) => {
    const faults = faultsBy(rules, given, "");
    for (const [name, field] of Object.entries(fields)) {
      if (field.kind !== "list" || field.rules === undefined) continue;
      const list = given[name];
      for (const [index, each] of (Array.isArray(list) ? list : []).entries()) {
        if (isJsonObject(each)) faults.push(...faultsBy(field.rules, each, `${name}[${index}].`));
      }
    }
    if (!isRefused && faults.length === 0) return [];
    const missing = required.filter((name) => given[name] === undefined);
    for (const name of missing) {
      const kind = fields[name]!.kind === "integer" ? "a whole number" : "a string";
      faults.push({ field: name, got: "nothing", wanted: `${kind} (it is required)` });
    }
    return faults.filter(({ field }, at) => faults.findIndex((each) => each.field === field) === at);
  };
}

function faultsBy(rules: readonly FieldRule[], given: JsonObject, at: string): ArgumentFault[] {
  return brokenRules(rules, given).map((broken) => {
    const { field, got, wanted } = faultOf(broken);
    return { field: at + field, got, wanted };
  });
}

function faultOf(broken: BrokenRule): ArgumentFault {
  switch (broken.kind) {
    case "conflict": {
      const { first, second, wanted = "only one of them", why } = broken;
      const reason = why === undefined ? "" : `; ${why}`;
      return { field: second, got: `${second} with ${first}`, wanted: wanted + reason };
    }
    case "lacks": {
      const { field, needs } = broken;
      return { field, got: `${field} without ${needs}`, wanted: `${needs} with it` };
    }
    case "missing": {
      const { oneOf, unless, wanted = oneOf.join(" or ") } = broken;
      const got = oneOf.length > 1 ? "none" : "nothing";
      return { field: oneOf[0]!, got, wanted: unless === undefined ? wanted : `${wanted}, or ${unless}` };
    }
  }
}
