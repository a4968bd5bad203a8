/**
 * One guard of new text at every interface that writes (contract, Writing files): placeholders are refused, with one override, and
 * nothing is lost unasked.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { connect } from "./mcp_connection.ts";
import { assertFailure, jsonOf, readJson } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const OLD = Array.from({ length: 12 }, (_, index) => `line${index + 1}();\n`).join("");
const LINE = "// ... rest of file unchanged ...";
const NEW = `line1();\n${LINE}\n`;
const ACKNOWLEDGEMENT = "I confirm this is the complete file content with no omissions or placeholders";

/** Calls of a tool. */
async function call(world: World, tool: string, request: object) {
  const finished = await world.run(["call", tool, "--format", "json"], { stdin: JSON.stringify(request) });
  return readJson(finished.text);
}

async function jp(world: World, name: string, args: object, answers?: object) {
  const context = JSON.stringify({ root: world.dir, action: "run" });
  const written = JSON.stringify({ name, arguments: args, answers });
  return JSON.parse((await world.run(["serve-jp", context, written])).text);
}

/** Calls a tool, by one of the ways to do so. */
type ToolCall = (tool: string, request: object) => Promise<Record<string, unknown>>;

/** Asks for the content of `f`, and answers. */
async function answered(call: ToolCall, text: string, more: object) {
  const { inquiry_id } = await call("create_file", { path: "f.js" });
  return await call("answer_inquiry", {
    inquiry_id,
    answer: { overwrite: true, content: text },
    ...more,
  });
}

const lines = OLD.split("\n");
const RANGE = { old_string: `${lines[1]}\n${lines[2]}\n`, new_string: `${LINE}\n` };

/** Each interface that writes text to the file `f.js`, with a member or option that allows placeholders. */
const DOORS: Record<
  string,
  (call: ToolCall, allow: boolean, world: World) => Promise<Record<string, unknown>>
> = {
  rewrite: (call, allow) =>
    call("rewrite_file", {
      filePath: "f.js",
      content: NEW,
      expectedLineCount: 2,
      acknowledgement: ACKNOWLEDGEMENT,
      allow_placeholders: allow,
    }),
  answer: (call, allow) => answered(call, NEW, { allow_placeholders: allow }),
  "answer from an fd": async (_call, allow, world) => {
    const fd = await store(world, NEW);
    const args = ["create", "f.js", "--content", fd, "--overwrite", "--format", "json"];
    const { text, stderr } = await world.run(allow ? [...args, "--allow-placeholders"] : args);
    return readJson(text === "" ? stderr : text);
  },
  edit: (call, allow) => call("edit_file", { path: "f.js", ...RANGE, allow_placeholders: allow }),
  edits: (call, allow) =>
    call("edit_file", {
      path: "f.js",
      edits: [{ old_string: "line12", new_string: "l12" }, RANGE],
      allow_placeholders: allow,
    }),
  "edit of the whole": (call, allow) =>
    call("edit_file", {
      path: "f.js",
      old_string: "",
      new_string: NEW,
      yes: true,
      allow_placeholders: allow,
    }),
  "edit from an fd": async (call, allow, world) =>
    call("edit_file", {
      path: "f.js",
      old_string: RANGE.old_string,
      new_fd: await store(world, `${LINE}\n`),
      allow_placeholders: allow,
    }),
  "edit of the command line": async (_call, allow, world) => {
    const args = ["edit", "f.js", "--old", "line2();", "--new", LINE, "--format", "json"];
    const { text, stderr } = await world.run(allow ? [...args, "--allow-placeholders"] : args);
    return readJson(text === "" ? stderr : text);
  },
  "to-file": async (call, allow, world) => {
    const fd = await store(world, NEW);
    const answer = await call("fd_to_file", { fd, file_path: "f.js", allow_placeholders: allow });
    return answer["success"] === true ? { ...answer, type: "write_result" } : answer;
  },
  ...Object.fromEntries(
    Object.entries({
      append: {},
      overwrite: {},
      insert: { location_marker: "line2();" },
      replace: { start_marker: "line2();", end_marker: "line4();" },
      replace_all: { find: "line2();\n" },
    }).map(([type, markers]) => [
      `plan ${type}`,
      async (call: ToolCall, allow: boolean) => {
        const operations = [{ type: "append", content_block: "more();\n" }, {
          type,
          content_block: `${LINE}\n`,
          ...markers,
        }];
        const plan = { target_file: "f.js", operations, allow_placeholders: allow };
        const answer = await call("write_plan", plan);
        if (answer["type"] === "fd_error") {
          assertStringIncludes(String(answer["message"]), "operations[1].content_block", type);
          const checked = await call("write_plan", { ...plan, check_only: true });
          assertEquals(checked["error"], "plan_invalid");
        }
        return answer;
      },
    ]),
  ),
  "jp modify": async (_call, allow, world) => {
    const patterns = [{ old: RANGE.old_string, new: RANGE.new_string }];
    const outcome = await jp(world, "fs_modify_file", { path: "f.js", patterns, allow_placeholders: allow });
    return outcome.type === "success"
      ? { type: "write_result" }
      : { error: outcome.trace[0], message: outcome.message };
  },
  "jp create": async (_call, allow, world) => {
    const answers = { overwrite_file: true, file_content: NEW };
    const outcome = await jp(world, "fs_create_file", { path: "f.js", allow_placeholders: allow }, answers);
    return outcome.type === "success"
      ? { type: "write_result" }
      : { error: outcome.trace[0], message: outcome.message };
  },
};

