/**
 * `capture`: stdin or a file is passed through when it is small and stored when it is not (contract, Capturing).
 */

import { atEnd, closeReader, readSome } from "../../fd/system.ts";
import {
  type CaptureOptions,
  captureOptionSpecs,
  parseCaptureOptions,
} from "../capturing/capture_options.ts";
import { captureStdin } from "../capturing/capture_stdin.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../calls/terms/command.ts";

/** The command. Its options are made for a call that has words: a table costs to make. */
export function captureCommand(): Command {
  let options: CommandSpec["options"] | undefined;
  const spec: CommandSpec = {
    usage: "[options] [FILE]",
    positionals: { least: 0, most: 1, names: ["file"] },
    get options() {
      return options ??= captureOptionSpecs();
    },
    example: "make 2>&1 | fdtool capture",
    failsOpen: true,
    exitCodes: {
      0: "input passed through or stored; also if storing failed and all input was passed through (see stderr)",
      1: "the input could not be read completely, or the name could not be bound",
    },
  };
  return { spec, run };
}

function run(call: CommandCall, host: Host): Promise<Outcome> {
  const options = parseCaptureOptions("capture", call.options);
  const path = call.positionals[0];
  return path === undefined || path === "-" ? captureStdin(options, host) : capturePath(path, options, host);
}

async function capturePath(path: string, options: CaptureOptions, host: Host): Promise<Outcome> {
  const { openInRoot } = await import("../writing/commit/target_path.ts");
  const file = openInRoot(path, host);
  using _file = atEnd(() => closeReader(file));
  const read = (into: Uint8Array) => readSome(file, into, into.length, path);
  const source = options.source ?? path;
  // A file never keeps a read waiting.
  return await captureStdin({ ...options, source }, host, { read, readNow: read });
}
