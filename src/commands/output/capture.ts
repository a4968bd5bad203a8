/**
 * `capture`: stdin is passed through when it is small and stored when it is not (contract, Capturing).
 *
 * @module
 */

import type { FdFailure } from "../../../fd/mod.ts";
import { storeStdin } from "../../capturing/store_stdin.ts";
import { captureOptions, type CaptureWishes, captureWishes } from "../../capturing/capture_options.ts";
import { type HeldOutput, holdOutput } from "../../capturing/held_output.ts";
import { passThrough } from "../../capturing/pass_through.ts";
import { takeShortStdin } from "../../capturing/take_short_stdin.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../../terms/command.ts";

/** Made for the call that needs it: what a table of options costs to make, only its own command pays. */
function captureSpec(): CommandSpec {
  return {
    name: "capture",
    aliases: ["capture-stdin"],
    summary: "pass small input through; store large input and print a preview and its handle",
    usage: "[options] < INPUT",
    positionals: { least: 0, most: 0 },
    options: captureOptions("page"),
    example: "make 2>&1 | fdtool capture",
    exitCodes: [
      [
        0,
        "input passed through or stored; also if storing failed and all input was passed through (see stderr)",
      ],
      [1, "stdin could not be read completely, or the name could not be bound"],
      [2, "usage error"],
    ],
  };
}

/** The command, with its description. */
export function captureCommand(): Command {
  return { spec: captureSpec(), run };
}

function run(call: CommandCall, host: Host): Outcome | Promise<Outcome> {
  const wishes = captureWishes("capture", call.options, "page");
  const held = holdOutput(wishes.thresholdChars);
  if (wishes.tee) return storeStdin({ held, unread: [] }, wishes, host);
  // Most input is small, and is passed through before the store is looked at.
  const unread = takeShortStdin(held, wishes.always ? held.isBegun : held.isOver);
  return unread === undefined ? takeOn(held, wishes, host) : passOnOrStore(held, unread, wishes, host);
}

function passOnOrStore(
  held: HeldOutput,
  unread: readonly FdFailure[],
  wishes: CaptureWishes,
  host: Host,
): Outcome | Promise<Outcome> {
  if (wishes.always || held.isOver()) return storeStdin({ held, unread }, wishes, host);
  const answer = passThrough(held.bytes(), "stdout");
  return unread.length === 0 ? { exitCode: 0, answer } : { exitCode: 1, answer, failures: unread };
}

/** The same after more of stdin. */
async function takeOn(held: HeldOutput, wishes: CaptureWishes, host: Host): Promise<Outcome> {
  const [{ takeStdin }, { startProgress }] = await Promise.all([
    import("../../capturing/take_stdin.ts"),
    import("../../capturing/progress_line.ts"),
  ]);
  const progress = startProgress(held.bytes());
  const unread = await takeStdin(held, held.isOver, progress);
  progress.erase();
  return await passOnOrStore(held, unread, wishes, host);
}