Deno.test("a placeholder is refused at every interface, named, and allowed by one override", async () => {
  using world = makeWorld();
  await using connected = await connect(world, { words: ["--all"] });
  const overMcp: ToolCall = async (name, request) =>
    (await connected.client.callTool({ name, arguments: { ...request } })).structuredContent as Record<
      string,
      unknown
    >;
  const byCommand: ToolCall = (tool, request) => call(world, tool, request);
  const doors = Object.entries(DOORS).flatMap(([door, writeBy]) =>
    [byCommand, overMcp].map((called) => (
      [called === overMcp ? `${door} over MCP` : door, (allow: boolean) =>
        writeBy(called, allow, world)] as const
    ))
  );
  for (const [door, write] of doors) {
    world.write("f.js", OLD);
    const refused = await write(false);
    assert(
      ["placeholder_found", "plan_invalid"].includes(String(refused["error"])),
      `${door}: ${JSON.stringify(refused)}`,
    );
    assertStringIncludes(String(refused["message"]), LINE, door);
    assertStringIncludes(String(refused["message"]), "llow", door);
    const editor = door.startsWith("jp") ? "fs_modify_file" : "edit_file";
    assertStringIncludes(String(refused["message"]), `use ${editor} for a part`, door);
    assertEquals(world.text("f.js"), OLD, door);
    assertEquals((await write(true))["type"], "write_result", door);
    assertStringIncludes(world.text("f.js"), LINE, door);
    world.write("f.js", `${OLD}${LINE}\n`);
    assertEquals((await write(false))["type"], "write_result", `${door}: the file has the line`);
  }
});

Deno.test("every way to write names the functions that it removes", async () => {
  using world = makeWorld();
  const [kept, gone] = ["kept", "gone"].map((name) => `function ${name}() {\n  return 1;\n}\n`);
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const fd = await store(world, kept!);
  const ways: (() => Promise<Record<string, unknown>>)[] = [
    () => call(world, "edit_file", { path: "f.js", old_string: gone, new_string: "" }),
    () =>
      call(world, "rewrite_file", { filePath: "f.js", content: kept, expectedLineCount: 3, acknowledgement }),
    () =>
      call(world, "write_plan", { target_file: "f.js", operations: [{ type: "overwrite", content_fd: fd }] }),
    () => call(world, "fd_to_file", { fd, file_path: "f.js" }),
    async () => {
      const { inquiry_id } = await call(world, "create_file", { path: "f.js", content: kept });
      return await call(world, "answer_inquiry", { inquiry_id, answer: { overwrite: true } });
    },
  ];
  for (const write of ways) {
    world.write("f.js", `${gone}${kept}`);
    const { message } = await write();
    assertEquals(world.text("f.js"), kept, String(write));
    assertStringIncludes(String(message), "No longer in f.js: gone.", String(write));
  }
});

