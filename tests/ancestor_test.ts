/**
 * Habits of callers that grew up with this design's ancestor: they find tags and attributes by splitting strings, and
 * expect its sources, modes and numbers. What they expect is the contract's vocabulary; how they look is naive on purpose.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { makeWorld, type World } from "./world.ts";

/** The text between `before` and `after`, found as a hurried caller finds it. */
function between(text: string, before: string, after: string): string {
  return text.split(before)[1]?.split(after)[0] ?? "";
}

const handleOf = (answer: string) => between(answer, 'fd="', '"');
const bodyOfContent = (answer: string) => between(answer, ">\n", "\n</fd_content");

/** A tool result made an fd, as the harness does it. */
async function toolResult(world: World, content: string, pageSize = 4000): Promise<string> {
  const args = ["capture", "--always", "--source", "tool_result", "--page-size", String(pageSize)];
  const finished = await world.run(args, { stdin: content });
  assertEquals([finished.code, finished.stderr], [0, ""]);
  return finished.text;
}

async function answerOf(world: World, ...args: string[]): Promise<string> {
  const finished = await world.run(args);
  assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
  return finished.text;
}

const rows = (count: number) => Array.from({ length: count }, (_, i) => `Line ${i + 1}`).join("\n");

Deno.test("ancestor: a tool result below the limit stays as it is, above it becomes an fd_result", async () => {
  using world = makeWorld();
  const args = ["capture", "--threshold", "10", "--source", "tool_result"];
  assertEquals((await world.run(args, { stdin: "Short" })).text, "Short");
  const long = "This is a longer content that exceeds threshold";
  const { text } = await world.run(args, { stdin: long });
  assert(text.includes("<fd_result fd=") && text.includes("</fd_result>"));
  assert(text.includes('source="tool_result"'));
  assertEquals(bodyOfContent(await answerOf(world, "read_fd", handleOf(text), "--read_all")), long);
});

Deno.test("ancestor: fds are numbered one after another, and the result shows the content", async () => {
  using world = makeWorld();
  for (const n of [1, 2, 3]) {
    const answer = await toolResult(world, `Content ${n}`);
    assert(answer.includes(`<fd_result fd="fd:${n}"`), answer);
    assert(answer.includes(`Content ${n}`));
  }
});

Deno.test("ancestor: pages are asked for by number, all of it by page all", async () => {
  using world = makeWorld();
  const fd = handleOf(await toolResult(world, rows(100), 100));
  const first = await answerOf(world, "read_fd", fd, "--mode", "page", "--start", "1");
  assert(first.includes(`<fd_content fd="${fd}" page="1"`), first);
  assert(first.includes("Line 1"));
  const second = await answerOf(world, "read_fd", fd, "--mode", "page", "--start", "2");
  assert(second.includes(`<fd_content fd="${fd}" page="2"`), second);
  const all = await answerOf(world, "read_fd", fd, "--read_all");
  assert(all.includes(`<fd_content fd="${fd}" page="all"`), all);
  assert(all.includes("Line 1") && all.includes("Line 99"));
  assertEquals(bodyOfContent(all), rows(100));
});

Deno.test("ancestor: a page that ends inside a long line says truncated, the next one continued", async () => {
  using world = makeWorld();
  const content =
    "Short line\nA much longer line that should span across multiple characters\nAnother line\nFinal line";
  const fd = handleOf(await toolResult(world, content, 30));
  const pages = Number(between(await answerOf(world, "read_fd", fd), 'pages="', '"'));
  const answers = [];
  for (let page = 1; page <= pages; page++) {
    answers.push(await answerOf(world, "read_fd", fd, "--start", String(page)));
  }
  assertEquals(answers.map(bodyOfContent).join(""), content);
  const cutAt = answers.findIndex((answer) => answer.includes('truncated="true"'));
  assert(cutAt >= 0, "some page is truncated");
  assert(answers[cutAt + 1]?.includes('continued="true"'), "and the one after it continued");
});

Deno.test("ancestor: small content has one page, larger content more", async () => {
  using world = makeWorld();
  const pagesOf = async (content: string) =>
    Number(between(await toolResult(world, content, 100), 'pages="', '"'));
  assertEquals(await pagesOf("Small content"), 1);
  assert(await pagesOf(Array(5).fill("X".repeat(100)).join("\n")) >= 2);
});

Deno.test("ancestor: lines and chars by mode, start and count", async () => {
  using world = makeWorld();
  const content = Array.from({ length: 20 }, (_, i) => `Line ${i + 1}: This is test content line ${i + 1}`)
    .join("\n");
  const fd = handleOf(await toolResult(world, content));
  const lines = await answerOf(world, "read_fd", fd, "--mode", "line", "--start", "6", "--count", "3");
  for (const n of [6, 7, 8]) assert(lines.includes(`Line ${n}:`));
  for (const n of [5, 9]) assert(!lines.includes(`Line ${n}:`));
  assert(lines.includes('mode="line"') && lines.includes('start="6"') && lines.includes('count="3"'));
  const chars = await answerOf(world, "read_fd", fd, "--mode", "char", "--start", "20", "--count", "30");
  assertEquals(bodyOfContent(chars), content.slice(20, 50));
});

