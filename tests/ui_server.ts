/** A running `fdtool ui`, for tests. */

import { assertEquals } from "@std/assert";
import { programUnderTest, type World } from "./world.ts";

/** The server of a page; it ends when it goes out of scope. */
export interface UiServer extends AsyncDisposable {
  /** The address that was printed. */
  url: string;
  port: number;
  token: string;
  pid: number;
  /** The answer to a call of the page, which must succeed. */
  // deno-lint-ignore no-explicit-any
  ask(path: string): Promise<any>;
  /** Closes stdin, and returns the exit code. */
  end(): Promise<number>;
  /** Ends it with a signal, and answers its exit code. */
  kill(signal: Deno.Signal): Promise<number>;
}

/** Starts the server in a world. */
export async function startUi(
  world: World,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<UiServer> {
  const [program, ...args] = programUnderTest();
  const child = new Deno.Command(program, {
    args: [...args, "ui", "--format", "raw", ...words],
    cwd: world.dir,
    env: { ...world.env, ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let url = "";
  while (!url.endsWith("\n")) url += (await reader.read()).value ?? "\n";
  url = url.trim();
  const [, port, token] = /^http:\/\/127\.0\.0\.1:(\d+)\/([\w-]{32})\/$/.exec(url) ?? [];
  let hasEnded = false;
  const end = async (signal?: Deno.Signal) => {
    hasEnded = true;
    if (signal === undefined) await child.stdin.close();
    else child.kill(signal);
    const { code } = await child.status;
    await reader.cancel();
    return code;
  };
  return {
    url,
    port: Number(port),
    token: token ?? "",
    pid: child.pid,
    async ask(path) {
      const response = await fetch(`${url}api/${path}`);
      const text = await response.text();
      assertEquals(response.status, 200, text);
      return JSON.parse(text);
    },
    end: () => end(),
    kill: (signal) => end(signal),
    async [Symbol.asyncDispose]() {
      if (!hasEnded) await end();
    },
  };
}
