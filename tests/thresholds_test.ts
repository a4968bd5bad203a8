/**
 * capture's two ways (section 4): at most N chars pass through byte for byte and nothing is stored; one more char, and
 * everything is stored.
 */

import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { ILL_FORMED, joined, repeatedTo } from "./contents.ts";
import { bytesOf, model } from "./model.ts";
import { bodyOf, childText, encode, jsonOf, xmlOf } from "./read_answer.ts";
import { assertBytes, listOf, wholeOf } from "./store_calls.ts";
import { makeWorld } from "./world.ts";

/** A content of exactly `chars` chars, made of `char` and ended by `end`. */
function contentOf(chars: number, char: Uint8Array, end: Uint8Array): Uint8Array {
  const endChars = model(end).charCount;
  return joined([...Array.from({ length: chars - endChars }, () => char), end]);
}

const CHARS: Record<string, Uint8Array> = {
  "ASCII": encode("a"),
  "CJK": encode("漢"),
  "emoji": encode("😀"),
  "NUL": Uint8Array.of(0),
  "CR": encode("\r"),
  "line ends": encode("\n"),
  "broken sequences": Uint8Array.of(0xe2, 0x82),
  "stray bytes": Uint8Array.of(0xff),
};

Deno.test("thresholds: N chars pass through, N + 1 are stored, whatever the chars are", async () => {
  using world = makeWorld();
  let stored = 0;
  for (const [name, char] of Object.entries(CHARS)) {
    for (const threshold of [1, 100, 8000]) {
      const limit = ["--threshold", String(threshold), "--page-size", "50", "--source", name];
      const atLimit = contentOf(threshold, char, new Uint8Array());
      const passed = await world.run(["capture", ...limit], { stdin: atLimit });
      assertEquals([passed.code, passed.stderr], [0, ""], `${threshold} chars of ${name}`);
      assertBytes(passed.stdout, atLimit, `${threshold} chars of ${name}`);

      const beyond = contentOf(threshold + 1, char, new Uint8Array());
      const answer = jsonOf(await world.run(["capture", ...limit, "--format", "json"], { stdin: beyond }));
      stored++;
      assertEquals([answer["type"], answer["fd"], answer["chars"]], [
        "fd_result",
        `fd:${stored}`,
        threshold + 1,
      ]);
    }
  }
  assertEquals((await listOf(world)).length, stored, "what passed through left nothing behind");
});

Deno.test("thresholds: the default is 8000 chars", async () => {
  using world = makeWorld();
  const atLimit = encode("長".repeat(7999) + "\n");
  const passed = await world.run(["capture"], { stdin: atLimit });
  assertBytes(passed.stdout, atLimit);
  assertEquals(xmlOf(await world.run(["capture"], { stdin: encode("x".repeat(8001)) })).tag, "fd_result");
});

Deno.test("thresholds: pass-through is byte for byte in every format, and nothing is stored", async () => {
  using world = makeWorld();
  const contents = [
    new Uint8Array(),
    encode("\n"),
    encode("no final line end"),
    encode("\ufeff<fd_result>\r\n\0"),
    joined(ILL_FORMED),
    Uint8Array.of(0xe2, 0x82),
  ];
  for (const content of contents) {
    for (const format of ["xml", "json", "raw"]) {
      const passed = await world.run(["capture", "--format", format], { stdin: content });
      assertEquals([passed.code, passed.stderr], [0, ""]);
      assertBytes(passed.stdout, content, format);
    }
  }
  assertEquals(await listOf(world), []);
});

Deno.test("thresholds: pass-through does not even need a store", async () => {
  using world = makeWorld();
  const passed = await world.run(["capture"], { stdin: "small\n" });
  assertEquals([passed.code, passed.text, passed.stderr], [0, "small\n", ""]);
  assert(!existsSync(world.store) || Array.from(Deno.readDirSync(world.store)).length <= 1);
});

Deno.test("thresholds: an incomplete char at the end counts as one char", async () => {
  using world = makeWorld();
  const content = joined([encode("abc"), Uint8Array.of(0xf0, 0x9f, 0x98)]);
  assertBytes((await world.run(["capture", "--threshold", "4"], { stdin: content })).stdout, content);
  const answer = jsonOf(
    await world.run(["capture", "--threshold", "3", "--format", "json"], { stdin: content }),
  );
  assertEquals(answer["chars"], 4);
});

Deno.test("thresholds: --always stores small and empty content, too", async () => {
  using world = makeWorld();
  for (const content of ["", "x"]) {
    const answer = jsonOf(
      await world.run(["capture", "--always", "--format", "json"], { stdin: content }),
    );
    assertEquals([answer["type"], answer["bytes"], answer["preview"]], [
      "fd_result",
      content.length,
      content,
    ]);
  }
});

Deno.test("thresholds: 0 stores all content that is not empty", async () => {
  using world = makeWorld();
  const answer = jsonOf(
    await world.run(["capture", "--threshold", "0", "--format", "json"], { stdin: "x" }),
  );
  assertEquals(answer["fd"], "fd:1");
});

