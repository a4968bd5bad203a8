/**
 * A person at a terminal, for tests: fdtool runs on a pseudo-terminal of its own (made by `script` of util-linux), the
 * test waits for what is shown there and types. Nothing is timed: each wait ends with the text, or with the program.
 */

import { assert, assertEquals } from "@std/assert";
import { quoteForShell, type World } from "./world.ts";

/** Why a test that needs a terminal cannot run here; undefined if it can. */
export function whyNoTerminal(): string | undefined {
  if (Deno.build.os !== "linux") return "script(1) takes other options here";
  try {
    const { stdout } = new Deno.Command("script", { args: ["--version"], stderr: "null" }).outputSync();
    return new TextDecoder().decode(stdout).includes("util-linux") ? undefined : "script is not util-linux's";
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "script of util-linux is not installed";
  }
}

/** A program on a terminal. */
export interface TerminalSession extends AsyncDisposable {
  /** Waits until `text` is shown, after what earlier waits have seen. */
  shows(text: string): Promise<void>;
  /** Types a line and Enter. */
  type(line: string): Promise<void>;
  /** Types exactly these chars. */
  press(keys: string): Promise<void>;
  /** Waits for the program's end; answers its exit code and all that was shown, LF for line ends. */
  end(): Promise<{ code: number; shown: string }>;
}

/** A guard against a program that hangs, never an expectation. */
const HUNG_AFTER_MS = 300_000;

/** Starts fdtool with these arguments on a terminal. */
export function onTerminal(
  world: World,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): TerminalSession {
  return lineOnTerminal(world, ["fdtool", ...args].map(quoteForShell).join(" "), env);
}

/** Starts a line of sh on a terminal. */
export function lineOnTerminal(
  world: World,
  line: string,
  env: Readonly<Record<string, string>> = {},
): TerminalSession {
  const child = new Deno.Command("script", {
    args: ["--quiet", "--return", "--flush", "--command", line, "/dev/null"],
    cwd: world.dir,
    env: { ...world.env, SHELL: "/bin/sh", TERM: "dumb", ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const guard = setTimeout(() => child.kill("SIGKILL"), HUNG_AFTER_MS);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const keyboard = child.stdin.getWriter();
  let shown = "";
  let seen = 0;
  let closed = false;
  let running = true;
  const status = child.status.finally(() => running = false);
  const more = async (): Promise<boolean> => {
    const { value, done } = await output.read();
    shown += value ?? "";
    return !done;
  };
  const close = async () => {
    if (closed) return;
    closed = true;
    clearTimeout(guard);
    output.releaseLock();
    await keyboard.abort();
  };
  return {
    async shows(text) {
      while (!shown.includes(text, seen)) {
        assert(await more(), `the program ended before it showed ${JSON.stringify(text)}:\n${shown}`);
      }
      seen = shown.indexOf(text, seen) + text.length;
    },
    type: (typed) => keyboard.write(new TextEncoder().encode(`${typed}\n`)),
    press: (keys) => keyboard.write(new TextEncoder().encode(keys)),
    async end() {
      while (await more());
      const { code } = await status;
      await close();
      return { code, shown: shown.replaceAll("\r\n", "\n") };
    },
    async [Symbol.asyncDispose]() {
      if (closed) return;
      if (running) child.kill("SIGKILL");
      await status;
      await close();
    },
  };
}

/** Runs a line of sh on a terminal; answers every byte that the terminal got, LF for line ends. */
export async function bytesShown(
  world: World,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const { stdout } = await new Deno.Command("script", {
    args: ["--quiet", "--return", "--flush", "--command", line, "/dev/null"],
    cwd: world.dir,
    env: { ...world.env, SHELL: "/bin/sh", TERM: "dumb", ...env },
    clearEnv: true,
    stdin: "null",
    stderr: "null",
  }).output();
  // The terminal makes CR LF of LF, and of nothing else.
  return stdout.filter((byte, at) => byte !== 0x0d || stdout[at + 1] !== 0x0a);
}

/** An editor that runs `line` of sh with the file as `$1`; answers what `EDITOR` shall be. */
export function editorThat(world: World, line: string): string {
  const path = world.write("../editor", `#!/bin/sh\n${line}\n`);
  Deno.chmodSync(path, 0o755);
  return quoteForShell(path);
}

/** Asserts the exit code, with the whole screen in the message. */
export function assertEnded(ended: { code: number; shown: string }, code: number): void {
  assertEquals(ended.code, code, ended.shown);
}
