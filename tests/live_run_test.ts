/**
 * `run` at a terminal: a person sees the output as it comes, prompts work, and one line closes. What is stored and the
 * verdict are the same as anywhere else.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  bytesShown,
  lineOnTerminal,
  onTerminal,
  type TerminalSession,
  whyNoTerminal,
} from "./pseudo_terminal.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `live run: ${name}` : `live run: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

const stored = async (world: World, fd: string) =>
  (await world.run(["read", fd, "--all", "--format", "raw"])).text;

async function shownBy(world: World, line: string, env: Record<string, string> = {}): Promise<string> {
  return new TextDecoder().decode(await bytesShown(world, line, env));
}

function makeFifo(world: World, name: string): void {
  assertEquals(new Deno.Command("mkfifo", { args: [`${world.dir}/${name}`] }).outputSync().code, 0);
}

terminalTest("lines and prompts are shown before the command goes on, then one line closes", async () => {
  using world = makeWorld();
  makeFifo(world, "gate");
  const line = "echo first; printf 'prompt> '; read go <gate; echo done >&2; exit 3";
  await using session = onTerminal(world, ["run", "--", "sh", "-c", line]);
  await session.shows("first");
  await session.shows("prompt> ");
  // The command waits for this: what was shown so far came before its end.
  world.write("gate", "go\n");
  const { code, shown } = await session.end();
  assertEquals(code, 3);
  assertMatch(
    shown,
    /^first\nprompt> done\n── fd:1 · 2 lines · 19 B · exit 3 · [\d.]+ m?s · fdtool read fd:1\n$/,
  );
  assertEquals(await stored(world, "fd:1"), "first\nprompt> done\n");
});

terminalTest("the command reads what is typed", async () => {
  using world = makeWorld();
  await using session = onTerminal(world, ["run", "--", "sh", "-c", "printf 'name? '; read x; echo hi $x"]);
  await session.shows("name? ");
  await session.type("bob");
  await session.shows("hi bob");
  const { code, shown } = await session.end();
  assertEquals(code, 0, shown);
  assertEquals(await stored(world, "fd:1"), "name? hi bob\n");
});

terminalTest(
  "after a failure the closing line leads to the lines around the one that matters most",
  async () => {
    using world = makeWorld();
    const passing = Array.from({ length: 90 }, (_, at) => `tests/test_a.py::test_${at} PASSED`);
    const lines = [
      ...passing,
      "    def test_unknown(self):",
      '        """',
      "        Raises an error.",
      '        """',
    ];
    const failure =
      "E       Failed: DID NOT WARN. No warnings of type (<class 'DeprecationWarning'>,) were emitted.";
    world.write("log", [...lines, failure, ...passing, "1 failed, 180 passed in 17.60s", ""].join("\n"));
    await using session = onTerminal(world, ["run", "--", "sh", "-c", "cat log; exit 1"]);
    const { code, shown } = await session.end();
    assertEquals(code, 1);
    const next = /fdtool (read fd:1 --mode line --start \d+ --count 8)\n$/.exec(shown.replaceAll("\r", ""))
      ?.[1];
    assert(next !== undefined, shown.slice(-300));
    assertStringIncludes((await world.run(next.split(" "))).text, "DID NOT WARN");
  },
);

terminalTest("again asks, runs the command in its directory, and says what changed", async () => {
  using world = makeWorld();
  world.write("sub/test.sh", "seq 300; cat report; exit 1");
  world.write("sub/report", "test_a FAILED\ntest_b FAILED\n");
  const run = ["run", "--cwd", "sub", "--always", "--", "sh", "test.sh"];
  assertEquals((await world.run(run)).code, 1);
  world.write("sub/report", "test_b FAILED\n");
  await using session = onTerminal(world, ["again", "last"]);
  await session.shows(`Run sh test.sh in ${world.path("sub")}?`);
  await session.type("y");
  const { code, shown } = await session.end();
  assertEquals(code, 1, shown);
  assertMatch(shown, /test_b FAILED/);
  assertMatch(shown, /Since fd:1, .*: 1 of 2 findings gone, 0 new, 1 left/);
});

Deno.test("again is refused to agents, with the command that their harness can judge", async () => {
  using world = makeWorld();
  await world.run(["run", "--always", "--", "sh", "-c", "echo ran >>ran; seq 3"]);
  const { code, stderr: errors } = await world.run(["again", "fd:1"], { env: { CLAUDECODE: "1" } });
  assertEquals(code, 2);
  assertStringIncludes(errors, "-- sh -c 'echo ran");
  assertEquals(world.text("ran"), "ran\n");
});

/** Waits for ever, since nothing writes to what it reads. */
const WAIT = "exec 3<>never; read x <&3";

/** Runs a line of sh, with no other shell around it that Ctrl-C would end too. */
function foreground(world: World, line: string): TerminalSession {
  makeFifo(world, "never");
  return lineOnTerminal(world, `exec fdtool run -- sh -c ${quoteForShell(line)}`);
}

terminalTest("Ctrl-C ends the command, and the closing line says what was kept", async () => {
  using world = makeWorld();
  await using session = foreground(world, `seq 3; ${WAIT}`);
  await session.shows("3");
  await session.press("\x03");
  const { code, shown } = await session.end();
  assertEquals(code, 130, shown);
  assertMatch(shown, /\n── fd:1 · 3 lines · 6 B · SIGINT · [\d.]+ m?s · fdtool read fd:1\n$/);
  assertEquals(await stored(world, "fd:1"), "1\n2\n3\n");
});

