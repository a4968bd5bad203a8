import { assertEquals, assertRejects } from "@std/assert";
import { makePipes } from "./output_pipe.ts";
import { type CommandEnd, startCommand, StartError } from "./start_command.ts";

const SHELL_ENV = { PATH: "/usr/bin:/bin" };

/** Runs a line of sh to its end; with `split`, stderr is the second text. */
async function runLine(
  line: string,
  options: { pipes: boolean; split: boolean },
): Promise<CommandEnd & { texts: string[] }> {
  const texts = ["", ""];
  const decoder = new TextDecoder();
  const take = (at: number) => (bytes: Uint8Array) => {
    texts[at] += decoder.decode(bytes);
  };
  const running = await startCommand(
    { path: "/bin/sh", calledAs: "sh", args: ["-c", line], cwd: "/", env: SHELL_ENV, ownGroup: true },
    options.pipes ? makePipes(options.split ? 2 : 1, SHELL_ENV) : undefined,
    take(0),
    options.split ? take(1) : undefined,
  );
  const end = await running.ended;
  await Promise.all(running.readings.map((reading) => reading.done));
  return { ...end, texts };
}

for (const pipes of [true, false]) {
  const through = pipes ? "through a pipe" : "through the runtime's streams";

  Deno.test(`stdout and stderr arrive in the order of the writes, ${through}`, async () => {
    const line = "i=0; while [ $i -lt 2000 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done; exit 3";
    const expected = Array.from({ length: 2000 }, (_, i) => `o${i}\ne${i}\n`).join("");
    assertEquals(await runLine(line, { pipes, split: false }), {
      code: 3,
      signal: undefined,
      texts: [expected, ""],
    });
  });

  Deno.test(`stdout and stderr are separate on request, ${through}`, async () => {
    const ended = await runLine("echo out; echo err >&2; kill -TERM $$", { pipes, split: true });
    assertEquals(ended, { code: undefined, signal: "SIGTERM", texts: ["out\n", "err\n"] });
  });

  Deno.test(`a program that the system cannot start is a StartError, ${through}`, async () => {
    const nothing = { path: "/nothing/there", calledAs: "x", args: [], cwd: "/", env: {}, ownGroup: true };
    const start = () =>
      startCommand(nothing, pipes ? makePipes(2, SHELL_ENV) : undefined, () => {}, () => {});
    assertEquals((await assertRejects(start, StartError)).code, "ENOENT");
  });
}

Deno.test("a command can open its stdout and stderr by name", async () => {
  const ended = await runLine("echo err > /dev/stderr; echo out > /dev/stdout", {
    pipes: true,
    split: false,
  });
  assertEquals(ended, { code: 0, signal: undefined, texts: ["err\nout\n", ""] });
});
