/** The answer to a command that ran before: contract, Capturing. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeWorld, type World } from "./world.ts";

/** Output with these lines among ordinary ones. */
function outputOf(lines: readonly string[]): string {
  const ordinary = (from: number) =>
    Array.from({ length: 300 }, (_, at) => `compiling part ${from + at} of 600\n`).join("");
  return ordinary(0) + lines.map((line) => `${line}\n`).join("") + ordinary(300);
}

async function runOf(world: World, lines: readonly string[], ...words: string[]): Promise<string> {
  world.write("output", outputOf(lines));
  return (await world.run([...words, "cat", "output"])).text;
}

const FIRST = ["src/a.c:3:4: error: 'x' undeclared", "src/b.c:9:1: error: expected ';'"];

Deno.test("again: the same output says so in at most 1,000 chars, with the lines that matter", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  const again = await runOf(world, FIRST, "run", "--");
  assertStringIncludes(again, "The same as fd:1, ");
  assertStringIncludes(again, FIRST[0]!);
  assertStringIncludes(again, ' same="fd:1"');
  assert(again.length <= 1000, `${again.length}`);
});

Deno.test("again: the same output of a command that ended in another way says how it had ended", async () => {
  using world = makeWorld();
  const ends: [script: string, change: RegExp][] = [
    ["exit 1", /fd:1/],
    ["exit 0", /The same output as fd:1, [^,]+, which ended with exit code 1\./],
    ["kill -TERM $$", /The same output as fd:2, [^,]+, which ended with exit code 0\./],
    ["exit 1", /The same output as fd:3, [^,]+, which ended by SIGTERM\./],
    ["exit 1", /The same as fd:4, [^,]+\./],
  ];
  for (const [at, [script, change]] of ends.entries()) {
    world.write("one.sh", `seq 3000; ${script}`);
    const { text } = await world.run(["run", "--", "sh", "one.sh"]);
    assert(change.test(text), `${at}: ${text}`);
  }
});

Deno.test("again: findings are gone, new or left by what they say, not by where or when", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  const moved = FIRST.toReversed().map((line) => line.replace(/:\d+:\d+/, ":70:8"));
  const same = await runOf(world, moved, "run", "--");
  assertStringIncludes(
    same,
    "Since fd:1, just now: only the order of lines, times, places, ids and the like differ; all changes: fdtool diff",
  );
  assertStringIncludes(same, "<next>fdtool diff fd:1 fd:2</next>");
  const fixed = await runOf(world, [moved[0]!, "src/c.c:1:1: error: no such file"], "run", "--");
  assertStringIncludes(fixed, ": 1 of 2 findings gone, 1 new, 1 left; all changes: fdtool diff fd:2 fd:3.");
  assertStringIncludes(
    fixed,
    "new  302:src/c.c:1:1: error: no such file\ngone 302:src/a.c:70:8: error: 'x' undeclared\n",
  );
  assertStringIncludes(fixed, "<next>fdtool read fd:3 --mode line --start 2 ");
});

Deno.test("again: names that differ in a number only are gone and new", async () => {
  using world = makeWorld();
  const run = (bad: number) =>
    runOf(world, [`test_rate[${bad}] FAILED`, "1 failed, 199 passed"], "run", "--");
  await run(17);
  const again = await run(140);
  assertStringIncludes(again, ": 1 of 2 findings gone, 1 new, 1 left (like ");
  assertStringIncludes(again, "new  301:test_rate[140] FAILED\ngone 301:test_rate[17] FAILED\n");
});

Deno.test("again: a message in the same words about another line of source shows both", async () => {
  using world = makeWorld();
  const run = (source: string) =>
    runOf(
      world,
      ["src/a.c:3:4: error: expected ';'", `    3 | ${source}`, "      |          ^"],
      "run",
      "--",
    );
  await run("int x = 1");
  const again = await run("int y = 2");
  assertStringIncludes(again, ", 1 left, 1 of them changed; ");
  assertStringIncludes(again, "\nnow  301:src/a.c:3:4: error: expected ';' int y = 2 (was int x = 1)\n");
});

Deno.test("again: the source that a warning quotes is not counted as a finding", async () => {
  using world = makeWorld();
  const warned = (value: number) => [
    "  tests/test_money.py:74: DeprecationWarning: total is deprecated, use sum",
    `    assert total(${value}) == '${value}'`,
  ];
  await runOf(world, warned(3), "run", "--");
  const again = await runOf(world, warned(4), "run", "--");
  assertStringIncludes(again, ": 1 finding in the same words, but other lines changed; ");
});