Deno.test("a refused answer leaves the question open, and text inside a line passes", async () => {
  using world = makeWorld();
  world.write("f.js", OLD);
  const { inquiry_id } = await call(world, "create_file", { path: "f.js" });
  const answer = (text: string) =>
    call(world, "answer_inquiry", { inquiry_id, answer: { overwrite: true, content: text } });
  assertEquals((await answer(NEW))["error"], "placeholder_found");
  assertEquals((await answer("whole();\n"))["type"], "write_result");
  world.write("f.js", 'log("x");\n');
  const edited = await call(world, "edit_file", {
    path: "f.js",
    old_string: "x",
    new_string: "... existing code ...",
  });
  assertEquals([edited["type"], world.text("f.js")], ["write_result", 'log("... existing code ...");\n']);
});

Deno.test("to-file exports what was stored, unless it replaces a file that has content", async () => {
  using world = makeWorld();
  const fd = await store(world, NEW);
  jsonOf(await world.run(["to-file", fd, "new.js", "--format", "json"]));
  jsonOf(await world.run(["to-file", fd, "new.js", "--mode", "append", "--format", "json"]));
  world.write("f.js", OLD);
  assertFailure(await world.run(["to-file", fd, "f.js", "--format", "json"]), "placeholder_found");
  assertEquals(world.text("f.js"), OLD);
});

Deno.test("edit: an empty old_string asks before it replaces content, of any size", async () => {
  using world = makeWorld();
  for (const lineCount of [1, 5, 40]) {
    world.write("f", "line\n".repeat(lineCount));
    const request = { path: "f", old_string: "", new_string: "import x\n" };
    const asked = await call(world, "edit_file", request);
    const { id, text } = asked["question"] as Record<string, string>;
    assertEquals([asked["type"], id, world.text("f")], [
      "needs_input",
      "large_change",
      "line\n".repeat(lineCount),
    ]);
    assertStringIncludes(text!, `${lineCount} of ${lineCount} line`);
    assertStringIncludes(text!, "old_string is empty");
    const { inquiry_id } = asked;
    assertEquals((await call(world, "answer_inquiry", { inquiry_id, answer: true }))["type"], "write_result");
    assertEquals(world.text("f"), "import x\n");
  }
  world.write("f", "line\n");
  assertEquals(
    (await call(world, "edit_file", { path: "f", old_string: "", new_string: "line\nmore\n" }))["type"],
    "write_result",
  );
  world.write("f", "");
  assertEquals(
    (await call(world, "edit_file", { path: "f", old_string: "", new_string: "x\n" }))["type"],
    "write_result",
  );
});

Deno.test("content sent with create_file is stored and asked for, and the answer names it", async () => {
  using world = makeWorld();
  for (const [old, more] of [[undefined, {}], ["old\n".repeat(3), { overwrite: true }], ["", {}]] as const) {
    if (old !== undefined) world.write("n.txt", old);
    const content = "hello\n// whole\n";
    const asked = await call(world, "create_file", { path: "n.txt", content, ...more });
    assertEquals(asked["type"], "needs_input", JSON.stringify(asked));
    const { pre_amble } = asked["question"] as Record<string, string>;
    const fd = /fd:\d+/.exec(pre_amble!)![0];
    assertStringIncludes(pre_amble!, "belongs in the answer");
    assertStringIncludes(String(asked["next"]), fd);
    assert(!JSON.stringify(asked).includes("hello"), "content is not echoed");
    const next = /^answer_inquiry (.*)$/.exec(String(asked["next"]));
    const done = next === null
      ? jsonOf(await world.run([...String(asked["next"]).split(" ").slice(1), "--format", "json"]))
      : await call(world, "answer_inquiry", JSON.parse(next[1]!));
    assertEquals([done["type"], world.text("n.txt")], ["write_result", content]);
  }
});

