// Promise: jp gets one JSON outcome for every call, also for one that cannot be read, and nothing leaves its root.

import { deepStrictEqual, ok } from "node:assert/strict";
import { makeWorld, type World } from "./world.ts";

async function outcome(world: World, context: unknown, tool: unknown): Promise<Record<string, unknown>> {
  const text = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);
  const { code, text: out, stderr } = await world.run(["serve-jp", text(context), text(tool)]);
  deepStrictEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(out);
}

Deno.test("a call is answered with its content", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\ntwo\n" });
  const context = { root: world.dir, action: "run", access: { fs: [] } };
  const call = {
    name: "read_fd",
    arguments: { fd: "fd:1", mode: "line", start: 2 },
    answers: {},
    options: {},
  };
  const { type, content } = await outcome(world, context, call);
  deepStrictEqual(type, "success");
  ok(String(content).includes("\ntwo\n"), String(content));
});

Deno.test("a failure is an outcome that says what, why, and whether to retry", async () => {
  using world = makeWorld();
  deepStrictEqual(
    await outcome(world, { root: world.dir, action: "run" }, { name: "read_fd", arguments: { fd: "fd:9" } }),
    {
      type: "error",
      message: "fd:9 not found: this store is empty",
      trace: ["not_found", "list_fds {}"],
      transient: false,
    },
  );
});

Deno.test("an unreadable call has an outcome, too", async () => {
  using world = makeWorld();
  const call = { name: "list_fds", arguments: {} };
  const broken: [unknown, unknown, string][] = [
    ["", call, "root"],
    ['{"root":"/', call, "is truncated after"],
    [{ root: 5 }, call, "root"],
    [{ root: world.path("nowhere"), action: "run" }, call, "root"],
    [{ root: world.write("file", ""), action: "run" }, call, "root"],
    [{ root: world.dir, action: "dance" }, call, "action"],
    [{ root: world.dir }, "[1]", "name"],
    [{ root: world.dir }, { name: "read_f" }, "did you mean read_fd?"],
    [{ root: world.dir }, { name: "read_fd", arguments: [1, 2] }, "one JSON object"],
  ];
  for (const [context, tool, said] of broken) {
    const { type, message } = await outcome(world, context, tool);
    deepStrictEqual(type, "error");
    ok(String(message).toLowerCase().includes(said.toLowerCase()), `${said} in: ${message}`);
  }
});

Deno.test("messages to jp name only tools that it has, and commands that work", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const context = { root: world.dir, action: "run" };
  const asked = await outcome(world, context, { name: "fs_create_file", arguments: { path: "f" } });
  const words = JSON.stringify(asked);
  ok(words.includes("use `fs_modify_file`") && !words.includes("edit_file"), words);
  const { message, trace } = await outcome(world, context, {
    name: "fs_modify_file",
    arguments: { path: "f" },
  });
  ok(String(message).includes("patterns"), String(message));
  const next = String((trace as string[])[1]);
  deepStrictEqual(next, "fdtool tools --for jp --only fs_modify_file");
  deepStrictEqual((await world.shell(next)).code, 0);
  const rootless = await outcome(world, {}, { name: "list_fds" });
  deepStrictEqual(rootless["message"], "Cannot read the context: root is missing");
});

Deno.test("a root outside fdtool's own root is refused", async () => {
  using world = makeWorld();
  world.write("inside/file", "");
  const call = JSON.stringify({ name: "list_fds", arguments: {} });
  const within = async (root: string) =>
    JSON.parse(
      (await world.run(["serve-jp", JSON.stringify({ root }), call, "--root", world.path("inside")])).text,
    ).type;
  deepStrictEqual(await within(world.path("inside")), "success");
  deepStrictEqual(await within(world.dir), "error");
});

Deno.test("formatted arguments show the path only", async () => {
  using world = makeWorld();
  const context = { root: world.dir, action: "format_arguments" };
  const call = { name: "read_fd", arguments: { fd: "fd:7", mode: "line" } };
  deepStrictEqual(await outcome(world, context, call), { type: "success", content: "fd:7" });
});

Deno.test("serve-jp expects two arguments", async () => {
  using world = makeWorld();
  deepStrictEqual((await world.run(["serve-jp", "{}"])).code, 2);
});
