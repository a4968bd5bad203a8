/** The clean view (contract): what every answer shows of coloured and redrawn output, and what stays exact. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeWorld, type World } from "./world.ts";

const COLOURED = "\x1b[1;31merror\x1b[0m: it failed\r\n" + " 10%\r 55%\r100%\n" + "bell\x07\n";
const CLEAN = "error: it failed\n100%\nbell\\x07\n";
/** Two sequences of 7 and 4 chars, a CR, two CRs and the 8 chars before them. */
const LEFT_OUT = 22;

function worldWith(content: string): World {
  const world = makeWorld();
  world.write("content", content);
  return world;
}

Deno.test("previews and reads show the clean view, and say how many chars they leave out", async () => {
  using world = worldWith(COLOURED);
  for (const preview of ["page", "head", "tail"]) {
    const { text } = await world.run(["capture", "--always", "--preview", preview], { stdin: COLOURED });
    assertStringIncludes(text, `cleaned="${LEFT_OUT}"`);
    assertStringIncludes(text, `<preview>\n${CLEAN}\n</preview>`);
  }
  const read = await world.run(["read", "fd:1"]);
  assertStringIncludes(read.text, `cleaned="${LEFT_OUT}"`);
  assertStringIncludes(read.text, `>\n${CLEAN}\n</fd_content>`);
  const line = JSON.parse((await world.run(["read", "fd:1", "--lines", "2", "--format", "json"])).text);
  assertEquals([line.content, line.cleaned, line.stored], ["100%\n", 10, undefined]);
  const numbered = await world.run(["read", "fd:1", "--all", "--number"]);
  assertStringIncludes(numbered.text, "2\t100%\n");
});

Deno.test("--exact, char mode, raw and exports give what is stored", async () => {
  using world = worldWith(COLOURED);
  await world.run(["capture", "--always"], { stdin: COLOURED });
  for (const words of [["--exact"], ["--chars", "0-"], ["--lines", "1-3", "--exact"]]) {
    const { content, cleaned } = JSON.parse(
      (await world.run(["read", "fd:1", ...words, "--format", "json"])).text,
    );
    assertEquals([content, cleaned], [COLOURED, undefined]);
  }
  assertEquals((await world.run(["read", "fd:1", "--all", "--format", "raw"])).text, COLOURED);
  await world.run(["to-file", "fd:1", "out"]);
  assertEquals(world.text("out"), COLOURED);
  const called = await world.run(["call", "read_fd"], { stdin: '{"fd":"fd:1","exact":true}' });
  assertStringIncludes(called.text, "\x1b[1;31m");
});

Deno.test("the next read of an exact one is exact", async () => {
  using world = worldWith("");
  await world.run(["capture", "--always", "--page-size", "20"], { stdin: COLOURED.repeat(3) });
  const { text } = await world.run(["read", "fd:1", "--exact"]);
  assertStringIncludes(text, "--exact");
  assert(!(await world.run(["read", "fd:1"])).text.includes("--exact"));
});

Deno.test("a followed and an ended background command show the clean view", async () => {
  using world = worldWith(COLOURED);
  await world.run(["run", "--background", "--", "cat", "content"]);
  const waited = await world.run(["wait", "fd:1", "--preview", "tail"]);
  assertStringIncludes(waited.text, CLEAN);
  const followed = await world.run(["read", "fd:1", "--follow"]);
  assertStringIncludes(followed.text, CLEAN);
  assert(!followed.text.includes("\x1b"));
});

Deno.test("clean content has no `cleaned`", async () => {
  using world = worldWith(COLOURED);
  await world.run(["capture", "--always"], { stdin: "plain text" });
  const { text } = await world.run(["read", "fd:1"]);
  assert(!text.includes("cleaned"));
});

Deno.test("a diff shows no colour, and --exact does", async () => {
  using world = worldWith("");
  await world.run(["capture", "--always"], { stdin: COLOURED });
  await world.run(["capture", "--always"], { stdin: CLEAN });
  const same = await world.run(["diff", "fd:1", "fd:2"]);
  assertEquals(same.code, 0);
  assertStringIncludes(same.text, "show the same text");
  assertStringIncludes(same.text, `cleaned="${LEFT_OUT}"`);
  const exact = await world.run(["diff", "fd:1", "fd:2", "--exact"]);
  assertEquals(exact.code, 1);
  assertStringIncludes(exact.text, "-\x1b[1;31merror");
});

Deno.test("a run of NULs in a log is a gap that says its size, wherever it is, and the lines around it are shown", async () => {
  using world = worldWith("");
  const log = (first: number) => Array.from({ length: 900 }, (_, at) => `INFO tick ${first + at}\n`).join("");
  for (const [before, nuls] of [["", 1300], [log(1), 9000], ["", 300_000], [log(1), 3_000_000]] as const) {
    const stdin = `${before}${"\0".repeat(nuls)}${log(901)}ERROR payment failed\n`;
    const { text } = await world.run(["capture"], { stdin });
    assertStringIncludes(text, "ERROR payment failed");
    assertStringIncludes(text, `[${nuls.toLocaleString("en")} NUL bytes]INFO tick 901\n`);
    const fd = /fd="(fd:\d+)"/.exec(text)![1]!;
    const found = await world.run(["search", fd, "bytes.INFO tick 901$"]);
    assertStringIncludes(
      found.text,
      `\n${before === "" ? 1 : 901}:[${nuls.toLocaleString("en")} NUL bytes]INFO tick 901\n`,
    );
    const raw = await world.run(["read", fd, "--all", "--format", "raw"]);
    assertEquals(raw.text.length, stdin.length);
  }
});

Deno.test("content is binary by all of it, not by how it begins", async () => {
  using world = worldWith("");
  const noise = (count: number) =>
    Uint8Array.from({ length: count }, (_, at) => (at * at * 31 + (at >> 3) * 17) % 256);
  const text = new TextEncoder().encode("a line of a script\n".repeat(600));
  for (
    const [parts, isBinary] of [[[text, noise(400_000)], true], [
      [noise(3000), text, text, text],
      false,
    ]] as const
  ) {
    Deno.writeFileSync(world.path("content"), new Uint8Array(await new Blob([...parts]).arrayBuffer()));
    const answer = await world.run(["run", "--", "cat", "content"]);
    assertEquals(answer.text.includes("It is binary"), isBinary, answer.text);
  }
});
