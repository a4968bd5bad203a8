/**
 * `capture`: stdin is passed through when it is small and stored when it is not (SPEC section 4).
 *
 * @module
 */

import { storeStdin } from "../capturing/store_stdin.ts";
import { captureOptions, captureWishes } from "../capturing/capture_options.ts";
import { holdOutput } from "../capturing/held_output.ts";
import { passThrough } from "../capturing/pass_through.ts";
import { startProgress } from "../capturing/progress_line.ts";
import { takeStdin } from "../capturing/take_stdin.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../command.ts";

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
      [0, "passed through or stored; also when storing failed and all input was passed through (see stderr)"],
      [1, "stdin could not be read to its end, or the name could not be bound"],
      [2, "usage"],
    ],
  };
}

/** The command, with its description. */
export function captureCommand(): Command {
  return { spec: captureSpec(), run };
}

async function run(call: CommandCall, host: Host): Promise<Outcome> {
  const wishes = captureWishes("capture", call.options, "page");
  const held = holdOutput(wishes.thresholdChars);
  const progress = startProgress();
  if (!wishes.tee && !wishes.always) {
    // Most input is small, and is passed through before the store is looked at.
    const failures = await takeStdin(held, held.isOver, progress);
    if (!held.isOver()) {
      progress.erase();
      return {
        exitCode: failures.length === 0 ? 0 : 1,
        answer: passThrough(held.bytes(), "stdout"),
        failures,
      };
    }
  }
  return await storeStdin(held, wishes, progress, host);
}