terminalTest("a command that handles Ctrl-C has the last word", async () => {
  using world = makeWorld();
  await using session = foreground(world, `trap 'echo cleaning; exit 7' INT; echo ready; ${WAIT}`);
  await session.shows("ready");
  await session.press("\x03");
  const { code, shown } = await session.end();
  assertEquals(code, 7, shown);
  // The signal may reach fdtool after what the command wrote at it: then a line end follows, as after a bare ^C.
  assertMatch(shown, /cleaning\n\n?── fd:1 · 2 lines · 15 B · exit 7 · /);
});

terminalTest(
  "colours and redrawn lines are shown; what acts outside of the row is not, and is stored",
  async () => {
    using world = makeWorld();
    const content = "\x1b[32mgreen\x1b[0m \x1b]0;title\x07\x1b[2J10%\r\x1b[K20%\x07\n\x1b[31mred";
    world.write("content", content);
    const shown = await shownBy(world, "stty -opost; fdtool run -- cat content", {
      TERM: "xterm",
      NO_COLOR: "1",
    });
    const [output, closing] = shown.split("── fd:1");
    assertEquals(output, "\x1b[32mgreen\x1b[0m 10%\r\x1b[K20%\\x07\n\x1b[31mred\x1b[m\n");
    assertStringIncludes(closing!, "2 lines");
    assertEquals(await stored(world, "fd:1"), content);
    const dumb = await shownBy(world, "stty -opost; fdtool run -- cat content", { TERM: "dumb" });
    assertEquals(dumb.split("── ")[0], "green 10%\r20%\\x07\nred\n");
  },
);

terminalTest("output cannot pass for the closing line", async () => {
  using world = makeWorld();
  for (const split of ["", "--split "]) {
    const shown = await shownBy(world, `fdtool run ${split}-- echo '── fd:9 · 1 line'`);
    assertMatch(shown, /^── fd:9 · 1 line\n──[0-9a-f]{16} fd:\d+ · /);
  }
});

terminalTest("a failure leads to the lines that matter, by a command that can be pasted", async () => {
  using world = makeWorld();
  const line = "seq 9000; echo 'Error: disk full'; seq 9000; exit 1";
  const shown = await shownBy(world, `fdtool run -- sh -c "${line}"`);
  const next = /· (fdtool read fd:1 .*)\n$/.exec(shown)?.[1];
  assert(next !== undefined, shown.slice(-300));
  assertStringIncludes((await world.shell(next)).text, "Error: disk full");
});

terminalTest(
  "small output is stored unless a threshold is given, and no output is said to be none",
  async () => {
    using world = makeWorld();
    assertMatch(await shownBy(world, "fdtool run -- echo hi"), /^hi\n── fd:1 · 1 line · 3 B · exit 0 · /);
    assertMatch(
      await shownBy(world, "fdtool run --threshold 9 -- echo hi"),
      /^hi\n── 1 line · 3 B · exit 0 · [\d.]+ m?s\n$/,
    );
    assertMatch(await shownBy(world, "fdtool run -- true"), /^── no output · exit 0 · [\d.]+ m?s\n$/);
  },
);

terminalTest("each of two streams has its closing line", async () => {
  using world = makeWorld();
  const shown = await shownBy(world, "fdtool run --split -- sh -c 'echo out; echo err >&2; exit 4'; echo $?");
  assertMatch(shown, /\n── fd:1 · stdout · 1 line · .*\n── fd:2 · stderr · 1 line · .*exit 4 · .*\n4\n$/);
});

terminalTest(
  "the next program in a person's pipe gets the output alone, and the terminal the closing line",
  async () => {
    using world = makeWorld();
    const counts: [line: string, piped: string][] = [
      ["fdtool run -- seq 40000", "40000"],
      ["fdtool run -- sh -c 'seq 30000; exit 3'", "30000"],
      ["fdtool run -- echo hi", "1"],
      ["fdtool run --split -- sh -c 'seq 9; echo err >&2'", "9"],
      ["fdtool run -- true", "0"],
      ["fdtool run -- no-such-program", "0"],
    ];
    for (const [line, piped] of counts) {
      const shown = await shownBy(world, `${line} | grep -c "" >piped`);
      assertEquals(world.text("piped"), `${piped}\n`, line);
      assertMatch(shown, /^(?:err\n)?(?:── |fdtool: )[^\n]*\n(?:── fd:\d+ · stderr [^\n]*\n)?$/, line);
    }
  },
);

terminalTest("agents, their pipes, other formats and other previews get what they got", async () => {
  using world = makeWorld();
  for (
    const [line, env] of [
      ["fdtool run --always -- echo hi", { CLAUDECODE: "1" }],
      ["fdtool run --always -- echo hi", { FDTOOL_FORMAT: "xml" }],
      ["fdtool run --always -- echo hi | cat", { CLAUDECODE: "1" }],
    ] as const
  ) {
    assertMatch(await shownBy(world, line, env), /^<fd_result fd="fd:\d+"/, line);
  }
  const page = await shownBy(world, "fdtool run --preview page --always -- echo hi");
  assertEquals(page.match(/^hi$/gm)?.length, 1, page);
});

terminalTest("output that cannot be stored is shown all the same, with its verdict", async () => {
  using world = makeWorld();
  world.write("../store", "no directory");
  await using session = lineOnTerminal(world, "fdtool run -- sh -c 'echo one; echo two; exit 5'");
  const { code, shown } = await session.end();
  assertEquals(code, 5);
  assert(shown.startsWith("one\ntwo\n"), shown);
  assertEquals(shown.match(/^one$/gm)?.length, 1);
});
