/**
 * The output of a shell on its way: kept in order while it is small, so that each byte can still go to the stream that it
 * was written to, and stored when it is not.
 */

import { formatFd } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import { STDERR, STDOUT, streamFailure, writeChunks } from "../calls/streams/standard_streams.ts";
import { joinLines } from "./join_lines.ts";
import type { Take } from "../calls/streams/output_pipe.ts";
import {
  type OutputSettings,
  outputSink,
  storeHeld,
  watchLong,
  watchPauses,
  writeOutput,
} from "./store_output.ts";

/** A shell's output is seen after it has been quiet for so long. */
const QUIET_MS = 1000;

/** Said of stored output that pauses, so that "ready" is seen; not more often than this. */
const MAX_NOTICES = 10;

/** Said once of output that does not pause: a harness that stops the command may show nothing that comes later. */
const LONG_MS = 10_000;

/** Chars of the last line in a notice. */
const MAX_LINE_BYTES = 400;

export type ShellOutput = ReturnType<typeof shellOutput>;

export function shellOutput(settings: Omit<OutputSettings, "forward">) {
  const failures: FdFailure[] = [];
  const streams: number[] = [];
  /** Bytes in order that went to one stream each, as far as they are not passed on. */
  const runs: { stream: number; byteCount: number }[] = [];
  let passedBytes = 0;
  const closed = new Set<number>();
  let noticeCount = 0;
  const startedAt = performance.now();
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let lastBytes = new Uint8Array(0);

  const pass = (stream: number, bytes: Uint8Array): void => {
    if (closed.has(stream)) return;
    try {
      if (!writeChunks(stream, [bytes])) closed.add(stream);
    } catch (thrown) {
      closed.add(stream);
      failures.push(streamFailure(thrown, stream));
    }
  };

  /** `bytes` continue what was passed on; those without a run left went to the last stream. */
  const passOn = (bytes: Uint8Array): boolean => {
    let at = 0;
    while (at < bytes.length) {
      const run = runs[0] ?? { stream: STDOUT, byteCount: bytes.length - at };
      const length = Math.min(run.byteCount, bytes.length - at);
      pass(run.stream, bytes.subarray(at, at + length));
      at += length;
      run.byteCount -= length;
      if (run.byteCount === 0) runs.shift();
    }
    passedBytes += bytes.length;
    return closed.size < Math.max(1, streams.length);
  };

  let readBackBytes = 0;
  const sink = outputSink({
    ...settings,
    // If storing fails, all comes from the start: what was passed on is not repeated.
    forward(bytes) {
      const skipped = Math.min(bytes.length, Math.max(0, passedBytes - readBackBytes));
      readBackBytes += bytes.length;
      return passOn(bytes.subarray(skipped));
    },
  });

  const pauses = watchPauses(() => storeHeld(sink));
  /** Passes on the first bytes of the output, except those that were passed on before. */
  const forward = (bytes: Uint8Array): boolean => passOn(bytes.subarray(passedBytes));

  const record = (stream: number, bytes: Uint8Array): void => {
    if (sink.failed === undefined || sink.isReaderOpen) note(stream, bytes.length);
    lastBytes = bytes.slice(-MAX_LINE_BYTES);
    writeOutput(sink, bytes);
    if (sink.put.isHeld) pauses.expect();
    void watchLong(sink);
  };
  const lines = joinLines(record);

  const onQuiet = (): void => {
    quiet = undefined;
    lines.flush();
    if (sink.failed !== undefined) return;
    if (sink.put.isPassing) {
      const bytes = sink.put.inMemory();
      if (bytes !== undefined) forward(bytes);
      return;
    }
    if (noticeCount >= MAX_NOTICES) return;
    noticeCount++;
    storeHeld(sink);
    if (sink.failed !== undefined) return;
    pass(
      STDERR,
      Buffer.concat([
        Buffer.from(
          `fdtool: ${sink.put.byteCount} bytes so far are in ${
            formatFd(sink.put.id)
          } (live); the last line: `,
        ),
        lastLineOf(lastBytes),
        Buffer.from("\n"),
      ]),
    );
  };

  return {
    sink,
    failures,
    /** Takes what the shell writes to `stream`. */
    taker(stream: number): Take {
      streams.push(stream);
      return (bytes) => {
        if (streams.length === 1) record(stream, bytes);
        else lines.add(stream, bytes);
        clearTimeout(quiet);
        const isLong = noticeCount === 0 && !sink.put.isPassing && performance.now() - startedAt > LONG_MS;
        quiet = setTimeout(onQuiet, isLong ? 0 : QUIET_MS);
      };
    },
    /** The stream of the taker that was made as the `index`th. */
    targetOf: (index: number): number => streams[index]!,
    forward,
    /** Passes on what is held back, or says where it is, as after a pause: the shell may be killed next. */
    flush(): void {
      if (quiet === undefined) return;
      clearTimeout(quiet);
      onQuiet();
    },
    /** Remarks for the answer. */
    remarks: (): string[] =>
      passedBytes === 0 ? [] : [`The first ${passedBytes} bytes were passed through as they came.`],
    end(): void {
      lines.flush();
      clearTimeout(quiet);
      pauses.end();
    },
  };

  function note(stream: number, byteCount: number): void {
    const last = runs[runs.length - 1];
    if (last?.stream === stream) last.byteCount += byteCount;
    else if (runs.length < MAX_RUNS) runs.push({ stream, byteCount });
    else last!.byteCount += byteCount;
  }
}

/** Changes between stdout and stderr that are remembered, in case that storing fails. */
const MAX_RUNS = 1_000_000;

/** The last line of `bytes` without its line feed, control characters shown. */
function lastLineOf(bytes: Uint8Array): Uint8Array {
  const end = bytes[bytes.length - 1] === 0x0a ? bytes.length - 1 : bytes.length;
  const start = bytes.lastIndexOf(0x0a, end - 1) + 1;
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  // deno-lint-ignore no-control-regex
  return new TextEncoder().encode(JSON.stringify(text.replace(/\x1b\[[0-9;]*m/g, "")));
}
