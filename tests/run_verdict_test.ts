/**
 * Law 6 (the wrapped command's verdict is untouched): exit codes, signals, time limits, output order, streams and
 * pass-through of `run`, seen from outside.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { childText, encode, jsonOf, readJson, xmlOf } from "./read_answer.ts";
import { assertBytes, listOf, wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

/** Runs a script of sh under `fdtool run`. */
const runScript = (world: World, script: string, ...args: string[]) =>
  world.run(["run", ...args, "--", "sh", "-c", script]);

Deno.test("run: small output passes through, and the exit code is the command's", async () => {
  using world = makeWorld();
  for (const code of [0, 1, 2, 3, 42, 124, 125, 126, 127, 128, 255]) {
    const finished = await runScript(world, `echo out; exit ${code}`);
    assertEquals([finished.code, finished.text, finished.stderr], [code, "out\n", ""]);
  }
  assertEquals(await listOf(world), []);
});

Deno.test("run: large output is stored, its ends are shown, and the exit code is the command's", async () => {
  using world = makeWorld();
  const want = encode(Array.from({ length: 5000 }, (_, i) => `${i + 1}\n`).join(""));
  for (const code of [0, 7]) {
    const finished = await runScript(world, `seq 1 5000; exit ${code}`);
    assertEquals([finished.code, finished.stderr], [code, ""]);
    const answer = xmlOf({ ...finished, code: 0 });
    assertEquals(answer.tag, "fd_result");
    assertEquals(answer.attributes["exit_code"], String(code));
    const preview = childText(answer, "preview") ?? "";
    assert(/^\D*1\D/.test(preview) && preview.trimEnd().endsWith("5000"), preview);
    assert((childText(answer, "message") ?? "") !== "");
    assertBytes(await wholeOf(world, answer.attributes["fd"] ?? ""), want);
  }
});

Deno.test("run: json carries exit code, signal and duration as numbers and text", async () => {
  using world = makeWorld();
  const ended = await runScript(world, "seq 1 5000; exit 3", "--format", "json");
  const answer = readJson(ended.text);
  assertEquals([ended.code, answer["type"], answer["exit_code"]], [3, "fd_result", 3]);
  assert(typeof answer["duration_ms"] === "number");
  const killed = await runScript(world, "seq 1 5000; kill -TERM $$", "--format", "json");
  assertEquals([killed.code, readJson(killed.text)["signal"]], [143, "SIGTERM"]);
});

Deno.test("run: a command ended by a signal exits with 128 + n", async () => {
  using world = makeWorld();
  for (const [name, number] of [["TERM", 15], ["KILL", 9], ["INT", 2], ["HUP", 1], ["SEGV", 11]] as const) {
    const finished = await runScript(world, `echo before; kill -${name} $$`);
    assertEquals([finished.code, finished.text], [128 + number, "before\n"], name);
  }
});

Deno.test("run: 127 not found, 126 not executable, 125 not even started", async () => {
  using world = makeWorld();
  const missing = await world.run(["run", "--", "no-such-program-anywhere"]);
  assertEquals([missing.code, missing.text], [127, ""]);
  assertStringIncludes(missing.stderr, "no-such-program-anywhere");
  assertEquals((await world.run(["run", "--", "./not-there"])).code, 127);
  const plain = world.write("plain-file", "text");
  assertEquals((await world.run(["run", "--", plain])).code, 126);
  assertEquals((await world.run(["run", "--", world.dir])).code, 126);
  assertEquals((await world.run(["run", "--cwd", "/no/such/directory", "--", "true"])).code, 125);
});

Deno.test("run: a missing command or an invalid option is reported before anything starts", async () => {
  using world = makeWorld();
  for (const args of [["run"], ["run", "--"], ["run", "--timeout", "soon", "--", "touch", "started"]]) {
    const finished = await world.run(args);
    assert([2, 125].includes(finished.code), `${args.join(" ")}: ${finished.code}`);
    assertEquals(finished.text, "");
    assertStringIncludes(finished.stderr, "invalid_parameter");
  }
  assertEquals(Array.from(Deno.readDirSync(world.dir)), []);
});

