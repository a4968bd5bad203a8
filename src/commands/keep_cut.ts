/** `keep-cut`: a program at the end of a pipe, whose input is kept. Only the functions of `shell` start it. */

import { closeSync, constants } from "node:fs";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { shareSealed } from "../../fd/mod.ts";
import { ifPossible } from "../../fd/system.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { parseCaptureOptions } from "../capturing/capture_options.ts";
import { countCut } from "../capturing/background/cut_functions.ts";
import { cutLine, inputBefore, keepCut, reopened } from "../capturing/keep_cut.ts";
import { endOutput, outputSink, writeOutput } from "../capturing/store_output.ts";
import { makePipes, type OutputPipe } from "../calls/streams/output_pipe.ts";
import { inheritedDescriptors } from "../calls/streams/inherited_descriptors.ts";
import { type CommandToStart, startAttached } from "../calls/streams/start_command.ts";
import { endedLike, resolveCommand, startFailure } from "../calls/streams/verdict.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";

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
    const toStart = { ...program.start, cwd: undefined, env: host.env, ownGroup: false, descriptors };
    return await runKept(toStart, words, directory, host).catch(startFailure(toStart.path));
  },
});

async function runKept(
  toStart: CommandToStart,
  words: string[],
  directory: string,
  host: Host,
): Promise<Outcome> {
  const pipes = makePipes(2, host.env);
  const ends = pipes && nonBlocking(pipes);
  if (pipes === undefined || ends === undefined) {
    return endedLike(await (await startAttached(toStart, "inherit")).ended, {});
  }
  // The program gets all as it comes, or else what came before.
  const options = parseCaptureOptions("shell", { tee: true });
  const origin = { source: "pipe", command: words };
  const sink = outputSink({ options, host, origin, forward: () => true });
  const before = inputBefore(words, sink);
  const [to, from] = pipes;
  const { ended } = await startAttached(toStart, before.file ?? to!.readEnd, from!.writeEnd);
  for (const { readEnd, writeEnd } of pipes) [readEnd, writeEnd].forEach((each) => closeSync(each));
  const input = before.file === undefined ? ends.input : undefined;
  const cut = await keepCut({ ...ends, input, before, ended, keep: (bytes) => writeOutput(sink, bytes) });
  const result = endOutput(sink);
  countCut(directory, result.kind === "small");
  const line = result.kind === "stored"
    ? await cutLine(result.store, await shareSealed(result.store, result.entry), cut, toStart.calledAs)
    : undefined;
  return endedLike(await ended, line === undefined ? {} : { asides: [textAnswer(line)] });
}

/** The ends that this process uses, opened so that they do not block; undefined if that is impossible. */
function nonBlocking([to, from]: readonly OutputPipe[]): { input: number; output: number } | undefined {
  return ifPossible(() => ({
    input: reopened(to!.writeEnd, constants.O_WRONLY),
    output: reopened(from!.readEnd, constants.O_RDONLY),
  }));
}
