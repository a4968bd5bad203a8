/**
 * Laws 1, 2 and 3 (exact bytes, round trip, one meaning of line, page and char): every slice of random contents, in
 * every mode and format, compared with an independent model.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { needsCleaning } from "../fd/system.ts";
import { anyContent, anyPageSize, joined, PATTERNS, repeatedTo } from "./contents.ts";
import {
  firstUnit,
  isWellFormed,
  type Mode,
  type Model,
  model,
  type OutOfRange,
  shown,
  type Slice,
  slice,
  tail,
  unitCount,
  whole,
} from "./model.ts";
import { assertFailure, bodyOf, type JsonAnswer, jsonBytes, jsonOf, readJson, xmlOf } from "./read_answer.ts";
import { assertBytes, handleIn, sha256Of, statOf, store, storeAnswer, wholeOf } from "./store_calls.ts";
import { makeWorld, runsOf, type World } from "./world.ts";

const MODES: readonly Mode[] = ["page", "line", "char"];
const FORMATS = ["raw", "json", "xml"] as const;

/** One read: where, how it is written on the command line, and the format of the answer. */
interface Read {
  mode: Mode;
  start: number;
  count: number;
  spelling: "start" | "range" | "tail";
  format: typeof FORMATS[number];
}

/** The arguments that ask for `read`. */
function argumentsOf(fd: string, read: Read): string[] {
  const { mode, start, count, format } = read;
  const slice = {
    start: ["--mode", mode, "--start", String(start), "--count", String(count)],
    range: [`--${mode}s`, `${start}-${start + count - 1}`],
    tail: ["--mode", mode, "--tail", String(count)],
  }[read.spelling];
  // Here the bytes matter; raw is exact anyway.
  return ["read", fd, ...slice, ...format === "raw" ? [] : ["--exact"], "--format", format];
}

/** The model's result of `read`; undefined for the tail of empty content, which the contract does not define. */
function expected(m: Model, read: Read): Slice | OutOfRange | undefined {
  if (read.spelling === "tail") return tail(m, read.mode, read.count);
  return slice(m, read.mode, read.start, read.count);
}

/** The facts of a slice, under the names and in the types of the JSON format. */
function factsOf(fd: string, m: Model, mode: Mode, found: Slice): JsonAnswer {
  return {
    fd,
    mode,
    pages: m.pages.length,
    continued: found.continued,
    truncated: found.truncated,
    lines: found.lines,
    total_lines: m.lines.length,
    start: found.start,
    count: found.count,
    ...(mode === "page" ? { page: found.start } : {}),
  };
}

/** Only the fields of `answer` that `facts` has. */
function picked(answer: JsonAnswer, facts: JsonAnswer): JsonAnswer {
  return Object.fromEntries(Object.keys(facts).map((name) => [name, answer[name]]));
}

/** Runs `read` and compares all that comes with the model. */
async function assertRead(world: World, fd: string, m: Model, read: Read): Promise<void> {
  const want = expected(m, read);
  if (want === undefined) return;
  const args = argumentsOf(fd, read);
  const about = `fdtool ${args.join(" ")} (page size ${m.pageSize}, ${m.content.length} bytes)`;
  const finished = await world.run(args);
  if ("error" in want) {
    if (read.format === "raw") assertEquals([finished.code, finished.text], [1, ""], about);
    else assertFailure(finished, want.error);
    if (want.valid !== undefined) {
      assertStringIncludes(finished.stderr, `valid range: ${want.valid.first}-${want.valid.last}`, about);
    }
    return;
  }
  assertEquals([finished.code, finished.stderr], [0, ""], about);
  const facts = factsOf(fd, m, read.mode, want);
  if (read.format === "raw") {
    assertBytes(finished.stdout, want.bytes, about);
  } else if (read.format === "json") {
    const answer = readJson(finished.text);
    assertEquals(answer["type"], "fd_content", about);
    assertEquals(picked(answer, facts), facts, about);
    assertEquals(answer["encoding"], isWellFormed(want.bytes) ? undefined : "base64", about);
    assertBytes(jsonBytes(answer), want.bytes, about);
    assertEquals("next" in answer, want.chars.to < m.charCount, `${about}: next stands where more exists`);
  } else {
    const answer = xmlOf(finished);
    assertEquals(answer.tag, "fd_content", about);
    const strings = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
    assertEquals(picked(answer.attributes, strings), strings, about);
    assertEquals(shown(bodyOf(answer)), shown(want.bytes), about);
  }
}

