/**
 * `undo` and whatever else names a step's files, when several projects share one store (contract, Writing files): a bare
 * `undo` stays in the working directory, and a path that an answer shows leads to its file from where it is shown.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { assertFailure, jsonOf, readJson } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

/** Two projects beside each other, `a` and `b`. */
function makeProjects(): World & { a: string; b: string } {
  const world = makeWorld();
  const a = world.path("a");
  const b = world.path("b");
  for (const made of [a, b, `${a}/sub`]) mkdirSync(made);
  return Object.assign(world, { a, b });
}

async function edit(world: World, cwd: string, name: string): Promise<void> {
  const edited = await world.run(["edit", name, "--old", "old", "--new", "new", "--format", "json"], { cwd });
  assertEquals(edited.code, 0, edited.stderr);
}

Deno.test("undo without arguments leaves files of another project", async () => {
  using world = makeProjects();
  world.write("a/z.txt", "old\n");
  await edit(world, world.a, "z.txt");
  const refused = await world.run(["undo", "--format", "json"], { cwd: world.b });
  const failure = assertFailure(refused, "not_found");
  assertStringIncludes(failure.message, "tx:1");
  assertStringIncludes(failure.message, `${world.a}/z.txt`);
  assertEquals(failure.next, "fdtool undo tx:1");
  assertEquals(world.text("a/z.txt"), "new\n");

  const undone = jsonOf(await world.run(["undo", "tx:1", "--format", "json"], { cwd: world.b }));
  assertEquals(undone["path"], `${world.a}/z.txt`);
  assertStringIncludes(String(undone["message"]), `Restored ${world.a}/z.txt`);
  assertEquals(world.text("a/z.txt"), "old\n");
});

Deno.test("undo without arguments takes the newest write in the directory, and names a newer one elsewhere", async () => {
  using world = makeProjects();
  for (const name of ["a/x", "a/sub/y", "b/z"]) world.write(name, "old\n");
  await edit(world, world.a, "x");
  await edit(world, world.a, "sub/y");
  await edit(world, world.b, "z");
  const undone = jsonOf(await world.run(["undo", "--format", "json"], { cwd: world.a }));
  assertEquals(undone["path"], "sub/y");
  assertStringIncludes(String(undone["message"]), `A newer step, tx:3, changed ${world.b}/z`);
  assertEquals([world.text("a/x"), world.text("a/sub/y"), world.text("b/z")], ["new\n", "old\n", "new\n"]);
  assertFailure(await world.run(["undo", "--format", "json"], { cwd: `${world.a}/sub` }), "not_found");
});

Deno.test("undo with --root takes the newest write inside the root", async () => {
  using world = makeProjects();
  for (const name of ["a/x", "b/z"]) world.write(name, "old\n");
  await edit(world, world.a, "x");
  await edit(world, world.b, "z");
  const undone = jsonOf(await world.run(["undo", "--root", world.a, "--format", "json"], { cwd: world.b }));
  assertEquals(undone["path"], `${world.a}/x`);
  const refused = assertFailure(
    await world.run(["undo", "--root", `${world.a}/sub`, "--format", "json"], { cwd: world.b }),
    "not_found",
  );
  assertEquals(refused.next, "fdtool log", "what the root forbids is not offered");
});

Deno.test("undo without arguments refuses a plan that also changed files of another project", async () => {
  using world = makeProjects();
  for (const name of ["a/x", "b/z"]) world.write(name, "old\n");
  await edit(world, world.a, "x");
  const operations = [{ type: "append", content_block: "more\n" }];
  const plans = ["x", "../b/z"].map((target_file) => ({ target_file, operations }));
  const stdin = JSON.stringify({ intent: "both", plans, yes: true });
  assertEquals((await world.run(["plan", "apply"], { cwd: world.a, stdin })).code, 0);
  const refused = assertFailure(await world.run(["undo", "--format", "json"], { cwd: world.a }), "not_found");
  assertStringIncludes(refused.message, `${world.b}/z`);
  assertEquals(refused.next, "fdtool undo tx:2");
  assertEquals(world.text("b/z"), "old\nmore\n");
});

