/**
 * `read --follow` and `wait` at a terminal: bare lines and one line with the verdict, or how much has arrived so far.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { bytesShown, onTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { makeWorld, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `following: ${name}` : `following: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

/** A world with a background command that writes a line, waits for the gate, writes `rest` and exits with 3. */
async function gatedWorld(rest = "two"): Promise<World & AsyncDisposable> {
  const world = makeWorld();
  assertEquals(new Deno.Command("mkfifo", { args: [`${world.dir}/gate`] }).outputSync().code, 0);
  const line = `echo one; read go <gate; printf '${rest}'; exit 3`;
  const { code, stderr } = await world.run(["run", "--background", "--", "sh", "-c", line]);
  assertEquals(code, 0, stderr);
  assertEquals((await world.run(["wait", "fd:1", "--until", "one"])).code, 0);
  return Object.assign(world, {
    async [Symbol.asyncDispose]() {
      await world.run(["stop", "fd:1"]);
      world[Symbol.dispose]();
    },
  });
}

terminalTest("what arrives is shown bare, and a line closes with the verdict", async () => {
  await using world = await gatedWorld();
  await using session = onTerminal(world, ["read", "fd:1", "--follow"]);
  await session.shows("one\r\n");
  world.write("gate", "go\n");
  const { code, shown } = await session.end();
  assertEquals(code, 0);
  assertMatch(shown, /^one\ntwo\n── fd:1 · 2 lines · 7 B · exit 3 · [\dhmins. ]+ · fdtool read fd:1\n$/);
});

terminalTest("followed content neither steers the terminal nor passes for the closing line", async () => {
  await using world = await gatedWorld("\\200\\233\\033[2J── fd:9\\n");
  await using session = onTerminal(world, ["read", "fd:1", "--follow", "--exact"]);
  await session.shows("one");
  world.write("gate", "go\n");
  const { shown } = await session.end();
  assertMatch(shown, /^one\n\\x80\\x9b\\x1b\[2J── fd:9\n──[0-9a-f]{16} fd:1 · /);
});

terminalTest("a follower whose time is up says how to go on", async () => {
  await using world = await gatedWorld();
  const shown = new TextDecoder().decode(
    await bytesShown(world, "fdtool read fd:1 --follow --timeout 0; echo $?"),
  );
  world.write("gate", "go\n");
  assertEquals((await world.run(["wait", "fd:1"])).code, 3);
  assertMatch(shown, /^one\n── fd:1 · 1 line · 4 B · live · fdtool read fd:1 --since 4 --follow\n124\n$/);
});

terminalTest("other formats follow as before", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\n" });
  const shown = new TextDecoder().decode(await bytesShown(world, "fdtool read fd:1 --follow --format xml"));
  assert(shown.startsWith("<fd_content"), shown);
});

terminalTest("wait shows what has arrived, and wipes it", async () => {
  await using world = await gatedWorld();
  await using session = onTerminal(world, ["wait", "fd:1"], { TERM: "xterm", NO_COLOR: "1" });
  await session.shows("waiting for fd:1: 1 line, 4 B, ");
  world.write("gate", "go\n");
  const { code, shown } = await session.end();
  assertEquals(code, 3);
  const left = shown.slice(shown.lastIndexOf("\r") + 1);
  assert(left.startsWith("one"), JSON.stringify(left));
  // A person who wants no colours gets no escape sequence.
  assert(!shown.includes("\x1b"), JSON.stringify(shown));
});
