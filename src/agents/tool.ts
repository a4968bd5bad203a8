/**
 * What a tool is: one function of fdtool as agents call it. Every door (the command line's `call`, MCP, jp) runs the
 * same function on a request that the same schema has checked, and every provider's definition is made from it.
 *
 * @module
 */

import type { InferOutput } from "valibot";
import type { FramedAnswer } from "../terms/answers.ts";
import type { Host, Outcome } from "../terms/command.ts";
import type { FormFaults } from "../requests/form_faults.ts";
import type { RequestSchema } from "../requests/request_schema.ts";

/** What came of a tool's call, and how its arguments were read where only the tool could know. */
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
  /** What is wrong with a request that its schema cannot say. */
  formFaults?: FormFaults | undefined;
  /** Parameters that definitions call required though the schema does not: that one is missing, the tool tells itself. */
  required?: readonly string[] | undefined;
  /** Types of the answers that it can give, besides `fd_error`. */
  answers: readonly ToolAnswer[];
  /** Whether its function tells all faults of its request itself, those of its form too: it gets what came. */
  checksItself?: boolean | undefined;
  /** Whether it changes nothing but the store. */
  readOnly: boolean;
  /** Whether it may replace or remove what is there (after keeping a backup). */
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
