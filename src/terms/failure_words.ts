import type { NextCall } from "./next_call.ts";

/** A failure in words, as `failure_dress.ts` renders it. `fields` are specific to its kind, under their JSON names. */
export interface FailureText {
  type: string;
  fd?: string | undefined;
  path?: string | undefined;
  message: string;
  next?: NextCall | undefined;
  fields: Readonly<Record<string, unknown>>;
}
