/**
 * Commands run for callers in a directory that was removed, or under limits that leave the runtime no room to start.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { existsSync } from "node:fs";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/** The source form runs under Deno, which starts in neither. */
const ignore = programUnderTest().length > 1 || Deno.build.os !== "linux";

const [PROGRAM] = programUnderTest();

/** Runs a line of sh in a directory that is removed before it. */
const removed = (world: World, line: string) =>
  world.shell(`mkdir gone && cd gone && rmdir ../gone && ${line}`);

Deno.test({
  name: "in a removed directory the shell is bash, and commands that need no directory work",
  ignore,
  async fn() {
    using world = makeWorld();
    for (
      const line of [
        "cd / && echo ok",
        "pwd; exit 3",
        "cd .. && pwd",
        "echo a > f; ls",
        "readlink /proc/$$/cwd",
      ]
    ) {
      const [bash, fdtool] = [
        await removed(world, `bash -c '${line}'`),
        await removed(world, `${PROGRAM} -c '${line}'`),
      ];
      assertEquals(fdtool.text, bash.text, line);
      assertEquals(fdtool.code, bash.code, line);
      assertEquals(fdtool.stderr, bash.stderr, line);
    }
    const working = [
      "fdtool run -- seq 1 9000",
      "seq 1 9000 | fdtool capture",
      "fdtool read fd:1 --lines 4-5",
      "fdtool search fd:1 77",
      "fdtool ls",
      "fdtool -c 'seq 1 9000'",
      "fdtool run --cwd . -- true",
      `fdtool to-file fd:1 ${world.path("numbers")}`,
      "fdtool run --background -- true && fdtool wait fd:4",
    ];
    for (const line of working) assertEquals((await removed(world, line)).code, 0, line);
    for (const fd of ["fd:1", "fd:2", "fd:3", "fd:4"]) {
      const { code, text } = await world.run(["stat", fd]);
      assertEquals([code, text.includes("/proc")], [0, false]);
    }
    assertEquals(world.text("numbers").length, 43_893);
  },
});

Deno.test({
  name: "in a directory whose path is too long for the system, the shell is bash",
  ignore,
  async fn() {
    using world = makeWorld();
    const below = `d=${"d".repeat(200)}; for i in $(seq 21); do mkdir $d; cd -P ./$d || exit 99; done;`;
    const line = "seq 1 9000 | tail -1; pwd | wc -c; ls nothing; cd ..; pwd | wc -c; exit 3";
    const [bash, fdtool] = [
      await world.shell(`${below} bash -c '${line}'`),
      await world.shell(`rm -r ${"d".repeat(200)}; ${below} FDTOOL_KEEP_CUT=0 ${PROGRAM} -c '${line}'`),
    ];
    assertEquals([fdtool.code, fdtool.text, fdtool.stderr], [bash.code, bash.text, bash.stderr]);
    assertEquals(bash.code, 3);
  },
});

Deno.test({
  name: "in a removed directory a relative file cannot be written, and no directory takes its place",
  ignore,
  async fn() {
    using world = makeWorld();
    await world.shell("echo content | fdtool capture --always");
    for (const name of ["f", "./f", "below/f", "../gone/f"]) {
      const finished = await removed(world, `fdtool to-file fd:1 ${name}; echo new | fdtool create ${name}`);
      assertEquals(finished.code, 1, name);
    }
    assertEquals([...Deno.readDirSync(world.dir)], []);
  },
});

const LINE = "printf out; printf err >&2; exit 7";
const SAID = /^fdtool: too little [^\n]*not kept\n/;

Deno.test({
  name:
    "under limits that leave the runtime no room, the command runs, and one line says that it is not kept",
  ignore,
  async fn() {
    using world = makeWorld();
    // A deeper stack than the main thread's has no limit of its own.
    const limits = [
      "-v 150000",
      "-v 300000",
      "-v 420000",
      "-d 20000",
      "-d 250000",
      "-s 128",
      "-n 12",
    ];
    const callers = [
      `fdtool -c '${LINE}'`,
      `fdtool shell -ec '${LINE}' name`,
      `fdtool run -- sh -c '${LINE}'`,
    ];
    for (const limit of limits) {
      for (const caller of [...callers, `fdtool --format json run --name n --tee --shell '${LINE}'`]) {
        const finished = await world.shell(`ulimit ${limit} && ${caller}`);
        assertEquals([finished.code, finished.text], [7, "out"], `${limit} ${caller}: ${finished.stderr}`);
        assertMatch(finished.stderr, SAID);
        assertEquals(finished.stderr.replace(SAID, ""), "err");
      }
      const captured = await world.shell(`ulimit ${limit}; seq 1 9000 | fdtool capture | tail -1`);
      assertEquals(captured.text, "9000\n");
      const read = await world.shell(`ulimit ${limit}; fdtool read fd:1`);
      assertEquals([read.code, read.stderr.startsWith("fdtool: too little")], [1, true]);
    }
    // Only bash starts programs with so few.
    const bash = `bash -c 'ulimit -n 6; exec "$@"' limited ${PROGRAM} -c '${LINE}'`;
    const finished = await world.shell(bash);
    assertEquals([finished.code, finished.text, finished.stderr.replace(SAID, "")], [7, "out", "err"]);
    assertEquals(existsSync(world.store), false);
  },
});

Deno.test({
  name: "under limits that leave it enough, output is stored",
  ignore,
  async fn() {
    using world = makeWorld();
    for (const limit of ["-v 700000", "-d 500000", "-s 512", "-n 32"]) {
      const { code, text } = await world.shell(`ulimit ${limit} && fdtool -c 'seq 1 300000'`);
      assertEquals([code, text.startsWith("<fd_result")], [0, true], limit);
    }
  },
});

/** A control group of its own, which only some systems let a process make; undefined on others. */
function makeGroup(byteCount: number): { tasks: string; [Symbol.dispose](): void } | undefined {
  const group = `/sys/fs/cgroup/memory/fdtool-test-${crypto.randomUUID()}`;
  try {
    Deno.mkdirSync(`${group}/below`, { recursive: true });
    Deno.writeTextFileSync(`${group}/memory.limit_in_bytes`, String(byteCount));
  } catch {
    return undefined;
  }
  return {
    tasks: `${group}/below/tasks`,
    [Symbol.dispose]: () => [`${group}/below`, group].forEach((path) => Deno.removeSync(path)),
  };
}

Deno.test({
  name: "in a control group with too little memory, the command runs",
  ignore,
  async fn() {
    for (const [megabytes, isKept] of [[8, false], [64, true]] as const) {
      using group = makeGroup(megabytes * 2 ** 20);
      if (group === undefined) return;
      using world = makeWorld();
      const { code, stderr } = await world.shell(`echo $$ > ${group.tasks}; fdtool -c 'echo ok; exit 7'`);
      assertEquals([code, stderr === ""], [7, isKept], stderr);
    }
  },
});

Deno.test({
  name: "the shell that install writes runs a command where the system cannot even load the program",
  ignore,
  async fn() {
    using world = makeWorld();
    await world.run(["install", "claude-code"]);
    for (const agent of ["claude-code_1-2-3_agent", ""]) {
      const line = `ulimit -v 60000; AI_AGENT=${agent} ${world.home}/.claude/fdtool-shell '${LINE}'`;
      const finished = await world.shell(line);
      assertEquals([finished.code, finished.text, finished.stderr.replace(SAID, "")], [7, "out", "err"]);
      assertEquals(SAID.test(finished.stderr), agent !== "");
    }
  },
});
