/**
 * Fds that grow while they are read (issue 5, live fds): background commands, cursors, follow, wait and stop, from
 * outside. Nothing here waits for a time: commands wait at named pipes, and asking again is the wait for what arrives.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { joined } from "./contents.ts";
import { encode, type JsonAnswer, jsonOf } from "./read_answer.ts";
import { assertBytes, listOf, statOf, storeAnswer, wholeOf } from "./store_calls.ts";
import { type Finished, makeWorld, programUnderTest, runsOf, type World } from "./world.ts";

/** A world; what a failed test has left running in it ends with it. */
function makeLiveWorld(): World {
  const world = makeWorld();
  const dispose = world[Symbol.dispose].bind(world);
  return Object.assign(world, {
    [Symbol.dispose]() {
      const shard = `${world.store}/v2/fds/0000`;
      const records =
        'for rec in *.rec; do grep -q seal $rec || sed -n \'s/.*"process":{"pid":\\([0-9]*\\).*/-\\1/p\' $rec; done';
      const line = `cd ${shard} && for pid in $(${records}); do kill -9 -- $pid; done`;
      new Deno.Command("sh", { args: ["-c", line], stdout: "null", stderr: "null" }).outputSync();
      dispose();
    },
  });
}

/** The answer of a call, whatever its exit code. */
function answerOf({ text }: Finished): JsonAnswer {
  return JSON.parse(text);
}

/** A named pipe in the world, and its end to write to once a command reads from it. */
function makePipe(world: World, name: string): { open(): Promise<Deno.FsFile> } {
  const path = world.path(name);
  assertEquals(new Deno.Command("mkfifo", { args: [path] }).outputSync().code, 0);
  return { open: () => Deno.open(path, { write: true }) };
}

