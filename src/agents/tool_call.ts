/** Writes an answer's next step as a tool call, for models without a shell. */

import { parameterText } from "../answering/next_command.ts";
import type { Tool } from "./tool.ts";
import type { CallWriter, NamedCall } from "../terms/next_call.ts";

/** A tool, and the command that does the same. */
type Callable = Pick<Tool, "name" | "command">;

/** Parameters that the model must fill in. */
const OPEN: { readonly [Command in NamedCall["command"]]?: string } = { answer: "answer" };

/**
 * Writes calls of `tools`, such as `read_fd {"fd":"fd:1","start":2}`. Returns undefined for a command without such a tool.
 *
 * ```ts
 * import { toolCallWriter } from "./tool_call.ts";
 * import { assertEquals } from "@std/assert";
 * const write = toolCallWriter([{ name: "read_fd", command: "read" }, { name: "list_fds", command: "ls" }]);
 * assertEquals(write({ command: "read", args: { fd: "fd:1", start: 2 } }), 'read_fd {"fd":"fd:1","start":2}');
 * assertEquals(write({ command: "ls", args: { all: true } }), 'list_fds {"all":true}');
 * assertEquals(write({ command: "undo", args: { tx: "tx:1" } }), undefined);
 * ```
 */
export function toolCallWriter(tools: readonly Callable[]): CallWriter {
  const toolOf = new Map(tools.map(({ command, name }) => [command, name]));
  return (call) => {
    if ("parameter" in call) return parameterText(call);
    // A server has one store; its tools cannot reach another.
    if ("words" in call || call.store !== undefined) return undefined;
    const tool = toolOf.get(call.command);
    if (tool === undefined) return undefined;
    const written = JSON.stringify(
      call.command === "answer" ? { inquiry_id: call.args.inquiry_id } : call.args,
    );
    const open = OPEN[call.command];
    return open === undefined ? `${tool} ${written}` : `${tool} ${written.slice(0, -1)},"${open}":…}`;
  };
}
