/**
 * Commands that leave processes in the background which hold their output: `run` answers, and an fd with all of the output
 * goes on.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { connect } from "./mcp_connection.ts";
import { makeWorld, programUnderTest, runsOf, type World } from "./world.ts";

/** The source form gets pipes from Deno, which cannot be left to another process. */
const ignore = programUnderTest().length > 1 || Deno.build.os !== "linux";

/** A process that writes a line, waits for the file `go`, writes another and stays. */
const SERVER =
  "(echo up; touch up; while [ ! -e go ]; do sleep 0.02; done; echo later; exec sleep 1000 & echo $! >pid; wait)";
const STARTED = "while [ ! -e up ]; do sleep 0.02; done";

const wholeOf = async (world: World, fd: string) =>
  (await world.run(["read", fd, "--all", "--format", "raw"])).text;

/** Lets the server write, and checks that its fd has it and that `stop` ends it. */
async function checkGoesOn(world: World, fd: string, before: string): Promise<void> {
  assertEquals(await wholeOf(world, fd), before);
  world.write("go", "");
  assertEquals((await world.run(["wait", fd, "--until", "later"])).code, 0);
  assertEquals(await wholeOf(world, fd), `${before}later\n`);
  const pid = world.text("pid").trim();
  assertEquals((await world.run(["stop", fd])).code, 0);
  assertEquals(existsSync(`/proc/${pid}/cwd`), false);
  assertStringIncludes((await world.run(["stat", fd])).text, 'state="sealed"');
}

Deno.test({
  name: "run answers although a process in the background goes on, which stop ends",
  ignore,
  async fn() {
    using world = makeWorld();
    const line = `${SERVER} & ${STARTED}; echo done; exit 5`;
    const { code, text, stderr } = await world.run(["run", "--shell", "--", line]);
    assertEquals([code, text], [5, "up\ndone\n"]);
    assertStringIncludes(stderr, 'fd="fd:1"');
    assertStringIncludes(stderr, 'state="live" cursor="8"');
    assertStringIncludes(stderr, "fdtool stop fd:1 ends them");
    await checkGoesOn(world, "fd:1", "up\ndone\n");
    assertStringIncludes((await world.run(["stat", "fd:1"])).text, 'exit_code="5"');
  },
});

Deno.test({
  name: "the answer of stored output comes before what goes on, with one fd for each stream that does",
  ignore,
  async fn() {
    using world = makeWorld();
    const line = `${SERVER} 2>/dev/null & ${STARTED}; seq 1 9000; echo failed >&2; exit 5`;
    const { code, text, stderr } = await world.run([
      "run",
      "--format",
      "json",
      "--split",
      "--",
      "sh",
      "-c",
      line,
    ]);
    const answers = text.trim().split("\n").map((each) => JSON.parse(each));
    assertEquals([code, stderr], [5, "failed\n"]);
    assertEquals(answers.map(({ fd, state, exit_code }) => [fd, state, exit_code]), [
      ["fd:1", undefined, 5],
      ["fd:2", "live", undefined],
    ]);
    const before = await wholeOf(world, "fd:1");
    assert(before.startsWith("up\n1\n2\n"));
    await checkGoesOn(world, "fd:2", before);
  },
});

Deno.test({
  name: "no byte is lost or doubled when output comes while it is left",
  ignore,
  async fn() {
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("");
    await Promise.all(Array.from({ length: runsOf(6) }, async (_, run) => {
      using world = makeWorld();
      const line = `(sleep ${1.97 + run * 0.01}; seq 1 60000; sleep 0.5; echo end) & seq 1 3000`;
      const { text } = await world.run(["run", "--format", "json", "--always", "--", "sh", "-c", line]);
      const fd = JSON.parse(text.trim().split("\n").at(-1)!).fd;
      await world.run(["wait", fd]);
      assertEquals(await wholeOf(world, fd) === `${numbers(3000)}${numbers(60_000)}end\n`, true, text);
    }));
  },
});

Deno.test({
  name: "--wait-all waits, and a time limit goes on for what is left",
  ignore,
  async fn() {
    using world = makeWorld();
    const late = "(sleep 2.5; echo late) & echo early";
    assertEquals((await world.run(["run", "--wait-all", "--", "sh", "-c", late])).text, "early\nlate\n");
    const limited = await world.run([
      "run",
      "--timeout",
      "4s",
      "--",
      "sh",
      "-c",
      "sleep 1000 & echo $! > pid; exit 4",
    ]);
    assertEquals(limited.code, 4);
    assertEquals((await world.run(["wait", "fd:1"])).code, 4);
    assertEquals(existsSync(`/proc/${world.text("pid").trim()}/cwd`), false);
  },
});

Deno.test({
  name: "run_command answers, and names the fd that goes on",
  ignore,
  async fn() {
    using world = makeWorld();
    await using connected = await connect(world, { words: ["--run", "--root", world.dir] });
    const command = `${SERVER} & ${STARTED}; echo done; exit 5`;
    const { structuredContent } = await connected.client.callTool({
      name: "run_command",
      arguments: { command },
    });
    const { exit_code, message, preview } = structuredContent as Record<string, unknown>;
    assertEquals([exit_code, preview], [5, "up\ndone\n"]);
    assertStringIncludes(String(message), "all output in fd:2; stop_fd ends them");
    await checkGoesOn(world, "fd:2", "up\ndone\n");
  },
});
