/**
 * create and its inquiries: the call has no content, the question survives the process, the answer is checked against the
 * schema that was shown, never echoed, accepted once, and requested again if the file changed.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure, encode, jsonOf, readJson } from "./read_answer.ts";
import { assertBytes, handleIn, store, wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

interface Asked {
  inquiry_id: string;
  tool: string;
  question: { id: string; text: string; pre_amble: string | null; answer_type: unknown; default: unknown };
  target?: unknown;
  next: string;
}

/** Calls, and answers the question that was asked. */
async function asked(world: World, args: readonly string[], stdin?: string): Promise<Asked> {
  const finished = await world.run([...args, "--format", "json"], { stdin });
  assertEquals([finished.code, finished.stderr], [3, ""]);
  const question = readJson(finished.text);
  assertEquals(question["type"], "needs_input");
  return question as unknown as Asked;
}

const answer = (world: World, id: string, value: unknown, ...args: string[]) =>
  world.run(["answer", id, "--format", "json", ...args], {
    stdin: typeof value === "string" ? value : JSON.stringify(value),
  });

Deno.test("create, new file: asks as the contract shows, and the answer creates the file", async () => {
  using world = makeWorld();
  const question = await asked(world, ["create", "src/new.rs"]);
  assertEquals(question.question, {
    id: "file_content",
    text: "File 'src/new.rs' does not exist and will be created. Provide the file content.",
    pre_amble: null,
    answer_type: {
      Schema: {
        schema: {
          type: "object",
          properties: { content: { type: "string", description: "The content of the new file." } },
          required: ["content"],
          additionalProperties: false,
        },
      },
    },
    default: null,
  });
  assertEquals([question.inquiry_id, question.tool, question.target, question.next], [
    "inq:1",
    "create_file",
    { model: { id: "inherit" } },
    "fdtool answer inq:1 --content -",
  ]);
  assertEquals(Array.from(Deno.readDirSync(world.dir)), []);
  const content = "fn main() {}\n// secret\n";
  const finished = await answer(world, "inq:1", { content });
  const result = jsonOf(finished);
  assertEquals([result["created"], result["lines_added"], result["bytes"]], [true, 2, content.length]);
  assert(!finished.text.includes("secret"), "the content is not echoed");
  assertEquals(world.text("src/new.rs"), content);
  assertFailure(await answer(world, "inq:1", { content: "again" }), "invalid_answer");
  assertEquals(world.text("src/new.rs"), content);
});

Deno.test("create, existing file: overwrite, empty, or leave", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const first = await asked(world, ["create_file", "f"]);
  assertStringIncludes(first.question.text, "already exists (4 bytes)");
  assertStringIncludes(first.question.text, "edit_file");
  const left = jsonOf(await answer(world, first.inquiry_id, { overwrite: false }));
  assertStringIncludes(String(left["message"]), "use edit_file instead");
  assertEquals(world.text("f"), "old\n");

  const second = await asked(world, ["create", "f"]);
  const replaced = jsonOf(
    await answer(world, second.inquiry_id, {
      inquiry_id: second.inquiry_id,
      answer: { overwrite: true, content: "new\n" },
    }),
  );
  assertEquals(world.text("f"), "new\n");
  assertBytes(await wholeOf(world, handleIn(replaced, "backup_fd")), encode("old\n"));

  const third = await asked(world, ["create", "f"]);
  const emptied = jsonOf(await answer(world, third.inquiry_id, { overwrite: true }));
  assertEquals(world.text("f"), "");
  assertStringIncludes(String(emptied["message"]), "EMPTIED f");
  assertBytes(await wholeOf(world, handleIn(emptied, "backup_fd")), encode("new\n"));
});

Deno.test("answer: every fault is reported, the question stays open, content is not echoed", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const { inquiry_id: id } = await asked(world, ["create", "f"]);
  const wrong: [unknown, number][] = [
    [{}, 1],
    [{ overwrite: "yes", content: 1, more: "x".repeat(100) }, 3],
    ["true", 1],
    [[], 1],
    [null, 1],
    [{ content: "secret" }, 1],
    [{ inquiry_id: "inq:9", answer: { overwrite: false } }, 1],
  ];
  for (const [value, faultCount] of wrong) {
    const finished = await answer(world, id, value);
    assertFailure(finished, "invalid_answer");
    const faults = readJson(finished.stderr)["faults"] as unknown[];
    assertEquals(faults.length, faultCount, finished.stderr);
    assert(!finished.stderr.includes("secret"));
  }
  assertFailure(await answer(world, id, '{"overwrite": true, "content": "cut'), "truncated_payload");
  assertEquals(world.text("f"), "old\n");
  jsonOf(await answer(world, id, { overwrite: false }));
});

