/** `keep-cut`: a program at the end of a pipe, whose input is kept. Only the functions of `shell` start it. */

import { spawn } from "node:child_process";
import { closeSync, constants } from "node:fs";
import { defineOperation } from "../arguments/define_operation.ts";
import { shareSealed } from "../../fd/mod.ts";
import { systemCode } from "../../fd/system.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { textAnswer } from "../answering/text_answer.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { countCut } from "../background/cut_functions.ts";
import { cutLine, keepCut, reopened } from "../capturing/keep_cut.ts";
import { endOutput, outputSink, writeOutput } from "../capturing/store_output.ts";
import { makePipes, type OutputPipe } from "../streams/output_pipe.ts";
import type { CommandEnd } from "../streams/start_command.ts";
import { endedLike, resolveCommand } from "../streams/verdict.ts";
import type { Outcome } from "../terms/command.ts";

export const command = defineOperation({
  usage: "DIRECTORY PROGRAM [ARG...]",
  takesAll: true,
  example: "fdtool shell -c 'make 2>&1 | tail'",
  failsOpen: true,
  exitCodes: { 0: "or any other: the program's exit code", 2: [] },
  async run(_, host, { rest: [directory = "", ...words] }): Promise<Outcome> {
    const program = await resolveCommand(words, undefined, host.env["PATH"]);
    if (program.kind === "refused") return program.outcome;
    const { path, calledAs, args } = program.start;
    const pipes = makePipes(2, host.env);
    const ends = pipes === undefined ? undefined : nonBlocking(pipes);
    const child = spawn(path, [...args], {
      argv0: calledAs,
      env: { ...host.env },
      stdio: ends === undefined ? "inherit" : [pipes![0]!.readEnd, pipes![1]!.writeEnd, "inherit"],
    });
    let end: CommandEnd | undefined;
    const ended = new Promise<CommandEnd>((resolve) => {
      child.once(
        "exit",
        (code, signal) => resolve(end = { code: code ?? undefined, signal: signal ?? undefined }),
      );
      child.once("error", () => resolve(end = { code: 126, signal: undefined }));
    });
    if (ends === undefined) return endedLike(await ended, {});
    for (const { readEnd, writeEnd } of pipes!) [readEnd, writeEnd].forEach((each) => closeSync(each));

    countCut(directory);
    const { thresholdChars, pageSize } = parseCaptureOptions("shell", {});
    const sink = outputSink({
      thresholdChars,
      always: false,
      openStore: () => openHostStore(host),
      putOptions: () => ({ source: "pipe", pageSize, command: words, cwd: host.cwd }),
      tee: false,
      forward: () => false,
    });
    const cut = await keepCut({
      ...ends,
      hasEnded: () => end !== undefined,
      ended,
      keep: (bytes) => writeOutput(sink, bytes),
    });
    const result = endOutput(sink);
    const line = result.kind === "stored"
      ? await cutLine(result.store, await shareSealed(result.store, result.entry), cut, calledAs)
      : undefined;
    return endedLike(await ended, line === undefined ? {} : { asides: [textAnswer(line)] });
  },
});

/** The ends that this process uses, opened so that they do not block; undefined if that is impossible. */
function nonBlocking([to, from]: readonly OutputPipe[]): { input: number; output: number } | undefined {
  try {
    return {
      input: reopened(to!.writeEnd, constants.O_WRONLY),
      output: reopened(from!.readEnd, constants.O_RDONLY),
    };
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
