/**
 * Understands the arguments that models write, by the schema that they are for: whole numbers and booleans written as
 * words, an fd without its prefix, a name in another spelling, JSON in a string. What can mean one thing only is taken,
 * and a note says how it was read; what can mean two is left as it came, for the schema to refuse.
 */

import { type BrokenRule, brokenRules, type FieldRule } from "./field_rules.ts";
import { isJsonObject, type JsonObject } from "./json_object.ts";
import type { RequestFields } from "./request_fields.ts";
import type { RequestSchema } from "./request_schema.ts";
import type { ArgumentFault } from "./usage_failure.ts";
import { type GenericIssue, type GenericSchema, safeParse } from "valibot";

/** Arguments that fit their schema, and how they were read. */
export interface UnderstoodArguments<Request extends object = object> {
  request: Request;
  notes: string[];
}

/** The findings on the way down: notes and faults name fields by their path, such as `edits[0].old_string`. */
interface Reading {
  notes: string[];
  faults: ArgumentFault[];
}

/** Names that other tools have for a parameter, and those of older calls, written without their punctuation. */
const FORMER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["page", ["start"]],
  ["path", ["file_path", "filePath"]],
  ["filename", ["path", "file_path", "filePath"]],
  ["file", ["path", "file_path", "filePath"]],
  ["filepath", ["path"]],
  ["old", ["old_string"]],
  ["new", ["new_string"]],
  ["oldtext", ["old_string"]],
  ["newtext", ["new_string"]],
  ["query", ["pattern", "search"]],
  ["regex", ["pattern", "search"]],
  ["patterns", ["pattern"]],
  ["pattern", ["search"]],
  ["cmd", ["command"]],
]);

/** Reads `given` by `schema`, and by `formFaults`; either all of it fits, or every fault is reported. */
export function understandArguments<Request extends object>(
  schema: RequestSchema<Request>,
  given: Readonly<Record<string, unknown>>,
  formFaults: FormFaults = () => [],
): UnderstoodArguments<Request> | { faults: ArgumentFault[] } {
  const reading: Reading = { notes: [], faults: [] };
  const understood = objectOf(schema, given, "", reading);
  const parsed = safeParse(schema, understood);
  const fits = parsed.success && reading.faults.length === 0;
  const ofForm = formFaults(understood, !fits);
  if (fits && ofForm.length === 0) return { request: parsed.output, notes: reading.notes };
  const seen = new Set(reading.faults.map(({ field }) => field));
  for (const issue of parsed.issues ?? []) {
    const fault = faultOf(issue, schema, given);
    if (seen.has(fault.field)) continue;
    seen.add(fault.field);
    reading.faults.push(fault);
  }
  reading.faults.push(...ofForm.filter(({ field }) => !seen.has(field)));
  return { faults: reading.faults };
}

/** A value in a failure or a note: as JSON, cut where it is long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 80 ? json : `${json.slice(0, 80)}… (${json.length} chars)`;
}

function objectOf(
  schema: RequestSchema,
  given: Readonly<Record<string, unknown>>,
  path: string,
  reading: Reading,
): Record<string, unknown> {
  const understood = new Map<string, { value: unknown; writtenAs: string }>();
  for (const [written, value] of Object.entries(given)) {
    const name = parameterOf(schema, written);
    const field = fieldOf(path, written);
    if (name === undefined) {
      const known = Object.keys(schema.entries);
      reading.faults.push({ field, got: shownValue(value), wanted: "a known parameter", known });
      continue;
    }
    const entry = schema.entries[name]!;
    if (value === null && entry.type === "optional") continue;
    const other = understood.get(name);
    if (other !== undefined) {
      reading.faults.push({
        field,
        got: shownValue(value),
        wanted: `only one of ${name} and ${other.writtenAs}, which mean the same`,
      });
      continue;
    }
    if (written !== name) reading.notes.push(`${field} was read as ${name}`);
    understood.set(name, { value: valueOf(entry, value, fieldOf(path, name), reading), writtenAs: written });
  }
  return Object.fromEntries([...understood].map(([name, { value }]) => [name, value]));
}

/** The parameter that `written` names: itself, itself in another spelling, or the one that replaced a former name. */
export function parameterOf({ entries }: RequestSchema, written: string): string | undefined {
  if (Object.hasOwn(entries, written)) return written;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const names = Object.keys(entries);
  const spelled = names.filter((name) => plain(name) === plain(written));
  const [name, ...others] = spelled.length > 0
    ? spelled
    : (FORMER_NAMES.get(plain(written)) ?? []).filter((former) => names.includes(former));
  return others.length === 0 ? name : undefined;
}