Deno.test("a yes to overwriting means the content that came with the call, and never empties the file", async () => {
  using world = makeWorld();
  const ways: [string, (id: string) => Promise<unknown>][] = [
    ["answer", (id) => call(world, "answer_inquiry", { inquiry_id: id, answer: { overwrite: true } })],
    ["beside", (id) => call(world, "answer_inquiry", { inquiry_id: id, overwrite: true })],
    ["command", (id) => world.run(["answer", id, "--answer", '{"overwrite":true}'])],
  ];
  for (const [way, answer] of ways) {
    world.write("f", "old\n");
    const { inquiry_id, question } = await call(world, "create_file", { path: "f", content: "new\n" });
    assertStringIncludes(JSON.stringify(question), '{\\"overwrite\\":true,\\"content_fd\\":');
    await answer(String(inquiry_id));
    assertEquals(world.text("f"), "new\n", way);
  }
  world.write("f", "old\n");
  const { inquiry_id } = await call(world, "create_file", { path: "f", content: "new\n" });
  world.write("f", "changed meanwhile\n");
  const again = await call(world, "answer_inquiry", { inquiry_id, answer: { overwrite: true } });
  assertEquals([again["type"], world.text("f")], ["needs_input", "changed meanwhile\n"]);
  await call(world, "answer_inquiry", { inquiry_id: again["inquiry_id"], answer: { overwrite: true } });
  assertEquals(world.text("f"), "new\n");
  world.write("f", "old\n");
  await jp(world, "fs_create_file", { path: "f", content: "new\n" }, { overwrite_file: true });
  assertEquals(world.text("f"), "new\n");
});

Deno.test("what belongs in an answer is read beside it", async () => {
  using world = makeWorld();
  const fd = await store(world, "stored\n");
  const answers: [object, string | undefined, string][] = [
    [{ content: "a\n" }, undefined, "a\n"],
    [{ content_fd: fd }, undefined, "stored\n"],
    [{ answer: { content_fd: fd } }, undefined, "stored\n"],
    [{ content: "b\n", overwrite: true }, "old\n", "b\n"],
    [{ content: "b\n", answer: true }, "old\n", "b\n"],
    [{ content: "b\n", answer: { overwrite: true } }, "old\n", "b\n"],
    [{ overwrite: false }, "old\n", "old\n"],
  ];
  for (const [index, [beside, old, wanted]] of answers.entries()) {
    const path = `f${index}`;
    if (old !== undefined) world.write(path, old);
    const { inquiry_id } = await call(world, "create_file", { path });
    const done = await call(world, "answer_inquiry", { inquiry_id, ...beside });
    assertEquals([done["type"], world.text(path)], ["write_result", wanted], JSON.stringify(beside));
  }
  const { inquiry_id } = await call(world, "create_file", { path: "g" });
  const twice = { inquiry_id, answer: { content: "a" }, content: "b" };
  assertEquals((await call(world, "answer_inquiry", twice))["error"], "invalid_answer");
  assertEquals((await call(world, "answer_inquiry", { inquiry_id }))["error"], "invalid_answer");
  const done = jsonOf(await world.run(["answer", String(inquiry_id), "--from", fd, "--format", "json"]));
  assertEquals([done["type"], world.text("g")], ["write_result", "stored\n"]);
});

Deno.test("jp: content sent with a creation is not sent twice", async () => {
  using world = makeWorld();
  const args = { path: "j.txt", content: "long\n" };
  const { question } = await jp(world, "fs_create_file", args);
  const fd = /fd:\d+/.exec(question.pre_amble)![0];
  for (const file_content of [fd, JSON.stringify({ content_fd: fd }), { content_fd: fd }]) {
    const done = await jp(world, "fs_create_file", args, { file_content });
    assertEquals([done.type, world.text("j.txt")], ["success", "long\n"]);
    Deno.removeSync(world.path("j.txt"));
  }
});
