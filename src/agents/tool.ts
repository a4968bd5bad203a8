/**
 * A tool: one function of fdtool as agents call it. `call`, MCP and jp run the same function on requests checked by the
 * same fields, from which all providers' definitions are made.
 */

import { visibleJson } from "../calls/terms/control_chars.ts";
import type { FramedAnswer } from "../calls/terms/answers.ts";
import type { Host, Operation, Outcome } from "../calls/terms/command.ts";
import { parameterText } from "../answers/parts/next_command.ts";
import type { CallWriter } from "../calls/terms/next_call.ts";
import type { FieldRule } from "../calls/requests/field_rules.ts";
import type { RequestFields, RequestForm, RequestOf } from "../calls/requests/request_fields.ts";

/** The answers of tools besides `fd_error`; `terms/answers.ts` has their fields. */
export type ToolAnswer = FramedAnswer["type"];

/** The parts that a system prompt explains, and by which `--only` chooses tools. */
export const PARTS = ["fds", "refs", "inquiries", "writing"] as const;
export type Part = typeof PARTS[number];

export interface Tool extends RequestForm {
  name: string;
  title: string;
  part: Part;
  /** For models: what it does and costs, and one example. */
  description: string;
  /** For lists that every session pays for: with the most used parameters, and shorter. Others are accepted too. */
  brief?: { description?: string; parameters: readonly string[] } | undefined;
  /** The command that does the same, and its arguments as this tool's, if they differ. */
  command?: string | undefined;
  argumentsOf?: ((args: object) => object) | undefined;
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

export function defineTool<const Fields extends RequestFields>(
  tool: Omit<Tool, "fields" | "rules" | "run"> & {
    fields: Fields;
    rules?: readonly FieldRule<keyof Fields & string>[];
    run(request: RequestOf<Fields>, host: Host): Promise<Outcome>;
  },
): Tool {
  return { ...tool, run: (request, host) => tool.run(request as RequestOf<Fields>, host) };
}

/** A tool that is an operation. It may replace or remove content if the operation writes to files. */
export interface ToolRecord
  extends Omit<Tool, "command" | "readOnly" | "destructive" | "idempotent" | "run"> {
  command: string;
  isIdempotent?: true | undefined;
}

export function toolOf({ isIdempotent, ...record }: ToolRecord, operations: readonly Operation[]): Tool {
  const operation = operations.find(({ name }) => name === record.command)!;
  const readOnly = operation.effect === "reads";
  return {
    ...record,
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

type Callable = Pick<Tool, "name" | "command" | "argumentsOf">;

/**
 * Writes calls of `tools`, such as `read_fd {"fd":"fd:1","start":2}`. Returns undefined for a command without such a tool.
 *
 * ```ts
 * import { toolCallWriter } from "./tool.ts";
 * import { assertEquals } from "@std/assert";
 * const write = toolCallWriter([{ name: "read_fd", command: "read" }, { name: "list_fds", command: "ls" }]);
 * assertEquals(write({ command: "read", args: { fd: "fd:1", start: 2 } }), 'read_fd {"fd":"fd:1","start":2}');
 * assertEquals(write({ command: "ls", args: { all: true } }), 'list_fds {"all":true}');
 * assertEquals(write({ command: "undo", args: { tx: "tx:1" } }), undefined);
 * ```
 */
export function toolCallWriter(tools: readonly Callable[]): CallWriter {
  const toolOf = new Map(tools.map((tool) => [tool.command, tool]));
  return (call) => {
    if ("parameter" in call) return parameterText(call);
    // A server has one store; its tools cannot reach another.
    if ("words" in call || call.store !== undefined) return undefined;
    const tool = toolOf.get(call.command);
    if (tool === undefined) return undefined;
    const { name, argumentsOf = (args: object) => args } = tool;
    if (call.command !== "answer") return `${name} ${visibleJson(argumentsOf(call.args))}`;
    // The model must fill in the answer.
    const { inquiry_id, content, overwrite } = call.args;
    const isStored = content !== undefined && content !== "-";
    const answer = isStored ? JSON.stringify({ overwrite, content_fd: content }) : "…";
    return `${name} ${JSON.stringify({ inquiry_id }).slice(0, -1)},"answer":${answer}}`;
  };
}
