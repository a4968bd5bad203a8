/**
 * A person at a terminal, for tests: fdtool runs on a pseudo-terminal of its own, the test waits for what is shown there
 * and types. Nothing is timed: each wait ends with the text, or when no process has the terminal open any more. `script`
 * of util-linux is not used: if it and its command are stopped and continued (SIGSTOP, SIGCONT), it stops itself, or misses
 * the command's end and hangs.
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
  const terminal = startOnTerminal(world, line, env);
  const decoder = new TextDecoder();
  let shown = "";
  let seen = 0;
  const more = async (): Promise<boolean> => {
    const bytes = await terminal.read();
    shown += decoder.decode(bytes, { stream: bytes !== undefined });
    return bytes !== undefined;
  };
  return {
    async shows(text) {
      while (!shown.includes(text, seen)) {
        assert(await more(), `the program ended before it showed ${JSON.stringify(text)}:\n${shown}`);
      }
      seen = shown.indexOf(text, seen) + text.length;
    },
    type: (typed) => terminal.write(`${typed}\n`),
    press: (keys) => terminal.write(keys),
    async end() {
      while (await more());
      const code = await terminal.code;
      terminal[Symbol.dispose]();
      return { code, shown: shown.replaceAll("\r\n", "\n") };
    },
    async [Symbol.asyncDispose]() {
      terminal[Symbol.dispose]();
      await terminal.code;
    },
  };
}

/** Runs a line of sh on a terminal; answers every byte that the terminal got, LF for line ends. */
export async function bytesShown(
  world: World,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  using terminal = startOnTerminal(world, line, env);
  // The end of a file, for the first program that reads.
  await terminal.write("\x04");
  const parts: BlobPart[] = [];
  for (let bytes; (bytes = await terminal.read()) !== undefined;) parts.push(bytes);
  await terminal.code;
  const shown = await new Blob(parts).bytes();
  // The terminal makes CR LF of LF, and of nothing else.
  return shown.filter((byte, at) => byte !== 0x0d || shown[at + 1] !== 0x0a);
}

/** A process that leads a session on a terminal of its own, and the other side of that terminal. */
interface Terminal extends Disposable {
  /** Waits for what is shown; undefined once no process has the terminal open. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  write(keys: string): Promise<void>;
  readonly code: Promise<number>;
}

/** Opens terminals, which Deno cannot. */
const loadLibc = () =>
  Deno.dlopen("libc.so.6", {
    posix_openpt: { parameters: ["i32"], result: "i32" },
    unlockpt: { parameters: ["i32"], result: "i32" },
    ptsname_r: { parameters: ["i32", "buffer", "usize"], result: "i32" },
    read: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
    write: { parameters: ["i32", "buffer", "usize"], result: "isize", nonblocking: true },
    close: { parameters: ["i32"], result: "i32" },
  }).symbols;
let libc: ReturnType<typeof loadLibc> | undefined;

/** O_RDWR, O_NOCTTY, O_CLOEXEC: a child that had this side open, too, would keep the terminal alive. */
const OPEN_FLAGS = 0o2000402;

/** The leader of a session gets the first terminal that it opens. */
const ON_TERMINAL = 'exec sh -c "$1" <"$0" >"$0" 2>&1';

function startOnTerminal(world: World, line: string, env: Readonly<Record<string, string>>): Terminal {
  const { posix_openpt, unlockpt, ptsname_r, read, write, close } = libc ??= loadLibc();
  const fd = posix_openpt(OPEN_FLAGS);
  const name = new Uint8Array(64);
  assert(fd >= 0 && unlockpt(fd) === 0 && ptsname_r(fd, name, 64n) === 0, "cannot open a terminal");
  const path = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
  const child = new Deno.Command("setsid", {
    args: ["sh", "-c", ON_TERMINAL, path, line],
    cwd: world.dir,
    env: { ...world.env, SHELL: "/bin/sh", TERM: "dumb", ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let running = true;
  const code = child.status.then((status) => {
    running = false;
    return status.code;
  });
  const kill = () => running && child.kill("SIGKILL");
  const guard = setTimeout(kill, HUNG_AFTER_MS);
  const buffer = new Uint8Array(65_536);
  let open = true;
  return {
    code,
    async read() {
      const length = Number(await read(fd, buffer, BigInt(buffer.length)));
      return length > 0 ? buffer.slice(0, length) : undefined;
    },
    async write(keys) {
      const bytes = new TextEncoder().encode(keys);
      assertEquals(Number(await write(fd, bytes, BigInt(bytes.length))), bytes.length);
    },
    [Symbol.dispose]() {
      if (!open) return;
      open = false;
      clearTimeout(guard);
      kill();
      close(fd);
    },
  };
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
