/**
 * References (contract, Agents): `ref extract` stores each `<ref id="x">…</ref>` of a model's message as `ref:x`, hands the
 * message on byte for byte whatever becomes of them, and tells what it left alone.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { encode, type JsonAnswer, jsonOf, readJson } from "./read_answer.ts";
import { assertBytes, listOf, statOf, store, wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

const MESSAGE = `Here is a helper:

<ref id="helper">
def hello():
    print("Hello, world!")
</ref>

and its test: <ref id="test">assert hello()</ref>
`;

const HELPER = '\ndef hello():\n    print("Hello, world!")\n';

/** Extracts with a report; answers its refs. */
async function extract(world: World, message: string | Uint8Array): Promise<JsonAnswer[]> {
  const finished = await world.run(["ref", "extract", "--report", "--format", "json"], { stdin: message });
  assertEquals(finished.code, 0, finished.stderr);
  const answer = readJson(finished.text);
  assertEquals(answer["type"], "ref_list");
  return answer["refs"] as JsonAnswer[];
}

/** The report on stderr. */
async function noticeOf(world: World, message: string): Promise<JsonAnswer> {
  const finished = await world.run(["ref", "extract", "--format", "json"], { stdin: message });
  assertEquals([finished.code, finished.text], [0, message]);
  return readJson(finished.stderr);
}

const text = async (world: World, fd: string) => new TextDecoder().decode(await wholeOf(world, fd));

Deno.test("ref extract: the message is forwarded unchanged, and a clean one has no report", async () => {
  using world = makeWorld();
  for (const message of [MESSAGE, "no reference", "", '<ref id="x">unclosed', "a\r\n</ref>\u0000"]) {
    const finished = await world.run(["ref", "extract"], { stdin: message });
    assertBytes(finished.stdout, encode(message), message);
    assertEquals(finished.code, 0);
  }
  assertEquals((await world.run(["ref", "extract"], { stdin: "plain <b>text</b>" })).stderr, "");
});

Deno.test("ref extract: each reference becomes an fd bound to its name, with exactly the text between the tags", async () => {
  using world = makeWorld();
  await world.run(["ref", "extract"], { stdin: MESSAGE });
  assertEquals(await text(world, "ref:helper"), HELPER);
  assertEquals(await text(world, "ref:test"), "assert hello()");
  const { source, names } = await statOf(world, "ref:helper");
  assertEquals([source, names], ["reference", ["helper"]]);
});

Deno.test("ref extract: bytes other than text are stored unchanged", async () => {
  using world = makeWorld();
  const inside = Uint8Array.of(0, 0xff, 0xfe, 13, 10, 0xc3);
  const message = Buffer.concat([inside, Buffer.from('<ref id="b">'), inside, Buffer.from("</ref>"), inside]);
  const finished = await world.run(["ref", "extract"], { stdin: message });
  assertBytes(finished.stdout, message);
  assertBytes(await wholeOf(world, "ref:b"), inside);
});

Deno.test("ref extract --report answers the ref_list instead of the message, in every format", async () => {
  using world = makeWorld();
  const refs = await extract(world, MESSAGE);
  assertEquals(refs.map(({ id, fd, lines, chars }) => [id, fd, lines, chars]), [
    ["ref:helper", "fd:1", 3, HELPER.length],
    ["ref:test", "fd:2", 1, 14],
  ]);
  for (const { created } of refs) assert(!Number.isNaN(Date.parse(String(created))));
  assertEquals(await extract(world, "nothing"), []);
  const raw = await world.run(["ref", "extract", "--report", "--format", "raw"], { stdin: MESSAGE });
  assertEquals(raw.text, "ref:helper\tfd:3\nref:test\tfd:4\n");
  const xml = await world.run(["ref", "extract", "--report"], { stdin: MESSAGE });
  assertMatch(
    xml.text,
    /^<ref_list count="2">\n {2}<ref id="ref:helper" fd="fd:5" created="[^"]+" lines="3" chars="41"\/>\n/,
  );
  const listed = jsonOf(await world.run(["refs", "--format", "json"]));
  assertEquals((listed["refs"] as JsonAnswer[]).map(({ id, fd }) => [id, fd]), [
    ["ref:helper", "fd:5"],
    ["ref:test", "fd:6"],
  ]);
});

Deno.test("ref extract: of nested references the outermost is stored, with the inner tags in it", async () => {
  using world = makeWorld();
  const refs = await extract(world, 'x<ref id="outer">1<ref id="inner">2</ref>3</ref>');
  assertEquals(refs.map(({ id }) => id), ["ref:outer"]);
  assertEquals(await text(world, "ref:outer"), '1<ref id="inner">2</ref>3');
  assertEquals((await world.run(["read", "ref:inner"])).code, 1);
});