Deno.test("again: nothing is said to be gone or new where only lines changed that are no known findings", async () => {
  using world = makeWorld();
  const checked = (bad: number) => [
    "Schema validation errors were encountered.",
    `  zone${bad}.json: 'free' is not of type 'number'`,
  ];
  await runOf(world, checked(17), "run", "--");
  const again = await runOf(world, checked(140), "run", "--");
  assertStringIncludes(again, ": 1 finding in the same words, but other lines changed; ");
  assertStringIncludes(again, "+  zone140.json: 'free' is not of type 'number'\n");
  // Failures in the same words differ by the line above it, or the number of a statement.
  const parsed = (bad: number[]) =>
    [17, 40, 93, 140].flatMap((
      zone,
    ) => [`zone${zone}.json`, ...bad.includes(zone) ? ["parse error: invalid"] : []]);
  await runOf(world, parsed([17, 40]), "run", "--");
  assertStringIncludes(
    await runOf(world, parsed([17, 140]), "run", "--"),
    ": 2 findings in the same words, but other lines ",
  );
  const near = (bad: number[]) => bad.map((line) => `Error: near line ${line}: NOT NULL constraint failed`);
  await runOf(world, near([17, 40]), "run", "--");
  assertStringIncludes(
    await runOf(world, near([17, 140]), "run", "--"),
    ": 2 findings in the same words, but other lines ",
  );
  const listed = (bad: number[]) => [
    ...bad.flatMap((zone) => [`  zone${zone}.html`, "    the id must be unique"]),
    `Scanned 150 files, found ${bad.length} errors in ${bad.length} files`,
  ];
  await runOf(world, listed([17, 40, 93]), "run", "--");
  const fewer = await runOf(world, listed([40]), "run", "--");
  assertStringIncludes(fewer, ": 1 finding in the same words, but other lines changed; ");
});

Deno.test("again: of output without findings the lines that changed are shown, and no more is offered of equal output", async () => {
  using world = makeWorld();
  const list = (licence: string) => ["├─ left@1.2.3", `│  └─ licenses: ${licence}`];
  await runOf(world, list("MIT"), "run", "--");
  const again = await runOf(world, list("AGPL-3.0"), "run", "--");
  assertStringIncludes(again, "no finding recognized in either; all changes: fdtool diff fd:1 fd:2.");
  assertStringIncludes(again, "├─ left@1.2.3\n-│  └─ licenses: MIT\n+│  └─ licenses: AGPL-3.0\n");
  const timed = await runOf(world, [...list("AGPL-3.0"), "done at 10:11:12"], "run", "--");
  assertStringIncludes(timed, "+done at 10:11:12\n");
  const later = await runOf(world, [...list("AGPL-3.0"), "done at 11:12:13"], "run", "--");
  assertStringIncludes(
    later,
    ": only times, places, ids and the like differ; all changes: ",
  );
  const same = await runOf(world, [...list("AGPL-3.0"), "done at 11:12:13"], "run", "--");
  assertStringIncludes(same, "The same as fd:4, ");
  assert(!same.includes("<next>"), same);
});

Deno.test("again: what a stopped run does not have is not called gone", async () => {
  using world = makeWorld();
  world.write("one.sh", "cat output; exit $(cat code)");
  const run = async (lines: readonly string[], code: number) => {
    world.write("output", outputOf(lines));
    world.write("code", String(code));
    return (await world.run(["run", "--", "sh", "one.sh"])).text;
  };
  await run(FIRST, 1);
  for (const code of [124, 130, 137, 143]) {
    const stopped = await run([], code);
    assertStringIncludes(stopped, ": this run was stopped: 2 findings may not have been reached; ");
    assertStringIncludes(stopped, `\n- 301:${FIRST[0]}\n`);
    await run(FIRST, 1);
  }
  assertStringIncludes(await run([], 0), ": 2 of 2 findings gone, 0 new, 0 left; ");
});

Deno.test("again: another directory, another command, a removed or damaged run are not compared", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  world.write("other/output", outputOf(FIRST));
  const elsewhere = await world.run(["run", "--", "cat", "output"], { cwd: world.path("other") });
  assert(!elsewhere.text.includes("same as"), elsewhere.text);
  const differently = await world.run(["run", "--", "cat", "./output"]);
  assert(!differently.text.includes("same as"), differently.text);
  assertEquals((await world.run(["rm", "fd:1"])).code, 0);
  assert(!(await runOf(world, FIRST, "run", "--")).includes("fd:1"));
  const long = [...FIRST, ...Array<string>(1500).fill("ordinary line of the build")];
  await runOf(world, long, "run", "--");
  const path = (await world.run(["path", "fd:5"])).text.trim();
  Deno.writeTextFileSync(path, Deno.readTextFileSync(path).replace("compiling part 7 ", "compiling part 8 "));
  assert(!(await runOf(world, long, "run", "--")).includes("fd:5"));
});