Deno.test("undo_write over call and MCP stays in its project", async () => {
  using world = makeProjects();
  world.write("a/z.txt", "old\n");
  await edit(world, world.a, "z.txt");
  const called = await world.run(["call", "undo_write", "--format", "json"], { cwd: world.b, stdin: "{}" });
  assertEquals(readJson(called.text)["error"], "not_found");
  const messages = [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "undo_write", arguments: {} } },
  ];
  const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const served = await world.run(["mcp"], { cwd: world.b, stdin });
  const answer = served.text.trim().split("\n").at(-1)!;
  assertStringIncludes(answer, "not_found");
  assertStringIncludes(answer, 'undo_write {\\"tx\\":\\"tx:1\\"}');
  assertEquals(world.text("a/z.txt"), "new\n");
});

Deno.test("log, plan show and inquiries name the directory of files", async () => {
  using world = makeProjects();
  world.write("a/x", "old\n");
  const plan = JSON.stringify({
    intent: "more",
    target_file: "x",
    operations: [{ type: "append", content_block: "more\n" }],
  });
  assertEquals((await world.run(["plan", "apply"], { cwd: world.a, stdin: plan })).code, 0);
  assertEquals((await world.run(["create", "sub/new"], { cwd: world.a })).code, 3);
  const pathsIn = async (cwd: string) => {
    const json = async (...words: string[]) =>
      readJson((await world.run([...words, "--format", "json"], { cwd })).text);
    const { steps } = await json("log") as { steps: { paths: string[] }[] };
    const { inquiries } = await json("inquiries") as { inquiries: { path: string }[] };
    const shown = await json("plan", "show", "tx:1");
    return [steps[0]!.paths, shown["paths"], inquiries[0]!.path];
  };
  assertEquals(await pathsIn(world.a), [["x"], ["x"], "sub/new"]);
  assertEquals(await pathsIn(world.dir), [["a/x"], ["a/x"], "a/sub/new"]);
  assertEquals(await pathsIn(world.b), [[`${world.a}/x`], [`${world.a}/x`], `${world.a}/sub/new`]);
  const undone = jsonOf(await world.run(["undo", `${world.a}/x`, "--format", "json"], { cwd: world.b }));
  assertEquals(undone["path"], `${world.a}/x`);
});

Deno.test("an answer given in another directory names the file by its full path", async () => {
  using world = makeProjects();
  assertEquals((await world.run(["create", "new"], { cwd: world.a })).code, 3);
  const stdin = JSON.stringify({ content: "made\n" });
  const answered = jsonOf(
    await world.run(["answer", "inq:1", "--format", "json"], { cwd: world.b, stdin }),
  );
  assertEquals(answered["path"], `${world.a}/new`);
  assert(!existsSync(`${world.b}/new`));
  assertEquals(readFileSync(`${world.a}/new`, "utf8"), "made\n");
});

Deno.test("steps that wait for recover are named with their directory", async () => {
  using world = makeProjects();
  world.write("a/x", "old\n");
  await edit(world, world.a, "x");
  const log = `${world.store}/v2/journal/0000/1.rec`;
  const lines = Deno.readTextFileSync(log).split("\n");
  Deno.writeTextFileSync(log, `${lines.slice(0, -2).join("\n")}\n`);
  Deno.writeTextFileSync(`${world.store}/v2/journal/open/1`, "");
  const noticed = await world.run(["inquiries"], { cwd: world.b });
  assertMatch(noticed.stderr, new RegExp(`tx:1 \\(${world.a}/x\\)`));
  const recovered = jsonOf(await world.run(["recover", "--format", "json"], { cwd: world.b })) as {
    recovered?: { paths: string[] }[];
  };
  assertEquals(recovered.recovered?.[0]?.paths, [`${world.a}/x`]);
});

