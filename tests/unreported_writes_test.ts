/**
 * Completed actions are reported even if standard output fails: on standard error, with a separate exit code, since
 * "failed" would make callers repeat them.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { UNREPORTED_CODE } from "../src/calls/arguments/help_text.ts";
import { jsonOf, readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

/** A world with a file, an fd, a step, a question, a program's settings, and an archive. */
async function makeBusy(): Promise<World> {
  const world = makeWorld();
  world.write("f", "old\n");
  world.write("g", "old\n");
  const setUp = [
    "seq 1 9 | fdtool capture --always",
    "fdtool edit g --old old --new new",
    "fdtool create asked; true",
    "fdtool export fd:1 >archive",
    'printf %s \'{"intent":"i","target_file":"f","operations":[{"type":"append","content_block":"more\\n"}]}\' >plan.json',
  ];
  for (const line of setUp) assertEquals((await world.shell(line)).code, 0, line);
  return world;
}

const ACKNOWLEDGEMENT = "I confirm this is the complete file content with no omissions or placeholders";
const EDIT = '{"path":"f","old_string":"old","new_string":"new"}';

const MODIFY = '{"path":"f","patterns":[{"old":"old","new":"new"}]}';

/** Commands that do something, and the text that reports it. */
const WRITES: readonly (readonly [line: string, reported: string])[] = [
  ["fdtool edit f --old old --new new", "tx:2"],
  [`echo x | fdtool rewrite f --expected-line-count 1 --acknowledgement "${ACKNOWLEDGEMENT}"`, "tx:2"],
  ["fdtool plan apply plan.json --yes", "tx:2"],
  [`echo '{"content":"x"}' | fdtool answer inq:1`, "tx:2"],
  ["fdtool undo", "tx:2"],
  ["fdtool to-file fd:1 f", "tx:2"],
  ["fdtool install claude-code", "tx:3"],
  [`echo '${EDIT}' | fdtool call edit_file`, "tx:2"],
  ["fdtool name fd:1 n", "ref:n"],
  ["fdtool rm fd:1", "fd:1"],
  ["fdtool gc", "fd_gc"],
  ["fdtool import archive", "fd_import"],
  ["fdtool cancel inq:1", "Cancelled inq:1"],
  [`fdtool serve-jp '{"root":".","action":"run"}' '{"name":"fs_modify_file","arguments":${MODIFY}}'`, "tx:2"],
];

Deno.test("a write that succeeded exits with 4 and names its step if stdout is full", async () => {
  for (const [index, [line, reported]] of WRITES.entries()) {
    for (const format of index === 0 ? ["json", "raw", "xml"] : ["xml"]) {
      using world = await makeBusy();
      const ended = await world.shell(`${line} >/dev/full`, { env: { FDTOOL_FORMAT: format } });
      const { stderr } = ended;
      assertEquals(ended.code, UNREPORTED_CODE, `${line}: ${stderr}`);
      assertStringIncludes(stderr, "Cannot write standard output", line);
      assertStringIncludes(stderr, reported, line);
    }
  }
});

Deno.test("a call that failed or changed nothing is not reported as done if stdout is full", async () => {
  using world = await makeBusy();
  const lines: [string, number][] = [
    ["fdtool edit f --old absent --new new", 1],
    ["fdtool edit f --old old --new new --dry-run", 1],
    ["fdtool plan check plan.json", 1],
    ["fdtool gc --dry-run", 1],
    ["fdtool read fd:1", 1],
    ["fdtool edit f --older old", 2],
  ];
  for (const [line, code] of lines) {
    assertEquals((await world.shell(`${line} >/dev/full`)).code, code, line);
  }
  assertEquals(world.text("f"), "old\n");
});

Deno.test("new questions and fds are named on stderr if stdout is full", async () => {
  using world = await makeBusy();
  const asked = await world.shell("fdtool create other --format json >/dev/full");
  assertEquals(asked.code, 3);
  const question = readJson(`${asked.stderr.trim().split("\n").at(-1)}\n`);
  assertEquals([question["type"], question["inquiry_id"]], ["needs_input", "inq:2"]);
  const stored = await world.shell("seq 1 9 | fdtool capture --always >/dev/full");
  assertEquals(stored.code, 1, "its bytes were to go to stdout");
  assertStringIncludes(stored.stderr, 'fd="fd:3"');
});

Deno.test("every command that can exit with 4 lists it in its help", async () => {
  using world = makeWorld();
  for (const [line] of WRITES) {
    const name = /fdtool ([a-z-]+)/.exec(line)![1]!;
    const help = await world.run(["help", name]);
    assert(new RegExp(`^ +${UNREPORTED_CODE}  done`, "m").test(help.text), name);
  }
});

Deno.test("uninstall that fails at its second file says that it changed the first", async () => {
  using world = makeWorld();
  const install = async (via: string) => {
    const words = ["install", "claude-code", "--project", "--via", via, "--format", "json"];
    return String(jsonOf(await world.run(words))["path"]);
  };
  // What was installed last is uninstalled first.
  const second = await install("hook");
  await install("mcp");
  Deno.removeSync(world.path(second));
  Deno.mkdirSync(world.path(second));
  const ended = await world.run(["uninstall", "claude-code", "--project", "--format", "json"]);
  assertEquals(ended.code, 1, ended.text);
  assertEquals(readJson(ended.text)["tx"], "tx:3", ended.stderr);
  assertStringIncludes(ended.stderr, second);
});
