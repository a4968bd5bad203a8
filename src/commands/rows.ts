/**
 * All operations: what help, suggestions and other modules know of each before it is loaded. A call loads its own operation
 * and no other.
 *
 * A small call runs only what is outside of {@link listOperations}: a runtime that has just started must first make each
 * object that it meets.
 */

import { operationNamed } from "../calls/arguments/option_spellings.ts";
import type { Command, Effect, Operation } from "../calls/terms/command.ts";
import { captureCommand } from "./capture.ts";
import { readCommand } from "./read.ts";

const CAPTURE: Operation = {
  name: "capture",
  aliases: ["capture-stdin"],
  effect: "stores",
  summary: "store large input and print a preview; pass small input through",
  group: "Capture output",
  load: () => Promise.resolve(captureCommand()),
};

const READ: Operation = {
  name: "read",
  aliases: ["read_fd"],
  effect: "reads",
  summary: "print a slice of an fd, or make it a new fd",
  group: "Read and search",
  load: () => Promise.resolve(readCommand()),
};

/** The commands that programs and harnesses call, and further words for parts of other commands. */
const PLUMBING = "For harnesses, scripts and shared stores";

/** A harness calls it after every command. */
const HOOK: Operation = {
  name: "hook",
  aliases: [],
  effect: "stores",
  summary: "store a harness's large shell output; answer with a preview to show instead",
  group: PLUMBING,
  isPlumbing: true,
  load: async () => (await import("./hook.ts")).command,
};

/** A harness calls it instead of bash. */
const SHELL: Operation = {
  name: "shell",
  aliases: [],
  effect: "stores",
  summary: "run a command as `bash -c` does, and store its large output",
  group: PLUMBING,
  isPlumbing: true,
  load: async () => (await import("./shell.ts")).command,
};

type Row = readonly [
  name: string,
  aliases: readonly string[],
  effect: Effect,
  summary: string,
  load: () => Promise<{ command: Command }>,
];

/** For fdtool's own use. */
const HIDDEN = "";