Deno.test("content that is null, an object or a list is an invalid answer", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  const fresh = (await asked(world, ["create", "new"])).inquiry_id;
  const there = (await asked(world, ["create", "f"])).inquiry_id;
  for (const content of [null, {}, [], ["a"], { chunks: 1 }]) {
    assertFailure(await answer(world, fresh, { content }), "invalid_answer");
    assertFailure(await answer(world, there, { overwrite: true, content }), "invalid_answer");
    const file_content = JSON.stringify({ file_content: { content } });
    assertFailure(await world.run(["create", "new", "--answers", file_content]), "invalid_answer");
    const given = JSON.stringify({ name: "fs_create_file", arguments: { path: "new" } }).slice(0, -1);
    const outcome = await world.run([
      "serve-jp",
      JSON.stringify({ root: world.dir, action: "run" }),
      `${given},"answers":${file_content}}`,
    ]);
    assertEquals((readJson(outcome.text)["trace"] as string[])[0], "invalid_answer");
    if (content === null) continue;
    const stdin = JSON.stringify({ inquiry_id: fresh, answer: { content } });
    const called = await world.run(["call", "answer_inquiry", "--format", "json"], { stdin });
    assertEquals(readJson(called.text)["error"], "invalid_answer");
  }
  const open = jsonOf(await world.run(["inquiries", "--format", "json"]))["inquiries"] as unknown[];
  assertEquals([open.length, world.text("f")], [2, "old\n"]);
  jsonOf(await answer(world, fresh, { content: "x\n" }));
  assertEquals(world.text("new"), "x\n");
});

Deno.test("answer: content from a file, stdin or an fd, and the two switches", async () => {
  using world = makeWorld();
  const bytes = Uint8Array.of(0xff, 0, 0x0d, 0x0a, 0xc3);
  const fd = await store(world, bytes);
  world.write("content", bytes);
  for (const [from, stdin] of [[fd, undefined], ["content", undefined], ["-", bytes]] as const) {
    await Deno.remove(world.path("f")).catch(() => {});
    const { inquiry_id: id } = await asked(world, ["create", "f"]);
    jsonOf(await world.run(["answer", id, "--content-from", from, "--format", "json"], { stdin }));
    assertBytes(world.bytes("f"), bytes, from);
    const { inquiry_id: again } = await asked(world, ["create", "f"]);
    assertFailure(await world.run(["answer", again, "--content-from", from], { stdin }), "invalid_answer");
    assertFailure(await world.run(["answer", again, "--overwrite"]), "invalid_parameter", [1, 2]);
    jsonOf(await world.run(["answer", again, "--no-overwrite", "--format", "json"]));
  }
});

Deno.test("create: a file that appeared or changed meanwhile is never overwritten; the question is asked again", async () => {
  using world = makeWorld();
  const fresh = await asked(world, ["create", "f"]);
  world.write("f", "theirs\n");
  const repeated = await asked(world, ["answer", fresh.inquiry_id], '{"content":"mine\\n"}');
  assertStringIncludes(repeated.question.text, "already exists (7 bytes)");
  assertEquals(world.text("f"), "theirs\n");
  assertFailure(await answer(world, fresh.inquiry_id, { content: "x" }), "invalid_answer");
  // What was given is kept, so that it need not be written again.
  const kept = /stored as (fd:\d+)/.exec(repeated.question.pre_amble ?? "")?.[1] ?? "";
  assertBytes(await wholeOf(world, kept), encode("mine\n"));

  world.write("f", "changed again\n");
  const third = await asked(world, ["answer", repeated.inquiry_id], '{"overwrite":true,"content":"mine\\n"}');
  assertEquals(world.text("f"), "changed again\n");
  const done = ["answer", third.inquiry_id, "--content-from", kept, "--overwrite", "--format", "json"];
  jsonOf(await world.run(done));
  assertEquals(world.text("f"), "mine\n");

  const gone = await asked(world, ["create", "f"]);
  Deno.removeSync(world.path("f"));
  const missing = await asked(world, ["answer", gone.inquiry_id], '{"overwrite":true,"content":"x"}');
  assertStringIncludes(missing.question.text, "does not exist and will be created");
});

