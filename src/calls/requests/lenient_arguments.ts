/**
 * Understands the arguments that models write, by the fields that they are for: whole numbers and booleans written as
 * words, an fd without its prefix, a name in another spelling, JSON in a string. What can mean one thing only is taken,
 * and a note says how it was read; what can mean two is left as it came, to be refused.
 */

import { objectFaults, wantedOf } from "./request_schema.ts";
import { type BrokenRule, brokenRules, type FieldRule } from "./field_rules.ts";
import { isJsonObject, type JsonObject } from "./json_object.ts";
import { fieldOf, readJson } from "./lenient_json.ts";
import { editOfPatch, PATCH_INSTEAD, patchForm } from "./patch_edits.ts";
import type { RequestField, RequestFields, RequestForm, RequestOf } from "./request_fields.ts";
import type { ArgumentFault } from "./usage_failure.ts";

/** The findings on the way down: notes and faults name fields by their path, such as `edits[0].old_string`. */
interface Reading {
  notes: string[];
  faults: ArgumentFault[];
}

/** Names that other tools have for a parameter, and those of older calls, written without their punctuation. */
const FORMER_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["page", ["start"]],
  ["path", ["file_path", "filePath", "target_file"]],
  ["targetfile", ["path", "file_path", "filePath"]],
  ["filename", ["path", "file_path", "filePath"]],
  ["file", ["path", "file_path", "filePath"]],
  ["filepath", ["path"]],
  ["old", ["old_string"]],
  ["new", ["new_string"]],
  ["oldtext", ["old_string"]],
  ["newtext", ["new_string"]],
  ["oldstr", ["old_string"]],
  ["newstr", ["new_string"]],
  ["filetext", ["content"]],
  ["id", ["inquiry_id", "tx"]],
  ["acknowledgment", ["acknowledgement"]],
  ["createfd", ["extract_to_new_fd"]],
  ["failifexists", ["exist_ok"]],
  ["query", ["pattern", "search"]],
  ["regex", ["pattern", "search"]],
  ["patterns", ["pattern"]],
  ["pattern", ["search"]],
  ["cmd", ["command"]],
]);

/**
 * Reads `given` by `form`; either all of it fits, and notes say how it was read, or every fault is reported, those of `moreFaults` too. Each field is reported
 * once.
 */
export function understandArguments<const Fields extends RequestFields>(
  form: RequestForm<Fields>,
  given: JsonObject,
  moreFaults: (request: JsonObject) => ArgumentFault[] = () => [],
): { request: RequestOf<Fields>; notes: string[] } | { faults: ArgumentFault[] } {
  const reading: Reading = { notes: [], faults: [] };
  const request = objectOf(form.fields, given, "", reading);
  const patch = reading.faults.find(({ wanted }) => wanted === PATCH_INSTEAD);
  // What else is missing, is in it.
  if (patch !== undefined) return { faults: [patch] };
  const ofValues = objectFaults(form.fields, request).map(({ field, value, wanted }): ArgumentFault => (
    value === undefined
      ? { field, got: "nothing", wanted: `${wanted} (it is required)` }
      // As it came, not as it was read.
      : { field, got: shownValue(valueAt(given, field) ?? value), wanted }
  ));
  const found = [...reading.faults, ...ofValues];
  const all = [...found, ...formFaults(form, request, found.length > 0), ...moreFaults(request)];
  const faults = all.filter(({ field }, at) => all.findIndex((each) => each.field === field) === at);
  // The one cast between the two: the request was checked by its fields.
  return faults.length > 0 ? { faults } : { request: request as RequestOf<Fields>, notes: reading.notes };
}

function valueAt(value: unknown, field: string): unknown {
  return (field.match(/[^.[\]]+/g) ?? []).reduce<unknown>(
    (at, key) => typeof at === "object" && at !== null ? (at as JsonObject)[key] : undefined,
    value,
  );
}

/** A value in a failure or a note: as JSON, cut where it is long. */
export function shownValue(value: unknown): string {
  if (value === undefined) return "nothing";
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 80 ? json : `${json.slice(0, 80)}… (${json.length} chars)`;
}

