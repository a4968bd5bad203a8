/**
 * The output of a shell on its way: kept in order while it is small, so that each byte can still go to the stream that it
 * was written to, and stored when it is not.
 */

import { formatFd } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import { STDERR, STDOUT, streamFailure, writeChunks } from "../calls/streams/standard_streams.ts";
import { isDevice } from "../calls/streams/terminal.ts";
import { joinLines } from "./join_lines.ts";
import type { Take } from "../calls/streams/output_pipe.ts";
import {
  type OutputSettings,
  type OutputSink,
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

/** Changes between stdout and stderr that are remembered, in case that storing fails. */
const MAX_RUNS = 1_000_000;

export class ShellOutput {
  readonly sink: OutputSink;
  readonly failures: FdFailure[] = [];
  /** The streams of the takers, in the order in which these were made. */
  readonly streams: number[] = [];
  /** Bytes in order that went to one stream each, as far as they are not passed on. */
  readonly #runs: { stream: number; byteCount: number }[] = [];
  #passedBytes = 0;
  readonly #closed = new Set<number>();
  #noticeCount = 0;
  readonly #startedAt = performance.now();
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #lastBytes = new Uint8Array(0);
  readonly #pauses: ReturnType<typeof watchPauses>;
  readonly #lines = joinLines((stream, bytes) => this.#record(stream, bytes));

  constructor(settings: Omit<OutputSettings, "forward">) {
    let readBackBytes = 0;
    this.sink = outputSink({
      ...settings,
      // If storing fails, all comes from the start: what was passed on is not repeated.
      forward: (bytes) => {
        const skipped = Math.min(bytes.length, Math.max(0, this.#passedBytes - readBackBytes));
        readBackBytes += bytes.length;
        return this.#passOn(bytes.subarray(skipped));
      },
    });
    this.#pauses = watchPauses(() => storeHeld(this.sink));
  }

  /** Takes what the shell writes to `stream`. */
  taker(stream: number): Take {
    this.streams.push(stream);
    // Its caller does not see it, so it is not part of the answer.
    if (stream === STDERR && isDevice(STDERR)) return (bytes) => this.#pass(stream, bytes);
    return (bytes) => {
      if (this.streams.length === 1) this.#record(stream, bytes);
      else this.#lines.add(stream, bytes);
      clearTimeout(this.#quiet);
      const isLong = this.#noticeCount === 0 && !this.sink.put.isPassing &&
        performance.now() - this.#startedAt > LONG_MS;
      this.#quiet = setTimeout(this.flush, isLong ? 0 : QUIET_MS);
    };
  }

  /** Passes on the first bytes of the output, except those that were passed on before. */
  forward(bytes: Uint8Array): void {
    this.#passOn(bytes.subarray(this.#passedBytes));
  }

  /** Passes on what is held back, or says where it is, as after a pause: the shell may be killed next. */
  readonly flush = (): void => {
    if (this.#quiet === undefined) return;
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    this.#lines.flush();
    const { put, failed } = this.sink;
    if (failed !== undefined) return;
    if (put.isPassing) {
      const bytes = put.inMemory();
      if (bytes !== undefined) this.forward(bytes);
    } else if (this.#noticeCount < MAX_NOTICES) {
      this.#noticeCount++;
      storeHeld(this.sink);
      if (this.sink.failed === undefined) this.#pass(STDERR, liveNotice(put, this.#lastBytes));
    }
  };

  /** Remarks for the answer. */
  remarks(): string[] {
    return this.#passedBytes === 0
      ? []
      : [`The first ${this.#passedBytes} bytes were passed through as they came.`];
  }

  end(): void {
    this.#lines.flush();
    clearTimeout(this.#quiet);
    this.#pauses.end();
  }

  #pass(stream: number, bytes: Uint8Array): void {
    if (this.#closed.has(stream)) return;
    try {
      if (!writeChunks(stream, [bytes])) this.#closed.add(stream);
    } catch (thrown) {
      this.#closed.add(stream);
      this.failures.push(streamFailure(thrown, stream));
    }
  }

  /** `bytes` continue what was passed on; those without a run left went to the last stream. */
  #passOn(bytes: Uint8Array): boolean {
    let at = 0;
    while (at < bytes.length) {
      const run = this.#runs[0] ?? { stream: STDOUT, byteCount: bytes.length - at };
      const length = Math.min(run.byteCount, bytes.length - at);
      this.#pass(run.stream, bytes.subarray(at, at + length));
      at += length;
      run.byteCount -= length;
      if (run.byteCount === 0) this.#runs.shift();
    }
    this.#passedBytes += bytes.length;
    return this.#closed.size < Math.max(1, this.streams.length);
  }

  #record(stream: number, bytes: Uint8Array): void {
    const { sink } = this;
    if (sink.failed === undefined || sink.isReaderOpen) {
      const last = this.#runs.at(-1);
      if (last !== undefined && (last.stream === stream || this.#runs.length >= MAX_RUNS)) {
        last.byteCount += bytes.length;
      } else this.#runs.push({ stream, byteCount: bytes.length });
    }
    this.#lastBytes = bytes.slice(-MAX_LINE_BYTES);
    writeOutput(sink, bytes);
    if (sink.put.isHeld) this.#pauses.expect();
    void watchLong(sink);
  }
}

function liveNotice({ byteCount, id }: OutputSink["put"], lastBytes: Uint8Array): Uint8Array {
  // deno-lint-ignore no-control-regex
  const last = lastLineOf(lastBytes).replace(/\x1b\[[0-9;]*m/g, "");
  return Buffer.from(
    `fdtool: ${byteCount} bytes so far are in ${formatFd(id)} (live); the last line: ${
      JSON.stringify(last)
    }\n`,
  );
}

/** The last line of `bytes` without its line feed. */
function lastLineOf(bytes: Uint8Array): string {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  return new TextDecoder().decode(bytes.subarray(bytes.lastIndexOf(0x0a, end - 1) + 1, end));
}
