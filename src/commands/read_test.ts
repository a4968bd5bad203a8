// Promise: read shows what part of what whole it shows, and the exact next command while there is more (contract,
// law 7 and Answers).

import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { putBytes, type Store } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import type { FdContent, FdExtraction } from "../calls/terms/answers.ts";
import { inWorld, type World } from "../../tests/command_world.ts";
import { nextLine, nextWords } from "../../tests/sample_answers.ts";
import { UsageError } from "../calls/requests/usage_failure.ts";
import { readCommand } from "./read.ts";

const command = readCommand();

function put(store: Store, text: string, pageSize = 4000): string {
  return `fd:${putBytes(store, Buffer.from(text), { source: "test", pageSize }).id}`;
}

const LINES = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

async function read(world: World, ...words: string[]): Promise<FdContent & { text: string }> {
  const { answer } = await world.run(command, ...words);
  assert(answer?.type === "fd_content");
  return { ...answer, text: Buffer.concat([...answer.content.chunks()]).toString() };
}

Deno.test("a read without options is the first page, and says how to go on", () =>
  inWorld(async (world) => {
    put(world.store, LINES, 20);
    const { content: _, stored, cleaned, ...answer } = await read(world, "1");
    assertEquals([stored, cleaned], [undefined, undefined]);
    assertEquals(answer, {
      type: "fd_content",
      fd: "fd:1",
      page: 1,
      pages: 5,
      continued: false,
      truncated: false,
      lines: "1-2",
      total_lines: 10,
      mode: "page",
      start: 1,
      count: 1,
      state: undefined,
      encoding: undefined,
      cursor: undefined,
      exit_code: undefined,
      signal: undefined,
      dropped_bytes: undefined,
      gap_at_byte: undefined,
      shown_chars: undefined,
      numbered_from: undefined,
      message: undefined,
      next: {
        command: "read",
        args: {
          fd: "fd:1",
          mode: undefined,
          start: 2,
          count: undefined,
          number: undefined,
          max_chars: undefined,
          exact: undefined,
        },
      },
      text: "line 1\nline 2\n",
    });
  }));

Deno.test("following the next commands shows all of it once, in every mode, bounded or not", () =>
  inWorld(async (world) => {
    put(world.store, `${LINES}one long last line without an end 😀`, 20);
    const ways = [[], ["--count", "2"], ["--mode", "line"], ["--mode", "line", "--count", "3"], [
      "--chars",
      "0-6",
    ]];
    for (const way of [...ways, ["--all"], ["--lines", "1-"]]) {
      for (const bound of [[], ["--max-chars", "9"], ["--max-chars", "100"]]) {
        let text = "";
        let words: string[] | undefined = ["fd:1", ...way, ...bound];
        while (words !== undefined) {
          const answer = await read(world, ...words);
          text += answer.text;
          words = answer.next && nextWords(answer.next);
        }
        if (words === undefined) {
          assertEquals(text, `${LINES}one long last line without an end 😀`, way.join(" "));
        }
      }
    }
  }));

Deno.test("next repeats mode, count, numbering and bound", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const { next } = await read(world, "fd:1", "--lines", "2-4", "--number");
    assertEquals(nextLine(next), "fdtool read fd:1 --mode line --start 5 --count 3 --number");
    const bounded = await read(world, "fd:1", "--lines", "2-4", "--max-chars", "15");
    assertEquals(nextLine(bounded.next), "fdtool read fd:1 --mode line --start 4 --max-chars 15");
    assertEquals([bounded.text, bounded.lines, bounded.shown_chars], ["line 2\nline 3\n", "2-3", 14]);
  }));

Deno.test("all and tail end the content and have no next", () =>
  inWorld(async (world) => {
    put(world.store, LINES, 20);
    const all = await read(world, "--fd=fd:1", "--read_all");
    assertEquals([all.page, all.text, all.next, all.lines], ["all", LINES, undefined, "1-10"]);
    const tail = await read(world, "fd:1", "--tail", "2", "--mode", "line");
    assertEquals([tail.page, tail.text, tail.next, tail.start], [
      undefined,
      "line 9\nline 10\n",
      undefined,
      9,
    ]);
  }));

Deno.test("a head or tail without a mode is one of lines, whatever the pages", () =>
  inWorld(async (world) => {
    put(world.store, LINES, 20);
    for (const words of [["--tail", "2"], ["--tail", "2", "--follow"]]) {
      const { answer, stream } = await world.run(command, "fd:1", ...words);
      const shown = stream === undefined ? answer : (await stream.next()).value;
      assert(typeof shown === "object" && shown.type === "fd_content");
      assertEquals(shown.lines, "9-10");
    }
    for (const words of [["--head", "2"], ["-n", "2"]]) {
      assertEquals((await read(world, "fd:1", ...words)).text, "line 1\nline 2\n");
    }
    assertEquals((await read(world, "fd:1", "--mode", "page", "--tail", "1")).page, 5);
  }));

Deno.test("extraction makes a new fd that says where it came from", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const outcome = await world.run(
      command,
      "fd:1",
      "--lines",
      "3-4",
      "--extract_to_new_fd",
      "--name",
      "part",
    );
    assertEquals(outcome.answer as FdExtraction, {
      type: "fd_extraction",
      source_fd: "fd:1",
      new_fd: "fd:2",
      mode: "line",
      content_size: 14,
      start: 3,
      count: 2,
      page: undefined,
      message: "Extracted lines 3-4 of fd:1 to fd:2 as ref:part (14 chars).",
      next: { command: "read", args: { fd: "fd:2" } },
    });
    assertEquals((await read(world, "ref:part")).text, "line 3\nline 4\n");
  }));

Deno.test("what cannot stand together, or is out of range, is refused with its kind", () =>
  inWorld(async (world) => {
    put(world.store, LINES);
    const usage = async (...words: string[]) =>
      (await assertRejects(() => world.run(command, "fd:1", ...words), UsageError)).failure.kind;
    assertEquals(await usage("--extract", "--number"), "conflict");
    assertEquals(await usage("--extract", "--max-chars", "5"), "conflict");
    assertEquals(await usage("--name", "x"), "bad_value");
    assertEquals(await usage("--max-chars", "0"), "bad_value");
    assertEquals(await usage("--count", "0"), "bad_value");
    const failure = async (...words: string[]) =>
      (await assertRejects(() => world.run(command, ...words), FdError)).failure.kind;
    assertEquals(await failure("fd:1", "--start", "2"), "invalid_page");
    assertEquals(await failure("fd:1", "--lines", "11"), "invalid_range");
    assertEquals(await failure("fd:9"), "not_found");
    assertEquals(
      (await assertRejects(() => world.run(command, "nonsense"), UsageError)).failure.kind,
      "no_fd_or_file",
    );
  }));
