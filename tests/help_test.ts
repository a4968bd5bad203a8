/**
 * Help (contract, Commands): the example of each command works when pasted, a whole plan can be taken from `help plan`, and
 * text fits the terminal.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { listOperations } from "../src/commands/rows.ts";
import { bytesShown, whyNoTerminal } from "./pseudo_terminal.ts";
import { type Finished, makeWorld, quoteForShell, type World } from "./world.ts";

/** Examples that need a shared store, which the test does not have, and how they fail without. */
const WITHOUT_SHARED_STORE: Readonly<Record<string, string>> = {
  store: "store_denied",
  sync: "invalid_parameter",
};

/** The files, fds, writes and questions that the examples name. */
async function exampleWorld(): Promise<World> {
  const world = makeWorld();
  world.write(
    "../bin/make",
    '#!/bin/sh\ni=0\nwhile [ $((i += 1)) -le 120 ]; do echo "step $i: error in 1.${i}s"; done\n',
  );
  Deno.chmodSync(world.path("../bin/make"), 0o755);
  world.write("src/a.js", "let x = 1;\n");
  world.write("draft.rs", "fn main() {}\n");
  world.write("notes.md", "# Notes\n");
  world.write("call.json", '{"tool_name":"Bash","tool_response":{"stdout":"short"}}');
  const jobs = '{"items":[{"status":"failed","name":"lint"},{"status":"ok","name":"test"}]}';
  const lines = [
    "for i in 1 2 3 4 5 6 7 8 9 10 11; do seq $i | fdtool capture --always; done",
    "fdtool run --background --name build -- make",
    "fdtool wait fd:12",
    "seq 13 | fdtool capture --always",
    `echo ${quoteForShell(jobs)} | fdtool capture --always`,
    "make | sed 's/in [0-9.]*s/in 7.5s/' | fdtool capture --always",
    "for i in 1 2 3 4 5 6 7; do echo $i >f$i; fdtool edit f$i --old $i --new new; done",
    "for i in 1 2 3 4; do fdtool create file$i; done",
    "fdtool export fd:1 fd:2 --output other.tar",
  ];
  for (const line of lines) {
    const { code, stderr } = await world.shell(line);
    assert(code === 0 || code === 3, `${line}\n${stderr}`);
  }
  return world;
}

/** The example as help shows it and a person pastes it, indented. */
async function shownExample(world: World, command: string): Promise<string> {
  const { text, code } = await world.run(["help", command]);
  assertEquals(code, 0, command);
  return /\nExample\n([^]*?)\n\nExit codes\n/.exec(text)![1]!;
}

async function pasted(world: World, example: string, shell = "bash"): Promise<Finished> {
  // stdin is a pipe that ends: servers end with it.
  const env = { AWS_EC2_METADATA_DISABLED: "true" };
  return await world.shell(`exec ${shell} -c ${quoteForShell(example)}`, { stdin: "", env });
}

Deno.test("help: the example of every command works when pasted", async () => {
  using world = await exampleWorld();
  const prepared = quoteForShell(world.path("../prepared"));
  const all = `${quoteForShell(world.dir)} ${quoteForShell(world.store)}`;
  await world.shell(`mkdir ${prepared} && cp -a ${all} ${prepared}`);
  for (const { name, hidden } of listOperations()) {
    if (hidden === true) continue;
    const example = await shownExample(world, name);
    assertStringIncludes(example, "fdtool ", name);
    if (name === "import") await world.shell("mv other.tar build.tar");
    const { code, stderr, text } = await pasted(world, example);
    const missing = WITHOUT_SHARED_STORE[name];
    if (missing === undefined) assertEquals(code, 0, `${example}\n${text}${stderr}`);
    else assertStringIncludes(stderr, missing, example);
    await world.shell(`rm -rf ${all} && cp -a ${prepared}/* ${quoteForShell(world.path(".."))}`, {
      cwd: world.home,
    });
  }
});

Deno.test("help plan: its plan is valid in every shell, and says what it shall do when applied", async () => {
  using world = makeWorld();
  const example = await shownExample(world, "plan");
  const shells = ["bash", "dash", "zsh"].filter((shell) =>
    new Deno.Command("sh", { args: ["-c", `command -v ${shell}`], stdout: "null" }).outputSync().success
  );
  for (const shell of shells) {
    const { code, text, stderr } = await pasted(world, example, shell);
    assertEquals([code, stderr], [0, ""], shell);
    assertStringIncludes(text, "The plan is valid", shell);
  }
  assertEquals((await pasted(world, example.replace(/check$/, "apply"))).code, 0);
  assertEquals(world.text("CHANGES.md"), "# Change log\n\n- First entry\n- Second entry\n- Third entry\n");
  assertEquals(world.text("VERSION"), "1.0\n");
});

Deno.test("help: what two or three commands do to one thing is a command of that thing, too", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\n" });
  const bound = await world.run(["ref", "name", "fd:1", "first"]);
  assertStringIncludes(bound.text, '<ref_bound id="ref:first" fd="fd:1">');
  for (
    const [two, one] of [
      [["ref", "list"], ["refs"]],
      [["inquiry"], ["inquiries"]],
      [["inquiries", "list"], ["inquiries"]],
      [["inquiry", "cancel"], ["cancel"]],
      [["inquiries", "answer"], ["answer"]],
      [["store", "sync"], ["sync"]],
      [["install", "remove"], ["uninstall"]],
    ] as const
  ) {
    const [ofTwo, ofOne] = [await world.run(two), await world.run(one)];
    assertEquals(
      [ofTwo.text, ofTwo.stderr, ofTwo.code],
      [ofOne.text, ofOne.stderr, ofOne.code],
      two.join(" "),
    );
  }
  const [few, all] = [await world.run(["help"]), await world.run(["help", "--all"])];
  const commands = ({ text }: { text: string }) =>
    text.split("\nOptions of")[0]!.match(/^ {2}[a-z]/gm)!.length;
  assertEquals([commands(few) <= 30, commands(all) > 45], [true, true], `${commands(few)}, ${commands(all)}`);
});

Deno.test("help: what the first screen proposes works in a new store", async () => {
  using world = makeWorld();
  const { stderr, code, text } = await world.run([]);
  assertEquals([code, text], [2, ""]);
  const proposed = /\nTry it\n([^]*?)\n\n/.exec(stderr)![1]!;
  const tried = await pasted(world, proposed);
  assertEquals([tried.code, tried.stderr], [0, ""]);
  assertStringIncludes(tried.text, '<fd_content fd="fd:1"');
});

Deno.test({
  name: "help: text fits the terminal, COLUMNS goes first, and a pipe gets always the same",
  ignore: whyNoTerminal() !== undefined,
  async fn() {
    using world = makeWorld();
    const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));
    const shown = async (line: string, env: Record<string, string> = {}) =>
      widest(new TextDecoder().decode(await bytesShown(world, line, env)));
    for (const columns of [60, 80]) {
      const width = await shown(`stty cols ${columns}; fdtool help wait; fdtool help; fdtool`);
      assert(width <= columns && width > columns - 10, `${width} of ${columns}`);
    }
    assert(await shown("stty cols 120; fdtool help wait", { COLUMNS: "70" }) <= 70);
    const [piped, narrow] = [
      await world.run(["help", "wait"]),
      await world.shell("stty cols 60; fdtool help wait"),
    ];
    assertEquals(narrow.text, piped.text);
    assert(widest(piped.text) <= 100);
  },
});
