/**
 * Golden scripts: one text file contains input files, commands, and their whole expected output. The format, after
 * the txtar archives of Go's testscript:
 *
 * ```
 * What the script shows, in prose.
 *
 * -- file notes.txt --
 * one
 * two
 * -- run fdtool capture <notes.txt --
 * -- stdout --
 * one
 * two
 * -- run fdtool read fd:1 --
 * -- exit 1 --
 * -- stderr --
 * <fd_error …
 * ```
 *
 * Sections run in order in one world. `run` is a line of sh. Optional after it: `exit N` (default 0), `stdout` and
 * `stderr` (default empty); a body that does not end with a newline is marked
 * `(no final newline)`. What differs from run to run is normalised first: see {@link normalise}.
 */

import type { World } from "./world.ts";

/** The expected or actual outcome of a command. */
export interface GoldenOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** One step of a script. */
export type GoldenStep =
  | { kind: "file"; name: string; body: string }
  | { kind: "run"; line: string; wanted: GoldenOutcome };

/** A script: its prose and its steps. */
export interface GoldenScript {
  prose: string;
  steps: GoldenStep[];
}

const UNENDED = " (no final newline)";
const HEADER = /^-- (file|run|exit|stdout|stderr)(?: (.*?))??( \(no final newline\))? --$/;

/** Reads a script. Throws on anything that is not the format, and on a script without a command. */
export function parseGoldenScript(text: string): GoldenScript {
  const script: GoldenScript = { prose: "", steps: [] };
  let take: (body: string) => void = (body) => script.prose = body;
  let body: string[] = [];
  let unended = false;
  const finish = () => {
    const joined = body.map((line) => `${line}\n`).join("");
    take(unended ? joined.slice(0, -1) : joined);
    body = [];
  };
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Error("a golden script ends with a newline");
  for (const line of lines) {
    const header = HEADER.exec(line);
    if (header === null) {
      body.push(line);
      continue;
    }
    finish();
    const [, kind = "", argument = "", mark] = header;
    unended = mark !== undefined;
    take = openSection(script, kind, argument);
  }
  finish();
  if (!script.steps.some(({ kind }) => kind === "run")) throw new Error("a golden script without a command");
  return script;
}

/** Opens a section; answers what takes its body. */
function openSection(script: GoldenScript, kind: string, argument: string): (body: string) => void {
  if (kind === "file") {
    if (argument === "") throw new Error("-- file -- needs a name");
    const step: GoldenStep = { kind, name: argument, body: "" };
    script.steps.push(step);
    return (body) => step.body = body;
  }
  if (kind === "run") {
    if (argument === "") throw new Error("-- run -- needs a command");
    script.steps.push({ kind, line: argument, wanted: { code: 0, stdout: "", stderr: "" } });
    return (body) => {
      if (body !== "") throw new Error(`a command has no body: ${argument}`);
    };
  }
  const step = script.steps.at(-1);
  if (step?.kind !== "run") throw new Error(`-- ${kind} -- stands after a command`);
  if (kind === "exit") {
    if (!/^\d+$/.test(argument)) throw new Error(`-- exit ${argument} -- is no exit code`);
    step.wanted.code = Number(argument);
    return (body) => {
      if (body !== "") throw new Error("an exit code has no body");
    };
  }
  return (body) => step.wanted[kind === "stdout" ? "stdout" : "stderr"] = body;
}

/** Writes a script as {@link parseGoldenScript} reads it. Throws where an output would read as a header. */
export function formatGoldenScript(script: GoldenScript): string {
  const parts = [script.prose];
  for (const step of script.steps) {
    if (step.kind === "file") parts.push(section(`file ${step.name}`, step.body));
    else parts.push(`-- run ${step.line} --\n`, formatOutcome(step.wanted));
  }
  return parts.join("");
}

/** Formats an outcome for a script. */
export function formatOutcome({ code, stdout, stderr }: GoldenOutcome): string {
  return (code === 0 ? "" : `-- exit ${code} --\n`) +
    (stdout === "" ? "" : section("stdout", stdout)) +
    (stderr === "" ? "" : section("stderr", stderr));
}

function section(header: string, body: string): string {
  const lines = body.split("\n");
  if (lines.some((line) => HEADER.test(line))) throw new Error(`a line of ${header} would read as a header`);
  const ended = body === "" || body.endsWith("\n");
  return `-- ${header}${ended ? "" : UNENDED} --\n${body}${ended ? "" : "\n"}`;
}

/**
 * Runs a script in a fresh world; answers the same script with the outcomes that came, normalised as the wanted ones
 * are. Whether they are equal is for the caller to say.
 */
export async function runGoldenScript(script: GoldenScript, world: World): Promise<GoldenScript> {
  const came: GoldenScript = { prose: script.prose, steps: [] };
  for (const step of script.steps) {
    if (step.kind === "file") {
      world.write(step.name, step.body);
      came.steps.push(step);
      continue;
    }
    const { code, text, stderr } = await world.shell(step.line);
    const wanted = { code, stdout: normalise(text, world), stderr: normalise(stderr, world) };
    came.steps.push({ kind: "run", line: step.line, wanted });
  }
  return came;
}

/**
 * Replaces what differs from run to run: the world's directories by `$WORK`, `$HOME` and `$STORE`, dates by `DATE`,
 * durations by `MS`, random boundaries by `BOUNDARY`.
 */
export function normalise(text: string, world: Pick<World, "dir" | "home" | "store">): string {
  return text
    .replaceAll(world.dir, "$WORK")
    .replaceAll(world.home, "$HOME")
    .replaceAll(world.store, "$STORE")
    .replace(/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?/g, "DATE")
    .replace(/(duration_ms"?[=:]"?)\d+/g, "$1MS")
    .replace(/(boundary"?[=:]\\?")[^"\\]+/g, "$1BOUNDARY");
}
