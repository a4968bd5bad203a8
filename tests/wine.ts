/** The Windows binary under Wine, for tests and soaks on systems that have both. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./world.ts";

const BINARY = join(CHECKOUT, "dist/fdtool-windows-x64.exe");

export interface WineRun {
  code: number;
  /** Whether a signal of this system ended it. */
  wasKilled: boolean;
  out: Uint8Array;
  err: string;
}

export interface WineInput {
  stdin?: string | Uint8Array | undefined;
  env?: Record<string, string> | undefined;
  /** Kills it, as the system would, once this returns true. It is asked every few milliseconds. */
  killWhen?: (() => boolean) | undefined;
}

/**
 * Runs the binary in `dir`, where its store is. Its streams are files: Wine's services live longer than the call, and
 * would hold pipes open.
 */
export async function runInWine(
  dir: string,
  words: readonly string[],
  input: WineInput = {},
): Promise<WineRun> {
  const { stdin = "", killWhen } = input;
  Deno.writeFileSync(kept(dir, "in"), typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin);
  const child = command(dir, words, input).spawn();
  const timer = killWhen && setInterval(() => {
    if (!killWhen()) return;
    clearInterval(timer);
    try {
      child.kill("SIGKILL");
    } catch (thrown) {
      // It had just ended.
      if (!(thrown instanceof TypeError)) throw thrown;
    }
  }, LOOK_EVERY_MS);
  const { code, signal } = await child.status;
  clearInterval(timer);
  const run = {
    code,
    wasKilled: signal !== null,
    out: Deno.readFileSync(kept(dir, "out")),
    err: Deno.readTextFileSync(kept(dir, "err")),
  };
  for (const name of STREAMS) Deno.removeSync(kept(dir, name));
  return run;
}

const LOOK_EVERY_MS = 2;

const STREAMS = ["in", "out", "err"];

function kept(dir: string, stream: string): string {
  return join(dir, `.${stream}`);
}

function command(dir: string, words: readonly string[], { env }: WineInput): Deno.Command {
  return new Deno.Command("sh", {
    args: ["-c", 'exec wine "$@" < .in > .out 2> .err', "sh", BINARY, ...words],
    cwd: dir,
    env: {
      WINEDEBUG: "-all",
      // Wine complains on stderr if it has none.
      XDG_RUNTIME_DIR: Deno.env.get("XDG_RUNTIME_DIR") ?? dir,
      FDTOOL_FORMAT: "raw",
      FDTOOL_STORE: `Z:${dir.replaceAll("/", "\\")}\\store`,
      ...env,
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
}

/** Why the Windows binary cannot be run here; undefined if it can. */
export function whyNoWine(): string | undefined {
  if (!existsSync(BINARY)) return "there is no Windows binary (scripts/build --target windows-x64)";
  const dir = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(kept(dir, "in"), "");
    const { success } = command(dir, ["--version"], {}).outputSync();
    return success ? undefined : "no Wine here starts the Windows binary (Wine 10 does)";
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}
