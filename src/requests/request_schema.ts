/** What the schema of a request is, whatever it asks for. @module */

import type { GenericSchema } from "valibot";

/** A schema of an object: its parameters are `entries`. Whatever it does not name is refused. */
export type RequestSchema = GenericSchema<unknown, object> & {
  readonly entries: Readonly<Record<string, GenericSchema>>;
};
