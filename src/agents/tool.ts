/**
 * A tool: one function of fdtool as agents call it. Every door (the command line's `call`, MCP, jp) runs the
 * same function on a request that the same schema has checked, and every provider's definition is made from it.
 *
 * @module
 */

import type { InferOutput } from "valibot";
import type { FramedAnswer } from "../terms/answers.ts";
import type { Host, Outcome } from "../terms/command.ts";
import type { FormFaults } from "../requests/form_faults.ts";
import type { RequestSchema } from "../requests/request_schema.ts";

/** The outcome of a tool's call, with notes on arguments that only the tool could interpret. */
export interface ToolOutcome extends Outcome {
  notes?: readonly string[] | undefined;
}

/** The answers that tools can give, besides `fd_error`: each has a schema in `answer_schemas.ts`. */
export type ToolAnswer = FramedAnswer["type"];

/** The parts of fdtool that a system prompt explains, and by which tools are chosen (`--only`). */
export const PARTS = ["fds", "refs", "inquiries", "writing"] as const;
export type Part = typeof PARTS[number];

/** A tool, as the doors see it. */
export interface Tool {
  /** The name of the tool (contract, Agents). */
  name: string;
  title: string;
  part: Part;
  /** For models: what it does, what it costs, one example. */
  description: string;
  request: RequestSchema;
  /** Finds faults that the schema cannot express. */
  formFaults?: FormFaults | undefined;
  /** Parameters that definitions list as required although the schema doesn't: the tool itself reports a missing one. */
  required?: readonly string[] | undefined;
  /** Types of the answers that it can give, besides `fd_error`. */
  answers: readonly ToolAnswer[];
  /** Whether its function checks the unparsed request itself and reports all faults. */
  checksItself?: boolean | undefined;
  /** Whether it changes nothing but the store. */
  readOnly: boolean;
  /** Whether it may replace or remove existing content (after keeping a backup). */
  destructive: boolean;
  /** Whether it reaches beyond the store and the user's files. */
  openWorld?: boolean | undefined;
  /** Whether a second call with the same arguments changes nothing more. */
  idempotent: boolean;
  /** Runs a checked request. Failures are thrown, as commands throw them. */
  run(request: object, host: Host): Promise<ToolOutcome>;
}

/** A tool whose function takes what its own schema gives. */
export function defineTool<Schema extends RequestSchema>(
  tool: Omit<Tool, "request" | "run"> & {
    request: Schema;
    run(request: InferOutput<Schema>, host: Host): Promise<ToolOutcome>;
  },
): Tool {
  return { ...tool, run: (request, host) => tool.run(request as InferOutput<Schema>, host) };
}
