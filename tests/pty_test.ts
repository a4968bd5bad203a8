/**
 * Promise: `run --pty` gives the command a terminal of its own, with the size of the window and what is typed; stores its
 * output exactly; keeps its exit code; and shows a full-screen program as it is.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertEnded, bytesShown, lineOnTerminal, onTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld } from "./world.ts";

const ignore = whyNoTerminal() !== undefined;

Deno.test({
  name: "run --pty: a terminal without a window; exact output, the exit code, the environment",
  ignore,
  async fn() {
    using world = makeWorld();
    const script =
      `test -t 1 && stty size && echo "$SHELL \\"x\\" é" && printf '\\033[31mred\\033[m\\n'; exit 7`;
    const env = { SHELL: "/bin/odd shell" };
    const ran = await world.run(["run", "--always", "--pty", "--", "sh", "-c", script], { env });
    assertEquals(ran.code, 7, ran.stderr);
    const stored = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
    assertEquals(stored.text, '40 120\r\n/bin/odd shell "x" é\r\n\x1b[31mred\x1b[m\r\n');
    const record = await world.run(["stat", "fd:1"]);
    assertStringIncludes(record.text, "test -t 1", "the command is recorded as it was written");
  },
});

Deno.test({
  name: "run --pty: a pipe at stdin is no keyboard, a missing command and a time limit are as ever",
  ignore,
  async fn() {
    using world = makeWorld();
    assertEquals((await world.run(["run", "--pty", "--", "cat"], { stdin: "not typed\n" })).code, 0);
    assertEquals((await world.run(["run", "--pty", "--", "nosuch"])).code, 127);
    assertEquals((await world.run(["run", "--pty", "--timeout", "100ms", "--", "sleep", "60"])).code, 124);
    for (const other of [["--split"], ["--background"], ["--until", "x"]]) {
      const refused = await world.run(["run", "--pty", ...other, "--", "true"]);
      assertEquals(refused.code, 2);
      assertStringIncludes(refused.stderr, `Cannot combine --pty and ${other[0]}`);
    }
    const noScript = await world.run(["run", "--pty", "--", "/bin/true"], {
      env: { PATH: world.path("none") },
    });
    assertEquals(noScript.code, 2);
    assertStringIncludes(noScript.stderr, "script of util-linux");
  },
});

Deno.test({
  name: "run --pty: at a terminal the window's size and what is typed reach the command, Ctrl-C too",
  ignore,
  async fn() {
    using world = makeWorld();
    await using session = lineOnTerminal(
      world,
      "stty cols 77 rows 20; fdtool run --pty -- sh -c 'stty size; read name; echo hello $name; exec sleep 60'",
    );
    await session.shows("20 77");
    await session.type("you");
    await session.shows("hello you");
    await session.press("\x03");
    const { shown } = await session.end();
    assertStringIncludes(shown, "exit 130");
    const stored = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
    assertStringIncludes(stored.text, "hello you");
  },
});

Deno.test({
  name: "run --pty: a program that fills the screen is shown as it is",
  ignore,
  async fn() {
    using world = makeWorld();
    world.write("full", "printf '\\033[?1049h\\033[2Jfull\\033[?1049l'\n");
    const shown = await bytesShown(world, "fdtool run --pty -- sh full");
    assertStringIncludes(new TextDecoder().decode(shown), "\x1b[?1049h\x1b[2Jfull\x1b[?1049l");
    await using without = onTerminal(world, ["run", "--", "sh", "full"]);
    const ended = await without.end();
    assertEnded(ended, 0);
    assert(
      !ended.shown.includes("\x1b[?1049h"),
      "without it the live view keeps such a program off the screen",
    );
  },
});
