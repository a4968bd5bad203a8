/**
 * The next step that an answer offers, as a call of a tool: a command line is of no use to a model that has no shell.
 *
 * @module
 */

import type { CallWriter, NamedCall } from "../terms/next_call.ts";

/** The tool that does what a command does, with the same arguments. */
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

/** What a call leaves open for the model to fill in. */
const OPEN: { readonly [Command in NamedCall["command"]]?: string } = { answer: "answer" };

/**
 * Writes calls of `tools`, such as `read_fd {"fd":"fd:1","start":2}`; none where no tool does what the command does.
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
    // A server has one store: a call in another one is none of its tools'.
    if ("words" in call || call.store !== undefined) return undefined;
    const tool = TOOL_OF[call.command];
    if (tool === undefined || !tools.has(tool)) return undefined;
    const written = JSON.stringify(call.args);
    const open = OPEN[call.command];
    return open === undefined ? `${tool} ${written}` : `${tool} ${written.slice(0, -1)},"${open}":…}`;
  };
}
