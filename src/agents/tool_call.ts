/** Writes an answer's next step as a tool call, for models without a shell. */

import { parameterText } from "../answering/next_command.ts";
import type { CallWriter, NamedCall } from "../terms/next_call.ts";

const TOOL_OF: { readonly [Command in NamedCall["command"]]?: string } = {
  read: "read_fd",
  search: "search_fd",
  diff: "diff_fds",
  ls: "list_fds",
  refs: "list_refs",
  "to-file": "fd_to_file",
  create: "create_file",
  undo: "undo_write",
  answer: "answer_inquiry",
};

/** Parameters that the model must fill in. */
const OPEN: { readonly [Command in NamedCall["command"]]?: string } = { answer: "answer" };

/**
 * Writes calls of `tools`, such as `read_fd {"fd":"fd:1","start":2}`. Returns undefined for a command without such a tool.
 *
 * ```ts
 * import { toolCallWriter } from "./tool_call.ts";
 * import { assertEquals } from "@std/assert";
 * const write = toolCallWriter(new Set(["read_fd", "list_fds"]));
 * assertEquals(write({ command: "read", args: { fd: "fd:1", start: 2 } }), 'read_fd {"fd":"fd:1","start":2}');
 * assertEquals(write({ command: "ls", args: { all: true } }), 'list_fds {"all":true}');
 * assertEquals(write({ command: "undo", args: { tx: "tx:1" } }), undefined);
 * ```
 */
export function toolCallWriter(tools: { has(name: string): boolean }): CallWriter {
  return (call) => {
    if ("parameter" in call) return parameterText(call);
    // A server has one store; its tools cannot reach another.
    if ("words" in call || call.store !== undefined) return undefined;
    const tool = TOOL_OF[call.command];
    if (tool === undefined || !tools.has(tool)) return undefined;
    const written = JSON.stringify(
      call.command === "answer" ? { inquiry_id: call.args.inquiry_id } : call.args,
    );
    const open = OPEN[call.command];
    return open === undefined ? `${tool} ${written}` : `${tool} ${written.slice(0, -1)},"${open}":…}`;
  };
}
