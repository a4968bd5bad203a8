/**
 * Ctrl-C in `capture` at a terminal: what has arrived is kept, one line says where, and the process ends by the signal.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lineOnTerminal, type TerminalSession, whyNoTerminal } from "./pseudo_terminal.ts";
import { readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `interrupted: ${name}` : `interrupted: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

/** Writes `line` and 9,000 lines in two parts, then waits for ever, on a pipe to capture; shows its exit code. */
function capturing(world: World, line = ""): TerminalSession {
  const fifos = ["more", "never"].map((name) => `${world.dir}/${name}`);
  assertEquals(new Deno.Command("mkfifo", { args: fifos }).outputSync().code, 0);
  // The shell around goes on after Ctrl-C, as one that a person types in does.
  const writer = `${line} seq 8999; cat more; exec 3<>never; read x <&3`;
  const script = `trap : INT; { ${writer}; } | fdtool capture --name log; echo "ended $?"`;
  return lineOnTerminal(world, script, { TERM: "xterm", NO_COLOR: "1" });
}

/** Waits until the second part has arrived: by then capture handles signals. */
async function untilStored(world: World): Promise<void> {
  await untilLines(world, 8999);
  world.write("more", "9000\n");
  await untilLines(world, 9000);
}

async function untilLines(world: World, lineCount: number): Promise<void> {
  for (;;) {
    const { fds } = readJson((await world.run(["ls", "--format", "json"])).text) as {
      fds: { total_lines: number }[];
    };
    if (fds[0]?.total_lines === lineCount) return;
  }
}

terminalTest("all that has arrived is kept, and a line says where", async () => {
  using world = makeWorld();
  await using session = capturing(world);
  await untilStored(world);
  await session.press("\x03");
  const { shown } = await session.end();
  assertMatch(shown, /\^C[^]*\ninterrupted: fd:1 has 9,000 lines \(fdtool read fd:1\)\n/);
  assertStringIncludes(shown, "ended 130");
  assert(!shown.includes("fd_result"), shown);
  const { text, code } = await world.run(["stat", "fd:1", "--format", "json"]);
  assertEquals(code, 0);
  assertEquals(readJson(text)["state"], "incomplete");
  assertStringIncludes((await world.run(["read", "ref:log", "--tail", "1", "--mode", "line"])).text, "9000");
});

terminalTest("also if what writes the input ignores Ctrl-C", async () => {
  using world = makeWorld();
  await using session = capturing(world, "trap '' INT;");
  await untilStored(world);
  await session.press("\x03");
  await session.shows("interrupted: fd:1 has 9,000 lines");
  // The shell waits for the writer, too.
  world.write("never", "now\n");
  await session.shows("ended 130");
});
