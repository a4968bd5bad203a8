/**
 * Stores the output of a command that a harness ran, and makes the preview that replaces it. Whatever fails here, the
 * harness goes on with the output as it is.
 */

import { closeSync, fstatSync } from "node:fs";
import {
  countChars,
  deferPut,
  type FdEntry,
  FdError,
  type FdFailure,
  giveUpPut,
  isSweepDue,
  openRegular,
  type Put,
  putRest,
  type Store,
  utf8Bytes,
} from "../../fd/mod.ts";
import type { FdResult } from "../terms/answers.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { storedResult } from "../capturing/stored_result.ts";
import type { Host } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";

export interface ShellResult {
  /** The output that the model would see: all of it, unless the harness wrote a file. */
  text: string;
  /** The harness's file with all output, if it wrote one. */
  path: string | undefined;
  /** Length of all output, if the harness reports it: its file may hold only the beginning. */
  byteCount?: number | undefined;
  command: string | undefined;
  exitCode?: number | undefined;
}

export type Replacement =
  | { kind: "unchanged"; failures: readonly FdFailure[] }
  | {
    kind: "replaced";
    answer: FdResult;
    failures: readonly FdFailure[];
    afterwards: (() => Promise<readonly FdFailure[]>) | undefined;
  };

const OPTIONS = parseCaptureOptions("hook", {}, "digest");

/** Stores the output if it is large. `harness` is the product's name. */
export async function replaceResult(result: ShellResult, harness: string, host: Host): Promise<Replacement> {
  try {
    return await (result.path === undefined
      ? storeText(result, host)
      : storeFile(result.path, result, harness, host));
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { kind: "unchanged", failures: [thrown.failure] };
  }
}

const SMALL: Replacement = { kind: "unchanged", failures: [] };

function storeText(result: ShellResult, host: Host): Replacement | Promise<Replacement> {
  // Chars are never more than UTF-16 units.
  if (result.text.length <= OPTIONS.thresholdChars) return SMALL;
  const bytes = utf8Bytes(result.text);
  if (countChars(bytes) <= OPTIONS.thresholdChars) return SMALL;
  return store(result, host, (put) => put.write(bytes), () => []);
}

function storeFile(
  path: string,
  result: ShellResult,
  harness: string,
  host: Host,
): Replacement | Promise<Replacement> {
  const file = openRegular(path);
  try {
    // Chars are never more than bytes.
    if (fstatSync(file).size <= OPTIONS.thresholdChars) return SMALL;
    return store(
      result,
      host,
      (put) => putRest(put, file, path),
      (taken) =>
        result.byteCount === undefined || result.byteCount <= taken
          ? []
          : [`${harness} kept only the first ${taken} of ${result.byteCount} bytes.`],
    );
  } finally {
    closeSync(file);
  }
}

/** Stores what `fill` writes. `missing` says which part of the output it lacks, if any. */
async function store(
  { command, exitCode }: ShellResult,
  host: Host,
  fill: (put: Put) => void,
  missing: (takenBytes: number) => readonly string[],
): Promise<Replacement> {
  const store = openHostStore(host);
  const put = deferPut(store, {
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
  if (store.shared !== undefined) {
    const { shareStored } = await import("../capturing/share_stored.ts");
    const shared = await shareStored(store, store.shared, entry);
    entry = shared.entry;
    remarks = [...remarks, ...shared.remarks];
  }
  // Harnesses with a hook have a shell, so the message names the command.
  const context = { options: OPTIONS, remarks };
  const { answer, failures } = await storedResult(store, entry, context, put.inMemory());
  const afterwards = isSweepDue(store, Date.now()) ? () => sweep(store, entry) : undefined;
  return { kind: "replaced", answer, failures, afterwards };
}

async function sweep(store: Store, entry: FdEntry): Promise<readonly FdFailure[]> {
  const { sweepStore } = await import("../capturing/sweep_store.ts");
  return await sweepStore([{ kind: "stored", store, entry, bytes: undefined }]);
}
