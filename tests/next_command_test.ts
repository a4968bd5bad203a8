/**
 * Law 7 (bounded and honest output): when more exists, the exact next command is printed; following it from answer to
 * answer shows everything, once, in order.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { anyContent, joined } from "./contents.ts";
import { type Mode, model, unitCount } from "./model.ts";
import {
  childText,
  encode,
  failureOf,
  type JsonAnswer,
  jsonBytes,
  readJson,
  readXml,
  xmlOf,
} from "./read_answer.ts";
import { assertBytes, store, storeAnswer } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

/** The bytes of `first` and of every answer that its next commands lead to, at most `most` of them. */
async function followed(world: World, first: JsonAnswer, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let answer = first;
  for (let step = 0; step < most; step++) {
    parts.push(jsonBytes(answer, answer["type"] === "fd_result" ? "preview" : "content"));
    const next = answer["next"];
    if (next === undefined) return joined(parts);
    assertMatch(String(next), /^fdtool read fd:\d+ /);
    const finished = await world.shell(String(next), { env: { FDTOOL_FORMAT: "json" } });
    assertEquals([finished.code, finished.stderr], [0, ""], String(next));
    answer = readJson(finished.text);
  }
  throw new Error(`still more after ${most} answers: ${answer["next"]}`);
}

async function readAnswer(world: World, ...args: string[]): Promise<JsonAnswer> {
  const finished = await world.run(["read", ...args, "--format", "json"]);
  assertEquals([finished.code, finished.stderr], [0, ""], args.join(" "));
  return readJson(finished.text);
}

Deno.test("next: from a capture's preview through the pages to the end", async () => {
  using world = makeWorld();
  const content = encode(Array.from({ length: 900 }, (_, i) => `row ${i} of something\n`).join(""));
  const stored = await storeAnswer(world, content, ["--page-size", "3000", "--preview", "page"]);
  assertBytes(await followed(world, stored, 20), content);
});

Deno.test("next: from any slice in any mode to the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyContent.filter((content) => content.length > 0),
      fc.constantFrom<Mode>("page", "line", "char"),
      fc.integer({ min: 1, max: 6 }),
      async (content, mode, steps) => {
        using world = makeWorld();
        const fd = await store(world, content, ["--page-size", "997"]);
        const m = model(content, 997);
        const count = Math.ceil(unitCount(m, mode) / steps);
        const first = await readAnswer(world, fd, "--exact", "--mode", mode, "--count", String(count));
        assertBytes(await followed(world, first, steps), content, `${steps} slices by ${mode}`);
      },
    ),
    { numRuns: 20 },
  );
});

Deno.test("next: an answer bounded by --max-chars ends at a line end and says how to continue", async () => {
  using world = makeWorld();
  const text = Array.from({ length: 300 }, (_, i) => `row ${i} 漢字\n`).join("");
  const content = encode(text);
  const fd = await store(world, content);
  for (const args of [["--all"], ["--lines", "1-300"], ["--mode", "page", "--count", "9"]]) {
    const answer = await readAnswer(world, fd, ...args, "--max-chars", "700");
    const shown = new TextDecoder().decode(jsonBytes(answer));
    assert([...shown].length <= 700 && [...shown].length > 600, `${args}: ${[...shown].length} chars`);
    assert(text.startsWith(shown) && shown.endsWith("\n"), "ends at a line end");
    assertEquals(answer["lines"], `1-${shown.split("\n").length - 1}`, "and says what part it shows");
    assertBytes(await followed(world, answer, 400), content, args.join(" "));
  }
});

Deno.test("next: --max-chars inside one long line cuts between chars and says truncated", async () => {
  using world = makeWorld();
  const content = encode("漢".repeat(5000));
  const fd = await store(world, content);
  const answer = await readAnswer(world, fd, "--all", "--max-chars", "100");
  const held = [...new TextDecoder().decode(jsonBytes(answer))].length;
  assert(held > 0 && held <= 100, `${held} chars`);
  assertEquals(answer["truncated"], true);
  assertBytes(await followed(world, answer, 60), content);
});