Deno.test("run: stdout and stderr share one fd in the order they arrive", async () => {
  using world = makeWorld();
  const script = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done";
  const want = [1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join("");
  const passed = await runScript(world, script);
  assertEquals([passed.text, passed.stderr], [want, ""], "merged, to stdout");
  await runScript(world, script, "--always");
  assertBytes(await wholeOf(world, "fd:1"), encode(want));
});

Deno.test("run: --split stores two fds, and small output goes to its own stream", async () => {
  using world = makeWorld();
  const passed = await runScript(world, "echo out; echo err >&2; exit 4", "--split");
  assertEquals([passed.code, passed.text, passed.stderr], [4, "out\n", "err\n"]);
  const stored = await runScript(world, "seq 1 5000; seq 5001 9999 >&2; exit 6", "--split");
  assertEquals(stored.code, 6);
  const listed = await listOf(world);
  assertEquals(listed.length, 2);
  const held = await Promise.all(listed.map((entry) => wholeOf(world, String(entry["fd"]))));
  const firstLines = held.map((bytes) => new TextDecoder().decode(bytes).split("\n")[0]).toSorted();
  assertEquals(firstLines, ["1", "5001"]);
});

Deno.test("run: output bytes are exact", async () => {
  using world = makeWorld();
  const content = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
  world.write("bytes", content);
  await runScript(world, "cat bytes");
  assertBytes(await wholeOf(world, "fd:1"), content);
  const small = content.subarray(0, 500);
  world.write("small", small);
  assertBytes((await runScript(world, "cat small")).stdout, small);
});

Deno.test("run: stdin, arguments, environment and directory reach the command untouched", async () => {
  using world = makeWorld();
  Deno.mkdirSync(world.path("below"));
  const args = ["", "a b", "*", "$HOME", "--format", "é\n'\"", "--", "-x"];
  const echoed = await world.run(["run", "--", "printf", "[%s]", ...args]);
  assertEquals(echoed.text, args.map((arg) => `[${arg}]`).join(""));
  assertEquals((await world.run(["run", "--", "cat"], { stdin: "through" })).text, "through");
  assertEquals((await world.run(["run", "--", "sh", "-c", "echo $A"], { env: { A: "b" } })).text, "b\n");
  assertEquals((await world.run(["run", "--cwd", "below", "--", "pwd"])).text, `${world.path("below")}\n`);
  const shell = await world.run(["run", "--shell", "--", "echo $((1+1)) | tr 2 3; exit 9"]);
  assertEquals([shell.code, shell.text], [9, "3\n"]);
});

Deno.test("run: a closed stdout does not break the command or change its exit code", async () => {
  using world = makeWorld();
  const finished = await world.shell("{ fdtool run -- sh -c 'seq 1 5000; exit 6'; echo $? > code; } | true");
  assertEquals([finished.code, finished.stderr], [0, ""]);
  assertEquals(world.text("code"), "6\n");
});

Deno.test("run: a slow reader loses nothing", async () => {
  using world = makeWorld();
  const finished = await world.shell(
    "fdtool run --threshold 9999999 -- seq 1 200000 | { sleep 0.2; dd bs=999 2>/dev/null; } | cksum; seq 1 200000 | cksum",
  );
  const [slow, direct] = finished.text.trim().split("\n");
  assertEquals(slow, direct);
});

Deno.test("run: background children that keep the pipe open do not change the exit code", async () => {
  using world = makeWorld();
  const finished = await runScript(world, "echo done; sleep 2 & exit 5", "--timeout", "60s");
  assertEquals(finished.code, 5);
  assertStringIncludes(finished.text, "done\n");
});

Deno.test("run: the answer of a stored run is what read shows", async () => {
  using world = makeWorld();
  const answer = jsonOf(
    await world.run(["run", "--always", "--name", "build", "--format", "json", "--", "echo", "x"]),
  );
  assertEquals([answer["fd"], answer["chars"], answer["exit_code"]], ["fd:1", 2, 0]);
  assertEquals((await world.run(["read", "ref:build", "--format", "raw"])).text, "x\n");
});
