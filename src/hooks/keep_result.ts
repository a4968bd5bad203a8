/**
 * Keeps the output of a command that a harness has run, as its hook is handed it, and makes what is shown in its place.
 * Nothing of the command was touched: whatever fails here, the harness goes on with the output as it is.
 *
 * @module
 */

import { closeSync, constants, fstatSync, openSync } from "node:fs";
import {
  beginPut,
  countChars,
  fail,
  failureOfSystem,
  type FdEntry,
  FdError,
  type FdFailure,
  giveUpPut,
  isSweepDue,
  type Put,
  readSome,
  type Store,
  utf8Bytes,
} from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { storedResult } from "../capturing/stored_result.ts";
import type { Host } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";

/** A command's result, as a harness reports it. */
export interface ShellResult {
  /** What the model would be shown of the output: all of it, unless there is a file. */
  text: string;
  /** The harness's own file with all of the output, if it wrote one. */
  path: string | undefined;
  /** How long the output was, if the harness says so: its file may hold only the beginning. */
  byteCount?: number | undefined;
  command: string | undefined;
  exitCode?: number | undefined;
}

/** What became of it. */
export type KeptResult =
  /** The result stays as it is. */
  | { kind: "unchanged"; failures: readonly FdFailure[] }
  | {
    kind: "kept";
    answer: FdResult;
    failures: readonly FdFailure[];
    /** Cleaning that is due. */
    afterwards: (() => Promise<readonly FdFailure[]>) | undefined;
  };

/** Of a command the end says most: the preview shows it with the beginning. */
const OPTIONS = parseCaptureOptions("hook", {}, "both");

/** Keeps the output if it is large. `harness` is the harness as people call it. */
export function keepResult(result: ShellResult, harness: string, host: Host): KeptResult {
  try {
    return result.path === undefined ? keepText(result, host) : keepFile(result.path, result, harness, host);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { kind: "unchanged", failures: [thrown.failure] };
  }
}

const SMALL: KeptResult = { kind: "unchanged", failures: [] };

function keepText(result: ShellResult, host: Host): KeptResult {
  // There are at least as many UTF-16 units as chars.
  if (result.text.length <= OPTIONS.thresholdChars) return SMALL;
  const bytes = utf8Bytes(result.text);
  if (countChars(bytes) <= OPTIONS.thresholdChars) return SMALL;
  return store(result, host, (put) => put.write(bytes), () => []);
}

function keepFile(path: string, result: ShellResult, harness: string, host: Host): KeptResult {
  const file = openRegularFile(path);
  try {
    // Nothing of this size has more chars than that.
    if (fstatSync(file).size <= OPTIONS.thresholdChars) return SMALL;
    const fill = (put: Put) => {
      for (;;) {
        const window = put.window();
        const length = readSome(file, window, window.length, path);
        if (length === 0) return;
        put.accept(length);
      }
    };
    return store(
      result,
      host,
      fill,
      (taken) =>
        result.byteCount === undefined || result.byteCount <= taken
          ? []
          : [`${harness} kept only the first ${taken} of ${result.byteCount} bytes.`],
    );
  } finally {
    closeSync(file);
  }
}

/** Stores what `fill` writes. `missing` says what is not there of it, if anything. */
function store(
  { command, exitCode }: ShellResult,
  host: Host,
  fill: (put: Put) => void,
  missing: (takenBytes: number) => readonly string[],
): KeptResult {
  const store = openHostStore(host);
  const put = beginPut(store, {
    source: "shell",
    pageSize: OPTIONS.pageSize,
    command: command === undefined ? undefined : ["sh", "-c", command],
    cwd: host.cwd,
  });
  let entry: FdEntry;
  let remarks: readonly string[];
  try {
    fill(put);
    remarks = missing(put.byteCount);
    entry = put.seal({ exitCode, incomplete: remarks.length > 0 });
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
  // Where a hook is wired, the command line is what there is to read with.
  const context = { options: OPTIONS, remarks, reader: "fdtool read" };
  const { answer, failures } = storedResult(store, entry, context, put.inMemory());
  const afterwards = isSweepDue(store, Date.now()) ? () => sweep(store, entry) : undefined;
  return { kind: "kept", answer, failures, afterwards };
}

async function sweep(store: Store, entry: FdEntry): Promise<readonly FdFailure[]> {
  const { sweepStore } = await import("../capturing/sweep_store.ts");
  return await sweepStore([{ kind: "stored", store, entry, bytes: undefined }]);
}

/** Opens a file without waiting for whatever is there instead. */
function openRegularFile(path: string): number {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "open", path));
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return fail({ kind: "read_error", path, action: "read", code: "EINVAL" });
}