/** A read somewhere in a content of unknown size: positions are fractions, a little beyond the end included. */
const anyRead = fc.record({
  mode: fc.constantFrom(...MODES),
  at: fc.oneof(fc.double({ min: 0, max: 1.02, noNaN: true }), fc.constantFrom(0, 0.999999, 1)),
  share: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.1, noNaN: true })),
  spelling: fc.constantFrom("start" as const, "start" as const, "range" as const, "tail" as const),
  format: fc.constantFrom(...FORMATS),
});

/** `read` with its fractions turned into units of `m`. */
function placed(m: Model, read: typeof anyRead extends fc.Arbitrary<infer R> ? R : never): Read {
  const total = unitCount(m, read.mode);
  return {
    ...read,
    start: firstUnit(read.mode) + Math.floor(read.at * total),
    count: 1 + Math.floor(read.share * total),
  };
}

Deno.test("slices: random contents, page sizes and reads agree with the model", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyContent,
      anyPageSize,
      fc.array(anyRead, { minLength: 4, maxLength: 7 }),
      async (content, pageSize, reads) => {
        using world = makeWorld();
        const m = model(content, pageSize);
        const fd = await store(world, content, ["--page-size", String(pageSize)]);
        await Promise.all(reads.map((read) => assertRead(world, fd, m, placed(m, read))));
      },
    ),
    { numRuns: runsOf(8) },
  );
});

Deno.test("slices: stored content is counted as by the model, and is the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(anyContent, anyPageSize, async (content, pageSize) => {
      using world = makeWorld();
      const m = model(content, pageSize);
      const stored = await storeAnswer(world, content, [
        "--page-size",
        String(pageSize),
        "--preview",
        "page",
      ]);
      const fd = handleIn(stored);
      const firstPage = slice(m, "page", 1, 1);
      assert(!("error" in firstPage));
      const facts = {
        type: "fd_result",
        fd: "fd:1",
        pages: m.pages.length,
        truncated: firstPage.truncated,
        lines: firstPage.lines,
        total_lines: m.lines.length,
        source: "stdin",
        chars: m.charCount,
        bytes: content.length,
      };
      assertEquals(picked(stored, facts), facts);
      if (!needsCleaning(firstPage.bytes)) {
        assertBytes(jsonBytes(stored, "preview"), firstPage.bytes, "the preview is the first page");
      }
      assertEquals("next" in stored, m.pages.length > 1, "next stands where more exists");
      const [raw, stat, digest] = await Promise.all([
        wholeOf(world, fd),
        statOf(world, fd),
        sha256Of(content),
      ]);
      assertBytes(raw, content, "read --all");
      const known = {
        bytes: content.length,
        chars: m.charCount,
        total_lines: m.lines.length,
        pages: m.pages.length,
        page_size: pageSize,
        sha256: digest,
        state: "sealed",
      };
      assertEquals(picked(stat, known), known);
    }),
    { numRuns: runsOf(6) },
  );
});