function objectOf(fields: RequestFields, given: JsonObject, path: string, reading: Reading): JsonObject {
  const understood = new Map<string, { value: unknown; writtenAs: string }>();
  for (const [written, value] of Object.entries(given)) {
    const name = parameterOf(fields, written);
    const patch = typeof value === "string" && "old_string" in fields ? patchForm(value) : undefined;
    const place = fieldOf(path, written);
    const fault = (wanted: string, known?: string[]) =>
      reading.faults.push({ field: place, got: shownValue(value), wanted, known });
    if (patch !== undefined && (name === undefined || name === "old_string")) {
      const { path: stated } = given;
      const retry = editOfPatch(String(value), typeof stated === "string" ? stated : undefined);
      reading.faults.push({ field: place, got: patch, wanted: PATCH_INSTEAD, retry });
      continue;
    }
    if (name === undefined) {
      fault("a known parameter", Object.keys(fields));
      continue;
    }
    const field = fields[name]!;
    if (value === null && field.isRequired !== true) continue;
    const other = understood.get(name);
    if (other !== undefined) {
      fault(`only one of ${name} and ${other.writtenAs}, which mean the same`);
      continue;
    }
    if (written !== name) {
      reading.notes.push(`${place} was read as ${/^fail/i.test(written) ? `the opposite of ${name}` : name}`);
    }
    const meant = valueOf(field, value, fieldOf(path, name), reading);
    // The one spelling that says the opposite.
    const isOpposite = name === "exist_ok" && /^fail/i.test(written) && typeof meant === "boolean";
    understood.set(name, { value: isOpposite ? !meant : meant, writtenAs: written });
  }
  return Object.fromEntries([...understood].map(([name, { value }]) => [name, value]));
}

/** The parameter that `written` names: itself, itself in another spelling, or the one that replaced a former name. */
export function parameterOf(fields: RequestFields, written: string): string | undefined {
  if (Object.hasOwn(fields, written)) return written;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const names = Object.keys(fields);
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

/** `value` as `field` can take it; unchanged where it has no single meaning. */
function valueOf(field: RequestField, value: unknown, path: string, reading: Reading): unknown {
  const understood = byKind(field, value, path, reading);
  if (understood === undefined) return value;
  if (JSON.stringify(understood) !== JSON.stringify(value) && typeof understood !== "object") {
    reading.notes.push(`${path}: ${shownValue(value)} was read as ${shownValue(understood)}`);
  }
  return understood;
}

function byKind(field: RequestField, value: unknown, path: string, reading: Reading): unknown {
  const one = single(value);
  switch (field.kind) {
    case "integer":
      return wholeNumberOf(one);
    case "flag":
      return booleanOf(one);
    case "fd":
      return fdOf(one);
    case "text":
      if (field.choices !== undefined) return choiceOf(one, field.choices);
      return typeof one === "string" ? one : field.orNumber === true ? digitsOf(one) : undefined;
    case "texts":
      return digitsOf(value);
    case "list": {
      const list = jsonIn(value, path, reading);
      const item = { kind: "object", fields: field.fields } as const;
      if (Array.isArray(list)) {
        return list.map((each, index) => valueOf(item, each, `${path}[${index}]`, reading));
      }
      if (!isJsonObject(list)) return undefined;
      reading.notes.push(`${path}: one object was read as a list of one`);
      return [valueOf(item, list, `${path}[0]`, reading)];
    }
    case "object": {
      const object = jsonIn(value, path, reading);
      return isJsonObject(object) ? objectOf(field.fields, object, path, reading) : undefined;
    }
    default:
      return undefined;
  }
}

function digitsOf(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** The only item of a list of one, else the value. */
function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** A list or object that was written into a string, as models do with nested arguments. */
function jsonIn(value: unknown, path: string, reading: Reading): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const json = readJson(value);
  if (json.kind !== "value") return value;
  reading.notes.push(`${path}: a JSON string was read as the JSON it contains`);
  return json.value;
}

/** `fd:12` for 12, "12", "FD:12", "fd 12", "fd#12", "fd12", "<fd:12>"; `ref:x` for "REF:x" and " ref: x". */
function fdOf(value: unknown): string | undefined {
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
function choiceOf(value: unknown, options: readonly string[]): string | undefined {
  if (typeof value !== "string") return undefined;
  const word = value.trim().toLowerCase();
  const meant = options.filter((option) => option === word || `${option}s` === word);
  return meant.length === 1 ? meant[0] : undefined;
}

/**
 * The faults by the rules of the form, and by those of the lists among its fields. `isRefused`: there are other faults; then
 * what the operation would miss is reported here.
 */
function formFaults(
  { fields, rules = [], required = [] }: RequestForm,
  given: JsonObject,
  isRefused: boolean,
): ArgumentFault[] {
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
  return [
    ...faults,
    ...missing.map((field) => (
      { field, got: "nothing", wanted: `${wantedOf(fields[field]!)} (it is required)` }
    )),
  ];
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
