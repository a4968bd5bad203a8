/**
 * Keeps the output of a command that a harness has run, as its hook is handed it: the command is not touched, and what the
 * model is shown is a preview with a handle.
 *
 * @module
 */

import { statSync } from "node:fs";
import {
  countChars,
  type FdEntry,
  FdError,
  nodeBuffer,
  putBytes,
  putFile,
  systemCode,
} from "../../fd/mod.ts";
import type { FdResult } from "../answers.ts";
import { captureWishes } from "../capturing/capture_options.ts";
import { storedResult } from "../capturing/stored_result.ts";
import { sweepStore } from "../capturing/sweep_store.ts";
import type { Host, Outcome } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";

/** A command's result, as a harness tells it. */
export interface ShellResult {
  /** The harness's own file with all of the output, if it wrote one. */
  path: string | undefined;
  /** What the model would be shown of the output: all of it, unless there is a file. */
  text: string;
  command: string | undefined;
  exitCode: number | undefined;
}

/** What became of it. */
export type KeptResult =
  /** The result stands as it is. */
  | { kind: "unchanged"; failures: NonNullable<Outcome["failures"]> }
  | { kind: "kept"; answer: FdResult; afterwards: NonNullable<Outcome["afterwards"]> };

/** Keeps the output if it is large. Whatever goes wrong, the result stands as it is. */
export function keepResult(result: ShellResult, host: Host): KeptResult {
  const wishes = captureWishes("hook", {}, "both");
  const bytes = nodeBuffer().Buffer.from(result.text);
  const path = readablePath(result.path);
  // With a file, the harness shows no more than a part of it.
  if (path === undefined && countChars(bytes) <= wishes.thresholdChars) {
    return { kind: "unchanged", failures: [] };
  }
  try {
    const store = openHostStore(host);
    const command = result.command === undefined ? undefined : ["sh", "-c", result.command];
    const options = { source: "shell", pageSize: wishes.pageSize, command, cwd: host.cwd };
    const end = { exitCode: result.exitCode };
    const entry: FdEntry = path === undefined
      ? putBytes(store, bytes, options, end)
      : putFile(store, path, options, path, end);
    const news = { wishes, storeOption: host.storeOption, remarks: [] };
    const { answer, failures } = storedResult(store, entry, news);
    if (failures.length > 0) return { kind: "unchanged", failures };
    const kept = { kind: "stored", store, entry, bytes: undefined } as const;
    return { kind: "kept", answer, afterwards: () => sweepStore([kept]) };
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { kind: "unchanged", failures: [thrown.failure] };
  }
}

/** The path, if it leads to a regular file with something in it. */
function readablePath(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size > 0 ? path : undefined;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
