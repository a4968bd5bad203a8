/**
 * Ctrl-C while a person captures stdin: what has arrived is kept, and a line says where. Reads that wait do so in
 * another thread, since a signal is not handled during a blocking read.
 */

import { linesText } from "../answers/parts/grouped_digits.ts";
import { read } from "node:fs";
import { formatFd } from "../../fd/mod.ts";
import { ifPossible, utf8Bytes } from "../../fd/system.ts";
import { commandLine } from "../answers/parts/next_command.ts";
import { ignoredSignals } from "../calls/streams/signals.ts";
import { STDERR, STDIN, writeChunks } from "../calls/streams/standard_streams.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { endOutput, type OutputSink, storedPart } from "./store_output.ts";

export type Interruption = NonNullable<ReturnType<typeof watchInterruption>>;

const CHUNK_BYTES = 65_536;
/** The exit code of a shell for a command that SIGINT ended. */
const INTERRUPTED = 130;

/** Starts to watch for Ctrl-C. Undefined if this process was started to ignore it. */
export function watchInterruption() {
  if (ignoredSignals().has("SIGINT")) return undefined;
  let hasHappened = false;
  let wake = (): void => {};
  const onInterrupt = (): void => {
    hasHappened = true;
    wake();
  };
  process.on("SIGINT", onInterrupt);
  // The window would be written to after an interruption.
  const chunk = new Uint8Array(CHUNK_BYTES);
  return {
    happened: () => hasHappened,
    /** Lets signals that have arrived be handled. */
    turn: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
    /**
     * Reads stdin into the window of `sink` like a blocking read. Returns 0 at the end and after an interruption,
     * undefined if it failed.
     */
    read: (sink: OutputSink) =>
      new Promise<number | undefined>((resolve) => {
        if (hasHappened) return resolve(0);
        wake = () => resolve(0);
        const room = sink.put.window();
        read(STDIN, chunk, 0, Math.min(chunk.length, room.length), null, (error, byteLength) => {
          if (hasHappened) return;
          if (error === null) room.set(chunk.subarray(0, byteLength));
          resolve(error === null ? byteLength : undefined);
        });
      }),
    end: () => void process.off("SIGINT", onInterrupt),
  };
}

/** Keeps what has arrived under its name, and ends this process by the signal, as if it had not been caught. */
export async function interruptedOutcome(
  sink: OutputSink,
  interruption: Interruption,
  host: Host,
  name: string | undefined,
): Promise<Outcome> {
  // Small output, too: it would be lost.
  sink.isNamed ||= sink.put.byteCount > 0;
  const result = endOutput(sink, { incomplete: true });
  const failures = result.kind === "failed" ? [...result.failures] : [];
  const kept = storedPart(result);
  if (kept !== undefined) {
    const { nameStored } = await import("./capture_outcome.ts");
    const named = await nameStored(kept, name);
    failures.push(...named.failures);
    const { id, lineCount } = named.entry;
    const fd = formatFd(id);
    const next = commandLine({ command: "read", args: { fd } }, host.storeOption);
    // After the `^C` that the terminal has shown.
    const line = utf8Bytes(`\ninterrupted: ${fd} has ${linesText(lineCount)} (${next})\n`);
    ifPossible(() => writeChunks(STDERR, [line]));
  }
  const afterwards = () => {
    interruption.end();
    process.kill(process.pid, "SIGINT");
    // A runtime may deliver it later, and a read may still wait.
    return new Promise<never>(() => setTimeout(() => process.exit(INTERRUPTED), 0));
  };
  return { exitCode: INTERRUPTED, failures, afterwards };
}