Deno.test("ref extract: of two references with one name the last one wins, and the earlier one is reported", async () => {
  using world = makeWorld();
  const message = '<ref id="d">v1</ref> <ref id="d">v2</ref>';
  const notice = await noticeOf(world, message);
  assertEquals(notice["type"], "ref_notice");
  assertEquals(notice["replaced"], [{ id: "ref:d", fd: "fd:2", previous_fd: "fd:1" }]);
  assertEquals([await text(world, "ref:d"), await text(world, "fd:1")], ["v2", "v1"]);
  assertEquals((await extract(world, message)).map(({ id, fd }) => [id, fd]), [["ref:d", "fd:4"]]);
});

Deno.test("ref extract: a name rebound by a later message is reported, and the old content stays", async () => {
  using world = makeWorld();
  await world.run(["ref", "extract"], { stdin: '<ref id="x">old</ref>' });
  const { replaced, message } = await noticeOf(world, '<ref id="x">new</ref>');
  assertEquals(replaced, [{ id: "ref:x", fd: "fd:2", previous_fd: "fd:1" }]);
  assertEquals(message, "ref:x is now fd:2 (was fd:1).");
  assertEquals([await text(world, "ref:x"), await text(world, "fd:1")], ["new", "old"]);
});

Deno.test("ref extract: malformed references are left alone and reported with their line; the others are stored", async () => {
  using world = makeWorld();
  const message = [
    '<ref id="unclosed">',
    "<ref>no id</ref>",
    '<ref id="not a name">x</ref>',
    '<ref id="proper">content</ref>',
  ].join("\n");
  const notice = await noticeOf(world, message);
  assertEquals((notice["malformed"] as JsonAnswer[]).map(({ line, tag }) => [line, tag]), [
    [1, '<ref id="unclosed">'],
    [2, "<ref>"],
    [3, '<ref id="not a name">'],
  ]);
  assertEquals(notice["malformed_total"], 3);
  assertEquals(await text(world, "ref:proper"), "content");
  assertEquals((await listOf(world)).length, 1);
  const stray = await noticeOf(world, "one</ref>");
  assertStringIncludes(String(stray["message"]), "line 1: </ref> has no opening tag");
});

Deno.test("ref extract: names are names, never paths", async () => {
  using world = makeWorld();
  for (const name of ["../../x", "..", "", "a/b", "x".repeat(129), "ref:x", "a\nb"]) {
    assertEquals(await extract(world, `<ref id="${name}">x</ref>`), [], name);
  }
  assert(
    !existsSync(`${world.store}/v2/names`) || [...Deno.readDirSync(`${world.store}/v2/names`)].length === 0,
  );
});

Deno.test("ref extract: a reference is used wherever an fd is", async () => {
  using world = makeWorld();
  await world.run(["ref", "extract"], { stdin: MESSAGE });
  const lines = await world.run(["read", "ref:helper", "--lines", "2-2", "--format", "raw"]);
  assertEquals(lines.text, "def hello():\n");
  assertEquals(
    (await world.run(["search", "ref:helper", "print", "--format", "raw"])).text,
    '3:    print("Hello, world!")\n',
  );
  assertEquals((await world.run(["to-file", "ref:helper", "helper.py"])).code, 0);
  assertEquals(world.text("helper.py"), HELPER);
  assertEquals((await world.run(["count", "ref:helper", "--format", "raw"])).text, "3\n");
  assertEquals((await world.run(["edit", "helper.py", "--old", "def", "--new-from", "ref:test"])).code, 0);
  assertEquals(world.text("helper.py"), HELPER.replace("def", "assert hello()"));
  const proofs = [
    "--acknowledgement",
    "I confirm this is the complete file content with no omissions or placeholders",
  ];
  const rewritten = await world.run([
    ...["rewrite", "helper.py", "--from", "ref:helper", "--expected-line-count", "3", ...proofs],
  ]);
  assertEquals([rewritten.code, world.text("helper.py")], [0, HELPER], rewritten.stderr);
  assertEquals((await world.run(["diff", "ref:helper", "ref:test"])).code, 1);
  assertEquals((await world.run(["path", "ref:test", "--format", "raw"])).code, 0);
});

Deno.test("ref extract fails open: if the store cannot be created, the message is forwarded, with the failure", async () => {
  using world = makeWorld();
  const file = world.write("a-file", "not a directory");
  const big = MESSAGE + "x".repeat(3_000_000);
  for (const message of [MESSAGE, big]) {
    const finished = await world.run(["ref", "extract", "--store", `${file}/store`, "--format", "json"], {
      stdin: message,
    });
    assertBytes(finished.stdout, encode(message));
    assertEquals(finished.code, 0, "the message was handed on");
    const [notice, failure] = finished.stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals([notice?.["type"], notice?.["unstored"]], ["ref_notice", ["ref:helper", "ref:test"]]);
    assertEquals(failure?.["type"], "fd_error");
    const reported = await world.run(["ref", "extract", "--report", "--store", `${file}/store`], {
      stdin: message,
    });
    assertEquals([reported.code, reported.text], [1, '<ref_list count="0"/>\n']);
  }
  assertEquals(
    (await world.run(["ref", "extract", "--store", `${file}/store`], { stdin: "plain" })).stderr,
    "",
  );
});

