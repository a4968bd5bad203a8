/**
 * `edit`: exact replacements in a file, all or none (contract, Writing files).
 *
 * @module
 */

import { resolve } from "node:path";
import { parameterOf, shownValue, understandArguments } from "../../requests/lenient_arguments.ts";
import { understandJson } from "../../requests/lenient_json.ts";
import {
  type Command,
  type CommandCall,
  type CommandSpec,
  type OptionsOf,
  optionsOf,
} from "../../terms/command.ts";
import { doneUntold } from "../../answering/done_untold.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import { readStdinText } from "../../streams/read_stdin_text.ts";
import { editFaults } from "../../requests/form_faults.ts";
import { EditRequest } from "../../requests/write_requests.ts";
import { type ArgumentFault, failUsage } from "../../requests/usage_failure.ts";
import { contextOf, eolOption, fileText, questionOptions, settle } from "../../options/write_options.ts";
import { editFile } from "../../writing/edit_file.ts";
import type { Place } from "../../writing/commit/inspect_target.ts";

const OPTIONS = {
  old: {
    kind: "text",
    value: "TEXT",
    aliases: ["old-string"],
    help: "the text to replace; must appear exactly once",
  },
  new: {
    kind: "text",
    value: "TEXT",
    aliases: ["new-string"],
    help: "the replacement, taken literally",
  },
  "old-file": { kind: "text", value: "FILE", help: "read the text to replace from FILE" },
  "new-file": { kind: "text", value: "FILE", help: "read the replacement from FILE" },
  "new-from": { kind: "text", value: "FD", aliases: ["new-fd"], help: "use fd FD as the replacement" },
  "replace-all": { kind: "flag", help: "replace every match" },
  yes: { kind: "flag", short: "y", help: "don't ask if more than half of the file changes" },
  ...questionOptions,
  ...eolOption,
  ...dryRunOption,
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "edit",
    aliases: ["edit_file"],
    summary: "replace exact text in a file; several edits apply all or none",
    usage: "PATH [options] [<EDITS.json]",
    positionals: { least: 1, most: 1, names: ["path"] },
    options: OPTIONS,
    example: 'fdtool edit src/a.js --old "x = 1" --new "x = 2"',
    exitCodes: [[0, "the file was edited"], [1, "refused or failed; the file is unchanged"], [
      2,
      "usage error",
    ], [
      3,
      "input needed: fdtool asked a question",
    ], doneUntold],
  },
  async run(call, host) {
    const context = contextOf(this.spec.name, call, host);
    const request = editRequestOf(this.spec.name, call, host);
    return await settle(await editFile(request, context), call, context);
  },
};

/** The edits that the options name, or the JSON on stdin. */
function editRequestOf(name: string, call: CommandCall, place: Place): EditRequest {
  const { positionals } = call;
  const options = optionsOf(OPTIONS, call);
  const common = {
    path: positionals[0]!,
    yes: options["yes"],
    eol: options["eol"],
    dry_run: options["dry-run"],
  };
  const oldText = textOf(name, "old", options, place);
  const newText = textOf(name, "new", options, place);
  const newFd = options["new-from"];
  if (newText !== undefined && newFd !== undefined) {
    failUsage({
      kind: "conflict",
      command: name,
      first: "--new",
      second: "--new-from",
      wanted: "choose one",
    });
  }
  if (oldText !== undefined || newText !== undefined || newFd !== undefined) {
    const replaceAll = options["replace-all"];
    return { ...common, old_string: oldText, new_string: newText, new_fd: newFd, replace_all: replaceAll };
  }
  return editsOnStdin(name, common, options["replace-all"], place.cwd);
}

/** A text as option, or in a file. */
function textOf(
  command: string,
  name: "old" | "new",
  options: OptionsOf<typeof OPTIONS>,
  place: Place,
): string | undefined {
  const text = options[name];
  const file = options[`${name}-file`];
  if (text !== undefined && file !== undefined) {
    failUsage({
      kind: "conflict",
      command,
      first: `--${name}`,
      second: `--${name}-file`,
      wanted: "one text",
    });
  }
  return file === undefined ? text : fileText(command, `--${name}-file`, file, place);
}

/** The options of the whole call, as request fields. */
type StatedOptions = Pick<EditRequest, "path" | "yes" | "eol" | "dry_run">;

/**
 * JSON (contract, Writing files): one edit, or `edits`; a bare list of edits is understood too. It may be a whole call of
 * `edit_file`: what it says besides is heeded, or refused where the command line says otherwise.
 */
function editsOnStdin(
  command: string,
  stated: StatedOptions,
  replaceAll: boolean | undefined,
  cwd: string,
): EditRequest {
  const { value } = understandJson(readStdinText("the edits"), "the edits");
  const given = Array.isArray(value) ? { edits: value } : value;
  const wanted = "{old_string, new_string} or {edits: […]}";
  if (typeof given !== "object" || given === null) {
    const faults = [{ field: "stdin", got: shownValue(value), wanted }];
    return failUsage({ kind: "bad_arguments", tool: "edit_file", faults });
  }
  if (Object.keys(given).length === 0) {
    const argument = `--old and --new, or JSON on stdin: ${wanted}`;
    return failUsage({ kind: "missing_argument", command, argument });
  }
  const namesPath = Object.keys(given).some((written) => parameterOf(EditRequest, written) === "path");
  const understood = understandArguments(
    EditRequest,
    namesPath ? { ...given } : { ...given, path: stated.path },
    (request) => [...editFaults(request), ...contradictions(request, stated, replaceAll, cwd)],
  );
  if ("faults" in understood) {
    return failUsage({ kind: "bad_arguments", tool: "edit_file", faults: understood.faults });
  }
  const { edits, ...request } = understood.request as EditRequest;
  const every = { replace_all: replaceAll };
  const common = { ...definedOf(request), ...definedOf(stated), path: stated.path };
  if (edits === undefined) return { ...common, ...definedOf(every) };
  return { ...common, edits: edits.map((edit) => ({ ...edit, ...definedOf(every) })) };
}

/** Finds a field in which the JSON (`request`) contradicts the command line. A file may be spelled in two ways. */
function contradictions(
  request: Readonly<Record<string, unknown>>,
  { path, ...stated }: StatedOptions,
  replaceAll: boolean | undefined,
  cwd: string,
): ArgumentFault[] {
  const faults: ArgumentFault[] = [];
  const compare = (field: string, said: unknown, wanted: unknown) => {
    if (said === undefined || wanted === undefined || said === wanted) return;
    const word = `${shownValue(wanted)}, as on the command line`;
    faults.push({ field, got: shownValue(said), wanted: word });
  };
  const said = request["path"];
  const isSame = typeof said === "string" && resolve(cwd, said) === resolve(cwd, path);
  if (!isSame) compare("path", said, path);
  for (const [field, wanted] of Object.entries(stated)) compare(field, request[field], wanted);
  compare("replace_all", request["replace_all"], replaceAll);
  const edits: readonly unknown[] = Array.isArray(request["edits"]) ? request["edits"] : [];
  for (const [index, edit] of edits.entries()) {
    const said = typeof edit === "object" && edit !== null && "replace_all" in edit
      ? edit.replace_all
      : undefined;
    compare(`edits[${index}].replace_all`, said, replaceAll);
  }
  return faults;
}

/** The fields that say something: spread over others, they leave what they do not know. */
function definedOf<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