Deno.test("slices: tiles of any mode rejoin to the whole", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyContent,
      anyPageSize,
      fc.constantFrom(...MODES),
      fc.integer({ min: 1, max: 5 }),
      async (content, pageSize, mode, tiles) => {
        using world = makeWorld();
        const m = model(content, pageSize);
        const total = unitCount(m, mode);
        if (total === 0) return;
        const fd = await store(world, content, ["--page-size", String(pageSize)]);
        const count = Math.ceil(total / tiles);
        const starts = Array.from(
          { length: Math.ceil(total / count) },
          (_, i) => firstUnit(mode) + i * count,
        );
        const parts = await Promise.all(starts.map(async (start) => {
          const read: Read = { mode, start, count, spelling: "start", format: "raw" };
          const finished = await world.run(argumentsOf(fd, read));
          assertEquals([finished.code, finished.stderr], [0, ""]);
          return finished.stdout;
        }));
        assertBytes(joined(parts), content, `${starts.length} tiles of ${count} ${mode}s`);
      },
    ),
    { numRuns: runsOf(6) },
  );
});

Deno.test("slices: --all is the whole content, in every format, and says so", async () => {
  await fc.assert(
    fc.asyncProperty(anyContent, anyPageSize, async (content, pageSize) => {
      using world = makeWorld();
      const m = model(content, pageSize);
      const fd = await store(world, content, ["--page-size", String(pageSize)]);
      const [json, xml] = await Promise.all([
        world.run(["read", fd, "--all", "--exact", "--format", "json"]),
        world.run(["read", fd, "--all", "--exact"]),
      ]);
      const { lines } = whole(m);
      const facts = { fd, page: "all", continued: false, truncated: false, lines, pages: m.pages.length };
      const answer = jsonOf(json);
      assertEquals(picked(answer, facts), facts);
      assertBytes(jsonBytes(answer), content, "json");
      const element = xmlOf(xml);
      assertEquals(element.attributes["page"], "all");
      assertEquals(element.attributes["total_lines"], String(m.lines.length));
      assertEquals(shown(bodyOf(element)), shown(content));
    }),
    { numRuns: runsOf(4) },
  );
});

Deno.test("slices: an extracted fd is the slice, and names its source", async () => {
  await fc.assert(
    fc.asyncProperty(anyContent, anyPageSize, anyRead, async (content, pageSize, somewhere) => {
      using world = makeWorld();
      const m = model(content, pageSize);
      const read: Read = { ...placed(m, somewhere), format: "json" };
      const want = expected(m, read);
      if (want === undefined) return;
      const fd = await store(world, content, ["--page-size", String(pageSize)]);
      const finished = await world.run([...argumentsOf(fd, read), "--extract"]);
      if ("error" in want) {
        assertFailure(finished, want.error);
        return;
      }
      const answer = jsonOf(finished);
      const facts = {
        type: "fd_extraction",
        source_fd: fd,
        new_fd: "fd:2",
        mode: read.mode,
        content_size: want.chars.to - want.chars.from,
        start: want.start,
        count: want.count,
        ...(read.mode === "page" ? { page: want.start } : {}),
      };
      assertEquals(picked(answer, facts), facts);
      assert(typeof answer["message"] === "string" && !("content" in answer));
      const [bytes, source, stat] = await Promise.all([
        wholeOf(world, "fd:2"),
        wholeOf(world, fd),
        statOf(world, "fd:2"),
      ]);
      assertBytes(bytes, want.bytes, "the new fd");
      assertBytes(source, content, "the source is untouched");
      const counted = model(want.bytes, Number(stat["page_size"]));
      assertEquals(
        [stat["chars"], stat["total_lines"], stat["pages"], stat["bytes"]],
        [counted.charCount, counted.lines.length, counted.pages.length, want.bytes.length],
      );
      const parent = stat["parent"] as JsonAnswer;
      const range = { fd, mode: read.mode, start: want.start, count: want.count };
      assertEquals(picked(parent, range), range);
    }),
    { numRuns: runsOf(6) },
  );
});

/** Sizes around which buffers and blocks may end. */
const EDGES = [256, 32768, 65536, 131072].flatMap((size) => [size - 1, size, size + 1]);

