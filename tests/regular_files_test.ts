/**
 * Calls that read a path accept regular files under the root only: a pipe would wait for a writer that never comes, a
 * device might never end, and a root that confines writes confines reads, too.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Finished, makeWorld, programUnderTest, type World } from "./world.ts";

/** A world with a root, a pipe and a file in it, and a secret outside. Tests set `FDTOOL_ROOT` if they need it. */
function makeRooted(): World & { root: string } {
  const world = makeWorld();
  world.write("secret", "hunter2\n");
  world.write("root/f", "old\n");
  new Deno.Command("mkfifo", { args: [world.path("root/pipe")] }).outputSync();
  return Object.assign(world, { root: world.path("root") });
}

/** Calls that read the file at `path`, each with what stdin they need. */
function readersOf(path: string): string[] {
  const call = (name: string, args: unknown) => `printf %s '${JSON.stringify(args)}' | fdtool call ${name}`;
  return [
    `fdtool count ${path}`,
    `fdtool read ${path}`,
    `fdtool search ${path} x`,
    `fdtool query ${path} .`,
    `fdtool diff ${path} f`,
    `fdtool rewrite f --content-file ${path} --expected-line-count 1 --acknowledgement x`,
    `fdtool edit f --old-file ${path} --new x`,
    `fdtool edit f --old old --new-file ${path}`,
    `fdtool plan check ${path}`,
    `fdtool plan apply ${path}`,
    `fdtool answer inq:1 --content-from ${path}`,
    `fdtool import ${path}`,
    `fdtool spawn --preload-file ${path} -- true`,
    call("count_lines", { path }),
    call("search_fd", { fd: path, pattern: "x" }),
  ];
}

/** Runs one line. A call that hangs is ended, and its exit code is 124 or, where it heeded no signal, 137. */
async function runGuarded(world: World & { root: string }, line: string, env = {}): Promise<Finished> {
  const guarded = line.replace("fdtool ", "timeout -k 2 20 fdtool ");
  return await world.shell(`${guarded} --format json`.replace(/( -- true)( .*)$/, "$2$1"), {
    cwd: world.root,
    env,
  });
}

/** The exit code of a refusal: `spawn` has codes of its own, apart from those of its command. */
function codeOf(line: string): number {
  return line.startsWith("fdtool spawn") ? 125 : 1;
}

/** The error of a call, wherever its interface puts it. */
function errorIn({ text, stderr }: Finished): string {
  const reported = `${text}${stderr}`.trim().split("\n").at(-1) ?? "";
  return String((JSON.parse(reported) as { error: unknown }).error);
}

Deno.test("a call that reads a file refuses a pipe or a device", async () => {
  using world = makeRooted();
  assertEquals((await world.run(["create", "new"], { cwd: world.root })).code, 3);
  for (const path of ["pipe", "/dev/zero"]) {
    for (const line of readersOf(path)) {
      const ended = await runGuarded(world, line);
      assertEquals([ended.code, errorIn(ended)], [codeOf(line), "read_error"], line);
      const what = path === "pipe" ? "a pipe" : "a device";
      assertStringIncludes(`${ended.text}${ended.stderr}`, `it is ${what}`, line);
    }
  }
  assertEquals(world.text("root/f"), "old\n");
});

Deno.test("calls that read a path refuse files outside the root", async () => {
  using world = makeRooted();
  Deno.symlinkSync(world.path("secret"), `${world.root}/link`);
  assertEquals((await world.run(["create", "new"], { cwd: world.root })).code, 3);
  for (const path of ["../secret", world.path("secret"), "link"]) {
    for (const line of readersOf(path)) {
      const ended = await runGuarded(world, line, { FDTOOL_ROOT: world.root });
      const reported = `${ended.text}${ended.stderr}`;
      assertEquals([ended.code, errorIn(ended)], [codeOf(line), "outside_root"], line);
      assertStringIncludes(reported, "Cannot read", line);
      assert(!reported.includes("hunter2"), line);
    }
  }
});

Deno.test("run refuses a program in PATH that is a pipe", async () => {
  using world = makeRooted();
  new Deno.Command("chmod", { args: ["+x", `${world.root}/pipe`] }).outputSync();
  const ended = await world.shell("timeout -k 2 20 fdtool run -- ./pipe", { cwd: world.root });
  assertEquals(ended.code, 126);
});

Deno.test("a hook does not wait for settings that are a pipe", async () => {
  using world = makeRooted();
  Deno.mkdirSync(`${world.root}/.claude`);
  Deno.renameSync(`${world.root}/pipe`, `${world.root}/.claude/settings.json`);
  const stdin = JSON.stringify({ tool_name: "Bash", cwd: world.root, tool_input: { command: "make" } });
  const ended = await world.shell("timeout -k 2 20 fdtool hook claude-code", { cwd: world.root, stdin });
  assertEquals(ended.code, 0, ended.stderr);
});

Deno.test("count_lines over MCP lets the server answer, and stays inside the root", async () => {
  using world = makeRooted();
  const request = (id: number, method: string, params: unknown = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const count = (id: number, path: string) =>
    request(id, "tools/call", { name: "count_lines", arguments: { path } });
  const clientInfo = { name: "t", version: "1" };
  const stdin = [
    request(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    count(2, "pipe"),
    count(3, "/dev/zero"),
    count(4, world.path("secret")),
    request(5, "ping"),
    "",
  ].join("\n");
  const served = await world.shell("timeout -k 2 30 fdtool mcp --root .", { cwd: world.root, stdin });
  assertEquals(served.code, 0, served.stderr);
  const answers = new Map(
    served.text.trim().split("\n").map((line) => {
      const { id, result } = JSON.parse(line) as { id: number; result: unknown };
      return [id, JSON.stringify(result)];
    }),
  );
  assertEquals([...answers.keys()].toSorted(), [1, 2, 3, 4, 5]);
  assertStringIncludes(answers.get(2)!, "read_error");
  assertStringIncludes(answers.get(3)!, "outside_root");
  assertStringIncludes(answers.get(4)!, "outside_root");
  assertEquals(answers.get(5), "{}");
});

Deno.test("the server answers during a long count over MCP", async () => {
  using world = makeRooted();
  Deno.truncateSync(world.write("root/long", ""), 3 * 1024 ** 3);
  const [program, ...words] = programUnderTest();
  const child = new Deno.Command(program, {
    args: [...words, "mcp", "--root", world.root],
    cwd: world.root,
    env: world.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const send = (message: object) =>
    writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  await send({ id: 1, method: "initialize", params });
  await send({ method: "notifications/initialized" });
  const args = { name: "count_lines", arguments: { path: "long" }, _meta: { progressToken: 1 } };
  await send({ id: 2, method: "tools/call", params: args });
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readUntil = async (isEnough: (text: string) => boolean) => {
    while (!isEnough(text)) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
    }
  };
  await readUntil((all) => all.includes("notifications/progress") || all.includes('"id":2'));
  await send({ id: 3, method: "ping" });
  await send({ method: "notifications/cancelled", params: { requestId: 2 } });
  await writer.close();
  await readUntil(() => false);
  assertEquals((await child.status).code, 0);
  const ids = text.trim().split("\n").flatMap((line) => (JSON.parse(line) as { id?: number }).id ?? []);
  assertEquals(ids, [1, 3], "the ping is answered, and the cancelled call is not");
});
