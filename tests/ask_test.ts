/**
 * `--ask`: on a terminal the user is asked: yes or no and choices at the prompt, a schema in the editor,
 * with the schema as comments and an object to fill in. Empty or invalid cancels, and nothing is written. Without a
 * terminal, the question is returned as usual.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertEnded, editorThat, onTerminal, whyNoTerminal } from "./pseudo_terminal.ts";
import { readJson } from "./read_answer.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

const WHY_NOT = whyNoTerminal();

function terminalTest(name: string, test: () => Promise<void>): void {
  Deno.test({
    name: WHY_NOT === undefined ? `ask: ${name}` : `ask: ${name} (skipped: ${WHY_NOT})`,
    ignore: WHY_NOT !== undefined,
    fn: test,
  });
}

const TEN_LINES = "same\n".repeat(10);
const LARGE_EDIT = ["edit", "f", "--old", "same", "--new", "other", "--replace-all", "--ask"];

/** Nothing stays of a question that was settled: neither the question nor the file that the editor was given. */
async function assertSettled(world: World): Promise<void> {
  const open = readJson((await world.run(["inquiries", "--format", "json"])).text);
  assertEquals(open["inquiries"], [], "no question is left open");
  const litter: string[] = [];
  const walk = (dir: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(dir)) {
      if (isDirectory) walk(`${dir}/${name}`);
      else if (name.includes("answer")) litter.push(name);
    }
  };
  walk(world.store);
  assertEquals(litter, [], "the editor's file is gone");
}

terminalTest("yes is taken, and anything else is asked again", async () => {
  using world = makeWorld();
  world.write("f", TEN_LINES);
  await using session = onTerminal(world, LARGE_EDIT);
  await session.shows("This changes 10 of 10 lines in f. Continue?");
  await session.shows("[y/n, empty cancels] ");
  await session.type("perhaps");
  await session.shows("[y/n, empty cancels] ");
  await session.type(" YES ");
  const ended = await session.end();
  assertEnded(ended, 0);
  assertStringIncludes(ended.shown, "10 lines added, 10 removed");
  assertEquals(world.text("f"), "other\n".repeat(10));
  await assertSettled(world);
});

terminalTest("no leaves the file, and so does an empty line, which cancels", async () => {
  for (const [typed, code, message] of [["n", 0, "was no"], ["", 1, "was cancelled"]] as const) {
    using world = makeWorld();
    world.write("f", TEN_LINES);
    await using session = onTerminal(world, LARGE_EDIT);
    await session.shows("[y/n, empty cancels] ");
    await session.type(typed);
    const ended = await session.end();
    assertEnded(ended, code);
    assertStringIncludes(ended.shown, message);
    assertEquals(world.text("f"), TEN_LINES);
    await assertSettled(world);
  }
});

terminalTest("a choice is made by its number", async () => {
  using world = makeWorld();
  world.write("f.js", "start()\nmiddle()\nstart()\n");
  const operation = {
    type: "insert",
    content_block: "here()\n",
    location_marker: "start()",
    position: "after",
  };
  world.write(
    "plan.json",
    JSON.stringify({ intent: "x", target_file: "f.js", operations: [operation] }),
  );
  await using session = onTerminal(world, ["plan", "apply", "plan.json", "--ask"]);
  await session.shows("Which one should be used?");
  await session.shows("1) 1: start()");
  await session.shows("2) 3: start()");
  await session.shows("[1-2, empty cancels] ");
  await session.type("3");
  await session.shows("[1-2, empty cancels] ");
  await session.type("2");
  assertEnded(await session.end(), 0);
  assertEquals(world.text("f.js"), "start()\nmiddle()\nstart()\nhere()\n");
  await assertSettled(world);
});

terminalTest(
  "a schema is filled in in the editor, under the question and the schema as comments",
  async () => {
    using world = makeWorld();
    // As people's editors are: with an argument of its own.
    const editor = editorThat(
      world,
      `cp "$2" ../given && { grep '^//' ../given; printf %s '{"content": "one\\ntwo\\n"}'; } >"$2"`,
    );
    await using session = onTerminal(world, ["create", "sub/new.txt", "--ask"], { EDITOR: `${editor} -w` });
    const ended = await session.end();
    assertEnded(ended, 0);
    assertEquals(world.text("sub/new.txt"), "one\ntwo\n");
    const given = world.text("../given").split("\n");
    const comments = given.filter((line) => line.startsWith("//"));
    assertStringIncludes(comments[0] ?? "", "File 'sub/new.txt' does not exist and will be created");
    const schema = comments.slice(2).map((line) => line.slice(2)).join("\n");
    assertEquals(JSON.parse(schema).required, ["content"]);
    assertEquals(given.slice(comments.length), ["{", "}", ""], "an empty object to fill");
    await assertSettled(world);
  },
);

terminalTest("VISUAL goes before EDITOR", async () => {
  using world = makeWorld();
  const editor = editorThat(world, `echo '{"content": "visual"}' >"$1"`);
  await using session = onTerminal(world, ["create", "f", "--ask"], { VISUAL: editor, EDITOR: "false" });
  assertEnded(await session.end(), 0);
  assertEquals(world.text("f"), "visual");
});

const CANCELLING: [string, string, string][] = [
  ["leaves the file as it was given, which the schema does not take", ":", "content"],
  ["leaves it empty", `: >"$1"`, ""],
  ["leaves no JSON", `echo 'content: x' >"$1"`, "The answer is not valid JSON."],
  ["leaves JSON that does not end", `echo '{"content": "x' >"$1"`, "is not valid JSON"],
  ["leaves another type", `echo '{"content": 5}' >"$1"`, "content"],
  ["fails after it has written", `echo '{"content": "x"}' >"$1"; exit 1`, "failed with 1"],
  ["removes the file", `rm "$1"`, ""],
];
// From source one is enough: terminal, editor and exit code are of the runtime, the rules of answers are not.
const tried = CANCELLING.filter(([what]) => programUnderTest().length === 1 || what.startsWith("fails"));
for (const [what, line, said] of tried) {
  terminalTest(`an editor that ${what} cancels`, async () => {
    using world = makeWorld();
    await using session = onTerminal(world, ["create", "f", "--ask"], { EDITOR: editorThat(world, line) });
    const ended = await session.end();
    assertEnded(ended, 1);
    assertStringIncludes(ended.shown, "Nothing was written: inq:1 was cancelled.");
    assertStringIncludes(ended.shown, said);
    assertEquals(Array.from(Deno.readDirSync(world.dir)), []);
    await assertSettled(world);
  });
}

terminalTest("an editor that cannot be started cancels", async () => {
  using world = makeWorld();
  await using session = onTerminal(world, ["create", "f", "--ask"], { EDITOR: "/no/such/editor" });
  const ended = await session.end();
  assertEnded(ended, 1);
  assertStringIncludes(ended.shown, "Nothing was written: inq:1 was cancelled.");
  await assertSettled(world);
});

terminalTest("without a terminal the question is put as ever", async () => {
  using world = makeWorld();
  const finished = await world.shell("setsid --wait fdtool create f --ask --format json");
  assertEquals([finished.code, finished.stderr], [3, ""]);
  const question = readJson(finished.text);
  assertEquals([question["type"], question["inquiry_id"]], ["needs_input", "inq:1"]);
  const open = readJson((await world.run(["inquiries", "--format", "json"])).text);
  assert(Array.isArray(open["inquiries"]) && open["inquiries"].length === 1, "the question stays open");
});
