import type { NextCall } from "./next_call.ts";

/** A failure in words, as `failure_dress.ts` renders it. `fields` are specific to its kind, under their JSON names. */
export interface FailureText {
  type: string;
  fd?: string | undefined;
  path?: string | undefined;
  message: string;
  /** Lines that show what the message says, such as a diff; in JSON, one of the fields has them. */
  detail?: readonly string[] | undefined;
  next?: NextCall | undefined;
  fields: Readonly<Record<string, unknown>>;
}

/** How failures read, by kind: a new kind does not compile without its text. */
export type FailureTexts<Failures extends { kind: string }, Words> = {
  readonly [Kind in Failures["kind"]]: (
    failure: Extract<Failures, { kind: Kind }>,
    words: Words,
  ) => Omit<FailureText, "type" | "fields"> & Partial<FailureText>;
};

/** The text of `failure`. Its `type` is `usual` unless its entry has another. */
export function textBy<Failures extends { kind: string }, Words>(
  texts: FailureTexts<Failures, Words>,
  failure: Failures,
  words: Words,
  usual: string = failure.kind,
): FailureText {
  const kind: Failures["kind"] = failure.kind;
  // The table's entry takes the failures of its own kind.
  return { type: usual, fields: {}, ...texts[kind](failure as never, words) };
}
