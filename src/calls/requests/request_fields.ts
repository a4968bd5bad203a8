/**
 * The fields of an operation's request as plain data: their types and limits, and their words for tools and for the command
 * line. Everything else about a request is derived from them: its type ({@link RequestOf}), the check of JSON
 * (`request_schema.ts`), and the options and arguments of the command (`arguments/field_options.ts`).
 */

import type { FieldRule } from "./field_rules.ts";

/** One field of a request. */
export type RequestField = FieldType & {
  /** For models: what the field means. Tools accept a field without one, and do not list it. */
  description?: string | undefined;
  isRequired?: true | undefined;
  /** On the command line: an argument without a name. Arguments are in the order of the fields. */
  isArgument?: true | undefined;
  /** How the command line calls the argument, if not by the field's name. */
  argumentName?: string | undefined;
  /** On the command line: an option. A field that is neither is for tools only. */
  option?: FieldOption | undefined;
};

/** The type of a field's value, and what limits it. */
type FieldType =
  | { kind: "flag" }
  /** An fd: never empty. `orFile`: or the path of a file, which is stored as one. */
  | { kind: "fd"; orFile?: true | undefined }
  /** `orNumber`: a whole number is its digits, as programs write it that guess types. */
  | {
    kind: "text";
    choices?: readonly string[] | undefined;
    isNeverEmpty?: true | undefined;
    orNumber?: true | undefined;
  }
  /** One text or a list of them. On the command line: an argument, an option that may be repeated, or both. */
  | { kind: "texts" }
  /** A list of texts. On the command line: all arguments from here on, or an option that may be repeated. */
  | { kind: "words" }
  /** A list of fds, given as `words` are. */
  | { kind: "fds" }
  | ({ kind: "integer" } & IntegerLimits)
  /** Seconds, or a text such as "10m": for tools only. */
  | { kind: "duration" }
  | { kind: "object"; fields: RequestFields }
  /** A list of one or more objects, and the rules between the fields of each. */
  | { kind: "list"; fields: RequestFields; rules?: readonly FieldRule[] | undefined }
  /** Any JSON value. */
  | { kind: "json" };

/** `expected`: the words for a value beyond a limit, if the limits are not enough. */
export interface IntegerLimits {
  least?: number | undefined;
  most?: number | undefined;
  expected?: string | undefined;
}

/** A field's option. Its name is the field's, with dashes, unless it has another one; then the field's is an alias. */
export interface FieldOption {
  name?: string | undefined;
  short?: string | undefined;
  /** How help calls the value: `N`. */
  value?: string | undefined;
  aliases?: readonly string[] | undefined;
  /** The spelling that help and messages show in its place: it works, and they leave it out. */
  instead?: string | undefined;
  /** Default: the field's description. */
  help?: string | undefined;
}

/** The fields of a request by name, in the order in which models see them. */
export type RequestFields = Readonly<Record<string, RequestField>>;

/** The form of a request that comes as JSON. */
export interface RequestForm<Fields extends RequestFields = RequestFields> {
  fields: Fields;
  rules?: readonly FieldRule[] | undefined;
  /** Fields listed as required although they may be left out: the operation itself reports a missing one. */
  required?: readonly string[] | undefined;
}

/** A flag of the command line, in the words of help. */
export const flagOption = (help: string) => ({ kind: "flag", option: { help } }) as const;

/** A text of the command line: how help calls its value, and its words. */
export const textOption = (value: string, help: string) =>
  ({ kind: "text", option: { value, help } }) as const;

/** A flag of tools and of the command line, in the words of both. */
export const flagField = (description: string, option: FieldOption = {}) =>
  ({ kind: "flag", description, option }) as const;

/** A number of one or more, in the same way. */
export const countField = (description: string, option: FieldOption = {}) =>
  ({ kind: "integer", least: 1, description, option: { value: "N", ...option } }) as const;

/** A text that a call must have. */
export const NEEDED_TEXT = {
  kind: "text",
  isNeverEmpty: true,
  isRequired: true,
  isArgument: true,
} as const satisfies RequestField;

/** A request: its fields, and the rules between them, which every interface checks. */
export function defineRequest<const Fields extends RequestFields>(
  fields: Fields,
  rules: readonly FieldRule<keyof Fields & string>[] = [],
) {
  return { fields, rules };
}

type ValueOf<Field> = Field extends { kind: "flag" } ? boolean
  : Field extends { kind: "texts" } ? string | readonly string[]
  : Field extends { kind: "words" | "fds" } ? readonly string[]
  : Field extends { kind: "integer" } ? number
  : Field extends { kind: "duration" } ? number | string
  : Field extends { kind: "object"; fields: infer Fields } ? RequestOf<Fields>
  : Field extends { kind: "list"; fields: infer Fields } ? RequestOf<Fields>[]
  : Field extends { kind: "json" } ? unknown
  : Field extends { choices: readonly (infer Choice)[] } ? Choice
  : string;

type RequiredNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { isRequired: true } ? Name : never;
}[keyof Fields];

/** The request that `Fields` describe. */
export type RequestOf<Fields> =
  & { -readonly [Name in RequiredNames<Fields>]: ValueOf<Fields[Name]> }
  & { -readonly [Name in Exclude<keyof Fields, RequiredNames<Fields>>]?: ValueOf<Fields[Name]> | undefined };
