/**
 * A world for one test: a directory of its own, a fresh store, an environment stripped to what a program needs, and a
 * way to run fdtool in it from outside, as its callers do.
 *
 * Which fdtool runs is the caller's choice: the environment variable `FDTOOL` names a binary; without it the source
 * runs under Deno (`deno run -A main.ts`), or, where `FDTOOL_SOURCE` names its modules bundled into fewer files, those,
 * which start in two thirds of the time.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout that is under test. */
export const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

/** How long a call may take before it counts as hung, in milliseconds. It is a guard, never an expectation. */
const HUNG_AFTER_MS = 300_000;
const MAX_REMOVAL_ROUNDS = 1000;

/** The result of one process. */
export interface Finished {
  /** The exit code; 128 + n where signal n ended it. */
  code: number;
  signal: string | undefined;
  stdout: Uint8Array;
  /** stdout decoded as UTF-8, a BOM kept, ill-formed bytes as U+FFFD. */
  text: string;
  stderr: string;
}

/** How to start a process in a world. */
export interface RunOptions {
  /** The content of stdin; empty (`/dev/null`) by default. */
  stdin?: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
  /** Added to (or, with `undefined`, taken out of) the world's environment. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Its working directory; the world's directory by default. */
  cwd?: string | undefined;
}

/** A running process whose ends are in the test's hands. */
export interface Started {
  child: Deno.ChildProcess;
  finished: Promise<Finished>;
}

/** A random moment of the next `ms`: to kill at, not something to wait for. */
export const randomMoment = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * ms));

/** Kills a process when `moment` comes, unless it ends before; answers how it ended. */
export async function killAt(started: Started, moment: Promise<unknown>): Promise<Finished> {
  await Promise.race([moment, started.child.status]);
  return kill(started);
}

/** Kills a process as soon as `isSo`, unless it ends before; answers how it ended. */
export async function killWhen(started: Started, isSo: () => boolean): Promise<Finished> {
  let ended = false;
  void started.child.status.then(() => ended = true);
  while (!ended && !isSo()) await new Promise((resolve) => setTimeout(resolve));
  return kill(started);
}

function kill({ child, finished }: Started): Promise<Finished> {
  try {
    child.kill("SIGKILL");
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  return finished;
}

/** One test's world. Removed, with all in it, when it goes out of scope (`using world = makeWorld()`). */
export interface World extends Disposable {
  /** The working directory of its calls, a real path without symlinks. */
  readonly dir: string;
  /** The store that its calls use (`FDTOOL_STORE`); it does not exist before the first call makes it. */
  readonly store: string;
  /** The HOME of its calls. */
  readonly home: string;
  /** The whole environment of its calls. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs fdtool with these arguments to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Finished>;
  /** Runs a line of sh in which `fdtool` is the program under test. */
  shell(line: string, options?: RunOptions): Promise<Finished>;
  /** Starts fdtool and leaves it running; stdin is a pipe when `options.stdin` is not given. */
  start(args: readonly string[], options?: RunOptions): Started;
  /** The path of `name` in the world's directory. */
  path(name: string): string;
  /** Writes a file in the world's directory, with the directories it needs; answers its path. */
  write(name: string, content: string | Uint8Array): string;
  /** The bytes of a file in the world's directory. */
  bytes(name: string): Uint8Array;
  /** The text of a file in the world's directory. */
  text(name: string): string;
}

/** The command line that starts fdtool: program and leading arguments. */
export function programUnderTest(): readonly [string, ...string[]] {
  const binary = Deno.env.get("FDTOOL");
  if (binary !== undefined && binary !== "") return [Deno.realPathSync(binary)];
  const config = join(CHECKOUT, "deno.json");
  return [
    Deno.execPath(),
    "run",
    "-A",
    "--quiet",
    "--no-lock",
    `--config=${config}`,
    Deno.env.get("FDTOOL_SOURCE") ?? join(CHECKOUT, "main.ts"),
  ];
}

/** Whether strace can run the binary under test. */
export function isTraceable(): boolean {
  const strace = new Deno.Command("sh", { args: ["-c", "command -v strace && strace -o /dev/null true"] });
  return programUnderTest().length === 1 && Deno.build.os === "linux" && strace.outputSync().success;
}

/**
 * How often a property is tried: a quarter as often from source, where a process costs ten times as much. `FDTOOL_RUNS=20`
 * tries it twenty times as often.
 */
export function runsOf(runCount: number): number {
  const wanted = runCount * Number(Deno.env.get("FDTOOL_RUNS") ?? 1);
  return programUnderTest().length === 1 ? wanted : Math.ceil(wanted / 4);
}

/** Whether `argument` reaches the program whole: Deno 2.9 drops one CR at the end of every argument it hands on. */
export function arrivesWhole(argument: string): boolean {
  return programUnderTest().length === 1 || !argument.endsWith("\r");
}

/**
 * Makes a world, in the directory `under` or the system's temporary one. Nothing of the caller's environment is in it but
 * PATH, and, for the source form, Deno's cache.
 */
export function makeWorld(under?: string): World {
  const root = Deno.realPathSync(
    Deno.makeTempDirSync({ prefix: "fdtool-world-", ...under === undefined ? {} : { dir: under } }),
  );
  const dir = join(root, "work");
  const home = join(root, "home");
  const bin = join(root, "bin");
  const store = join(root, "store");
  for (const made of [dir, home, bin]) Deno.mkdirSync(made);
  const program = programUnderTest();
  // A link, as packages install it, starts without a shell.
  if (program.length === 1) Deno.symlinkSync(program[0], join(bin, "fdtool"));
  else {
    const wrapper = `#!/bin/sh\nexec ${program.map(quoteForShell).join(" ")} "$@"\n`;
    Deno.writeTextFileSync(join(bin, "fdtool"), wrapper, { mode: 0o755 });
  }

  const env: Record<string, string> = {
    PATH: `${bin}:${Deno.env.get("PATH") ?? "/usr/bin:/bin"}`,
    HOME: home,
    FDTOOL_STORE: store,
    LC_ALL: "C.UTF-8",
  };
  if (program.length > 1) {
    env["DENO_DIR"] = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? root, ".cache/deno");
    env["DENO_NO_UPDATE_CHECK"] = "1";
  }

  const path = (name: string) => join(dir, name);
  const start = (command: readonly string[], options: RunOptions, openStdin: boolean): Started => {
    const [file, ...args] = command;
    if (file === undefined) throw new Error("a command has at least its program");
    const fed = options.stdin !== undefined;
    const child = new Deno.Command(file, {
      args,
      cwd: options.cwd ?? dir,
      env: mergedEnvironment(env, options.env),
      clearEnv: true,
      stdin: fed || openStdin ? "piped" : "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    if (options.stdin !== undefined) void feed(child, options.stdin);
    return { child, finished: outcomeOf(child, command) };
  };

  return {
    dir,
    store,
    home,
    env,
    run: (args, options = {}) => start([...program, ...args], options, false).finished,
    shell: (line, options = {}) => start(["/bin/sh", "-c", line], options, false).finished,
    start: (args, options = {}) => start([...program, ...args], options, true),
    path,
    write(name, content) {
      const target = path(name);
      Deno.mkdirSync(dirname(target), { recursive: true });
      if (typeof content === "string") Deno.writeTextFileSync(target, content);
      else Deno.writeFileSync(target, content);
      return target;
    },
    bytes: (name) => Deno.readFileSync(path(name)),
    text: (name) => Deno.readTextFileSync(path(name)),
    [Symbol.dispose]() {
      removeTree(root);
    },
  };
}

/** The environment `base` with `changes`: a value sets, `undefined` takes out. */
function mergedEnvironment(
  base: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...base, ...changes })) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

