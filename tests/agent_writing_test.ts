// Promise: the writing tools are the writing commands behind every interface; questions reach the agent and their answers the
// file; content never goes through a question.

import { Buffer } from "node:buffer";
import { deepStrictEqual, ok } from "node:assert/strict";
import { makeWorld, type World } from "./world.ts";

async function call(world: World, tool: string, given: unknown): Promise<[number, Record<string, unknown>]> {
  const stdin = typeof given === "string" ? given : JSON.stringify(given);
  const { code, text, stderr } = await world.run(["call", tool, "--format", "json"], { stdin });
  deepStrictEqual(stderr, "");
  return [code, JSON.parse(text)];
}

async function jp(
  world: World,
  name: string,
  given: unknown,
  answers: unknown = {},
): Promise<Record<string, unknown>> {
  const context = JSON.stringify({ root: world.dir, action: "run" });
  const { code, text, stderr } = await world.run([
    "serve-jp",
    context,
    JSON.stringify({ name, arguments: given, answers }),
  ]);
  deepStrictEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(text);
}

Deno.test("a file is created by question and answer", async () => {
  using world = makeWorld();
  const [asked, question] = await call(world, "create_file", { path: "src/new.js" });
  deepStrictEqual([asked, question["type"]], [3, "needs_input"]);
  const [code, result] = await call(world, "answer_inquiry", {
    inquiry_id: question["inquiry_id"],
    answer: '{"content": "x\\n", "overwrite": null}',
  });
  deepStrictEqual([code, result["type"], result["created"]], [0, "write_result", true]);
  ok(String(result["notes"]).includes("answer"));
  deepStrictEqual(world.text("src/new.js"), "x\n");
  const [again, refusal] = await call(world, "answer_inquiry", {
    inquiry_id: question["inquiry_id"],
    answer: { content: "y" },
  });
  deepStrictEqual([again, refusal["type"]], [1, "fd_error"]);
});

Deno.test("an edit, a rewrite and a count, with arguments as models write them", async () => {
  using world = makeWorld();
  world.write("a.txt", "one\ntwo\n");
  const [, edited] = await call(
    world,
    "edit_file",
    '```json\n{"filename":"a.txt","edits":"[{\\"old_string\\":\\"two\\",\\"new_string\\":\\"2\\"}]",}\n```',
  );
  deepStrictEqual([edited["type"], world.text("a.txt")], ["write_result", "one\n2\n"]);
  const [, count] = await call(world, "count_lines", { content: "a\nb\nc\n" });
  deepStrictEqual(count["lines"], 3);
  const rewrite = {
    filePath: "a.txt",
    content: "a\nb\nc\n",
    expectedLineCount: "3",
    acknowledgement: "I confirm",
  };
  const [code, refusal] = await call(world, "rewrite_file", rewrite);
  deepStrictEqual([code, refusal["error"], world.text("a.txt")], [1, "invalid_acknowledgement", "one\n2\n"]);
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const [, rewritten] = await call(world, "rewrite_file", { ...rewrite, acknowledgement });
  deepStrictEqual([rewritten["type"], world.text("a.txt")], ["write_result", "a\nb\nc\n"]);
});

Deno.test("a truncated call writes nothing, and says how to continue", async () => {
  using world = makeWorld();
  world.write("a.txt", "one\n");
  const [code, refusal] = await call(world, "edit_file", '{"path":"a.txt","old_string":"","new_string":"tw');
  deepStrictEqual([code, refusal["error"], world.text("a.txt")], [1, "truncated_payload", "one\n"]);
});