Deno.test("ancestor: a slice of half a line is exactly that half", async () => {
  using world = makeWorld();
  const fd = handleOf(await toolResult(world, rows(12), 50));
  const first = await answerOf(world, "read_fd", fd, "--mode", "line", "--start", "1", "--count", "6");
  assert(first.includes("Line 1\n") && first.includes("Line 6") && !first.includes("Line 7"));
  const second = await answerOf(world, "read_fd", fd, "--mode", "line", "--start", "7", "--count", "6");
  assert(second.includes("Line 7") && second.includes("Line 12") && !second.includes("Line 6"));
});

Deno.test("ancestor: an unknown fd is not found, an unknown page is invalid", async () => {
  using world = makeWorld();
  const missing = await world.run(["read_fd", "fd:999"]);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, "not_found");
  assertStringIncludes(missing.stderr, "fd:999");
  assertStringIncludes(missing.stderr, "not found");
  const fd = handleOf(await toolResult(world, "Test content"));
  const beyond = await world.run(["read_fd", fd, "--mode", "page", "--start", "999"]);
  assertStringIncludes(beyond.stderr.toLowerCase(), "invalid");
  const line = await world.run(["read_fd", fd, "--mode", "line", "--start", "99"]);
  assertStringIncludes(line.stderr.toLowerCase(), "invalid");
});

Deno.test("ancestor: an extracted page equals the page as read", async () => {
  using world = makeWorld();
  const fd = handleOf(await toolResult(world, rows(100), 100));
  const extraction = await answerOf(world, "read_fd", fd, "--start", "2", "--extract_to_new_fd=true");
  assert(extraction.includes("<fd_extraction "), extraction);
  assertEquals(between(extraction, 'source_fd="', '"'), fd);
  const extracted = between(extraction, 'new_fd="', '"');
  assert(/^fd:\d+$/.test(extracted) && extracted !== fd, extraction);
  assert(!extraction.includes("Line 2"), "the handle, not the content");
  const page = bodyOfContent(await answerOf(world, "read_fd", fd, "--start", "2"));
  const copy = bodyOfContent(await answerOf(world, "read_fd", extracted, "--read_all"));
  assert(page.length > 0);
  assertEquals(copy, page);
  assertEquals(between(extraction, 'content_size="', '"'), String(page.length));
  assertEquals(between(extraction, 'page="', '"'), "2");
  const message = between(extraction, "<message>", "</message>");
  assert(message.includes(fd) && message.includes(extracted), message);
});

Deno.test("ancestor: an extraction of everything equals the content", async () => {
  using world = makeWorld();
  const content = "This is test content that will be extracted to a new FD";
  const fd = handleOf(await toolResult(world, content));
  const extraction = await answerOf(world, "read_fd", fd, "--read_all", "--extract_to_new_fd");
  const extracted = between(extraction, 'new_fd="', '"');
  assertEquals(bodyOfContent(await answerOf(world, "read_fd", extracted, "--read_all")), content);
});

Deno.test("ancestor: fd_to_file writes by default, appends on request, and reports the mode", async () => {
  using world = makeWorld();
  const content = "This is test content for fd_to_file modes";
  const fd = handleOf(await toolResult(world, content));
  const path = world.path("test_write.txt");
  const written = await answerOf(world, "fd_to_file", fd, path);
  assert(written.includes("<fd_file_result ") && written.includes(fd) && written.includes(path), written);
  assert(written.includes('success="true"') && written.includes('mode="write"'));
  assertEquals(world.text("test_write.txt"), content);
  const appended = await answerOf(world, "fd_to_file", fd, path, "--mode", "append");
  assertEquals(world.text("test_write.txt"), content + content);
  assert(appended.includes('mode="append"'));
  assertEquals(between(appended, 'char_count="', '"'), String(content.length));
  assertEquals(between(appended, 'size_bytes="', '"'), String(2 * content.length));
});

Deno.test("ancestor: fd_to_file of an unknown fd creates no file", async () => {
  using world = makeWorld();
  const finished = await world.run(["fd_to_file", "fd:999", "out.txt"]);
  assertEquals(finished.code, 1);
  assertStringIncludes(finished.stderr, "not found");
  assert(!existsSync(world.path("out.txt")));
});

Deno.test("ancestor: create=false and exist_ok=false, as its tools write them", async () => {
  using world = makeWorld();
  const fd = handleOf(await toolResult(world, "content"));
  const absent = await world.run(["fd_to_file", fd, "f", "--create=false"]);
  assertStringIncludes(absent.stderr, 'type="file_not_found"');
  const created = await answerOf(world, "fd_to_file", fd, "f", "--exist_ok=false");
  assert(created.includes('exist_ok="false"') && created.includes('create="true"'), created);
  const again = await world.run(["fd_to_file", fd, "f", "--exist_ok=false", "--mode=append"]);
  assertStringIncludes(again.stderr, 'type="file_exists"');
  assertEquals(world.text("f"), "content");
});

Deno.test("ancestor: a reference is read by its name, and an unknown one is not found", async () => {
  using world = makeWorld();
  const args = ["capture", "--always", "--source", "reference", "--name", "test_ref"];
  await world.run(args, { stdin: "Test content for reference\n" });
  assert(
    (await answerOf(world, "read_fd", "ref:test_ref", "--read_all")).includes("Test content for reference"),
  );
  const missing = await world.run(["read_fd", "ref:non_existent_ref"]);
  assertEquals(missing.code, 1);
  assertStringIncludes(missing.stderr, "not found");
  await answerOf(world, "fd_to_file", "ref:test_ref", "from-ref.txt");
  assertEquals(world.text("from-ref.txt"), "Test content for reference\n");
});
