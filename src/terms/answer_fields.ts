/**
 * The notation for the fields of answers (`answers.ts`): each has its type for the compiler, and the JSON Schema that MCP's
 * output schemas have for it. Answers may have more fields than those schemas list.
 */

export type Schema = Readonly<Record<string, unknown>>;

/** A field of an answer. A field whose value can be undefined may be absent, which is the same in every format. */
export interface Field<Value> {
  /** Absent if tools do not list the field. */
  schema?: Schema;
  isOptional?: boolean;
  /** For the compiler; never set. */
  type?: [Value];
}

/** Fields by name, in the order in which answers have them. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends { type?: [infer Value] } ? Value : never;

/** The values of `Of`'s fields. */
export type ValuesOf<Of> =
  & { [Name in keyof Of as undefined extends ValueOf<Of[Name]> ? never : Name]: ValueOf<Of[Name]> }
  & { [Name in keyof Of as undefined extends ValueOf<Of[Name]> ? Name : never]?: ValueOf<Of[Name]> };

/** A field with a schema of its own. */
export function listed<Value>(schema: Schema, description?: string): Field<Value> {
  return { schema: description === undefined ? schema : { ...schema, description } };
}

// The type of a value is given or the default, never inferred from where the field is used.
export const text = <Value = string>(description?: string): Field<NoInfer<Value>> =>
  listed({ type: "string" }, description);
export const count = (description?: string) => listed<number>({ type: "integer", minimum: 0 }, description);
export const flag = <Value = boolean>(): Field<NoInfer<Value>> => listed({ type: "boolean" });
export const texts = () => listed<string[]>({ type: "array", items: { type: "string" } });
export const choice = <const Value>(choices: readonly Value[]) =>
  listed<Value>({ type: "string", enum: choices });
export const object = <Of extends Fields>(fields: Of) => listed<ValuesOf<Of>>(schemaOfFields(fields));
export const list = <Of extends Fields>(fields: Of) =>
  listed<ValuesOf<Of>[]>({ type: "array", items: schemaOfFields(fields) });

/** A field that tools do not list. */
export const unlisted = <Value>(): Field<Value> => ({});
export const maybe = <Value>(field: Field<Value>): Field<Value | undefined> => ({
  ...field,
  isOptional: true,
});

/** The same fields, each optional. */
export function partial<Of extends Fields>(fields: Of) {
  const optional = Object.entries(fields).map(([name, field]) => [name, maybe(field)]);
  return Object.fromEntries(optional) as { [Name in keyof Of]: Field<ValueOf<Of[Name]> | undefined> };
}

/** The schema of an object with the listed ones of `fields`. */
export function schemaOfFields(fields: Fields): Schema {
  const named = Object.entries(fields).filter(([, { schema }]) => schema !== undefined);
  return {
    type: "object",
    properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
    required: named.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name),
  };
}