Deno.test("capture: the answer has the contract's form", async () => {
  using world = makeWorld();
  const content = encode(Array.from({ length: 1000 }, (_, i) => `line ${i + 1} of a build log\n`).join(""));
  const m = model(content);
  const finished = await world.run(["capture", "--preview", "page"], { stdin: content });
  const answer = xmlOf(finished);
  const last = m.pages[0]?.to ?? 0;
  const lines = m.lines.findIndex((line) => line.to === last) + 1;
  const opening = `<fd_result fd="fd:1" pages="${m.pages.length}" truncated="false" lines="1-${lines}" ` +
    `total_lines="1000" source="stdin" chars="${content.length}" bytes="${content.length}">\n  <message>`;
  assertEquals(finished.text.slice(0, opening.length), opening);
  assertEquals(answer.children.map((child) => child.tag), ["message", "next", "preview"]);
  assertEquals(childText(answer, "next"), "fdtool read fd:1 --start 2");
  const preview = answer.children[2];
  assert(preview !== undefined);
  assertBytes(bodyOf(preview), bytesOf(m, { from: 0, to: last }));
  assert(finished.text.endsWith("\n</preview>\n</fd_result>\n"));
});

Deno.test("capture: previews of every kind show parts of the content and say which", async () => {
  using world = makeWorld();
  const content = encode(Array.from({ length: 3000 }, (_, i) => `row ${i + 1}\n`).join(""));
  const text = new TextDecoder().decode(content);
  const previewsOf = async (...args: string[]) => {
    const answer = xmlOf(await world.run(["capture", ...args], { stdin: content }));
    const parts = answer.children.filter((child) => child.tag === "preview");
    return parts.map((part) => ({
      text: new TextDecoder().decode(bodyOf(part)),
      lines: part.attributes["lines"] ?? answer.attributes["lines"],
    }));
  };
  const linesHeld = (part: { text: string }, from: number) =>
    `${from}-${from + part.text.split("\n").length - (part.text.endsWith("\n") ? 2 : 1)}`;

  const [page] = await previewsOf("--preview", "page");
  assert(page !== undefined && text.startsWith(page.text));

  for (const limit of [[], ["--preview-chars", "200"]]) {
    const most = limit.length === 0 ? 8000 : 200;
    const [head, ...noMore] = await previewsOf("--preview", "head", ...limit);
    assert(head !== undefined && noMore.length === 0);
    assert(text.startsWith(head.text) && head.text.length > 0 && head.text.length <= most);
    assertEquals(head.lines, linesHeld(head, 1));

    const [tail] = await previewsOf("--preview", "tail", ...limit);
    assert(
      tail !== undefined && text.endsWith(tail.text) && tail.text.length > 0 && tail.text.length <= most,
    );
    const skipped = text.slice(0, text.length - tail.text.length);
    assertEquals(tail.lines, `${skipped.split("\n").length}-3000`);

    const both = await previewsOf("--preview", "both", ...limit);
    assertEquals(both.length, 2);
    const [first, second] = both;
    assert(first !== undefined && text.startsWith(first.text) && first.text.length <= most);
    assert(second !== undefined && text.endsWith(second.text) && second.text.length <= most);
    assertEquals(first.lines, linesHeld(first, 1));
    assertEquals(
      second.lines,
      `${text.slice(0, text.length - second.text.length).split("\n").length}-3000`,
    );
  }
  assertEquals((await previewsOf("--preview", "none")).filter((part) => part.text !== ""), []);
});

Deno.test("capture: a head and tail that would meet do not show any byte twice", async () => {
  using world = makeWorld();
  const content = encode("one\ntwo\nthree\n");
  const answer = xmlOf(await world.run(["capture", "--always", "--preview", "both"], { stdin: content }));
  const parts = answer.children.filter((child) => child.tag === "preview").map(bodyOf);
  assertBytes(joined(parts), content);
});

Deno.test("capture: --tee forwards every byte and stores it", async () => {
  using world = makeWorld();
  const content = repeatedTo(300_001, encode("tee tee\n漢"));
  const finished = await world.run(["capture", "--tee", "--format", "json"], { stdin: content });
  assertEquals(finished.code, 0);
  assertBytes(finished.stdout.subarray(0, content.length), content, "what came in goes to stdout first");
  assertBytes(await wholeOf(world, "fd:1"), content, "and into the store");
  const reported = new TextDecoder().decode(finished.stdout.subarray(content.length)) + finished.stderr;
  assert(reported.includes("fd:1"), "the handle is reported");
});

Deno.test("capture: a stdin that trickles in, one byte at a time, is the same content", async () => {
  using world = makeWorld();
  const content = encode("漢字\r\n😀 a slow producer\n");
  const trickle = ReadableStream.from((async function* () {
    for (const byte of content) {
      yield Uint8Array.of(byte);
      await Promise.resolve();
    }
  })());
  const finished = await world.run(["capture", "--threshold", "5", "--format", "json"], { stdin: trickle });
  assertEquals(jsonOf(finished)["chars"], model(content).charCount);
  assertBytes(await wholeOf(world, "fd:1"), content);
});

Deno.test("capture: a closed stdin acts as empty", async () => {
  using world = makeWorld();
  const finished = await world.shell("fdtool capture <&-");
  assertEquals([finished.code, finished.text], [0, ""]);
});