Deno.test("jp creates a file by running the call again with the answers", async () => {
  using world = makeWorld();
  const create = (answers?: object) => jp(world, "fs_create_file", { path: "new.txt" }, answers);
  const questionOf = async (answers?: object) => {
    const { type, question } = await create(answers) as { type: string; question: Record<string, unknown> };
    return [type, question["id"], question["answer_type"], question["default"]];
  };
  deepStrictEqual(await questionOf(), ["needs_input", "file_content", "Text", null]);
  // An answer that a person's configuration always gives must not hide the other question.
  deepStrictEqual(await questionOf({ overwrite_file: true }), ["needs_input", "file_content", "Text", null]);
  const done = await create({ file_content: "x\n" });
  deepStrictEqual([done["type"], world.text("new.txt")], ["success", "x\n"]);

  const overwrite = await create();
  const { text } = overwrite["question"] as { text: string };
  ok(text.includes("`fs_modify_file`") && text.includes("2 bytes") && !text.includes("\n"), text);
  deepStrictEqual(await questionOf(), ["needs_input", "overwrite_file", "Boolean", false]);
  deepStrictEqual(await questionOf({ file_content: "y\n" }), [
    "needs_input",
    "overwrite_file",
    "Boolean",
    false,
  ]);
  const left = await create({ overwrite_file: false });
  deepStrictEqual([left["type"], world.text("new.txt")], ["success", "x\n"]);
  ok(String(left["content"]).includes("fs_modify_file"), String(left["content"]));
  // Without content the file is not emptied: the content is asked for.
  deepStrictEqual(await questionOf({ overwrite_file: "yes" }), ["needs_input", "file_content", "Text", null]);
  deepStrictEqual(world.text("new.txt"), "x\n");
  const replaced = await create({ overwrite_file: true, file_content: "y\n" });
  deepStrictEqual([replaced["type"], world.text("new.txt")], ["success", "y\n"]);
  const out = await jp(world, "fs_create_file", { path: "../out.txt" }, { file_content: "x" });
  deepStrictEqual([out["type"], (out["trace"] as string[])[0]], ["error", "outside_root"]);
});

Deno.test("jp's draft answers are accepted in both modes, and requested with --answer-types schema", async () => {
  using world = makeWorld();
  const context = JSON.stringify({ root: world.dir, action: "run" });
  const create = async (path: string, answers: object, words: string[] = []) => {
    const call = JSON.stringify({ name: "fs_create_file", arguments: { path }, answers });
    return JSON.parse((await world.run(["serve-jp", ...words, context, call])).text);
  };
  const SCHEMA = ["--answer-types", "schema"];
  for (const [index, words] of [[], SCHEMA].entries()) {
    const form = await create(`form${index}`, { file_content: { content: "x\n" } }, words);
    const text = await create(`text${index}`, { file_content: "x\n" }, words);
    deepStrictEqual([form.type, text.type], ["success", "success"]);
    const kept = await create(`form${index}`, { file_content: { overwrite: false } }, words);
    const over = await create(`text${index}`, { file_content: { overwrite: true, content: "z\n" } }, words);
    deepStrictEqual([kept.type, over.type], ["success", "success"]);
    deepStrictEqual([world.text(`form${index}`), world.text(`text${index}`)], ["x\n", "z\n"]);
  }
  const asked = await create("form0", {}, SCHEMA);
  deepStrictEqual(asked.question.id, "file_content");
  deepStrictEqual(Object.keys(asked.question.answer_type.Schema.schema.properties), ["overwrite", "content"]);
});

Deno.test("jp modifies a file by text and by expression", async () => {
  using world = makeWorld();
  world.write("a.txt", "Name v1\nname v2\nrest\n".padEnd(40, "x"));
  const modify = (patterns: unknown, options: object = {}) =>
    jp(world, "fs_modify_file", { path: "a.txt", patterns, ...options });
  deepStrictEqual((await modify([{ old: "v1", new: "v3" }]))["type"], "success");
  const twice = await modify([{ old: "NAME", new: "n" }], { case_sensitive: false });
  deepStrictEqual([twice["type"], (twice["trace"] as string[])[0]], ["error", "match_not_unique"]);
  await modify([{ old: "^name v(\\d)$", new: "n$1" }], {
    replace_using_regex: true,
    case_sensitive: false,
    replace_all: true,
  });
  ok(world.text("a.txt").startsWith("n3\nn2\nrest\n"), world.text("a.txt"));
  const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"));
  world.write("a.txt", utf16("\ufeffone\r\ntwo\r\n"));
  await modify([{ old: "t.o", new: "2" }], { replace_using_regex: true });
  deepStrictEqual(Deno.readFileSync(world.path("a.txt")), utf16("\ufeffone\r\n2\r\n"));
});

Deno.test("jp shows the path of a call, and its questions go to the model of the conversation", async () => {
  using world = makeWorld();
  const context = JSON.stringify({ root: world.dir, action: "format_arguments" });
  const shown = JSON.stringify({
    name: "fs_modify_file",
    arguments: { path: "a.txt", patterns: [{ old: "s", new: "t" }] },
  });
  deepStrictEqual(JSON.parse((await world.run(["serve-jp", context, shown])).text), {
    type: "success",
    content: "a.txt",
  });
  const { text } = await world.run(["tools", "--for", "jp", "--only", "fs_create_file"]);
  ok(
    text.includes('[conversation.tools.fs_create_file.questions.file_content.target.model]\nid = "inherit"'),
    text,
  );
});
