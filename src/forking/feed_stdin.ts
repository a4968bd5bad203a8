/**
 * A command's stdin that begins with bytes of ours and goes on with the caller's own. `cat` joins the two: a read of the
 * caller's stdin in this process could not be taken back when the command ends first, and would keep us waiting.
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

/** What writing tells of a reader that has left: of a pipe, and of what stands in for one. */
const LEFT: readonly string[] = ["EPIPE", "ECONNRESET"];

/** A stdin on its way to a command. */
export interface StdinFeed {
  /** What to give the command as stdin. */
  stdin: "pipe" | number;
  /** Starts to feed, once the command runs; `stream` is its stdin where a stream was asked for. */
  start(stream: Writable | null): Promise<void>;
  /** Stops feeding: the command has ended. */
  end(): Promise<void>;
}

/**
 * Prepares to feed `first`, which is kept in `store` meanwhile, and then all that comes on the caller's stdin.
 *
 * @throws {FdError} `file_not_found` where there is no `cat`; what writing to the store throws.
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
      // The command has its end now; as long as we hold one too, its end of file would never come.
      closePipe();
      const started = once(feeder, "spawn", cat.path);
      if (stream !== null && feeder.stdout !== null) {
        // A command that does not read to the end is within its rights.
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

/** Waits for an event of the process; one that could not be started is a failure of the system's. */
function once(child: ChildProcess, event: "spawn" | "exit", path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once(event, () => resolve());
    child.once("error", (thrown) => reject(new FdError(failureOfSystem(thrown, "read", "start", path))));
  });
}
