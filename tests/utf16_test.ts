/** Text in UTF-16 is read, searched and shown as text; what is stored stays as it is (contract, Units). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeWorld } from "./world.ts";

/** `text` in UTF-16, with its mark if wanted. */
function utf16(text: string, isBigEndian: boolean, hasMark: boolean): Uint8Array {
  const units = hasMark ? "\ufeff" + text : text;
  const view = new DataView(new ArrayBuffer(2 * units.length));
  for (let at = 0; at < units.length; at++) view.setUint16(2 * at, units.charCodeAt(at), !isBigEndian);
  return new Uint8Array(view.buffer);
}

const LINES = Array.from({ length: 600 }, (_, at) => `INFO step ${at + 1} of the setup is done`);
LINES[411] = "ERROR: payment failed, Größe 😀";
const TEXT = LINES.map((line) => `${line}\r\n`).join("");

for (const [isBigEndian, hasMark] of [[false, true], [true, true], [false, false], [true, false]] as const) {
  const encoding = isBigEndian ? "utf-16be" : "utf-16le";
  Deno.test(`${encoding}${hasMark ? "" : " without a mark"}: all that reads sees the text, and its bytes stay`, async () => {
    using world = makeWorld();
    const bytes = utf16(TEXT, isBigEndian, hasMark);
    Deno.writeFileSync(world.path("log"), bytes);
    const json = async (...args: string[]) =>
      JSON.parse((await world.run(["--format", "json", ...args])).text);
    const result = await json("run", "--", "cat", "log");
    assertEquals([result.encoding, result.total_lines, result.bytes], [encoding, 600, bytes.length]);
    assertStringIncludes(JSON.stringify(result.preview), LINES[411]!);
    const found = await json("search", "fd:1", "payment.*Größe 😀$");
    assertEquals([found.encoding, found.total, found.matches], [encoding, 1, [{
      line: 412,
      text: LINES[411],
    }]]);
    assertEquals((await json("search", "payment")).total, 1);
    const read = await json("read", "fd:1", "--lines", "411-413");
    assertEquals([read.encoding, read.content], [encoding, LINES.slice(410, 413).join("\n") + "\n"]);
    const stat = await json("stat", "fd:1");
    assertEquals([stat.total_lines, stat.bytes, stat.encoding], [600, bytes.length, encoding]);
    assertEquals((await json("count", "log")).lines, 600);
    assertEquals((await world.run(["read", "fd:1", "--all", "--format", "raw"])).stdout, bytes);
    await world.run(["to-file", "fd:1", "out"]);
    assertEquals(Deno.readFileSync(world.path("out")), bytes);
    Deno.writeFileSync(world.path("log"), utf16(TEXT.replace("failed", "refused"), isBigEndian, hasMark));
    const again = await json("run", "--", "cat", "log");
    assertStringIncludes(again.message, "1 of 1 findings gone, 1 new, 0 left");
    const diff = await json("diff", "fd:1", again.fd);
    assertStringIncludes(diff.diff, "\n+ERROR: payment refused, Größe 😀\n");
    Deno.writeFileSync(world.path("values"), utf16('{"a": [1, "ü"]}', isBigEndian, true));
    const query = await json("query", "values", ".a[1]");
    assertEquals([query.encoding, query.values], [encoding, '"ü"\n']);
  });
}

Deno.test("other bytes are not taken for UTF-16", async () => {
  using world = makeWorld();
  for (
    const bytes of [[0xff, 0xfe, 0, 0, 0x45, 0, 0, 0], [0x7f, 0x45, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]
  ) {
    Deno.writeFileSync(world.path("bytes"), Uint8Array.from(bytes));
    const { text } = await world.run(["read", "bytes"]);
    assert(!text.includes("utf-16"), text);
  }
});
