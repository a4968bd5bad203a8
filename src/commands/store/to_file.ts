/**
 * `to-file`: an fd, or a slice of it, into a user's file.
 *
 * @module
 */

import { type Command, type CommandCall, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { UNREPORTED_EXIT } from "../../answering/reported_changes.ts";
import { dryRunOption } from "../../options/dry_run_option.ts";
import { optionTable } from "../../arguments/option_rows.ts";
import { toFile } from "../../reading/to_file.ts";
import { FILE_MODES, type ToFileRequest } from "../../requests/to_file_request.ts";
import { sliceRequestOf, sliceRows } from "../../options/slice_options.ts";

const RANGES = ["all", "lines", "pages", "chars"];

const OPTIONS = {
  mode: {
    kind: "text",
    value: "MODE",
    choices: FILE_MODES,
    help: "write (default): replace; append: add to the end; insert: add before --at-line",
  },
  create: { kind: "flag", help: "create a missing file (default; --no-create refuses)" },
  "exist-ok": { kind: "flag", help: "replace an existing file (default; --no-exist-ok refuses)" },
  "at-line": {
    kind: "integer",
    value: "N",
    help: "with --mode insert: insert before this line",
  },
  ...optionTable(sliceRows().filter(([name]) => RANGES.includes(name))),
  ...dryRunOption,
} as const satisfies CommandSpec["options"];

const spec: CommandSpec = {
  name: "to-file",
  aliases: ["fd-to-file", "fd_to_file"],
  summary: "write an fd, or a slice of it, to a file",
  usage: "FD PATH [options]",
  positionals: { least: 2, most: 2, names: ["fd", "file-path"] },
  options: OPTIONS,
  example: "fdtool to-file fd:12 out/build.log --lines 100-150",
  exitCodes: [[0, "the file was written"], [1, "refused or failed; the file is unchanged"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
};

/** The parsed call as a request. */
function toFileRequestOf(call: CommandCall): ToFileRequest {
  const { positionals } = call;
  const options = optionsOf(OPTIONS, call);
  const { mode: _, ...rest } = call.options;
  const named = sliceRequestOf(spec.name, rest);
  return {
    fd: positionals[0]!,
    file_path: positionals[1]!,
    mode: options["mode"],
    create: options["create"],
    exist_ok: options["exist-ok"],
    at_line: options["at-line"],
    dry_run: options["dry-run"],
    slice: named.mode === undefined
      ? undefined
      : { mode: named.mode, start: named.start ?? 1, count: named.count ?? 1 },
  };
}

export const command: Command = {
  spec,
  async run(call, host) {
    return { exitCode: 0, answer: await toFile(toFileRequestOf(call), host) };
  },
};