Deno.test("undo says what it does not restore, and that no step is left", async () => {
  using world = makeWorld();
  world.write("f", "one\n");
  for (const words of [[], ["f"]]) {
    const none = assertFailure(await world.run(["undo", ...words, "--format", "json"]), "not_found");
    assertEquals(none.message, "Nothing was undone: no step exists yet");
  }
  Deno.chmodSync(world.path("f"), 0o755);
  jsonOf(await world.run(["edit", "f", "--old", "one", "--new", "two", "--format", "json"]));
  Deno.chmodSync(world.path("f"), 0o600);
  const undone = jsonOf(await world.run(["undo", "--format", "json"]));
  assertStringIncludes(String(undone["message"]), "f keeps its present mode.");
  assertEquals([world.text("f"), Deno.statSync(world.path("f")).mode! & 0o777], ["one\n", 0o600]);
  const { message } = assertFailure(await world.run(["undo", "--format", "json"]), "not_found");
  assertStringIncludes(message, "Nothing was undone: no write to any file is in effect");
});

Deno.test("undo and log take `last` as the newest step, unless a file is called so", async () => {
  using world = makeWorld();
  assertFailure(await world.run(["log", "last", "--format", "json"]), "not_found");
  world.write("a.ts", "1\n");
  await world.run(["edit", "a.ts", "--old", "1", "--new", "2"]);
  assertEquals(
    jsonOf(await world.run(["log", "last", "--format", "json"])),
    jsonOf(await world.run(["log", "tx:1", "--format", "json"])),
  );
  await world.run(["undo", "last"]);
  assertEquals(world.text("a.ts"), "1\n");
  world.write("last", "1\n");
  await world.run(["edit", "last", "--old", "1", "--new", "3"]);
  await world.run(["edit", "a.ts", "--old", "1", "--new", "2"]);
  await world.run(["undo", "last"]);
  assertEquals([world.text("last"), world.text("a.ts")], ["1\n", "2\n"]);
});

Deno.test("undo names the step that left the file as it is, and no step if none did", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const message = async () => {
    const refused = await world.run(["undo", "tx:1", "--format", "json"]);
    return assertFailure(refused, "stale_file").message.split(".")[0];
  };
  await edit(world, world.dir, "f");
  await world.run(["edit", "f", "--old", "new", "--new", "newer"]);
  assertEquals(await message(), "Cannot write f: tx:2 changed it since");
  world.write("f", "by another program\n");
  assertEquals(await message(), "Cannot write f: it changed since tx:1");
  Deno.removeSync(world.path("f"));
  assertEquals(await message(), "Cannot write f: it changed since tx:1");
});

Deno.test("undo --force of an append restores the file that has grown, unless its beginning changed", async () => {
  using world = makeWorld();
  const fd = await store(world, "added\n");
  const appended = async (after: string) => {
    world.write("f", "old\n");
    await world.run(["to-file", fd, "f", "--mode", "append"]);
    world.write("f", after);
    const refused = assertFailure(await world.run(["undo", "f", "--format", "json"]), "stale_file");
    assertEquals(world.text("f"), after);
    return { refused, forced: await world.run(["undo", "f", "--force", "--format", "json"]) };
  };
  const grown = await appended("old\nadded\nmore\n");
  assertMatch(String(grown.refused.next), /^fdtool undo tx:1 --force$/);
  assertStringIncludes(String(grown.refused.fields["diff"]), "-added\n-more\n");
  assertEquals(jsonOf(grown.forced)["type"], "write_result");
  assertEquals(world.text("f"), "old\n");
  const changed = await appended("new\nadded\nmore\n");
  assertStringIncludes(changed.refused.message, "its old content is lost");
  assertFailure(changed.forced, "stale_file");
  assertEquals(world.text("f"), "new\nadded\nmore\n");
});
