/**
 * Stores stdin, however long it is and whatever goes wrong.
 *
 * @module
 */

import type { Outcome } from "../terms/command.ts";
import type { BeginOptions, Begun, BegunStdin } from "./begin_storing.ts";
import type { CaptureWishes } from "./capture_options.ts";
import { captureOutcome } from "./capture_outcome.ts";
import { wayOut } from "./hand_on.ts";
import { keepOutput } from "./keep_output.ts";
import { startProgress } from "./progress_line.ts";
import { sweepStore } from "./sweep_store.ts";
import { takeStdin } from "./take_stdin.ts";

/**
 * Keeps what is held of stdin and all that follows it, and says what became of it. Where storing has `begun`, what was
 * held is stored, and `nextBytes` have been read into the window of the put; at 0 stdin has ended.
 */
export async function storeLong(
  stdin: BegunStdin,
  wishes: CaptureWishes,
  keep: BeginOptions,
  begun?: Begun,
  nextBytes?: number,
): Promise<Outcome> {
  const progress = startProgress(stdin.held.bytes());
  // What is handed on may be shown where the progress line is.
  const out = wayOut("stdout", progress.erase);
  const keeping = keepOutput({
    ...keep,
    storesEverything: wishes.always,
    tee: wishes.tee,
    handOn: out.handOn,
  }, begun);
  if (nextBytes !== undefined && nextBytes > 0) {
    if (progress.count(keeping.window(), nextBytes)) await progress.show();
    keeping.accept(nextBytes);
  }
  const isEnded = stdin.unread.length > 0 || nextBytes === 0;
  const unread = isEnded ? stdin.unread : await takeStdin(keeping, keeping.isIdle, progress, stdin.read);
  progress.erase();

  const kept = keeping.end({ incomplete: unread.length > 0 });
  const told = await captureOutcome([{ kept, wishes, goesTo: "stdout", remarks: [] }]);
  const failures = [...told.failures, ...out.failures, ...unread];
  // Where storing failed, all input has been passed through: that is what the caller needs most.
  const isDelivered = failures.length === 0 ||
    (kept.kind === "failed" && kept.missingBytes === 0 && failures.length === kept.failures.length);
  return { ...told, failures, exitCode: isDelivered ? 0 : 1, afterwards: () => sweepStore([kept]) };
}