Deno.test("next: xml prints it, too", async () => {
  using world = makeWorld();
  const captured = xmlOf(
    await world.run(["capture", "--preview", "page"], { stdin: "a line of output\n".repeat(2000) }),
  );
  assertEquals(childText(captured, "next"), "fdtool read fd:1 --start 2");
  const read = await world.run(["read", "fd:1", "--start", "2"]);
  const { text } = read;
  assert(
    text.includes("fdtool read fd:1 --start 3"),
    `the next command is in the answer: ${text.slice(0, 300)}`,
  );
});

Deno.test("next: a store given on the command line is in the next command", async () => {
  using world = makeWorld();
  const env = { FDTOOL_STORE: undefined };
  const other = world.path("a store");
  const content = encode("row of output\n".repeat(900));
  const finished = await world.run(["capture", "--store", other, "--format", "json"], {
    stdin: content,
    env,
  });
  const next = String(readJson(finished.text)["next"]);
  const followed = await world.shell(next, { env });
  assertEquals([followed.code, followed.stderr], [0, ""], next);
});

Deno.test("next: a command in xml is not escaped", async () => {
  using world = makeWorld();
  const env = { FDTOOL_STORE: undefined };
  for (const name of ["p&q", "<b>", 'say "x"', "</next>", "a\tb\u001b[2J", "line\nline"]) {
    const other = world.path(`${name} store`);
    const captured = await world.run(["capture", "--store", other], {
      stdin: "row of output\n".repeat(900),
      env,
    });
    const next = childText(xmlOf(captured), "next")!;
    // deno-lint-ignore no-control-regex
    assert(!/[\t\u001b]/.test(next), JSON.stringify(next));
    const page = await world.shell(next, { env });
    assertEquals([page.code, page.stderr], [0, ""], next);
    // A slice has no place for what an attribute cannot hold as it is: it follows, in the frame's boundary.
    const said = /<next([^>]*)>([^]*)<\/next([^>]*)>\n$/.exec(page.text);
    const more = said === null ? readXml(page.stdout).attributes["next"] : said[2];
    assertEquals(said?.[1], said?.[3]);
    assertEquals((await world.shell(more!, { env })).code, 0, more);
    const failed = await world.run(["read", "--store", other, "fd:1", "--start", "99"], { env });
    assertEquals((await world.shell(failureOf(failed).next!, { env })).code, 0);
  }
});

Deno.test("next: repeated questions and background commands name the store in their next command", async () => {
  using world = makeWorld();
  const env = { FDTOOL_STORE: undefined };
  const other = world.path("a store");
  const run = (args: readonly string[], stdin = "") =>
    world.run([args[0]!, "--store", other, "--format", "json", ...args.slice(1)], { stdin, env });
  assertEquals((await run(["create", "f"])).code, 3);
  world.write("f", "appeared\n");
  assertEquals((await run(["answer", "inq:1"], '{"content":"x\\n"}')).code, 3);
  const closed = readJson((await run(["answer", "inq:1"], '{"content":"x\\n"}')).stderr);
  assertEquals(closed["next"], `fdtool answer inq:2 --store '${other}'`);
  const started = readJson((await run(["run", "--background", "--", "true"])).text);
  for (const verb of ["wait", "stop"]) {
    const command = `fdtool ${verb} ${started["fd"]} --store '${other}'`;
    assert(String(started["message"]).includes(command), String(started["message"]));
    assertEquals((await world.shell(command, { env })).code, 0);
  }
});

Deno.test("next: --number shows the line numbers of read, and changes nothing in raw", async () => {
  using world = makeWorld();
  const lines = Array.from({ length: 120 }, (_, i) => `text ${i + 1}`);
  const fd = await store(world, lines.join("\n") + "\n");
  const answer = await readAnswer(world, fd, "--lines", "98-103", "--number");
  const shown = new TextDecoder().decode(jsonBytes(answer)).split("\n").filter((line) => line !== "");
  assertEquals(shown.length, 6);
  shown.forEach((line, i) => assertMatch(line, new RegExp(`^\\s*${98 + i}\\b.*text ${98 + i}$`)));
});