/** In the order in which help shows them. */
const groups = (): readonly (readonly [group: string, rows: readonly (Operation | Row)[]])[] => // deno-fmt-ignore
[
    ["Capture output", [
      CAPTURE,
      ["run", ["run-command"], "stores", "run a command, keep its exit code, and store large output", () => import("./run.ts")],
      ["again", [], "stores", "run the command of an fd again in its directory, and say what changed", async () => ({ command: (await import("./run.ts")).again })],
      ["wait", ["wait_fd"], "reads", "wait until a live fd ends, and print how it ended", () => import("./wait.ts")],
      ["stop", ["stop_fd"], "stores", "stop a background command", () => import("./stop.ts")],
    ]],
    ["Read and search", [
      READ,
      ["search", ["search_fd", "grep"], "reads", "find matching lines, with line numbers and context", () => import("./search.ts")],
      ["diff", ["diff_fds", "diff_fd"], "reads", "compare two fds or files, with the line numbers of both", () => import("./diff.ts")],
      ["to-file", ["fd_to_file"], "writes", "write an fd, or a slice of it, to a file", () => import("./to_file.ts")],
      ["query", ["query_fd", "jq"], "reads", "apply a jq filter to JSON or JSON lines", () => import("./query.ts")],
      ["ls", ["list", "list_fds"], "reads", "list the fds in the store, newest last", () => import("./ls.ts")],
      ["stat", ["stat_fd"], "reads", "show everything recorded about an fd", () => import("./stat.ts")],
      ["ui", ["web_ui"], "writes", "show the store to a person in a browser, on this machine only", () => import("./ui.ts")],
    ]],
    ["Manage the store", [
      ["ref", ["ref_extract", "extract_refs"], "stores", "names of fds: ref list, ref name FD NAME; ref extract stores the parts of a model's message", () => import("./ref.ts")],
      ["rm", ["remove", "remove_fd"], "stores", "remove fds; a record of each remains", () => import("./rm.ts")],
      ["gc", [], "stores", "remove fds beyond the age limit (FDTOOL_TTL) and the quota (FDTOOL_QUOTA)", () => import("./gc.ts")],
      ["stats", [], "reads", "what storing output saved, by day, project and command", () => import("./stats.ts")],
      ["verify", [], "stores", "check the store, and repair what can be repaired", () => import("./verify.ts")],
    ]],
    ["Edit files", [
      ["edit", ["edit_file"], "writes", "replace exact text in a file; several edits apply all or none", () => import("./edit.ts")],
      ["create", ["create_file", "write"], "writes", "create a file; fdtool asks for its content", () => import("./create.ts")],
      ["rewrite", ["rewrite_file"], "writes", "replace a whole file, with proof that the content is complete", () => import("./rewrite.ts")],
      ["plan", ["write_plan"], "writes", "check or apply a write plan; show or undo an applied one", () => import("./plan.ts")],
      ["inquiries", ["list_inquiries", "inquiry", "inquiries list", "inquiry list"], "reads", "list open questions of writes; inquiries answer, inquiries cancel", () => import("./inquiries.ts")],
      ["log", ["write_log"], "reads", "show the journal of writes, newest last", () => import("./log.ts")],
      ["undo", ["undo_write"], "writes", "undo a write: the latest in this directory, tx:N, or a file's latest", () => import("./undo.ts")],
    ]],
    ["Connect agents", [
      ["install", ["install-hook"], "writes", "configure a harness to store large shell output in fdtool, or to use fdtool's tools over MCP", () => import("./install.ts")],
      ["uninstall", ["uninstall-hook", "install remove"], "writes", "remove fdtool from the harness's configuration", () => import("./uninstall.ts")],
      ["doctor", ["check-setup"], "reads", "check the store, its limits and rights, and what is installed in harnesses", () => import("./doctor.ts")],
    ]],
    [PLUMBING, [
      ["path", ["fd_path"], "reads", "print the path of an fd's content file, for other tools", () => import("./path.ts")],
      ["name", ["name_fd", "ref name"], "stores", "bind a name to an fd", () => import("./name.ts")],
      ["refs", ["list_refs", "ref list"], "reads", "list names and the fds they are bound to", () => import("./refs.ts")],
      ["count", ["count_lines"], "reads", "print the line count that rewrite expects, with bytes and sha-256", () => import("./count.ts")],
      ["answer", ["answer_inquiry", "inquiries answer", "inquiry answer"], "writes", "answer a question that a write asked", () => import("./answer.ts")],
      ["cancel", ["cancel_inquiry", "inquiries cancel", "inquiry cancel"], "writes", "close a question without an answer", () => import("./cancel.ts")],
      ["recover", [], "writes", "finish or roll back interrupted writes", () => import("./recover.ts")],
      ["store", [], "serves", "connect this host to a shared store, check one, or show its fds and those not shared yet", () => import("./store.ts")],
      ["sync", ["store sync"], "serves", "share the fds of this host that are not shared yet", () => import("./sync.ts")],
      SHELL,
      ["export", ["export-fds"], "writes", "write fds to one verified archive (tar), for another store", () => import("./export.ts")],
      ["import", ["import-fds"], "stores", "add the fds of an archive, under new ids", () => import("./import.ts")],
      ["fork", ["fork-store"], "stores", "run a command with its own copy of the store", () => import("./fork.ts")],
      ["spawn", ["spawn-store"], "stores", "run a command with its own store, holding only the fds and files given", () => import("./spawn.ts")],
      ["tools", ["tool_definitions"], "reads", "print tool definitions for a provider", () => import("./tools.ts")],
      ["call", ["call_tool"], "writes", "run a tool with JSON arguments from stdin", () => import("./call.ts")],
      ["prompt", ["instructions"], "reads", "print instructions for a system prompt", () => import("./prompt.ts")],
      ["mcp", ["mcp_server"], "writes", "run a Model Context Protocol server on stdio", () => import("./mcp.ts")],
      ["serve-jp", [], "writes", "answer one call in jp's protocol for local tools", () => import("./serve_jp.ts")],
      ["version", [], "reads", "print the version of fdtool", () => import("./version.ts")],
      HOOK,
    ]],
    [HIDDEN, [
      ["evaluate", [], "stores", "evaluate a filter (started by query)", () => import("./evaluate.ts")],
      ["upload", [], "serves", "share fds that are not shared yet (started by other commands)", () => import("./upload.ts")],
      ["supervise", [], "stores", "stay behind a background command (started by run --background)", () => import("./supervise.ts")],
    ]],
    ["Help", [
      ["completion", [], "reads", "print a shell's completion script", () => import("./completion.ts")],
      ["help", [], "reads", "show help for fdtool or one of its commands", () => import("./help.ts")],
    ]],
  ];

let operations: readonly Operation[] | undefined;

/** All operations, in the order in which help shows them. */
export function listOperations(): readonly Operation[] {
  if (operations !== undefined) return operations;
  const all: Operation[] = [];
  for (const [group, rows] of groups()) {
    const [hidden, isPlumbing] = [group === HIDDEN || undefined, group === PLUMBING || undefined];
    for (const row of rows) {
      if ("load" in row) {
        all.push(row);
        continue;
      }
      const [name, aliases, effect, summary, loadFile] = row;
      const load = async () => (await loadFile()).command;
      all.push({ name, aliases, effect, summary, group, hidden, isPlumbing, load });
    }
  }
  return operations = all;
}

/** The operation of that name or alias, or with an alias of both words: `ref list`, `store sync`. */
export function findOperation(written: string, next?: string): Operation | undefined {
  // Those that come with the program have no alias of two words.
  if (written === READ.name) return READ;
  if (written === CAPTURE.name) return CAPTURE;
  if (written === HOOK.name) return HOOK;
  if (written === SHELL.name) return SHELL;
  const operations = listOperations();
  const both = `${written} ${next}`;
  for (const operation of operations) if (operation.aliases.includes(both)) return operation;
  return operationNamed(operations, written);
}
