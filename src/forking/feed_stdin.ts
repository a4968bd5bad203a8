/**
 * Gives a command a stdin that begins with fdtool's bytes and continues with the caller's stdin. `cat` joins the two: a
 * read of the caller's stdin in this process could not be cancelled when the command ends first.
 *
 * @module
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import process from "node:process";
import {
  failureOfSystem,
  FdError,
  removeStaged,
  stageFile,
  type Store,
  systemCode,
  temporaryPath,
} from "../../fd/mod.ts";
import { findProgram } from "../running/find_program.ts";
import { makePipes, RUNTIME_MAKES_PIPES } from "../running/output_pipe.ts";

/** Error codes of a write whose reader has closed a pipe or socket. */
const LEFT: readonly string[] = ["EPIPE", "ECONNRESET"];

/** A command's stdin being fed. */
export interface StdinFeed {
  /** The stdin to start the command with. */
  stdin: "pipe" | number;
  /** Starts to feed a running command; `stream` is its stdin if it was started with a stream. */
  start(stream: Writable | null): Promise<void>;
  /** Stops feeding: the command has ended. */
  end(): Promise<void>;
}

/**
 * Prepares to feed `first`, which is stored in `store` meanwhile, and then the caller's stdin.
 *
 * @throws {FdError} `file_not_found` if `cat` is missing; any failure of writing to the store.
 */
export function feedStdin(
  store: Store,
  first: Iterable<Uint8Array>,
  env: Readonly<Record<string, string | undefined>>,
): StdinFeed {
  const cat = findProgram("cat", "/", `/usr/bin:/bin:${env["PATH"] ?? ""}`);
  if (cat.kind !== "program") {
    throw new FdError({ kind: "file_not_found", path: "cat", action: "join the preamble and stdin with" });
  }
  const firstPath = temporaryPath(store.path, "preamble");
  stageFile({ temporaryPath: firstPath, content: { chunks: () => first }, mode: 0o600 });
  const [pipe] = (RUNTIME_MAKES_PIPES ? undefined : makePipes(1, env)) ?? [];
  let feeder: ChildProcess | undefined;
  let isOpen = pipe !== undefined;
  const closePipe = () => {
    if (pipe === undefined || !isOpen) return;
    isOpen = false;
    closeSync(pipe.readEnd);
    closeSync(pipe.writeEnd);
  };
  return {
    stdin: pipe?.readEnd ?? "pipe",
    start(stream) {
      feeder = spawn(cat.path, [firstPath, "-"], {
        stdio: ["inherit", pipe?.writeEnd ?? "pipe", "inherit"],
        env: { ...env },
      });
      // The command has its own copy now. Close ours, or the command would never see the end of file.
      closePipe();
      const started = once(feeder, "spawn", cat.path);
      if (stream !== null && feeder.stdout !== null) {
        // A command may stop reading before the end.
        stream.on("error", (thrown) => {
          if (!LEFT.includes(systemCode(thrown) ?? "")) process.emitWarning(thrown);
        });
        feeder.stdout.pipe(stream);
      }
      return started;
    },
    async end() {
      closePipe();
      if (feeder !== undefined && feeder.exitCode === null && feeder.signalCode === null) {
        const ended = once(feeder, "exit", cat.path);
        feeder.kill("SIGTERM");
        await ended;
      }
      removeStaged(firstPath);
    },
  };
}

/** Waits for an event of the process. Throws the system's failure if it could not be started. */
function once(child: ChildProcess, event: "spawn" | "exit", path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once(event, () => resolve());
    child.once("error", (thrown) => reject(new FdError(failureOfSystem(thrown, "read", "start", path))));
  });
}
