/**
 * `stats` (fd/FORMAT.md, "What was shown"): its sums are those of the answers that programs got, what is read later counts
 * against what was saved, nothing else does, and counting never gets in the way of a read.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mcpClient } from "./in_memory_client.ts";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type JsonAnswer, jsonOf } from "./read_answer.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/** 108,894 chars. */
const PRINTING = ["run", "--", "seq", "20000"];
const PRINTED = 108_894;

async function statsOf(world: World, args: readonly string[] = []): Promise<JsonAnswer> {
  return jsonOf(await world.run(["stats", "--format", "json", ...args]));
}

function sumsOf(facts: JsonAnswer): unknown[] {
  return ["outputs", "printed_chars", "shown_chars", "later_chars", "saved_chars"].map((name) => facts[name]);
}

const shownDirectory = (world: World) => `${world.store}/v2/shown`;

Deno.test("stats: what was shown and read later, through every interface, counts against what was printed", async () => {
  using world = makeWorld();
  assertEquals(sumsOf(await statsOf(world)), [0, 0, 0, 0, 0]);
  let shown = (await world.run(PRINTING)).text.length;
  const hook = JSON.stringify({
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "cd src && LANG=C git log -p" },
    tool_response: { stdout: "é\n".repeat(5000), stderr: "", interrupted: false, isImage: false },
  });
  const hooked = JSON.parse((await world.run(["hook", "claude-code"], { stdin: hook })).text);
  shown += hooked.hookSpecificOutput.updatedToolOutput.stdout.length;
  // All of it went to stdout, too.
  const teed = await world.run(["run", "--tee", "--", "seq", "3000"]);
  shown += teed.text.length + teed.stderr.length;

  let later = 0;
  for (
    const args of [["read", "fd:1", "--lines", "1-50"], ["search", "fd:1", "777"], ["diff", "fd:1", "fd:3"]]
  ) {
    later += (await world.run(args)).text.length;
  }
  const extracted = await world.run(["read", "fd:2", "--lines", "2-9", "--extract", "--format", "raw"]);
  later += (await world.run(["read", extracted.text.trim(), "--format", "json"])).text.length;
  later += (await world.run(["call", "read_fd"], { stdin: '{"fd":"fd:1","page":2}' })).text.length;
  const client = mcpClient("2026-07-28");
  const [command, ...args] = programUnderTest();
  await client.connect(
    new StdioClientTransport({ command, args: [...args, "mcp"], env: { ...world.env }, stderr: "ignore" }),
  );
  const { content } = await client.callTool({ name: "read_fd", arguments: { fd: "fd:1", page: 3 } });
  await client.close();
  later += (content as { text: string }[])[0]!.text.length;
  // A person's read, a file's, and what a program does with a path show no output to a program.
  world.write("notes.txt", "n\n".repeat(4000));
  for (const args of [["read", "fd:1", "--format", "text"], ["read", "notes.txt"], ["path", "fd:1"]]) {
    await world.run(args);
  }

  const facts = await statsOf(world);
  const printed = PRINTED + 10_000 + teed.text.length;
  assertEquals(sumsOf(facts), [3, printed, shown, later, printed - shown - later]);
  assertEquals([facts["later_answers"], facts["reread_outputs"]], [6, 3]);
  const namesOf = (part: string) => (facts[part] as JsonAnswer[]).map((row) => row["of"]);
  assertEquals(namesOf("command"), ["seq", "git log"]);
  assertEquals(namesOf("project"), [world.dir]);
  for (const part of ["day", "project", "command"]) {
    const saved = (facts[part] as JsonAnswer[]).reduce((sum, row) => sum + Number(row["saved_chars"]), 0);
    assertEquals(saved, facts["saved_chars"], part);
  }
});

Deno.test("stats: days are counted apart, removed fds too, and lines that a full disk cut count for nothing", async () => {
  using world = makeWorld();
  await world.run(PRINTING);
  const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const lines =
    "stored:7:5000 400\nread:7 100\nread:8 900\nstored:9:70\nread:7 1read:7 9\nstored:7:x 3\nread:7 5";
  Deno.writeTextFileSync(`${shownDirectory(world)}/day-${dayOf(3)}`, lines);
  const [all, newest] = [await statsOf(world), await statsOf(world, ["--days", "3"])];
  const [old] = all["day"] as JsonAnswer[];
  assertEquals([old!["of"], ...sumsOf(old!)], [dayOf(3), 1, 5000, 400, 105, 4495]);
  assertEquals([all["outputs"], newest["outputs"], newest["printed_chars"]], [2, 1, PRINTED]);
  assertStringIncludes((await world.run(["stats", "--format", "text"])).text, "(removed)");
});

Deno.test("stats: a read is the same where nothing can be counted, and what is counted is bounded", async () => {
  using world = makeWorld();
  await world.run(PRINTING);
  const today = `${shownDirectory(world)}/day-${new Date().toISOString().slice(0, 10)}`;
  const read = async () => {
    const { code, text, stderr } = await world.run(["read", "fd:1", "--lines", "1-50"]);
    assertEquals([code, stderr], [0, ""]);
    assertStringIncludes(text, "\n50\n");
  };
  Deno.truncateSync(today, 1_048_576);
  await read();
  assertEquals(Deno.statSync(today).size, 1_048_576);
  Deno.removeSync(today);
  for (let day = 1; day <= 31; day++) {
    Deno.writeTextFileSync(today.replace(/[0-9-]{10}$/, `2020-01-${`${day}`.padStart(2, "0")}`), "");
  }
  await read();
  assertEquals([...Deno.readDirSync(shownDirectory(world))].length, 31);
  Deno.removeSync(shownDirectory(world), { recursive: true });
  Deno.writeTextFileSync(shownDirectory(world), "");
  await read();
  assert((await statsOf(world))["outputs"] === 0);
});
