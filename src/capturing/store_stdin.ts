/**
 * Stores stdin: the part of `capture` that small input never comes to.
 *
 * @module
 */

import type { Host, Outcome } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";
import type { CaptureWishes } from "./capture_options.ts";
import { captureOutcome } from "./capture_outcome.ts";
import { wayOut } from "./hand_on.ts";
import type { HeldOutput } from "./held_output.ts";
import { keepOutput } from "./keep_output.ts";
import type { ProgressLine } from "./progress_line.ts";
import { sweepStore } from "./sweep_store.ts";
import { takeStdin } from "./take_stdin.ts";

/** Keeps what is `held` of stdin and all that follows it, and says what became of it. */
export async function storeStdin(
  held: HeldOutput,
  wishes: CaptureWishes,
  progress: ProgressLine,
  host: Host,
  read?: (into: Uint8Array) => number,
): Promise<Outcome> {
  const out = wayOut("stdout");
  const keeping = keepOutput({
    held,
    storesEverything: wishes.always,
    openStore: () => openHostStore(host),
    put: {
      source: wishes.source ?? "stdin",
      pageSize: wishes.pageSize,
      maxBytes: wishes.maxBytes,
      durable: wishes.durable,
      cwd: host.cwd,
    },
    tee: wishes.tee,
    handOn: out.handOn,
  });
  const unread = await takeStdin(keeping, keeping.isIdle, progress, read);
  progress.erase();

  const unswept = await sweepStore(keeping);
  const kept = keeping.end({ incomplete: unread.length > 0 });
  const told = captureOutcome([{ kept, wishes, goesTo: "stdout", remarks: [] }], host.storeOption);
  const failures = [...told.failures, ...out.failures, ...unread];
  // Where storing failed, all input has been passed through: that is what the caller needs most.
  const isDelivered = failures.length === 0 ||
    (kept.kind === "failed" && failures.length === kept.failures.length);
  return { ...told, failures: [...failures, ...unswept], exitCode: isDelivered ? 0 : 1 };
}
