/** `run` from outside: contract, law 6 and Capturing. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeWorld, programUnderTest, type World } from "./world.ts";

const LINES = Array.from({ length: 3000 }, (_, at) => `line ${at + 1}\n`).join("");

/** Whether the binary is under test, and not the source under Deno. */
const IS_BINARY = programUnderTest().length === 1;

/** Waits until `name` is in the world's directory, and answers its text. */
async function awaitFile(world: World, name: string): Promise<string> {
  for (;;) {
    try {
      const written = world.text(name);
      if (written.endsWith("\n")) return written;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Whether a process runs; one that is dead and not yet buried does not. */
function isRunning(pid: string): boolean {
  const looked = new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid], stderr: "null" }).outputSync();
  const state = new TextDecoder().decode(looked.stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

Deno.test("small output passes through with the command's own exit code", async () => {
  using world = makeWorld();
  for (const code of [0, 1, 2, 77, 255]) {
    const ran = await world.run(["run", "--", "sh", "-c", `echo out; echo err >&2; exit ${code}`]);
    assertEquals([ran.code, ran.text, ran.stderr], [code, "out\nerr\n", ""]);
  }
  const bytes = await world.run(["run", "--", "printf", "\\000\\377\\303(no newline"]);
  assertEquals(Array.from(bytes.stdout.slice(0, 4)), [0, 0xff, 0xc3, 0x28]);
  assertEquals((await world.run(["run", "--", "true"])).stdout.length, 0);
});

Deno.test("large output is stored: head, tail, exit code and duration in the answer, the command in the record", async () => {
  using world = makeWorld();
  world.write("log", LINES);
  const ran = await world.run(["run", "--format", "json", "--", "sh", "-c", "cat log; exit 3"]);
  const result = JSON.parse(ran.text);
  assertEquals([ran.code, ran.stderr], [3, ""]);
  assertEquals([result.type, result.source, result.exit_code, result.signal], [
    "fd_result",
    "run",
    3,
    undefined,
  ]);
  assert(Number.isInteger(result.duration_ms) && result.duration_ms >= 0);
  const [head, tail] = result.lines.split(",");
  assert(head.startsWith("1-") && tail.endsWith("-3000"), result.lines);

  const stat = JSON.parse((await world.run(["stat", "fd:1", "--format", "json"])).text);
  assertEquals(stat.command, ["sh", "-c", "cat log; exit 3"]);
  assertEquals([stat.cwd, stat.exit_code, stat.duration_ms], [world.dir, 3, result.duration_ms]);
  const whole = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
  assertEquals(whole.text, LINES);
});

Deno.test("a command ended by a signal exits with 128 + n and names the signal", async () => {
  using world = makeWorld();
  for (const [name, number] of [["HUP", 1], ["INT", 2], ["KILL", 9], ["TERM", 15], ["SEGV", 11]] as const) {
    const ran = await world.run(["run", "--always", "--format=json", "--", "sh", "-c", `kill -${name} $$`]);
    const result = JSON.parse(ran.text);
    assertEquals([ran.code, result.exit_code, result.signal], [128 + number, 128 + number, `SIG${name}`]);
  }
});

Deno.test("127 not found, 126 not executable, 125 cannot start there; nothing is stored", async () => {
  using world = makeWorld();
  const plain = world.write("plain", "#!/bin/sh\n");
  const badInterpreter = world.write("bad-interpreter", "#!/no/such/interpreter\n");
  const binary = world.write("binary", new Uint8Array([1, 2, 0, 3]));
  for (const path of [badInterpreter, binary]) Deno.chmodSync(path, 0o755);
  const cases: [number, string, string[]][] = [
    [127, "file_not_found", ["no-such-command-anywhere"]],
    [127, "file_not_found", ["./no-such-file"]],
    [127, "file_not_found", [""]],
    [126, "permission_error", [plain]],
    [126, "permission_error", [world.dir]],
  ];
  // Under Deno the command is started through sh, which changes these.
  if (IS_BINARY) {
    cases.push([126, "permission_error", [badInterpreter]], [126, "permission_error", [binary]]);
  }
  for (const [code, type, command] of cases) {
    const ran = await world.run(["run", "--always", "--", ...command]);
    assertEquals([ran.code, ran.text], [code, ""], ran.stderr);
    assertStringIncludes(ran.stderr, `<fd_error type="${type}"`);
  }
  for (const directory of ["no/such/directory", plain]) {
    const ran = await world.run(["run", "--always", "--cwd", directory, "--", "true"]);
    assertEquals([ran.code, ran.text], [125, ""], ran.stderr);
    assertStringIncludes(ran.stderr, "<fd_error");
  }
  assertEquals(JSON.parse((await world.run(["ls", "--format", "json"])).text).fds, []);
});

Deno.test("a call without a command, or with a bad option, is a usage error", async () => {
  using world = makeWorld();
  for (const args of [[], ["--timeout", "soon", "--", "true"], ["--threshold", "-5", "--", "true"]]) {
    const ran = await world.run(["run", ...args]);
    assertEquals([ran.code, ran.text], [2, ""], ran.stderr);
  }
});

Deno.test("a script without an interpreter line is run by sh", async () => {
  using world = makeWorld();
  Deno.chmodSync(world.write("script", "echo ran $1\n"), 0o755);
  const ran = await world.run(["run", "--", "./script", "here"]);
  assertEquals([ran.code, ran.text], [0, "ran here\n"]);
});

Deno.test("arguments and environment reach the command unchanged", async () => {
  using world = makeWorld();
  const words = ["", " two  words ", "'\"$HOME`x`\\", "line\nfeed", "--format", "-"];
  const ran = await world.run([
    "run",
    "--",
    "sh",
    "-c",
    'for word; do printf "<%s>" "$word"; done',
    "sh",
    ...words,
  ]);
  assertEquals(ran.text, words.map((word) => `<${word}>`).join(""));

  const env: Record<string, string> = { EMPTY: "", SPACED: " a\nb " };
  // A name that no shell passes on. Under Deno the command is started through sh.
  if (IS_BINARY) env["dotted.name"] = "1";
  const printed = await world.run(["run", "--", "env", "-0"], { env });
  const got = Object.fromEntries(
    printed.text.split("\0").filter((entry) => entry !== "").map((entry) => {
      const at = entry.indexOf("=");
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
  if (!IS_BINARY) delete got["PWD"];
  assertEquals(got, { ...world.env, ...env });
});

Deno.test("options after the command belong to it, with and without --", async () => {
  using world = makeWorld();
  assertEquals((await world.run(["run", "echo", "--name", "-n", "x"])).text, "--name -n x\n");
  assertEquals((await world.run(["run", "--", "echo", "--", "-n"])).text, "-- -n\n");
});

Deno.test("the command reads fdtool's stdin", async () => {
  using world = makeWorld();
  const ran = await world.run(["run", "--", "cat"], { stdin: "typed\n" });
  assertEquals(ran.text, "typed\n");
});

Deno.test("stdout and stderr are in the order in which they were written", async () => {
  using world = makeWorld();
  const line = "i=0; while [ $i -lt 4000 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done";
  const ran = await world.run(["run", "--always", "--preview", "none", "--", "sh", "-c", line]);
  assertEquals(ran.code, 0);
  const whole = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
  assertEquals(whole.text, Array.from({ length: 4000 }, (_, i) => `o${i}\ne${i}\n`).join(""));
});

Deno.test("a command can open its stdout and stderr by name", async () => {
  using world = makeWorld();
  const ran = await world.run([
    "run",
    "--",
    "sh",
    "-c",
    "echo a > /dev/stderr; echo b > /dev/stdout; echo c",
  ]);
  assertEquals([ran.code, ran.text], [0, "a\nb\nc\n"]);
});

Deno.test("--shell runs one line of sh, --cwd runs in a directory", async () => {
  using world = makeWorld();
  const piped = await world.run(["run", "--shell", "--", "echo a | tr a b; exit 4"]);
  assertEquals([piped.code, piped.text], [4, "b\n"]);
  world.write("sub/here", "");
  const listed = await world.run(["run", "--cwd", "sub", "--", "ls"]);
  assertEquals(listed.text, "here\n");
});

Deno.test("--split keeps stdout and stderr apart, each small or stored by itself", async () => {
  using world = makeWorld();
  world.write("log", LINES);
  const small = await world.run(["run", "--split", "--", "sh", "-c", "echo out; echo err >&2; exit 6"]);
  assertEquals([small.code, small.text, small.stderr], [6, "out\n", "err\n"]);

  const mixed = await world.run([
    "run",
    "--split",
    "--format=json",
    "--",
    "sh",
    "-c",
    "echo out; cat log >&2",
  ]);
  const [passed, answered] = mixed.text.split("\n");
  assertEquals(passed, "out");
  assertEquals(JSON.parse(answered ?? "").source, "run stderr");

  const both = [
    "run",
    "--split",
    "--name",
    "it",
    "--format=json",
    "--",
    "sh",
    "-c",
    "cat log; cat log >&2; exit 7",
  ];
  const stored = await world.run(both);
  assertEquals([stored.code, stored.stderr], [7, ""]);
  const results = stored.text.trimEnd().split("\n").map((answer) => JSON.parse(answer));
  assertEquals(results.map((result) => [result.source, result.exit_code]), [["run stdout", 7], [
    "run stderr",
    7,
  ]]);
  const named = JSON.parse((await world.run(["stat", "ref:it", "--format", "json"])).text);
  assertEquals(named.fd, results[0].fd);
});

Deno.test("--tee forwards the output as it arrives and answers on stderr", async () => {
  using world = makeWorld();
  world.write("log", LINES);
  const ran = await world.run(["run", "--tee", "--", "sh", "-c", "cat log; exit 5"]);
  assertEquals([ran.code, ran.text], [5, LINES]);
  assertStringIncludes(ran.stderr, '<fd_result fd="fd:1"');
  assertStringIncludes(ran.stderr, 'exit_code="5"');
});

Deno.test("if storing fails, the output is forwarded and the exit code unchanged", async () => {
  using world = makeWorld();
  world.write("log", LINES);
  const env = { FDTOOL_STORE: "/dev/null/x" };
  const failed = await world.run(["run", "--", "sh", "-c", "cat log; exit 9"], { env });
  assertEquals([failed.code, failed.text], [9, LINES]);
  assertStringIncludes(failed.stderr, "<fd_error");
  const split = await world.run(["run", "--split", "--", "sh", "-c", "cat log >&2; echo out"], { env });
  assertEquals([split.code, split.text], [0, "out\n"]);
  assertEquals(split.stderr.startsWith(LINES), true);
});

Deno.test("a reader that closes the pipe changes neither the exit code nor the fd", async () => {
  using world = makeWorld();
  world.write("log", LINES.repeat(10));
  const line = "{ fdtool run --tee -- sh -c 'cat log; exit 5' 2> errors; echo $? > code; } | head -n 1";
  const ran = await world.shell(line);
  assertEquals([ran.text, world.text("code")], ["line 1\n", "5\n"]);
  assertEquals(world.text("errors").includes("fd_error"), false);
  const whole = await world.run(["read", "fd:1", "--all", "--format", "raw"]);
  assertEquals(whole.text === LINES.repeat(10), true);
});

const SIGNALS = [["TERM", 15], ["INT", 2], ["HUP", 1], ["QUIT", 3], ["USR1", 10], ["USR2", 12]] as const;

/** The signals that this process ignores, one bit each; none where the system does not tell. */
function ignoredSignals(): bigint {
  try {
    return BigInt(
      `0x${/^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1] ?? "0"}`,
    );
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return 0n;
  }
}

Deno.test("signals are forwarded once, and the command handles them", async () => {
  for (const [signal, number] of SIGNALS) {
    // What this process was started to ignore (a shell's background jobs: INT and QUIT), so is fdtool, and all it starts.
    if ((ignoredSignals() >> BigInt(number - 1)) & 1n) continue;
    using world = makeWorld();
    const script =
      `trap 'echo ${signal} >> got' ${signal}; echo ready > ready; while [ ! -e stop ]; do sleep 0.05; done; exit 8`;
    const { child, finished } = world.start(["run", "--", "sh", "-c", script]);
    await awaitFile(world, "ready");
    child.kill(`SIG${signal}`);
    await awaitFile(world, "got");
    world.write("stop", "");
    const ended = await finished;
    assertEquals([ended.code, ended.stderr], [8, ""], signal);
    assertEquals(world.text("got"), `${signal}\n`);
  }
});

Deno.test("a signal reaches the whole group, and fdtool still answers", async () => {
  using world = makeWorld();
  const script = "echo started; sleep 1000 & echo $! > pid; wait";
  const { child, finished } = world.start(["run", "--always", "--format", "json", "--", "sh", "-c", script]);
  const pid = (await awaitFile(world, "pid")).trim();
  child.kill("SIGTERM");
  const ended = await finished;
  const result = JSON.parse(ended.text);
  assertEquals([ended.code, result.signal, result.preview], [143, "SIGTERM", "started\n"]);
  assertEquals(isRunning(pid), false);
});

Deno.test("--timeout ends the whole group with 124 and keeps the output", async () => {
  using world = makeWorld();
  const script = "echo started; sleep 1000 & echo $! > pid; wait";
  const options = ["--always", "--timeout", "1s", "--format", "json"];
  const ran = await world.run(["run", ...options, "--", "sh", "-c", script]);
  const result = JSON.parse(ran.text);
  assertEquals([ran.code, result.exit_code, result.signal, result.preview], [
    124,
    124,
    "SIGTERM",
    "started\n",
  ]);
  assertStringIncludes(result.message, "1s");
  assertEquals(isRunning(world.text("pid").trim()), false);
});

Deno.test("a command that ignores TERM is killed", async () => {
  using world = makeWorld();
  const script = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done";
  const ran = await world.run(["run", "--timeout", "1s", "--", "sh", "-c", script]);
  assertEquals(ran.code, 124);
  assertEquals(isRunning(world.text("pid").trim()), false);
});

Deno.test({
  name: "a command ignores what its caller ignores, as it would without run (law 6)",
  // Deno gives signals their usual meaning before the program begins.
  ignore: !IS_BINARY || Deno.build.os !== "linux",
  async fn() {
    using world = makeWorld();
    const command = `fdtool run -- sh -c 'kill -HUP $$; echo "$1"' sh 'on  and "on"'`;
    const ignoring = await world.shell(`trap '' HUP; ${command}`);
    assertEquals([ignoring.code, ignoring.text], [0, 'on  and "on"\n']);
    const hungUp = await world.shell(command);
    assertEquals([hungUp.code, hungUp.text], [129, ""]);
    const absent = await world.shell("trap '' HUP; fdtool run -- no-such-command");
    assertEquals(absent.code, 127);
    Deno.chmodSync(world.write("script", "#!/no/such/interpreter\n"), 0o755);
    const refused = await world.shell("trap '' HUP; fdtool run -- ./script");
    assertEquals(refused.code, 126);
    assertStringIncludes(refused.stderr, 'type="permission_error"');
  },
});

Deno.test({
  name: "a command that ignores what its caller ignores gets the environment of its caller (law 6)",
  ignore: !IS_BINARY || Deno.build.os !== "linux" ||
    new Deno.Command("env", { args: ["--ignore-signal=HUP", "env"] }).outputSync().code !== 0,
  async fn() {
    using world = makeWorld();
    const { text } = await world.shell(
      `trap '' HUP INT; env -i PATH="$PATH" HOME="$HOME" dotted.name=1 ${programUnderTest()[0]} run -- env`,
    );
    assertEquals(text.split("\n").map((line) => line.split("=")[0]).sort(), [
      "",
      "HOME",
      "PATH",
      "dotted.name",
    ]);
  },
});

Deno.test("after a timeout, processes outside the group are not waited for", async () => {
  using world = makeWorld();
  const script = "echo here; setsid sleep 1000 & echo $! > pid; wait";
  const ran = await world.run(["run", "--timeout", "500ms", "--", "sh", "-c", script]);
  Deno.kill(Number(world.text("pid")), "SIGKILL");
  assertEquals([ran.code, ran.text], [124, "here\n"]);
});

Deno.test("a limit that ends only background processes does not change the exit code", async () => {
  using world = makeWorld();
  const script = "echo here; sleep 1000 & echo $! > pid; exit 4";
  const ran = await world.run([
    "run",
    "--always",
    "--timeout",
    "500ms",
    "--format",
    "json",
    "--",
    "sh",
    "-c",
    script,
  ]);
  const { exit_code, message } = JSON.parse(ran.text);
  assertEquals([ran.code, exit_code], [4, 4]);
  assertStringIncludes(
    message,
    "Background processes of the command were ended after its time limit of 500ms",
  );
  assertEquals(isRunning(world.text("pid").trim()), false);
});

Deno.test("a command gets the descriptors that fdtool was started with: <( ), 3>file", async () => {
  using world = makeWorld();
  world.write("nine", "from nine\n");
  for (const start of ["run --", "fork --", "run --timeout 1h --"]) {
    const line = `fdtool ${start} sh -c 'cat <&9; echo to seven >&7; exit 3' 9<nine 7>seven`;
    const ran = await world.shell(line);
    assertEquals([ran.code, ran.text, world.text("seven")], [3, "from nine\n", "to seven\n"], ran.stderr);
  }
});

Deno.test("a umask that locks fdtool out of its own files does not stop the command", async () => {
  using world = makeWorld();
  for (const umask of ["0400", "0777"]) {
    const ran = await world.shell(`umask ${umask}; fdtool run -- echo here`);
    assertEquals([ran.code, ran.text], [0, "here\n"], ran.stderr);
  }
});

Deno.test("a command runs in a directory whose name is not UTF-8", async () => {
  using world = makeWorld();
  world.write("here", "#!/bin/sh\necho here\n");
  Deno.chmodSync(world.path("here"), 0o755);
  for (const start of ["run", "run --timeout 1h", "fork"]) {
    const line =
      `rm -rf d*; mkdir "$(printf 'd\\377')"; cd d*; mv ../here .; fdtool ${start} -- ./here; code=$?; ` +
      "mv here ..; exit $code";
    const ran = await world.shell(line);
    assertEquals([ran.code, ran.text], [0, "here\n"], ran.stderr);
  }
});

Deno.test("a command within its limit keeps its own exit code, and the limit does not hold fdtool up", async () => {
  using world = makeWorld();
  const ran = await world.run(["run", "--timeout", "1h", "--", "sh", "-c", "echo done; exit 2"]);
  assertEquals([ran.code, ran.text], [2, "done\n"]);
});

Deno.test("output of background processes is waited for on request, as in $( )", async () => {
  using world = makeWorld();
  const script = "(while [ ! -e go ]; do sleep 0.05; done; echo late) & echo early; echo x > ready";
  const { finished } = world.start(["run", "--wait-all", "--", "sh", "-c", script]);
  await awaitFile(world, "ready");
  world.write("go", "");
  assertEquals((await finished).text, "early\nlate\n");
});

Deno.test("background processes with other output are not waited for", async () => {
  using world = makeWorld();
  const script = "sleep 1000 > /dev/null 2>&1 < /dev/null & echo $! > pid; echo done";
  const ran = await world.run(["run", "--", "sh", "-c", script]);
  Deno.kill(Number(world.text("pid")), "SIGKILL");
  assertEquals([ran.code, ran.text], [0, "done\n"]);
});