/** Whether a parameter called `name` is understood in another spelling too, apart from its case. */
export function hasOtherSpellings(name: string): boolean {
  return /[^a-z]/.test(name) || [...FORMER_NAMES.values()].some((names) => names.includes(name));
}

/** The schema without what makes it optional. */
function wantedSchema(schema: GenericSchema): GenericSchema {
  return "wrapped" in schema ? wantedSchema(schema.wrapped as GenericSchema) : schema;
}

function fieldOf(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** `value` as `schema` can take it; unchanged where it has no single meaning. */
function valueOf(schema: GenericSchema, value: unknown, path: string, reading: Reading): unknown {
  const wanted = wantedSchema(schema);
  const isFd = wanted.type === "string" && /(?:^|[._])fd$/.test(path);
  const understood = isFd ? fdOf(value) : byType(wanted, value, path, reading);
  if (understood === undefined) return value;
  if (JSON.stringify(understood) !== JSON.stringify(value) && typeof understood !== "object") {
    reading.notes.push(`${path}: ${shownValue(value)} was read as ${shownValue(understood)}`);
  }
  return understood;
}

function byType(wanted: GenericSchema, value: unknown, path: string, reading: Reading): unknown {
  switch (wanted.type) {
    case "number":
      return wholeNumberOf(single(value));
    case "boolean":
      return booleanOf(single(value));
    case "picklist":
      return choiceOf(single(value), (wanted as unknown as { options: readonly unknown[] }).options);
    case "string":
      return typeof single(value) === "string" ? single(value) : undefined;
    case "array": {
      const { item } = wanted as unknown as { item: GenericSchema };
      const list = jsonIn(value, path, reading);
      if (Array.isArray(list)) {
        return list.map((each, index) => valueOf(item, each, `${path}[${index}]`, reading));
      }
      if (!isJsonObject(list)) return undefined;
      reading.notes.push(`${path}: one object was read as a list of one`);
      return [valueOf(item, list, `${path}[0]`, reading)];
    }
    case "strict_object": {
      const object = jsonIn(value, path, reading);
      // The schema takes a list for an object without the fields that may be left out.
      if (Array.isArray(object)) {
        reading.faults.push({ field: path, got: shownValue(value), wanted: KINDS["strict_object"]! });
      }
      return isJsonObject(object) ? objectOf(wanted as RequestSchema, object, path, reading) : undefined;
    }
    case "union":
      return optionOf(wanted as unknown as { options: readonly GenericSchema[] }, value, path, reading);
    default:
      return undefined;
  }
}

/** The value as the only option that can take it does; undefined if no option or several can. */
function optionOf(
  { options }: { options: readonly GenericSchema[] },
  value: unknown,
  path: string,
  reading: Reading,
): unknown {
  if (options.some((option) => safeParse(option, value).success)) return value;
  const taken = options.flatMap((option) => {
    const within: Reading = { notes: [], faults: [] };
    const understood = valueOf(option, value, path, within);
    return within.faults.length === 0 && safeParse(option, understood).success
      ? [{ understood, within }]
      : [];
  });
  const [only, ...others] = taken;
  if (only === undefined || others.length > 0) return undefined;
  reading.notes.push(...only.within.notes);
  return only.understood;
}

/** The only item of a list of one, else the value. */
function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** A list or object that was written into a string, as models do with nested arguments. */
function jsonIn(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed: unknown = JSON.parse(value);
    reading.notes.push(`${path}: a JSON string was read as the JSON it contains`);
    return parsed;
  } catch (thrown) {
    // Not JSON: the schema tells what it wants in its place.
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return value;
  }
}

