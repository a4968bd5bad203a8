// Promise: under a clock before 1970, as of an empty battery, everything is stored, written and read as ever.

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { CHECKOUT, makeWorld, quoteForShell } from "./world.ts";

/** fdtool from source, with the clock in 1931. */
const EARLY = `
const now = Date.now;
Date.now = () => now() - 3e12;
await import(${JSON.stringify(join(CHECKOUT, "main.ts"))});
`;

Deno.test("a clock before 1970 changes no answer but its times", async () => {
  using world = makeWorld();
  const early = [Deno.execPath(), "run", "-A", "--no-check", "--quiet", "--no-lock"].concat(
    `--config=${join(CHECKOUT, "deno.json")}`,
    world.write("early.ts", EARLY),
  );
  const fdtool = early.map(quoteForShell).join(" ");
  const lines = [
    "seq 1 9000 | fdtool capture > /dev/null; fdtool read 1 --lines 7 --format raw",
    "fdtool run --always -- echo hi > /dev/null; fdtool read 2 --format raw",
    "echo '{\"a\": 1}' | fdtool capture --always > /dev/null; fdtool query 3 .a --format raw",
    "echo old > f; fdtool edit f --old old --new new > /dev/null && fdtool log --format raw | wc -l; cat f",
    "fdtool undo > /dev/null; cat f",
    "fdtool create g > /dev/null; echo x | fdtool answer inq:1 --content - > /dev/null; cat g",
    "fdtool export 1 2 -o x.tar > /dev/null; fdtool import x.tar > /dev/null; fdtool rm 2 > /dev/null",
    "fdtool gc > /dev/null; fdtool ls --format json | grep -c sealed",
    "fdtool recover > /dev/null; fdtool verify > /dev/null && echo sound",
  ];
  const runAll = async (name: string, program: string) => {
    Deno.mkdirSync(world.path(name));
    const options = { cwd: world.path(name), env: { FDTOOL_STORE: world.path(`${name}-store`) } };
    const answers: [string, string, string][] = [];
    for (const line of lines) {
      const { text, stderr } = await world.shell(line.replaceAll("fdtool ", `${program} `), options);
      answers.push([line, text, stderr]);
    }
    return answers;
  };
  const right = await runAll("right", "fdtool");
  assertEquals(right.map(([, text]) => text).join(""), "7\nhi\n1\n1\nnew\nold\nx\n1\nsound\n");
  assertEquals(await runAll("early", fdtool), right);
});
