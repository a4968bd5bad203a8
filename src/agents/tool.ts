/**
 * A tool: one function of fdtool as agents call it. `call`, MCP and jp run the same function on requests checked by the
 * same schema, from which all providers' definitions are made.
 */

import type { InferOutput } from "valibot";
import type { FramedAnswer } from "../terms/answers.ts";
import type { Host, Outcome } from "../terms/command.ts";
import type { FormFaults } from "../requests/form_faults.ts";
import type { RequestSchema } from "../requests/request_schema.ts";

/** A call's outcome, with notes on arguments that only the tool could interpret. */
export interface ToolOutcome extends Outcome {
  notes?: readonly string[] | undefined;
}

/** The answers of tools besides `fd_error`; each has a schema in `answer_schemas.ts`. */
export type ToolAnswer = FramedAnswer["type"];

/** The parts that a system prompt explains, and by which `--only` chooses tools. */
export const PARTS = ["fds", "refs", "inquiries", "writing"] as const;
export type Part = typeof PARTS[number];

export interface Tool {
  name: string;
  title: string;
  part: Part;
  /** For models: what it does and costs, and one example. */
  description: string;
  request: RequestSchema;
  /** Finds faults that the schema cannot express. */
  formFaults?: FormFaults | undefined;
  /** Parameters listed as required although the schema has them optional: the tool itself reports a missing one. */
  required?: readonly string[] | undefined;
  /** Besides `fd_error`. */
  answers: readonly ToolAnswer[];
  /** Whether its function checks the raw request itself and reports all faults. */
  checksItself?: boolean | undefined;
  /** Whether it changes nothing but the store. */
  readOnly: boolean;
  /** Whether it may replace or remove content, of which it keeps a backup. */
  destructive: boolean;
  /** Whether it reaches beyond the store and the user's files. */
  openWorld?: boolean | undefined;
  /** Whether repeating a call changes nothing more. */
  idempotent: boolean;
  /** Runs a checked request. Throws what commands throw. */
  run(request: object, host: Host): Promise<ToolOutcome>;
}

export function defineTool<Schema extends RequestSchema>(
  tool: Omit<Tool, "request" | "run"> & {
    request: Schema;
    run(request: InferOutput<Schema>, host: Host): Promise<ToolOutcome>;
  },
): Tool {
  return { ...tool, run: (request, host) => tool.run(request as InferOutput<Schema>, host) };
}