Deno.test("slices: sizes around 256 B, 32 KiB, 64 KiB and 128 KiB", async () => {
  const patterns = Object.entries(PATTERNS);
  const pageSizes = [1, 7, 255, 256, 1000, 4000, 4096, 5000];
  for (const [i, size] of EDGES.entries()) {
    using world = makeWorld();
    await Promise.all([0, 3, 5].map(async (step) => {
      const [name, pattern] = patterns[(i + step) % patterns.length] ?? ["", new Uint8Array()];
      const pageSize = pageSizes[(i * 3 + step) % pageSizes.length] ?? 4000;
      const m = model(repeatedTo(size, pattern), pageSize);
      const stored = await storeAnswer(world, m.content, ["--page-size", String(pageSize), "--source", name]);
      assertEquals(
        [stored["chars"], stored["total_lines"], stored["pages"], stored["bytes"]],
        [m.charCount, m.lines.length, m.pages.length, size],
        `${size} bytes of ${name}, page size ${pageSize}`,
      );
      const fd = handleIn(stored);
      const nearEdge = m.charStarts.findIndex((byte) => byte >= Math.floor(size / 2)) - 2;
      const reads: Read[] = [
        { mode: "char", start: Math.max(0, nearEdge), count: 5, spelling: "start", format: "raw" },
        { mode: "page", start: m.pages.length, count: 1, spelling: "start", format: "json" },
        { mode: "line", start: 0, count: 2, spelling: "tail", format: "raw" },
        { mode: "char", start: m.charCount - 1, count: 9, spelling: "start", format: "json" },
      ];
      for (const read of reads) await assertRead(world, fd, m, read);
    }));
  }
});

Deno.test("slices: chars across block edges are never cut", async () => {
  using world = makeWorld();
  const block = 32768;
  for (const [lead, char] of [[1, "漢"], [2, "漢"], [1, "😀"], [2, "😀"], [3, "😀"]] as const) {
    const sizeOfChar = new TextEncoder().encode(char).length;
    const edge = "x".repeat(block - lead);
    const between = "y".repeat(block - (sizeOfChar - lead) - lead);
    const m = model(new TextEncoder().encode(edge + char + between + char + "\nend"), 4000);
    const fd = await store(world, m.content);
    const second = edge.length + 1 + between.length;
    const reads: Read[] = [
      { mode: "char", start: edge.length - 1, count: 3, spelling: "start", format: "json" },
      { mode: "char", start: edge.length, count: 1, spelling: "start", format: "raw" },
      { mode: "char", start: edge.length + 1, count: 1, spelling: "start", format: "raw" },
      { mode: "char", start: second - 1, count: 4, spelling: "start", format: "raw" },
      { mode: "page", start: 9, count: 1, spelling: "start", format: "raw" },
      { mode: "page", start: 1, count: 1, spelling: "tail", format: "json" },
    ];
    for (const read of reads) await assertRead(world, fd, m, read);
  }
});

