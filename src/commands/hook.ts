/**
 * `hook`: what a harness calls before it runs a shell command, and (`open`, `keep`) what the rewritten command calls (contract, Agents). `install` writes the configuration that calls it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { textAnswer } from "../agents/text_answer.ts";
import type { Command, CommandCall, Host, Outcome } from "../command.ts";
import { passThrough } from "../capturing/pass_through.ts";
import { failUsage } from "../usage_failure.ts";

export const command: Command = {
  spec: {
    name: "hook",
    aliases: [],
    summary: "rewrite a harness's shell command so that its output goes through fdtool",
    usage: "claude-code|opencode <CALL.json",
    positionals: { least: 1, most: 3, names: ["what"] },
    options: {},
    example: `echo '{"tool_name":"Bash","tool_input":{"command":"make -j8"}}' | fdtool hook claude-code`,
    exitCodes: [
      [0, "the answer was printed: the rewritten call, or nothing where the call is to stand as it is"],
      [1, "stdin holds no call of a hook; the harness goes on with the call as it is"],
      [2, "wrong call"],
    ],
  },
  async run(call, host) {
    const [what, ...halves] = call.positionals;
    switch (what) {
      case "open":
        return await openShell(host);
      case "keep":
        return await keepOutputToMark(call, halves, host);
      default:
        return await answerHook(what!, host);
    }
  },
};

async function answerHook(what: string, host: Host): Promise<Outcome> {
  const [{ HARNESSES }, { readStdinBytes }] = await Promise.all([
    import("../hooks/harnesses.ts"),
    import("../read_stdin_bytes.ts"),
  ]);
  const answer = await HARNESSES.find(({ name }) => name === what)?.loadHook?.();
  return answer === undefined ? await rewrite(what, host) : await answer(readStdinBytes(), host);
}

async function rewrite(harness: string, host: Host): Promise<Outcome> {
  const [{ HOOKED_HARNESSES, rewriteCall }, { ownName }, { readStdinBytes }] = await Promise.all([
    import("../hooks/rewrite_call.ts"),
    import("../hooks/own_name.ts"),
    import("../read_stdin_bytes.ts"),
  ]);
  const known = HOOKED_HARNESSES.find((each) => each === harness);
  if (known === undefined) {
    const wanted = `one of ${HOOKED_HARNESSES.join(", ")}`;
    return failUsage({ kind: "bad_value", command: "hook", option: "what", got: harness, wanted });
  }
  const { env, cwd, storeOption } = host;
  const fdtool = { program: ownName(cwd, env["PATH"]), storeOption };
  const answer = rewriteCall(known, readStdinBytes(), { env, cwd, fdtool });
  switch (answer.kind) {
    case "rewritten":
      return { exitCode: 0, answer: textAnswer(`${JSON.stringify(answer.value)}\n`) };
    case "unchanged":
      return { exitCode: 0 };
    case "no_call": {
      // Not 2, the code of every other wrong call: to a harness it would mean that the command must not run.
      const wanted = `the JSON of a call of the hook of ${harness}`;
      const failure = { kind: "invalid_parameter", field: "stdin", got: answer.got, wanted } as const;
      return { exitCode: 1, failures: [failure] };
    }
  }
}

/** The script that a rewritten command runs first. */
async function openShell({ env, cwd, storeOption }: Host): Promise<Outcome> {
  const [{ openingScript }, { ownName }] = await Promise.all([
    import("../hooks/wrap_command.ts"),
    import("../hooks/own_name.ts"),
  ]);
  const temporary = env["TMPDIR"] ?? "";
  const half = () => Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");
  const script = openingScript({
    call: { program: ownName(cwd, env["PATH"]), storeOption },
    markHalves: [half(), half()],
    temporaryDirectory: temporary.startsWith("/") ? temporary.replace(/\/+$/, "") : "/tmp",
  });
  return { exitCode: 0, answer: textAnswer(script) };
}

/** `capture` up to the mark that the shell writes; what follows it is passed on as it is. */
async function keepOutputToMark(
  { options }: CommandCall,
  halves: readonly string[],
  host: Host,
): Promise<Outcome> {
  if (halves.length !== 2) failUsage({ kind: "missing_argument", command: "hook", argument: "the mark" });
  const [{ captureWishes }, { holdOutput }, { takeStdin }, { readToMark }, { readStdin }, { startProgress }] =
    await Promise.all([
      import("../capturing/capture_options.ts"),
      import("../capturing/held_output.ts"),
      import("../capturing/take_stdin.ts"),
      import("../hooks/read_to_mark.ts"),
      import("../read_stdin.ts"),
      import("../capturing/progress_line.ts"),
    ]);
  const reader = readToMark(Buffer.from(halves.join("")), readStdin);
  const wishes = { ...captureWishes("hook", options, "both"), source: "shell" };
  const held = holdOutput(wishes.thresholdChars);
  const progress = startProgress();
  const failures = await takeStdin(held, held.isOver, progress, reader.read);
  progress.erase();
  const outcome: Outcome = held.isOver()
    ? await storeToMark()
    : { exitCode: 0, answer: passThrough(held.bytes(), "stdout"), failures };
  const rest = passThrough(reader.rest(), "stdout");
  return { ...outcome, furtherAnswers: [...(outcome.furtherAnswers ?? []), rest] };

  async function storeToMark(): Promise<Outcome> {
    const { storeStdin } = await import("../capturing/store_stdin.ts");
    return await storeStdin({ held, unread: failures, read: reader.read }, wishes, host);
  }
}