Deno.test("create: --answers answers the file's question in the same call", async () => {
  using world = makeWorld();
  const args = (value: unknown) => ["create", "f", "--answers", JSON.stringify({ file_content: value })];
  jsonOf(await world.run([...args({ content: "one\n" }), "--format", "json"]));
  assertEquals(world.text("f"), "one\n");
  await asked(world, args({ content: "two\n" }));
  assertFailure(await world.run(args({ overwrite: 1 })), "invalid_answer");
  jsonOf(await world.run([...args({ overwrite: true, content: "two\n" }), "--format", "json"]));
  assertEquals(world.text("f"), "two\n");
});

Deno.test("inquiries lists open questions, cancel closes one, the schema is for hosts", async () => {
  using world = makeWorld();
  const first = await asked(world, ["create", "a"]);
  const second = await asked(world, ["create", "b"]);
  const open = async () =>
    (jsonOf(await world.run(["inquiries", "--format", "json"]))["inquiries"] as { inquiry_id: string }[])
      .map((inquiry) => inquiry.inquiry_id);
  assertEquals(await open(), [first.inquiry_id, second.inquiry_id]);
  assertEquals((await world.run(["cancel", first.inquiry_id])).code, 0);
  assertEquals(await open(), [second.inquiry_id]);
  assertFailure(await answer(world, first.inquiry_id, { content: "x" }), "invalid_answer");
  assertFailure(await world.run(["cancel", "inq:99"]), "not_found");
  const schema = await world.run(["answer", second.inquiry_id, "--inquiry-schema"]);
  assertEquals(readJson(schema.text), {
    type: "object",
    properties: {
      inquiry_id: { type: "string", const: second.inquiry_id },
      answer: (second.question.answer_type as { Schema: { schema: unknown } }).Schema.schema,
    },
    required: ["inquiry_id", "answer"],
    additionalProperties: false,
  });
  assertEquals(await open(), [second.inquiry_id]);
});

Deno.test("questions and cancelling have their own messages", async () => {
  using world = makeWorld();
  for (const command of ["answer", "cancel"]) {
    const { message, next } = assertFailure(
      await world.run([command, "foo", "--format", "json"]),
      "not_found",
    );
    assertEquals([message, next], ["foo not found: no question exists yet", "fdtool inquiries"]);
  }
  await asked(world, ["create", "f"]);
  const absent = await world.run(["answer", "7", "--format", "json"]);
  assertEquals(assertFailure(absent, "not_found").message, "7 not found: the newest is inq:1");
  jsonOf(await answer(world, "inq:1", { content: "x\n" }));
  const late = await world.run(["cancel", "inq:1", "--format", "json"]);
  assertStringIncludes(assertFailure(late, "invalid_answer").message, "Cannot cancel inq:1: it is answered");
  const shown = await world.run(["plan", "show", "tx:1", "--format", "json"]);
  assertStringIncludes(assertFailure(shown, "stale_file").message, "Cannot show the plan of tx:1");
});

Deno.test("undo --force of a created file that is missing says so", async () => {
  using world = makeWorld();
  await asked(world, ["create", "f"]);
  jsonOf(await answer(world, "inq:1", { content: "x\n" }));
  Deno.removeSync(world.path("f"));
  assertFailure(await world.run(["undo", "tx:1", "--format", "json"]), "stale_file");
  for (const args of [["--dry-run"], []]) {
    const undone = jsonOf(await world.run(["undo", "tx:1", "--force", "--format", "json", ...args]));
    assertStringIncludes(String(undone["message"]), "f, which tx:1 had created, was already removed.");
  }
});

Deno.test("no content is in the journal or the inquiries", async () => {
  using world = makeWorld();
  const { inquiry_id: id } = await asked(world, ["create", "f"]);
  jsonOf(await answer(world, id, { content: "a very secret line\n" }));
  for (const family of ["journal", "inquiries"]) {
    const shard = `${world.store}/v2/${family}/0000`;
    for (const entry of Deno.readDirSync(shard)) {
      assert(!Deno.readTextFileSync(`${shard}/${entry.name}`).includes("secret"), `${family}/${entry.name}`);
    }
  }
});

Deno.test("create: the root confines the question and the answer", async () => {
  using world = makeWorld();
  Deno.mkdirSync(world.path("root"));
  assertFailure(
    await world.run(["create", "../out", "--root", "."], { cwd: world.path("root") }),
    "outside_root",
  );
  const { inquiry_id: id } = await asked(world, ["create", "out"]);
  const confined = await world.run(["answer", id, "--root", "root"], { stdin: '{"content":"x"}' });
  assertFailure(confined, "outside_root");
  assertEquals(Array.from(Deno.readDirSync(world.dir), (entry) => entry.name), ["root"]);
});
