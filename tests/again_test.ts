/** The answer to a command that ran before: contract, Capturing. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { makeWorld, type World } from "./world.ts";

/** Output with these lines among ordinary ones. */
function outputOf(lines: readonly string[]): string {
  const ordinary = (from: number) =>
    Array.from({ length: 300 }, (_, at) => `compiling part ${from + at} of 600\n`).join("");
  return ordinary(0) + lines.map((line) => `${line}\n`).join("") + ordinary(300);
}

async function runOf(world: World, lines: readonly string[], ...words: string[]): Promise<string> {
  world.write("output", outputOf(lines));
  return (await world.run([...words, "cat", "output"])).text;
}

const FIRST = ["src/a.c:3:4: error: 'x' undeclared", "src/b.c:9:1: error: expected ';'"];

Deno.test("again: the same output says so in at most 1,000 chars, with the lines that matter", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  const again = await runOf(world, FIRST, "run", "--");
  assertStringIncludes(again, "The same as fd:1, ");
  assertStringIncludes(again, FIRST[0]!);
  assertStringIncludes(again, ' same="fd:1"');
  assert(again.length <= 1000, `${again.length}`);
});

Deno.test("again: findings are gone, new or left by what they say, not by where or when", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  const moved = FIRST.toReversed().map((line) => line.replace(/:\d+:\d+/, ":70:8"));
  const same = await runOf(world, moved, "run", "--");
  assert(/Since fd:1, \d+ s ago: 0 of 2 findings gone, 0 new, 2 left;/.test(same), same);
  const fixed = await runOf(world, [moved[0]!, "src/c.c:1:1: error: no such file"], "run", "--");
  assertStringIncludes(fixed, ": 1 of 2 findings gone, 1 new, 1 left; all changes: fdtool diff fd:2 fd:3.");
  assertStringIncludes(
    fixed,
    "new  302:src/c.c:1:1: error: no such file\ngone 302:src/a.c:70:8: error: 'x' undeclared\n",
  );
  assertStringIncludes(fixed, "<next>fdtool read fd:3 --mode line --start 292");
});

Deno.test("again: another directory, another command, a removed or damaged run are not compared", async () => {
  using world = makeWorld();
  await runOf(world, FIRST, "run", "--");
  world.write("other/output", outputOf(FIRST));
  const elsewhere = await world.run(["run", "--", "cat", "output"], { cwd: world.path("other") });
  assert(!elsewhere.text.includes("same as"), elsewhere.text);
  const differently = await world.run(["run", "--", "cat", "./output"]);
  assert(!differently.text.includes("same as"), differently.text);
  assertEquals((await world.run(["rm", "fd:1"])).code, 0);
  assert(!(await runOf(world, FIRST, "run", "--")).includes("fd:1"));
});

Deno.test("again: shell and wait compare, too", async () => {
  using world = makeWorld();
  const line = ["shell", "-c"];
  const shell = async () => (await world.run([...line, "cat output"])).text;
  await runOf(world, FIRST, "run", "--background", "--");
  await world.run(["wait", "fd:1"]);
  await world.run(["run", "--background", "--", "cat", "output"]);
  assertStringIncludes((await world.run(["wait", "fd:2"])).text, "The same as fd:1, ");
  await shell();
  assertStringIncludes(await shell(), "The same as fd:3, ");
});
