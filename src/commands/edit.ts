/**
 * `edit`: exact replacements in a file, all or none (SPEC section 6).
 *
 * @module
 */

import { understandArguments } from "../agents/lenient_arguments.ts";
import { understandJson } from "../agents/lenient_json.ts";
import type { Command, CommandCall } from "../command.ts";
import { dryRunOption } from "../dry_run_option.ts";
import { readStdinText } from "../read_stdin_text.ts";
import { EditRequest } from "../requests/write_requests.ts";
import { failUsage } from "../usage_failure.ts";
import { contextOf, eolOption, fileText, questionOptions, settle } from "../write_options.ts";
import { editFile } from "../writing/edit_file.ts";

export const command: Command = {
  spec: {
    name: "edit",
    aliases: ["edit_file"],
    summary: "replace exact text in a file; several edits are all or none",
    usage: "PATH [options] [<EDITS.json]",
    positionals: { least: 1, most: 1, names: ["path"] },
    options: {
      old: {
        kind: "text",
        value: "TEXT",
        aliases: ["old-string"],
        help: "the text to replace; must stand there once",
      },
      new: {
        kind: "text",
        value: "TEXT",
        aliases: ["new-string"],
        help: "the text in its place, taken literally",
      },
      "old-file": { kind: "text", value: "FILE", help: "the text to replace is in FILE" },
      "new-file": { kind: "text", value: "FILE", help: "the text in its place is in FILE" },
      "new-from": { kind: "text", value: "FD", aliases: ["new-fd"], help: "the text in its place is fd FD" },
      "replace-all": { kind: "flag", help: "replace every match" },
      yes: { kind: "flag", short: "y", help: "go ahead where more than half of the file changes" },
      ...questionOptions,
      ...eolOption,
      ...dryRunOption,
    },
    example: 'fdtool edit src/a.js --old "x = 1" --new "x = 2"',
    exitCodes: [[0, "the file was edited"], [1, "refused or failed; the file is as it was"], [
      2,
      "wrong call",
    ], [
      3,
      "input needed: a question was asked",
    ]],
  },
  async run(call, host) {
    const context = contextOf(this.spec.name, call, host);
    const request = editRequestOf(this.spec.name, call, host.cwd);
    return await settle(await editFile(request, context), call, context);
  },
};

/** The edits that the options name, or the JSON on stdin. */
function editRequestOf(name: string, { positionals, options }: CommandCall, cwd: string): EditRequest {
  const common = {
    path: positionals[0]!,
    yes: options["yes"] as boolean | undefined,
    eol: options["eol"] as EditRequest["eol"],
    dry_run: options["dry-run"] as boolean | undefined,
  };
  const oldText = textOf(name, "old", options, cwd);
  const newText = textOf(name, "new", options, cwd);
  const newFd = options["new-from"] as string | undefined;
  if (newText !== undefined && newFd !== undefined) {
    failUsage({
      kind: "conflict",
      command: name,
      first: "--new",
      second: "--new-from",
      wanted: "one new text",
    });
  }
  if (oldText !== undefined || newText !== undefined || newFd !== undefined) {
    const replaceAll = options["replace-all"] as boolean | undefined;
    return { ...common, old_string: oldText, new_string: newText, new_fd: newFd, replace_all: replaceAll };
  }
  return { ...common, ...editsOnStdin(name, common.path) };
}

/** A text as option, or in a file. */
function textOf(
  command: string,
  name: "old" | "new",
  options: CommandCall["options"],
  cwd: string,
): string | undefined {
  const text = options[name] as string | undefined;
  const file = options[`${name}-file`] as string | undefined;
  if (text !== undefined && file !== undefined) {
    failUsage({
      kind: "conflict",
      command,
      first: `--${name}`,
      second: `--${name}-file`,
      wanted: "one text",
    });
  }
  return file === undefined ? text : fileText(command, `--${name}-file`, file, cwd);
}

/** JSON as SPEC section 6 has it: one edit, or `edits`; a bare list of edits is understood too. */
function editsOnStdin(command: string, path: string): Partial<EditRequest> {
  const { value } = understandJson(readStdinText("the edits"), "the edits");
  const given = Array.isArray(value) ? { edits: value } : value;
  if (typeof given !== "object" || given === null || Object.keys(given).length === 0) {
    const wanted = "--old and --new, or JSON on stdin: {old_string, new_string} or {edits: […]}";
    return failUsage({ kind: "missing_argument", command, argument: wanted });
  }
  const understood = understandArguments(EditRequest, { path, ...given });
  if ("faults" in understood) {
    return failUsage({ kind: "bad_arguments", tool: "edit_file", faults: understood.faults });
  }
  const { old_string, new_string, new_fd, replace_all, edits } = understood.request as EditRequest;
  return edits === undefined ? { old_string, new_string, new_fd, replace_all } : { edits };
}
