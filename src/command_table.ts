/**
 * All commands: what help and suggestions show of each, and how it is loaded. `capture` and `read` are always there; a
 * call loads its own command beside them and no other.
 *
 * What a small call runs through is written with loops where `find`, `map` and the like would do: a runtime that has just
 * started must first make each of those that it meets.
 *
 * @module
 */

import type { CommandEntry } from "./command.ts";
import { command as capture } from "./commands/capture.ts";
import { command as read } from "./commands/read.ts";
import { dashed } from "./option_spellings.ts";

/** In the order in which help shows them; commands of one group stand together. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "capture",
    aliases: ["capture-stdin"],
    summary: "pass small input through; store large input and print a preview",
    group: "Capture",
    load: () => capture,
  },
  {
    name: "run",
    aliases: ["run-command"],
    summary: "the same for a command's output, keeping its exit code",
    group: "Capture",
    load: async () => (await import("./commands/run.ts")).command,
  },
  {
    name: "wait",
    aliases: ["wait-fd"],
    summary: "wait until a live fd has ended, and tell how",
    group: "Capture",
    load: async () => (await import("./commands/wait.ts")).command,
  },
  {
    name: "stop",
    aliases: ["stop-fd"],
    summary: "end a background command",
    group: "Capture",
    load: async () => (await import("./commands/stop.ts")).command,
  },
  {
    name: "read",
    aliases: ["read-fd"],
    summary: "print a slice of an fd, or make it a new fd",
    group: "Look",
    load: () => read,
  },
  {
    name: "search",
    aliases: ["search-fd", "grep"],
    summary: "matching lines with numbers and context",
    group: "Look",
    load: async () => (await import("./commands/search.ts")).command,
  },
  {
    name: "diff",
    aliases: ["diff-fds", "diff-fd"],
    summary: "what changed between two fds, with the line numbers of both",
    group: "Look",
    load: async () => (await import("./commands/diff.ts")).command,
  },
  {
    name: "to-file",
    aliases: ["fd-to-file"],
    summary: "export an fd or a slice of it to a file",
    group: "Look",
    noticesInterrupted: true,
    load: async () => (await import("./commands/to_file.ts")).command,
  },
  {
    name: "ls",
    aliases: ["list", "list-fds"],
    summary: "what the store holds, newest last",
    group: "Look",
    noticesInterrupted: true,
    load: async () => (await import("./commands/ls.ts")).command,
  },
  {
    name: "stat",
    aliases: ["stat-fd"],
    summary: "all that is known of one fd",
    group: "Look",
    load: async () => (await import("./commands/stat.ts")).command,
  },
  {
    name: "path",
    aliases: ["fd-path"],
    summary: "the path of an fd's content file, for other tools",
    group: "Look",
    load: async () => (await import("./commands/path.ts")).command,
  },
  {
    name: "name",
    aliases: ["name-fd"],
    summary: "bind a name to an fd",
    group: "Keep",
    load: async () => (await import("./commands/name.ts")).command,
  },
  {
    name: "refs",
    aliases: ["list-refs"],
    summary: "the bound names",
    group: "Keep",
    load: async () => (await import("./commands/refs.ts")).command,
  },
  {
    name: "ref",
    aliases: ["ref-extract", "extract-refs"],
    summary: "store the <ref> parts of a model's message, and hand it on",
    group: "Keep",
    load: async () => (await import("./commands/ref.ts")).command,
  },
  {
    name: "rm",
    aliases: ["remove", "remove-fd"],
    summary: "remove fds, leaving a tombstone",
    group: "Keep",
    load: async () => (await import("./commands/rm.ts")).command,
  },
  {
    name: "gc",
    aliases: [],
    summary: "remove what is over the age and the quota",
    group: "Keep",
    load: async () => (await import("./commands/gc.ts")).command,
  },
  {
    name: "verify",
    aliases: [],
    summary: "check everything in the store, and repair what can be",
    group: "Keep",
    noticesInterrupted: true,
    load: async () => (await import("./commands/verify.ts")).command,
  },
  {
    name: "export",
    aliases: ["export-fds"],
    summary: "fds as one verified archive, for another store",
    group: "Keep",
    noticesInterrupted: true,
    load: async () => (await import("./commands/export.ts")).command,
  },
  {
    name: "import",
    aliases: ["import-fds"],
    summary: "take in an archive, under new ids",
    group: "Keep",
    load: async () => (await import("./commands/import.ts")).command,
  },
  {
    name: "edit",
    aliases: ["edit-file"],
    summary: "replace exact text in a file; several edits are all or none",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/edit.ts")).command,
  },
  {
    name: "create",
    aliases: ["create-file"],
    summary: "create a file; the content is asked for",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/create.ts")).command,
  },
  {
    name: "rewrite",
    aliases: ["rewrite-file"],
    summary: "replace a whole file, with proof that the content is complete",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/rewrite.ts")).command,
  },
  {
    name: "count",
    aliases: ["count-lines"],
    summary: "the line count that rewrite expects, with bytes and sha-256",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/count.ts")).command,
  },
  {
    name: "plan",
    aliases: ["write-plan"],
    summary: "check or apply a write plan; show or undo an applied one",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/plan.ts")).command,
  },
  {
    name: "answer",
    aliases: ["answer-inquiry"],
    summary: "answer a question that a write asked",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/answer.ts")).command,
  },
  {
    name: "inquiries",
    aliases: ["list-inquiries"],
    summary: "the questions that wait for an answer",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/inquiries.ts")).command,
  },
  {
    name: "cancel",
    aliases: ["cancel-inquiry"],
    summary: "close a question without an answer",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/cancel.ts")).command,
  },
  {
    name: "log",
    aliases: ["write-log"],
    summary: "the journal of writes, newest last",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/log.ts")).command,
  },
  {
    name: "undo",
    aliases: ["undo-write"],
    summary: "take a write back: the newest, one step, or the newest of a file",
    group: "Write",
    noticesInterrupted: true,
    load: async () => (await import("./commands/undo.ts")).command,
  },
  {
    name: "recover",
    aliases: [],
    summary: "finish or roll back writes that a kill interrupted",
    group: "Write",
    load: async () => (await import("./commands/recover.ts")).command,
  },
  {
    name: "fork",
    aliases: ["fork-store"],
    summary: "run a command with a store of its own that starts with all fds",
    group: "Agents",
    load: async () => (await import("./commands/fork.ts")).command,
  },
  {
    name: "spawn",
    aliases: ["spawn-store"],
    summary: "run a command with a store of its own that holds only what it is given",
    group: "Agents",
    load: async () => (await import("./commands/spawn.ts")).command,
  },
  {
    name: "tools",
    aliases: ["tool-definitions"],
    summary: "tool definitions for a provider",
    group: "Agents",
    load: async () => (await import("./commands/tools.ts")).command,
  },
  {
    name: "call",
    aliases: ["call-tool"],
    summary: "run a tool with JSON arguments from stdin",
    group: "Agents",
    load: async () => (await import("./commands/call.ts")).command,
  },
  {
    name: "prompt",
    aliases: ["instructions"],
    summary: "instructions for a system prompt",
    group: "Agents",
    load: async () => (await import("./commands/prompt.ts")).command,
  },
  {
    name: "mcp",
    aliases: ["mcp-server"],
    summary: "a Model Context Protocol server on stdio",
    group: "Agents",
    load: async () => (await import("./commands/mcp.ts")).command,
  },
  {
    name: "serve-jp",
    aliases: [],
    summary: "jp's protocol for local tools",
    group: "Agents",
    load: async () => (await import("./commands/serve_jp.ts")).command,
  },
  {
    name: "install",
    aliases: ["install-hook"],
    summary: "wire a harness: its shell output through fdtool, or fdtool's tools over MCP",
    group: "Agents",
    noticesInterrupted: true,
    load: async () => (await import("./commands/install.ts")).command,
  },
  {
    name: "uninstall",
    aliases: ["uninstall-hook"],
    summary: "take that out of the harness's configuration again",
    group: "Agents",
    noticesInterrupted: true,
    load: async () => (await import("./commands/uninstall.ts")).command,
  },
  {
    name: "hook",
    aliases: [],
    summary: "rewrite a harness's shell command so that its output goes through fdtool",
    group: "Agents",
    load: async () => (await import("./commands/hook.ts")).command,
  },
  {
    name: "supervise",
    aliases: [],
    summary: "stay behind a background command",
    group: "Help",
    hidden: true,
    load: async () => (await import("./commands/supervise.ts")).command,
  },
  {
    name: "completion",
    aliases: [],
    summary: "a shell's completion script",
    group: "Help",
    load: async () =>
      (await import("./commands/completion.ts")).completionCommand(COMMANDS, findCommandEntry),
  },
  {
    name: "help",
    aliases: [],
    summary: "help for fdtool or one of its commands",
    group: "Help",
    load: async () => (await import("./commands/help.ts")).helpCommand(COMMANDS, findCommandEntry),
  },
];

/** The command of that name or alias; underscores and capitals (`read_fd`, `readFd`) stand for dashes. */
export function findCommandEntry(written: string): CommandEntry | undefined {
  const name = dashed(written);
  for (const entry of COMMANDS) {
    if (entry.name === name || entry.aliases.includes(name)) return entry;
  }
  return undefined;
}
