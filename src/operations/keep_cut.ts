/** `keep-cut`: a program at the end of a pipe, whose input is kept. Only the functions of `shell` start it. */

import { closeSync, constants } from "node:fs";
import { defineOperation } from "../arguments/define_operation.ts";
import { shareSealed } from "../../fd/mod.ts";
import { systemCode } from "../../fd/system.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { textAnswer } from "../answering/text_answer.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { countCut } from "../background/cut_functions.ts";
import { cutLine, inputBefore, keepCut, reopened } from "../capturing/keep_cut.ts";
import { endOutput, outputSink, writeOutput } from "../capturing/store_output.ts";
import { makePipes, type OutputPipe } from "../streams/output_pipe.ts";
import { inheritedDescriptors } from "../streams/inherited_descriptors.ts";
import { type CommandEnd, startAttached, StartError } from "../streams/start_command.ts";
import { endedLike, resolveCommand, startFailure } from "../streams/verdict.ts";
import type { Outcome } from "../terms/command.ts";

export const command = defineOperation({
  usage: "DIRECTORY PROGRAM [ARG...]",
  takesAll: true,
  example: "fdtool shell -c 'make 2>&1 | tail'",
  failsOpen: true,
  exitCodes: { 0: "or any other: the program's exit code", 2: [] },
  async run(_, host, { rest: [directory = "", ...words] }): Promise<Outcome> {
    const descriptors = inheritedDescriptors();
    const program = await resolveCommand(words, undefined, host.env["PATH"]);
    if (program.kind === "refused") return program.outcome;
    const pipes = makePipes(2, host.env);
    const ends = pipes === undefined ? undefined : nonBlocking(pipes);
    const { thresholdChars, pageSize } = parseCaptureOptions("shell", {});
    const sink = outputSink({
      thresholdChars,
      always: false,
      openStore: () => openHostStore(host),
      putOptions: () => ({ source: "pipe", pageSize, command: words, cwd: host.cwd }),
      // The program gets all as it comes, or else what came before.
      tee: true,
      forward: () => true,
    });
    const toStart = { ...program.start, cwd: undefined, env: host.env, ownGroup: false, descriptors };
    const before = ends === undefined ? undefined : inputBefore(words, sink);
    let ended: Promise<CommandEnd>;
    try {
      ({ ended } = pipes === undefined || ends === undefined
        ? await startAttached(toStart, "inherit")
        : await startAttached(toStart, before?.file ?? pipes[0]!.readEnd, pipes[1]!.writeEnd));
    } catch (thrown) {
      if (!(thrown instanceof StartError)) throw thrown;
      return startFailure(toStart.path, thrown.code);
    }
    if (pipes === undefined || ends === undefined || before === undefined) return endedLike(await ended, {});
    for (const { readEnd, writeEnd } of pipes) [readEnd, writeEnd].forEach((each) => closeSync(each));
    let hasEnded = false;
    void ended.then(() => hasEnded = true);

    const cut = await keepCut({
      ...ends,
      ...before.file === undefined ? {} : { input: undefined },
      before,
      hasEnded: () => hasEnded,
      ended,
      keep: (bytes) => writeOutput(sink, bytes),
    });
    const result = endOutput(sink);
    countCut(directory, result.kind === "small");
    const line = result.kind === "stored"
      ? await cutLine(result.store, await shareSealed(result.store, result.entry), cut, toStart.calledAs)
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
