/**
 * A tool: one function of fdtool as agents call it. `call`, MCP and jp run the same function on requests checked by the
 * same schema, from which all providers' definitions are made.
 */

import type { InferOutput } from "valibot";
import type { FramedAnswer } from "../terms/answers.ts";
import type { Host, Operation, Outcome } from "../terms/command.ts";
import { type FieldRule } from "../requests/field_rules.ts";
import { type FormFaults, formFaultsBy } from "../requests/lenient_arguments.ts";
import type { RequestFields } from "../requests/request_fields.ts";
import { type RequestSchema, schemaOf } from "../requests/request_schema.ts";

/** The answers of tools besides `fd_error`; `terms/answers.ts` has their fields. */
export type ToolAnswer = FramedAnswer["type"];

/** The parts that a system prompt explains, and by which `--only` chooses tools. */
export const PARTS = ["fds", "refs", "inquiries", "writing"] as const;
export type Part = typeof PARTS[number];

export interface BriefTool {
  description: string;
  parameters: Readonly<Record<string, string>>;
}

export interface Tool {
  name: string;
  title: string;
  part: Part;
  /** For models: what it does and costs, and one example. */
  description: string;
  /** For lists that every session pays for: shorter, with the most used parameters. Others are accepted too. */
  brief?: BriefTool | undefined;
  /** The command that does the same. */
  command?: string | undefined;
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
  run(request: object, host: Host): Promise<Outcome>;
}

export function defineTool<Schema extends RequestSchema>(
  tool: Omit<Tool, "request" | "run"> & {
    request: Schema;
    run(request: InferOutput<Schema>, host: Host): Promise<Outcome>;
  },
): Tool {
  return { ...tool, run: (request, host) => tool.run(request as InferOutput<Schema>, host) };
}

/** A tool that is an operation. It may replace or remove content if the operation writes to files. */
export interface ToolRecord extends
  Pick<
    Tool,
    "name" | "title" | "part" | "description" | "brief" | "answers" | "required" | "checksItself"
  > {
  command: string;
  fields: RequestFields;
  rules?: readonly FieldRule[] | undefined;
  isIdempotent?: true | undefined;
}

export function toolOf(
  { fields, rules = [], isIdempotent, ...record }: ToolRecord,
  operations: readonly Operation[],
): Tool {
  const operation = operations.find(({ name }) => name === record.command)!;
  const readOnly = operation.effect === "reads";
  return {
    ...record,
    request: schemaOf(fields),
    formFaults: formFaultsBy(fields, rules, record.required),
    readOnly,
    destructive: !readOnly,
    idempotent: isIdempotent === true,
    async run(request, host) {
      const { answer } = await operation.load();
      if (answer === undefined) throw new Error(`${operation.name} answers no requests`);
      return await answer(request, host);
    },
  };
}