/** Starts a command in the background; answers what `run` says. */
async function inBackground(world: World, command: string[], options: string[] = []): Promise<JsonAnswer> {
  const ran = await world.run(["run", "--background", "--format", "json", ...options, "--", ...command]);
  assertEquals([ran.code, ran.stderr], [0, ""]);
  return jsonOf(ran);
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** Reads as json until `isThere` is true of the answer. */
async function readUntil(
  world: World,
  args: readonly string[],
  isThere: (answer: JsonAnswer) => boolean,
): Promise<JsonAnswer> {
  for (;;) {
    const answer = jsonOf(await world.run(["read", ...args, "--format", "json"]));
    if (isThere(answer)) return answer;
  }
}

/** The last event of that kind in the record of fd `id` (FORMAT.md, "Record log"). */
function recorded(world: World, id: number, event: string): JsonAnswer {
  const lines = Deno.readTextFileSync(`${world.store}/v2/fds/0000/${id}.rec`).trimEnd().split("\n");
  const found = lines.map((line) => JSON.parse(line.slice(9))).findLast((each) => each.event === event);
  assert(found !== undefined, `${event} in ${lines.join("\n")}`);
  return found;
}

/** Whether a process runs; one that is dead and not yet buried does not. */
function isRunning(pid: number | string): boolean {
  const looked = new Deno.Command("ps", { args: ["-o", "stat=", "-p", String(pid)] }).outputSync();
  const state = new TextDecoder().decode(looked.stdout).trim();
  return state !== "" && !state.startsWith("Z");
}

async function untilGone(pids: readonly (number | string)[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A rule that is the same on every runtime. */
const ONCE = { ignore: programUnderTest().length > 1 };

Deno.test("background: returns the handle at once, the output so far while it runs, the exit code at the end", async () => {
  using world = makeLiveWorld();
  const pipe = makePipe(world, "go");
  const started = await inBackground(world, ["sh", "-c", "cat go; exit 7"], ["--name", "build"]);
  const { message, ...facts } = started;
  assertEquals(facts, {
    type: "fd_result",
    fd: "fd:1",
    pages: 1,
    truncated: false,
    lines: "0-0",
    total_lines: 0,
    source: "run",
    chars: 0,
    bytes: 0,
    state: "live",
    cursor: 0,
    next: "fdtool read fd:1 --since 0",
  });
  for (const reported of ["fdtool wait fd:1", "fdtool stop fd:1", "ref:build"]) {
    assertStringIncludes(String(message), reported);
  }
  const file = await pipe.open();
  await writeAll(file, encode("one\ntw\u00f6").slice(0, -1));
  const first = await readUntil(world, ["ref:build", "--since", "0"], ({ count }) => count === 6);
  assertEquals(
    [first["content"], first["state"], first["cursor"], first["truncated"], first["lines"], first["next"]],
    ["one\ntw", "live", 6, true, "1-2", "fdtool read fd:1 --since 6"],
  );
  const page = jsonOf(await world.run(["read", "fd:1", "--format", "json"]));
  assertEquals(
    [page["content"], page["page"], page["state"], page["truncated"], page["next"]],
    ["one\ntw", 1, "live", true, "fdtool read fd:1 --since 6"],
  );
  const nothing = jsonOf(await world.shell(`${first["next"]} --format json`));
  assertEquals([nothing["content"], nothing["lines"], nothing["cursor"]], ["", "0-0", 6]);
  const [listed] = await listOf(world);
  assertEquals([listed?.["state"], listed?.["bytes"], listed?.["names"]], ["live", 6, ["build"]]);
  const stat = await statOf(world, "fd:1");
  assertEquals([stat["state"], stat["sha256"], stat["command"]], ["live", undefined, [
    "sh",
    "-c",
    "cat go; exit 7",
  ]]);
  assertEquals((await world.run(["rm", "fd:1"])).code, 2);

  await writeAll(file, encode("\u00f6\n").slice(1));
  file.close();
  const waited = await world.run(["wait", "fd:1", "--format", "json"]);
  const result = answerOf(waited);
  assertEquals([waited.code, result["exit_code"], result["state"]], [7, 7, undefined]);
  assertEquals([result["preview"], result["lines"]], ["one\ntw\u00f6\n", "1-2"]);
  const last = jsonOf(await world.run(["read", "fd:1", "--since", "6", "--format", "json"]));
  assertEquals(
    [last["content"], last["state"], last["cursor"], last["exit_code"], last["next"]],
    ["\u00f6\n", "sealed", 9, 7, undefined],
  );
  assertEquals((await world.run(["wait", "fd:1"])).code, 7, "a later wait gets the same");
});

Deno.test("background: holds no descriptor of the caller, and outlives it", async () => {
  using world = makeLiveWorld();
  const pipe = makePipe(world, "go");
  // $( ) waits for all who hold its pipe; the hang-up is sent to the whole group of the caller.
  const line = 'fd=$(fdtool run --background --format raw -- cat go 2>&1); echo "$fd"; kill -HUP 0';
  const shell = await world.shell(`exec setsid sh -c '${line}'`);
  assertEquals(shell.text, "fd:1\n");
  const file = await pipe.open();
  await writeAll(file, encode("still here\n"));
  file.close();
  assertEquals((await world.run(["wait", "fd:1"])).code, 0);
  assertEquals(new TextDecoder().decode(await wholeOf(world, "fd:1")), "still here\n");
  await untilGone([(recorded(world, 1, "claim")["writer"] as JsonAnswer)["pid"] as number]);
});

Deno.test("background: --split, a signal, a time limit, and commands that cannot start", async () => {
  using world = makeLiveWorld();
  const split = await world.run(
    [
      "run",
      "--background",
      "--split",
      "--format",
      "json",
      "--",
      "sh",
      "-c",
      "echo out; echo err >&2; kill -9 $$",
    ],
  );
  assertEquals(split.text.trimEnd().split("\n").map((line) => JSON.parse(line).source), [
    "run stdout",
    "run stderr",
  ]);
  const ended = await world.run(["wait", "fd:1", "fd:2", "--format", "json"]);
  const both = ended.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(ended.code, 137);
  assertEquals(both.map(({ exit_code, signal, preview }) => [exit_code, signal, preview]), [
    [137, "SIGKILL", "out\n"],
    [137, "SIGKILL", "err\n"],
  ]);

  await inBackground(world, ["sleep", "1000"], ["--timeout", "50ms"]);
  const limited = await world.run(["wait", "fd:3", "--format", "json"]);
  assertEquals([limited.code, answerOf(limited)["signal"]], [124, "SIGTERM"]);

  const bad = world.write("bad", "#!/no/such/interpreter\n");
  const plain = world.write("plain", "text\n");
  Deno.chmodSync(bad, 0o755);
  assertEquals((await world.run(["run", "--background", "--", "./no-such-file"])).code, 127);
  assertEquals((await world.run(["run", "--background", "--", plain])).code, 126);
  assertEquals((await world.run(["run", "--background", "--cwd", "no/where", "--", "true"])).code, 125);
  assertEquals((await world.run(["run", "--background", "--tee", "--", "true"])).code, 2);
  const nowhere = await world.run(["run", "--background", "--store", `${plain}/x`, "--", "true"]);
  assertEquals([nowhere.code, nowhere.text], [125, ""]);
  assert((await listOf(world)).every(({ state }) => state !== "live"), "nothing is left running");
});

Deno.test("stop: the whole process tree ends, by the signal or, if it is ignored, by KILL", async () => {
  using world = makeLiveWorld();
  const pipe = makePipe(world, "ready");
  await inBackground(world, [
    "sh",
    "-c",
    "sleep 1000 & echo $! > a; sleep 1000 & echo $! > b; cat ready; wait",
  ]);
  (await pipe.open()).close();
  const children = [world.text("a").trim(), world.text("b").trim()];
  assert(children.every(isRunning));
  const stopped = await world.run(["stop", "fd:1", "--signal", "int", "--grace", "50ms", "--format", "json"]);
  // A shell that was started without job control lets its background children ignore INT: KILL follows.
  const result = jsonOf(stopped);
  assertEquals(stopped.code, 0);
  assert(["SIGINT", "SIGKILL"].includes(String(result["signal"])), stopped.text);
  await untilGone(children);
  assertEquals((await statOf(world, "fd:1"))["signal"], result["signal"]);

  const again = await world.run(["stop", "fd:1", "--format", "json"]);
  assertEquals(again.code, 0);
  assertStringIncludes(String(jsonOf(again)["message"]), "had already ended");

  await inBackground(world, ["sh", "-c", "trap '' TERM; echo deaf; cat ready; while :; do sleep 0.01; done"]);
  await readUntil(world, ["fd:2", "--since", "0"], ({ content }) => content === "deaf\n");
  const killed = jsonOf(await world.run(["stop", "fd:2", "--grace", "10ms", "--format", "json"]));
  assertEquals([killed["exit_code"], killed["signal"]], [137, "SIGKILL"]);
});

Deno.test("stop: processes left behind by a command end, too", async () => {
  using world = makeLiveWorld();
  await inBackground(world, ["sh", "-c", "sleep 1000 & echo $!"]);
  const reported = await readUntil(world, ["fd:1", "--since", "0"], ({ content }) => content !== "");
  const child = String(reported["content"]).trim();
  assert(isRunning(child));
  const stopped = jsonOf(await world.run(["stop", "fd:1", "--format", "json"]));
  assertEquals([stopped["exit_code"], stopped["state"]], [0, undefined]);
  await untilGone([child]);
});

Deno.test("kill -9 of the writer: the fd is incomplete and readable, and stop ends the command", async () => {
  using world = makeLiveWorld();
  makePipe(world, "never");
  await inBackground(world, ["sh", "-c", "printf 'arrived\\303'; exec cat never"]);
  await readUntil(world, ["fd:1", "--since", "0"], ({ content }) => content === "arrived");
  const writer = recorded(world, 1, "claim")["writer"] as { pid: number };
  const command = recorded(world, 1, "command")["process"] as { pid: number };
  const waiting = world.run(["wait", "fd:1", "--format", "json"]);
  const following = world.run(["read", "fd:1", "--follow", "--format", "raw"]);
  Deno.kill(writer.pid, "SIGKILL");
  const waited = await waiting;
  assertEquals([waited.code, answerOf(waited)["state"]], [1, "incomplete"]);
  const arrived = Uint8Array.from([...encode("arrived"), 0xc3]);
  assertBytes((await following).stdout, arrived, "what was held back comes with the end");
  assertBytes(await wholeOf(world, "fd:1"), arrived);
  assert(isRunning(command.pid), "it has not written since, and so has not met the closed pipe");
  const stopped = await world.run(["stop", "fd:1", "--format", "json"]);
  assertEquals(stopped.code, 0);
  assertStringIncludes(String(jsonOf(stopped)["message"]), "was ended");
  await untilGone([command.pid]);
  assertEquals((await world.run(["verify"])).code, 0);
});

Deno.test("follow: two followers at once get the content, in raw as bytes and in json as answers that tile", async () => {
  using world = makeLiveWorld();
  const pipe = makePipe(world, "go");
  await inBackground(world, ["sh", "-c", "cat go; exit 3"]);
  const followers = ["raw", "json", "xml"].map((format) =>
    world.run(["read", "fd:1", "--follow", "--exact", "--format", format])
  );
  const pieces = Array.from(
    { length: 60 },
    (_, at) => encode(`${"漢\n😀é\r\n".repeat(at * 7)}</fd_content>x`),
  );
  const content = joined(pieces);
  const file = await pipe.open();
  for (let at = 0; at < content.length; at += 977) await writeAll(file, content.subarray(at, at + 977));
  file.close();
  const [raw, json, xml] = await Promise.all(followers);
  assertEquals([raw?.code, json?.code, xml?.code], [0, 0, 0]);
  assertBytes(raw?.stdout ?? new Uint8Array(), content, "raw");
  const answers = (json?.text ?? "").trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.map(({ content }) => content).join(""), new TextDecoder().decode(content));
  let start = 0;
  for (const answer of answers) {
    assertEquals(answer.start, start);
    start += answer.count;
  }
  assertEquals(answers.slice(0, -1).map(({ state }) => state), answers.slice(1).map(() => "live"));
  const last = answers.at(-1);
  assertEquals([last.state, last.exit_code, last.cursor], ["sealed", 3, content.length]);
  assertStringIncludes(xml?.text ?? "", 'boundary="');

  const tail = await world.run([
    "read",
    "fd:1",
    "--follow",
    "--mode",
    "char",
    "--tail",
    "5",
    "--format",
    "raw",
  ]);
  assertEquals(
    tail.text,
    new TextDecoder().decode(content).slice(-5),
    "an fd that has ended is followed to its end",
  );
});

Deno.test("follow: ends quietly if its reader closes the pipe, and with 124 at its time limit", async () => {
  using world = makeLiveWorld();
  await inBackground(world, ["sh", "-c", "while :; do echo tick; sleep 0.01; done"]);
  const head = await world.shell("fdtool read fd:1 --follow --format raw | head -n 2");
  assertEquals([head.text, head.stderr], ["tick\ntick\n", ""]);
  const limited = await world.run(["read", "fd:1", "--follow", "--timeout", "0", "--format", "json"]);
  assertEquals([limited.code, JSON.parse(limited.text.split("\n")[0] ?? "").state], [124, "live"]);
  const waited = await world.run(["wait", "fd:1", "--timeout", "0", "--format", "json"]);
  assertEquals([waited.code, answerOf(waited)["next"]], [124, "fdtool wait fd:1 --timeout 0"]);
  assertEquals((await world.run(["stop", "fd:1"])).code, 0);
});

Deno.test("wait: several at once; the exit code is the first that is not 0", async () => {
  using world = makeLiveWorld();
  const pipes = ["a", "b", "c"].map((name) => makePipe(world, name));
  for (const [name, code] of [["a", 0], ["b", 5], ["c", 9]] as const) {
    await inBackground(world, ["sh", "-c", `cat ${name}; exit ${code}`]);
  }
  const waiting = [["fd:1", "fd:2", "fd:3"], ["fd:3", "fd:2"], ["fd:1"]].map((fds) =>
    world.run(["wait", ...fds, "--format", "raw"])
  );
  for (const pipe of pipes.toReversed()) (await pipe.open()).close();
  const waited = await Promise.all(waiting);
  assertEquals(waited.map(({ code }) => code), [5, 9, 0]);
  assertEquals(waited[0]?.text, "fd:1\nfd:2\nfd:3\n");
});

Deno.test("capture: a running pipe is read by the same rules, and cannot be stopped", async () => {
  using world = makeLiveWorld();
  const { child, finished } = world.start(["capture", "--always"]);
  const writer = child.stdin.getWriter();
  await writer.write(encode("a\nb"));
  while ((await listOf(world)).length === 0) {
    // Asking again is the wait.
  }
  const seen = await readUntil(
    world,
    ["fd:1", "--mode", "line", "--tail", "1"],
    ({ total_lines }) => total_lines === 2,
  );
  assertEquals([seen["content"], seen["truncated"], seen["state"], seen["cursor"]], ["b", true, "live", 3]);
  assertEquals((await world.run(["stop", "fd:1"])).code, 2);
  for (
    const args of [["search", "fd:1", "b"], ["to-file", "fd:1", "so-far"], ["read", "fd:1", "--extract"]]
  ) {
    const early = await world.run([...args, "--format", "json"]);
    assertStringIncludes(String(jsonOf(early)["message"]), "fd:1 is still live: 3 bytes so far.");
  }
  assertEquals(world.text("so-far"), "a\nb");
  await writer.close();
  assertEquals((await finished).code, 0);
  const waited = await world.run(["wait", "fd:1", "--format", "json"]);
  assertEquals([waited.code, answerOf(waited)["exit_code"]], [0, undefined]);
});

Deno.test("since: invalid cursors, and two ways to name a slice, are refused", ONCE, async () => {
  using world = makeLiveWorld();
  await storeAnswer(world, "é漢\n");
  for (const cursor of ["1", "3", "4", "7", "-1", "x"]) {
    const refused = await world.run(["read", "fd:1", "--since", cursor]);
    assertEquals([refused.code, refused.text], [2, ""], cursor);
  }
  const texts = [];
  for (const cursor of ["0", "2", "5", "6"]) {
    texts.push((await world.run(["read", "fd:1", "--since", cursor, "--format", "raw"])).text);
  }
  assertEquals(texts, ["é漢\n", "漢\n", "\n", ""]);
  const bounded = jsonOf(
    await world.run(["read", "fd:1", "--since", "0", "--max-chars", "1", "--format", "json"]),
  );
  assertEquals([bounded["cursor"], bounded["next"]], [2, "fdtool read fd:1 --since 2 --max-chars 1"]);
  const conflicts = [
    ["--since", "0", "--start", "1"],
    ["--since", "0", "--all"],
    ["--since", "0", "--lines", "1-2"],
    ["--since", "0", "--tail", "1"],
    ["--follow", "--start", "2"],
    ["--follow", "--extract"],
    ["--timeout", "1s"],
  ];
  for (const args of conflicts) {
    assertEquals((await world.run(["read", "fd:1", ...args])).code, 2, args.join(" "));
  }
});

Deno.test("a reader that polls a growing fd sees whole chars, correct lines, and stable pages", async () => {
  using world = makeLiveWorld();
  const reads = runsOf(40);
  const pipe = makePipe(world, "go");
  await inBackground(world, ["cat", "go"], ["--page-size", "300"]);
  const words = ["error: 漢字", "ok\n", "😀", "é\r\n", "x".repeat(97), "\n", "warning: a\n"];
  const random = (below: number) => Math.floor(Math.random() * below);
  const content = encode(Array.from({ length: 400 * reads }, () => words[random(words.length)]).join(""));
  const text = new TextDecoder().decode(content);
  const lines = text.split("\n");
  const file = await pipe.open();

  let isDone = false;
  let answered = 0;
  const writing = (async () => {
    // What is left waits for the reader: the end comes when it has read as often as it is to.
    for (let at = 0; at < content.length;) {
      const due = Math.ceil(content.length * (answered + 1) / reads);
      const to = Math.min(content.length, at + 1 + random(2000), due);
      if (to <= at) await new Promise((resolve) => setTimeout(resolve, 0));
      await writeAll(file, content.subarray(at, to));
      at = Math.max(at, to);
    }
    file.close();
    isDone = true;
  })();

  const pages = new Map<number, string>();
  const tiles: string[] = [];
  let cursor = 0;
  for (; answered < reads || !isDone; answered++) {
    if (answered % 3 === 0) {
      const news = jsonOf(
        await world.run(["read", "fd:1", "--exact", "--since", String(cursor), "--format", "json"]),
      );
      assertEquals(news["encoding"], undefined, "whole chars");
      tiles.push(String(news["content"]));
      cursor = Number(news["cursor"]);
      assert(text.startsWith(tiles.join("")), "a prefix");
    } else if (answered % 3 === 1) {
      const args = [
        "read",
        "fd:1",
        "--exact",
        "--mode",
        "line",
        "--tail",
        "2",
        "--number",
        "--format",
        "json",
      ];
      const tail = jsonOf(await world.run(args));
      if (tail["count"] === 0) continue;
      const numbered = String(tail["content"]).split("\n").filter((line) => line !== "");
      for (const [at, line] of numbered.entries()) {
        const [, number, shown = ""] = /^ *(\d+)\t([^]*)$/.exec(line) ?? [];
        const whole = lines[Number(number) - 1] ?? "no such line";
        const isOpen = tail["truncated"] === true && at === numbered.length - 1;
        assert(isOpen ? whole.startsWith(shown) : whole === shown, `line ${number}: ${shown} of ${whole}`);
      }
    } else {
      const page = jsonOf(
        await world.run(["read", "fd:1", "--exact", "--mode", "page", "--tail", "2", "--format", "json"]),
      );
      const first = jsonOf(
        await world.run(["read", "fd:1", "--exact", "--start", String(page["start"]), "--format", "json"]),
      );
      if (Number(first["page"]) < Number(first["pages"])) {
        pages.set(Number(first["page"]), String(first["content"]));
      }
    }
  }
  await writing;
  assertEquals((await world.run(["wait", "fd:1"])).code, 0);
  const rest = await world.run(["read", "fd:1", "--since", String(cursor), "--format", "raw"]);
  assertEquals(tiles.join("") + rest.text, text);
  for (const [number, shown] of pages) {
    const page = jsonOf(
      await world.run(["read", "fd:1", "--exact", "--start", String(number), "--format", "json"]),
    );
    assertEquals(page["content"], shown, `page ${number}`);
  }
});

Deno.test("wait --until: the first line that matches, or how the command ended before one came", async () => {
  using world = makeLiveWorld();
  const go = makePipe(world, "go");
  await world.run([
    "run",
    "--background",
    "--",
    "sh",
    "-c",
    "echo begun; read -r x < go; echo ready; read -r x < go; exit 3",
  ]);
  const waiting = world.run(["wait", "fd:1", "--until", "^READY|rea.y", "--format", "json"]);
  (await go.open()).close();
  const met = await waiting;
  assertEquals([met.code, answerOf(met)["matches"]], [0, [{ line: 2, text: "ready" }]]);
  const late = await world.run(["wait", "fd:1", "--until", "never", "--timeout", "0"]);
  assertEquals(late.code, 124);
  assertStringIncludes(late.text, "<next>fdtool wait fd:1 --until never --timeout 0</next>");
  const over = world.run(["wait", "fd:1", "--until", "never"]);
  (await go.open()).close();
  assertEquals((await over).code, 3);
  assertStringIncludes((await over).text, "fd:1 ended before a line matched.");
});

Deno.test(
  "wait --until of several: a line of each, or how it ended; the exit code is the first that is not 0",
  ONCE,
  async () => {
    using world = makeLiveWorld();
    for (const script of ["echo ready; sleep 60", "echo broken; exit 5", "echo begun; sleep 60"]) {
      await world.run(["run", "--background", "--", "sh", "-c", script]);
    }
    const ready = await world.run(["wait", "fd:1", "fd:3", "--until", "ready|begun"]);
    assertEquals(ready.code, 0);
    assertStringIncludes(ready.text, "1:ready\n");
    assertStringIncludes(ready.text, "1:begun\n");
    const mixed = await world.run(["wait", "fd:1", "fd:2", "fd:3", "--until", "ready", "--timeout", "1s"]);
    assertEquals(mixed.code, 5);
    for (const said of ["1:ready\n", "fd:2 ended before a line matched.", "fd:3 is still live"]) {
      assertStringIncludes(mixed.text, said);
    }
    assertEquals((await world.run(["wait", "fd:1", "fd:9", "--until", "ready"])).code, 1);
    assertEquals((await world.run(["stop", "fd:1", "fd:3"])).code, 0);
  },
);

Deno.test("run --until --timeout bounds the wait, not the command", async () => {
  using world = makeLiveWorld();
  const late = await world.run([
    "run",
    "--until",
    "never",
    "--timeout",
    "1s",
    "--",
    "sh",
    "-c",
    "echo begun; sleep 60",
  ]);
  assertEquals(late.code, 124);
  assertStringIncludes(late.text, "<next>fdtool wait fd:1 --until never --timeout 1s</next>");
  assertEquals((await world.run(["wait", "fd:1", "--timeout", "2s"])).code, 124, "it goes on");
  assertEquals((await world.run(["stop", "fd:1"])).code, 0);
});

Deno.test("run --until: one call starts a command and answers with the line; an invalid pattern starts nothing", async () => {
  using world = makeLiveWorld();
  const met = await world.run(["run", "--until", "ready", "--", "sh", "-c", "seq 3; echo ready; sleep 60"]);
  assertEquals(met.code, 0);
  assertStringIncludes(met.text, "\n4:ready\n");
  const refused = await world.run(["run", "--until", "(", "--", "sh", "-c", "echo > started"]);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, "Invalid until");
  const ended = await world.run(["run", "--until", "ready", "--", "sh", "-c", "echo no; exit 0"]);
  assertEquals(ended.code, 1);
  assertEquals((await listOf(world)).length, 2);
  const stopped = await world.run(["stop", "fd:1", "fd:2"]);
  assertEquals(stopped.code, 0);
  assertStringIncludes(stopped.text, "Stopped: fd:1 ended by SIGTERM.");
  assertStringIncludes(stopped.text, "fd:2 had already ended with exit code 0.");
});