Deno.test("ref extract fails open: on a full disk the message still comes out whole", async () => {
  using world = makeWorld();
  const message = `<ref id="big">${"a line of text\n".repeat(100_000)}</ref> end`;
  world.write("message", message);
  const limited = "trap '' XFSZ; ulimit -f 512; fdtool ref extract --format json <message | cat";
  const finished = await world.shell(limited);
  assertBytes(finished.stdout, encode(message));
  assertStringIncludes(finished.stderr, '"fd_error"');
  assertEquals((await world.run(["read", "ref:big"])).code, 1, "half of a reference is not bound");
  assertEquals((await world.run(["verify"])).code, 0);
});

Deno.test("ref extract: a message of any size, and one whose reader has gone", async () => {
  using world = makeWorld();
  const content = "a line of content 漢字\n".repeat(120_000);
  const message = `before <ref id="large">${content}</ref> after <ref id="small">x</ref>`;
  const finished = await world.run(["ref", "extract"], { stdin: message });
  assertBytes(finished.stdout, encode(message));
  assertBytes(await wholeOf(world, "ref:large"), encode(content));
  assertEquals([...Deno.readDirSync(`${world.store}/v2/tmp`)].map(({ name }) => name), []);
  world.write("message", message.replaceAll('id="', 'id="again-'));
  await world.shell("fdtool ref extract <message | head -c 10 >/dev/null");
  assertBytes(await wholeOf(world, "ref:again-large"), encode(content));
});

Deno.test("ref: an unknown action is refused", async () => {
  using world = makeWorld();
  const finished = await world.run(["ref", "lists"]);
  assertEquals(finished.code, 2);
  assertStringIncludes(finished.stderr, "extract, list or name");
  for (const words of [["ref"], ["ref_extract"], ["extract_refs"]]) {
    assertEquals((await world.run([...words, "--report", "--format", "raw"], { stdin: MESSAGE })).code, 0);
  }
  assertEquals((await listOf(world)).length, 6);
});

// What the ancestor's tests of references expect, asked from outside.

Deno.test("ancestor: references are read by line, and parts of them become fds", async () => {
  using world = makeWorld();
  const message = '<ref id="multiline">\nLine 1\nLine 2\nLine 3\nLine 4\nLine 5\n</ref>';
  await world.run(["ref", "extract"], { stdin: message });
  const read = (await world.run(["read_fd", "ref:multiline", "--mode=line", "--start=2", "--count=3"])).text;
  for (const line of ["Line 1", "Line 2", "Line 3", 'lines="2-4"']) assertStringIncludes(read, line);
  for (const line of ["Line 4", "Line 5"]) assert(!read.includes(line));
  const extracted = (await world.run([
    ...["read_fd", "ref:multiline", "--mode=line", "--start=3", "--count=1", "--extract_to_new_fd=true"],
  ])).text;
  assertStringIncludes(extracted, "<fd_extraction");
  const fd = /new_fd="(fd:[0-9]+)"/.exec(extracted)?.[1] ?? "";
  assertEquals(await text(world, fd), "Line 2\n");
});

Deno.test("ancestor: several, nested and malformed references of one message", async () => {
  using world = makeWorld();
  const several = await extract(
    world,
    '<ref id="implementation1">\na\n</ref>\n<ref id="implementation2">\nb\n</ref>',
  );
  assertEquals(several.map(({ id }) => id), ["ref:implementation1", "ref:implementation2"]);
  const nested = await extract(
    world,
    '<ref id="outer">\nouter content\n\n<ref id="inner">\ninner content\n</ref>\n\nmore\n</ref>',
  );
  assertEquals(nested.map(({ id }) => id), ["ref:outer"]);
  for (const part of ["outer content", '<ref id="inner">', "inner content", "more"]) {
    assertStringIncludes(await text(world, "ref:outer"), part);
  }
  const malformed = await extract(
    world,
    '<ref id="unclosed">\nnot closed\n\n<ref>\nno ID\n</ref>\n\n<ref id="proper">\nproper\n</ref>',
  );
  assertEquals(malformed.map(({ id }) => id), ["ref:proper"]);
  assertEquals(await text(world, "ref:proper"), "\nproper\n");
  const later = await store(world, "unrelated");
  assertEquals(await text(world, later), "unrelated");
});
