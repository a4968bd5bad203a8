/**
 * `edit`: makes exact replacements in a file, all or none (contract, Writing files).
 */

import { resolve } from "node:path";
import { parameterOf, shownValue, understandArguments } from "../calls/requests/lenient_arguments.ts";
import { membersIn } from "../calls/requests/json_object.ts";
import { understandJson } from "../calls/requests/lenient_json.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { namesFd } from "../calls/arguments/file_for_fd.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { overridden, requestFrom } from "../calls/arguments/field_options.ts";
import type { CommandCall, Host } from "../calls/terms/command.ts";
import { readStdinText } from "../calls/streams/read_stdin_bytes.ts";
import { EDIT_REQUEST, type EditRequest } from "../calls/requests/edit_request.ts";
import { type RequestFields, textOption } from "../calls/requests/request_fields.ts";
import { type ArgumentFault, failConflict, failUsage, failValue } from "../calls/requests/usage_failure.ts";
import { askedOutcome, asking, fileText, QUESTION_FIELDS } from "../writing/write_options.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import type { Place } from "../writing/commit/target_path.ts";

const LINE_FIELDS = {
  ...EDIT_REQUEST.fields,
  old_string: { ...EDIT_REQUEST.fields.old_string, kind: "texts" },
  new_string: { ...EDIT_REQUEST.fields.new_string, kind: "texts" },
  old_file: textOption("FILE", "read the text to replace from FILE"),
  content: {
    kind: "fd",
    option: {
      value: "FILE|-|FD",
      aliases: ["new-file"],
      help: "take the replacement from a file, stdin, or an fd",
    },
  },
  ...QUESTION_FIELDS,
} as const satisfies RequestFields;

export const command = defineOperation({
  ...EDIT_REQUEST,
  usage: "PATH (--old TEXT --new TEXT | <EDITS.json) [options]",
  line: LINE_FIELDS,
  example: 'fdtool edit src/a.js --old "x = 1" --new "x = 2"',
  notes: [
    'Several edits: repeat --old and --new, or give {"edits": [{"old_string": …, "new_string": …}, …]} on stdin.',
  ],
  exitCodes: {
    0: "the file was edited",
    1: "refused or failed; the file is unchanged",
    3: "input needed: fdtool asked a question",
  },
  reportsChange: true,
  requestOf: (call, host) => Promise.resolve(editRequestOf(call, host)),
  ...asking,
  async answer(request, host) {
    const { editFile } = await import("../writing/edit_file.ts");
    return askedOutcome(await editFile(request, writeContextOf(host, host.answers)));
  },
});

/** The edits of the options, or of the JSON on stdin. */
function editRequestOf(call: CommandCall, host: Host): EditRequest {
  const { command: name } = call;
  const { old_string: olds, new_string: news, old_file, content } = requestFrom(LINE_FIELDS, call);
  const given = { ...requestFrom(EDIT_REQUEST.fields, call), old_string: undefined, new_string: undefined };
  if (typeof olds === "object" || typeof news === "object") {
    return severalEdits(name, [olds ?? []].flat(), [news ?? []].flat(), call, given);
  }
  const isFd = content !== undefined && given.new_fd === undefined &&
    namesFd(openHostStore(host), content, host.cwd);
  const stated = isFd ? { ...given, new_fd: content } : given;
  const old_string = textOf(name, ["--old", "--old-file"], olds, old_file, host);
  const new_string = textOf(name, ["--new", "--content"], news, isFd ? undefined : content, host);
  const isStated = old_string !== undefined || new_string !== undefined || stated.new_fd !== undefined;
  return isStated ? { ...stated, old_string, new_string } : editsOnStdin(name, stated, host.cwd);
}

/** The edits of repeated `--old` and `--new`. */
function severalEdits(
  command: string,
  olds: readonly string[],
  news: readonly string[],
  { options }: CommandCall,
  { replace_all, ...given }: EditRequest,
): EditRequest {
  if (olds.length !== news.length) {
    failValue(command, "--new", `${news.length} of them`, `${olds.length}, one for each --old`);
  }
  const single = ["new-from", "old-file", "content"].find((option) => options[option] !== undefined);
  if (single !== undefined) {
    failConflict(command, "--old", `--${single}`, "with several edits, give each text with --old and --new");
  }
  const each = replace_all === undefined ? {} : { replace_all };
  return { ...given, edits: olds.map((old_string, at) => ({ old_string, new_string: news[at]!, ...each })) };
}

/** A text from an option or a file. */
function textOf(
  command: string,
  [textOption, fileOption]: readonly [string, string],
  text: string | undefined,
  file: string | undefined,
  place: Place,
): string | undefined {
  if (file === undefined) return text;
  if (text !== undefined) failConflict(command, textOption, fileOption, "one text");
  return file === "-" ? readStdinText("the replacement") : fileText(command, fileOption, file, place);
}

/**
 * Reads edits as JSON (contract, Writing files): one edit, `edits`, a bare list of edits, or a whole call of `edit_file`, whose
 * other fields must not contradict the command line.
 */
function editsOnStdin(
  command: string,
  { replace_all: replaceAll, ...stated }: EditRequest,
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
  const namesPath = Object.keys(given).some((written) =>
    parameterOf(EDIT_REQUEST.fields, written) === "path"
  );
  const understood = understandArguments(
    EDIT_REQUEST,
    namesPath ? { ...given } : { ...given, path: stated.path },
    (request) => contradictions(request, stated, replaceAll, cwd),
  );
  if ("faults" in understood) {
    return failUsage({ kind: "bad_arguments", tool: "edit_file", faults: understood.faults });
  }
  const request = overridden(understood.request, stated);
  if (request.edits === undefined) return overridden(request, { replace_all: replaceAll });
  return { ...request, edits: request.edits.map((edit) => overridden(edit, { replace_all: replaceAll })) };
}

/** Finds fields in which the JSON (`request`) contradicts the command line. A path may be written in several ways. */
function contradictions(
  request: Readonly<Record<string, unknown>>,
  { path, ...stated }: EditRequest,
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
    compare(`edits[${index}].replace_all`, membersIn(edit)["replace_all"], replaceAll);
  }
  return faults;
}