/** Writes all of `stdin` and closes it. A program that ends without reading it all is within its rights. */
async function feed(child: Deno.ChildProcess, stdin: NonNullable<RunOptions["stdin"]>): Promise<void> {
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const stream = bytes instanceof Uint8Array ? new Blob([new Uint8Array(bytes)]).stream() : bytes;
  try {
    await stream.pipeTo(child.stdin);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.BrokenPipe)) throw thrown;
  }
}

/** Waits for the end of `child`; kills it, and fails, when it hangs. */
async function outcomeOf(child: Deno.ChildProcess, command: readonly string[]): Promise<Finished> {
  let hung = false;
  const stuck = Promise.withResolvers<never>();
  const guard = setTimeout(() => {
    hung = true;
    try {
      child.kill("SIGKILL");
    } catch {
      stuck.reject(new Error(`hung, since another process has the streams of: ${command.join(" ")}`));
    }
  }, HUNG_AFTER_MS);
  try {
    const ended = Promise.all([
      new Response(child.stdout).bytes(),
      new Response(child.stderr).bytes(),
      child.status,
    ]);
    const [stdout, stderr, status] = await Promise.race([stuck.promise, ended]);
    const text = new TextDecoder("utf-8", { ignoreBOM: true });
    if (hung) throw new Error(`hung: ${command.join(" ")}\n${text.decode(stderr)}`);
    return {
      code: status.code,
      signal: status.signal ?? undefined,
      stdout,
      text: text.decode(stdout),
      stderr: text.decode(stderr),
    };
  } finally {
    clearTimeout(guard);
  }
}

/**
 * Removes a directory, whatever permissions a test left in it. A background command that has shown its end may still
 * be tidying its store there: what it makes meanwhile is removed in the next round.
 */
export function removeTree(root: string): void {
  for (let round = 1;; round++) {
    try {
      Deno.removeSync(root, { recursive: true });
      return;
    } catch (thrown) {
      const code = (thrown as { code?: string }).code ?? "";
      if (!["ENOTEMPTY", "ENOENT", "EACCES", "EPERM"].includes(code) || round === MAX_REMOVAL_ROUNDS) {
        throw thrown;
      }
      if (code === "ENOENT" && !existsSync(root)) return;
      if (code === "EACCES" || code === "EPERM") {
        new Deno.Command("chmod", { args: ["-R", "u+rwx", root] }).outputSync();
      }
    }
  }
}

/** `word` as sh reads it back unchanged. */
export function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The paths of all files below `directory`. */
export function filesBelow(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${directory}/${name}`) : [`${directory}/${name}`]
  );
}
