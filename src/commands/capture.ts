/**
 * `capture`: stdin is passed through when it is small and stored when it is not (SPEC section 4).
 *
 * @module
 */

import { FdError, type FdFailure } from "../../fd/mod.ts";
import { captureOptions, captureWishes } from "../capturing/capture_options.ts";
import { captureOutcome } from "../capturing/capture_outcome.ts";
import { wayOut } from "../capturing/hand_on.ts";
import { keepOutput } from "../capturing/keep_output.ts";
import { startProgress } from "../capturing/progress_line.ts";
import { openHostStore } from "../open_host_store.ts";
import { sweepStore } from "../capturing/sweep_store.ts";
import type { Command } from "../command.ts";
import { readStdin } from "../read_stdin.ts";

export const command: Command = {
  spec: {
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
  },

  async run(call, host) {
    const wishes = captureWishes("capture", call.options, "page");
    const out = wayOut("stdout");
    const progress = startProgress();
    const keeping = keepOutput({
      thresholdChars: wishes.always ? -1 : wishes.thresholdChars,
      openStore: () => openHostStore(host),
      put: {
        source: wishes.source ?? "stdin",
        pageSize: wishes.pageSize,
        maxBytes: wishes.maxBytes,
        cwd: host.cwd,
      },
      tee: wishes.tee,
      handOn: out.handOn,
    });

    let unread: FdFailure[] = [];
    try {
      while (!keeping.isIdle()) {
        const window = keeping.window();
        const byteLength = readStdin(window);
        if (byteLength === 0) break;
        const isDue = progress.count(window, byteLength);
        keeping.accept(byteLength);
        if (isDue) await progress.show();
      }
    } catch (thrown) {
      if (!(thrown instanceof FdError)) throw thrown;
      unread = [thrown.failure];
    } finally {
      progress.erase();
    }

    const unswept = await sweepStore(keeping);
    const kept = keeping.end({ incomplete: unread.length > 0 });
    const told = captureOutcome([{ kept, wishes, goesTo: "stdout", remarks: [] }], host.storeOption);
    const failures = [...told.failures, ...out.failures, ...unread];
    // Where storing failed, all input has been passed through: that is what the caller needs most.
    const isDelivered = failures.length === 0 ||
      (kept.kind === "failed" && failures.length === kept.failures.length);
    return { ...told, failures: [...failures, ...unswept], exitCode: isDelivered ? 0 : 1 };
  },
};