/** `fd:12` for 12, "12", "FD:12", "fd 12", "fd#12", "fd12", "<fd:12>"; `ref:x` for "REF:x" and " ref: x". */
function fdOf(given: unknown): string | undefined {
  const value = single(given);
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? `fd:${value}` : undefined;
  if (typeof value !== "string") return undefined;
  const text = value.trim().replace(/^(["'`<])(.*)(["'`>])$/, "$2").trim();
  const id = /^(?:fd\s*[:#_-]?\s*)?0*([1-9][0-9]{0,14})$/i.exec(text)?.[1];
  if (id !== undefined) return `fd:${id}`;
  const name = /^ref\s*:\s*(\S+)$/i.exec(text)?.[1];
  return name === undefined ? undefined : `ref:${name}`;
}

function wholeNumberOf(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^\s*[+-]?[0-9]+(?:\.0+)?\s*$/.test(value)) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

const TRUE_WORDS = new Set(["true", "yes", "on", "1", "y"]);
const FALSE_WORDS = new Set(["false", "no", "off", "0", "n"]);

/** The boolean that a word or number means; undefined if it means neither, or is already a boolean. */
export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const word = String(value).trim().toLowerCase();
  return TRUE_WORDS.has(word) ? true : FALSE_WORDS.has(word) ? false : undefined;
}

/** The one choice that `value` is in another case or in the plural. */
function choiceOf(value: unknown, options: readonly unknown[]): unknown {
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  const meant = options.filter((option) => option === word || `${option}s` === word);
  return meant.length === 1 ? meant[0] : undefined;
}

/** A fault of the schema, by the value that came, not by what it was read as. */
function faultOf(issue: GenericIssue, schema: RequestSchema, given: unknown): ArgumentFault {
  const keys = (issue.path ?? []).map(({ key }) => key);
  const field = keys.reduce<string>(
    (path, key) => typeof key === "number" ? `${path}[${key}]` : fieldOf(path, String(key)),
    "",
  );
  const isMissing = issue.received === "undefined";
  const came = isMissing ? undefined : valueAt(given, keys) ?? issue.input;
  const wanted = isMissing ? `${missingOf(schema, keys)} (it is required)` : wantedOf(issue);
  return { field: field === "" ? "arguments" : field, got: shownValue(came), wanted };
}

function valueAt(value: unknown, keys: readonly unknown[]): unknown {
  return keys.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Record<string, unknown>)[String(key)] : undefined,
    value,
  );
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a whole number",
  safe_integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  strict_object: "an object",
};

/** The expected type of a missing parameter. */
function missingOf(schema: RequestSchema, keys: readonly unknown[]): string {
  const [key] = keys;
  const entry = keys.length === 1 && typeof key === "string" ? schema.entries[key] : undefined;
  return entry === undefined ? "a value" : KINDS[wantedSchema(entry).type] ?? "a value";
}

function wantedOf(issue: GenericIssue): string {
  const requirement = "requirement" in issue ? issue.requirement : undefined;
  switch (issue.type) {
    case "picklist":
    case "union":
      return `one of ${
        String(issue.expected).replace(/^\(|\)$/g, "").replace("Array", "list").split(" | ").join(", ")
      }`;
    case "min_value":
      return `at least ${requirement}`;
    case "max_value":
      return `at most ${requirement}`;
    case "min_length":
      return "something";
    default:
      return KINDS[issue.type] ?? issue.message;
  }
}

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
    const { field, got, wanted } = ruleFault(broken);
    return { field: at + field, got, wanted };
  });
}

function ruleFault(broken: BrokenRule): ArgumentFault {
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