/** Output, and the sentence of every interface about it, after a run with {@link FIRST}. */
const FIXED = [FIRST[1]!, "src/c.c:1:1: error: no such file"];
const CHANGE = "1 of 2 findings gone, 1 new, 1 left; all changes: ";

/** Answers of an interface to two runs of one command, {@link FIRST} and {@link FIXED}; fails unless the second compares. */
async function assertCompares(
  world: World,
  answerTo: () => Promise<string>,
  diff = "fdtool diff fd:1 fd:2.",
) {
  world.write("output", outputOf(FIRST));
  const first = await answerTo();
  assert(!first.includes("Since fd:"), first);
  world.write("output", outputOf(FIXED));
  const second = await answerTo();
  assertStringIncludes(second, `Since fd:1, just now: ${CHANGE}${diff}`);
  assertStringIncludes(second, `new  302:${FIXED[1]}`);
  assertStringIncludes(second, `gone 301:${FIRST[0]}`);
}

Deno.test("again: an answer about something says what changed, too", async () => {
  using world = makeWorld();
  const about = ["run", "--about", "the numbers of parts 77", "--"];
  const facts = ["Lines with what you look for: ", "compiling part 77 of 600\n"];
  await assertCompares(world, async () => {
    const { text: answer } = await world.run([...about, "cat", "output"]);
    for (const fact of facts) assertStringIncludes(answer, fact);
    return answer;
  });
});

Deno.test("again: run compares", async () => {
  using world = makeWorld();
  await assertCompares(world, async () => (await world.run(["run", "--", "cat", "output"])).text);
});

Deno.test("again: wait compares what ran in the background", async () => {
  using world = makeWorld();
  let id = 0;
  await assertCompares(world, async () => {
    await world.run(["run", "--background", "--", "cat", "output"]);
    return (await world.run(["wait", `fd:${++id}`])).text;
  });
});

Deno.test("again: shell compares", async () => {
  using world = makeWorld();
  await assertCompares(world, async () => (await world.run(["shell", "-c", "cat output"])).text);
});

Deno.test("again: Claude Code's hook compares commands of the directory that it names", async () => {
  using world = makeWorld();
  const hook = async (cwd = world.dir) => {
    const stdin = JSON.stringify({
      hook_event_name: "PostToolUse",
      cwd,
      tool_name: "Bash",
      tool_input: { command: "make" },
      tool_response: { stdout: Deno.readTextFileSync(world.path("output")), stderr: "", isImage: false },
    });
    const { text } = await world.run(["hook", "claude-code"], { stdin });
    return JSON.parse(text).hookSpecificOutput.updatedToolOutput.stdout;
  };
  await assertCompares(world, hook);
  const elsewhere = await hook(world.path("other"));
  assert(!elsewhere.includes("fd:2"), elsewhere);
});

Deno.test("again: OpenCode's hook compares", async () => {
  using world = makeWorld();
  await assertCompares(world, async () => {
    const output = Deno.readTextFileSync(world.path("output"));
    const stdin = JSON.stringify({ command: "make", output, exit_code: 2 });
    return (await world.run(["hook", "opencode"], { stdin })).text;
  });
});

Deno.test("again: MCP's run_command compares, and names its own tool for the diff", async () => {
  using world = makeWorld();
  await assertCompares(world, async () => {
    const message = (fields: object) => `${JSON.stringify({ jsonrpc: "2.0", ...fields })}\n`;
    const stdin = message({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
    }) + message({ method: "notifications/initialized" }) +
      message({
        id: 1,
        method: "tools/call",
        params: { name: "run_command", arguments: { command: "cat output" } },
      });
    const { text } = await world.run(["mcp", "--all", "--run"], { stdin });
    return JSON.parse(text.trimEnd().split("\n").at(-1)!).result.content[0].text;
  }, 'diff_fds {"old_fd":"fd:1","new_fd":"fd:2"}.');
});

Deno.test("again: capture has no command, and compares nothing", async () => {
  using world = makeWorld();
  for (const lines of [FIRST, FIRST]) {
    const { text } = await world.run(["capture"], { stdin: outputOf(lines) });
    assert(!/same|Since/.test(text), text);
  }
});

Deno.test("again: raw and --exact know nothing of the run before", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--format", "raw", "--");
  assert(!(await runOf(world, FIRST, "run", "--format", "raw", "--")).includes("same"));
});
