/**
 * Feeds a command first with fdtool's bytes and then with the caller's stdin. `cat` joins the two: a read of the
 * caller's stdin in this process could not be cancelled when the command ends.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import type { Writable } from "node:stream";
import process from "node:process";
import { type Store, temporaryPath } from "../../fd/mod.ts";
import { failureOfSystem, FdError, removeStaged, stageFile, systemCode } from "../../fd/system.ts";
import { findProgram } from "../streams/find_program.ts";
import { makePipes, RUNTIME_MAKES_PIPES } from "../streams/output_pipe.ts";

const CLOSED_CODES: readonly string[] = ["EPIPE", "ECONNRESET"];

export interface StdinFeed {
  stdin: "pipe" | number;
  /** Starts feeding; `stream` is the command's stdin if it was started with a stream. */
  start(stream: Writable | null): Promise<void>;
  /** Stops feeding, because the command has ended. */
  end(): Promise<void>;
}

/**
 * Prepares to feed `first`, which is kept in `store` meanwhile, and then the caller's stdin.
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
      // While this copy is open, the command would not see the end of file.
      closePipe();
      const started = once(feeder, "spawn", cat.path);
      if (stream !== null && feeder.stdout !== null) {
        // The command may stop reading before the end.
        stream.on("error", (thrown) => {
          if (!CLOSED_CODES.includes(systemCode(thrown) ?? "")) process.emitWarning(thrown);
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
