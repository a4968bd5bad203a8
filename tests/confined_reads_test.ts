// Promise: with `--root` no call reads a file outside it, also while another process swaps names for links (SECURITY.md).

import { assert, assertEquals } from "@std/assert";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeWorld, runsOf, type World } from "./world.ts";

const SECRET = "hunter2";
const INSIDE = '{"a":"inside"}\n';

/** Swaps `f` and the directory `d` in the root for links that lead outside, and back, until it is killed. */
const SWAPPER = `
import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
for (let isFirst = true;; isFirst = false) {
  symlinkSync("../outside/f", "link");
  renameSync("link", "f");
  renameSync("d", "away");
  symlinkSync("../outside", "d");
  if (isFirst) console.log("swapping");
  unlinkSync("d");
  renameSync("away", "d");
  writeFileSync("file", ${JSON.stringify(INSIDE)});
  renameSync("file", "f");
}`;

function makeRooted(): World & { root: string } {
  const world = makeWorld();
  world.write("outside/f", `{"a":"${SECRET}"}\n`);
  for (const name of ["f", "d/f", "same"]) world.write(`root/${name}`, INSIDE);
  return Object.assign(world, { root: world.path("root") });
}

/** Runs `test` while names in the root are swapped. */
async function whileSwapping(world: World & { root: string }, test: () => Promise<void>): Promise<void> {
  const swapper = new Deno.Command(Deno.execPath(), {
    args: ["eval", SWAPPER],
    cwd: world.root,
    stdout: "piped",
  }).spawn();
  const reader = swapper.stdout.getReader();
  await reader.read();
  try {
    await test();
  } finally {
    swapper.kill("SIGKILL");
    await swapper.status;
    await reader.cancel();
  }
}

/** The files of the store that have the secret. */
function storedSecrets(world: World): string[] {
  return readdirSync(world.store, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(SECRET));
}

const TOOLS: readonly ((path: string) => { name: string; arguments: unknown })[] = [
  (fd) => ({ name: "read_fd", arguments: { fd } }),
  (fd) => ({ name: "search_fd", arguments: { fd, pattern: "a" } }),
  (fd) => ({ name: "query_fd", arguments: { fd, filter: "." } }),
  (old_fd) => ({ name: "diff_fds", arguments: { old_fd, new_fd: "same" } }),
  (path) => ({ name: "count_lines", arguments: { path } }),
  // What is near the text that is not there would be in the error.
  (path) => ({
    name: "edit_file",
    arguments: { path, old_string: `{"a":"hunter3"}`, new_string: `{"a":"insidf"}` },
  }),
  (path) => ({ name: "edit_file", arguments: { path, old_string: '"a"', new_string: '"b"', dry_run: true } }),
  (target_file) => {
    const operation = { type: "replace", find: `{"a":"hunter3"}`, content_block: "" };
    return {
      name: "write_plan",
      arguments: { intent: "x", target_file, operations: [operation], check_only: true },
    };
  },
];

Deno.test("no tool reads outside the root while names in it are swapped for links", async () => {
  using world = makeRooted();
  const calls = Array.from({ length: runsOf(400) }, (_, at) => {
    const path = at % 2 === 0 ? "f" : "d/f";
    return { id: at, method: "tools/call", params: TOOLS[(at >> 1) % TOOLS.length]!(path) };
  });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const messages = [
    { id: "start", method: "initialize", params },
    { method: "notifications/initialized" },
    ...calls,
  ];
  const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  await whileSwapping(world, async () => {
    const served = await world.run(["mcp", "--root", world.root], { cwd: world.root, stdin });
    const answers = served.text.trim().split("\n");
    assertEquals([served.code, answers.length], [0, calls.length + 1], served.stderr);
    assertEquals(answers.filter((answer) => answer.includes(SECRET)), []);
    assert(answers.some((answer) => answer.includes("inside")));
  });
  assertEquals(storedSecrets(world), []);
});

Deno.test("an error names no file outside the root", async () => {
  using world = makeRooted();
  world.write("outside/passwords", "");
  world.write("root/passages", "");
  const errorOf = async (path: string) =>
    (await world.run(["read", path, "--root", "."], { cwd: world.root })).stderr;
  assert(!(await errorOf("../outside/password")).includes("passwords"));
  assert((await errorOf("passage")).includes("passages"));
});

Deno.test("no command reads outside the root while names in it are swapped for links", async () => {
  using world = makeRooted();
  const lines = ["f", "d/f"].flatMap((path) => [
    `fdtool capture ${path}`,
    `fdtool capture --always ${path}`,
    `fdtool spawn --preload-file ${path} -- fdtool read 1`,
    `fdtool spawn --preamble --preload-file ${path} -- cat`,
    `fdtool plan check ${path}`,
    `fdtool rewrite new --content-file ${path}; cat new; rm -f new`,
    `fdtool import ${path}`,
    `fdtool read ${path}x`,
  ]);
  await whileSwapping(world, async () => {
    for (let round = 0; round < runsOf(4); round++) {
      for (const line of lines) {
        const ended = await world.shell(line, { cwd: world.root, env: { FDTOOL_ROOT: world.root } });
        assertEquals(`${ended.text}${ended.stderr}`.includes(SECRET), false, line);
      }
    }
  });
  assertEquals(storedSecrets(world), []);
});