Deno.test("slices: contents of several megabytes", async () => {
  using world = makeWorld();
  const contents: [string, Uint8Array, number][] = [
    ["log lines", repeatedTo(3_000_000, PATTERNS["log lines"] ?? new Uint8Array()), 4000],
    ["one line", repeatedTo(2_097_152, PATTERNS["one line"] ?? new Uint8Array()), 5000],
    ["CJK", repeatedTo(1_500_001, PATTERNS["CJK"] ?? new Uint8Array()), 777],
    ["ill-formed", repeatedTo(1_000_000, PATTERNS["ill-formed"] ?? new Uint8Array()), 1234],
  ];
  for (const [name, content, pageSize] of contents) {
    const m = model(content, pageSize);
    const fd = await store(world, content, ["--page-size", String(pageSize), "--source", name]);
    const middleChar = Math.floor(m.charCount * 0.61);
    const reads: Read[] = [
      { mode: "page", start: Math.ceil(m.pages.length / 2), count: 2, spelling: "start", format: "json" },
      { mode: "page", start: m.pages.length, count: 3, spelling: "start", format: "raw" },
      { mode: "page", start: m.pages.length + 1, count: 1, spelling: "start", format: "json" },
      { mode: "line", start: Math.ceil(m.lines.length * 0.8), count: 3, spelling: "range", format: "raw" },
      { mode: "char", start: middleChar, count: 4321, spelling: "range", format: "json" },
      { mode: "char", start: m.charCount - 10, count: 100, spelling: "start", format: "raw" },
      { mode: "char", start: m.charCount, count: 1, spelling: "start", format: "json" },
      { mode: "line", start: 0, count: 1, spelling: "tail", format: "raw" },
    ];
    for (const read of reads) await assertRead(world, fd, m, read);
    assertBytes(await wholeOf(world, fd), content, name);
  }
});

Deno.test("slices: defaults are the first page, the first line and the first char, one unit each", async () => {
  using world = makeWorld();
  const m = model(new TextEncoder().encode("one\ntwo\nthree\n"), 5);
  const fd = await store(world, m.content, ["--page-size", "5"]);
  assertEquals((await world.run(["read", fd, "--format", "raw"])).text, "one\n");
  assertEquals((await world.run(["read", fd, "--mode", "line", "--format", "raw"])).text, "one\n");
  assertEquals((await world.run(["read", fd, "--mode", "char", "--format", "raw"])).text, "o");
  assertEquals((await world.run(["read", fd, "--start", "2", "--format", "raw"])).text, "two\n");
  assertEquals((await world.run(["read", fd, "--tail", "2", "--format", "raw"])).text, "two\nthree\n");
  assertEquals((await world.run(["read", fd, "--lines", "2-2", "--format", "raw"])).text, "two\n");
});

Deno.test("slices: empty content has one empty page", async () => {
  using world = makeWorld();
  const fd = await store(world, new Uint8Array());
  const answer = jsonOf(await world.run(["read", fd, "--format", "json"]));
  const facts = {
    page: 1,
    pages: 1,
    continued: false,
    truncated: false,
    lines: "0-0",
    total_lines: 0,
    content: "",
  };
  assertEquals(picked(answer, facts), facts);
  assertEquals((await world.run(["read", fd, "--all", "--format", "raw"])).stdout.length, 0);
  assertFailure(await world.run(["read", fd, "--start", "2"]), "invalid_page");
  assertFailure(await world.run(["read", fd, "--mode", "line", "--start", "2"]), "invalid_range");
  assertFailure(await world.run(["read", fd, "--mode", "char", "--start", "1"]), "invalid_range");
});

Deno.test("slices: a huge count is clamped", async () => {
  using world = makeWorld();
  const fd = await store(world, "one\ntwo\nthree\n");
  const huge = "99999999999999999999";
  const raw = async (...args: string[]) => {
    const { code, text, stderr } = await world.run(["read", fd, ...args, "--format", "raw"]);
    assertEquals([code, stderr], [0, ""], args.join(" "));
    return text;
  };
  assertEquals(await raw("--mode", "line", "--start", "2", "--count", huge), "two\nthree\n");
  assertEquals(await raw("--lines", `2-${huge}`), "two\nthree\n");
  assertEquals(await raw("--chars", `4-${huge}`), "two\nthree\n");
  assertEquals(await raw("--tail", huge), "one\ntwo\nthree\n");
  assertEquals(await raw("--all", "--max-chars", huge), "one\ntwo\nthree\n");
  for (const args of [["--start", huge], ["--lines", `${huge}-`]]) {
    const past = await world.run(["read", fd, "--mode", "line", ...args]);
    assertEquals(past.code, 1);
    assertStringIncludes(past.stderr, "valid range: 1-3");
  }
});
