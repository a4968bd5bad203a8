// Promise: makePipes makes all of a command's pipes or none of them.

import { assertEquals } from "@std/assert";

/** Makes more pipes than the limit of open files allows; prints how many it got and how many files leaked. */
const SCRIPT = `
import { makePipes } from ${JSON.stringify(import.meta.resolve("./output_pipe.ts"))};
const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
makePipes(1, {})?.forEach(({ readEnd, writeEnd }) => [readEnd, writeEnd].forEach((end) => closeSync(end)));
const before = open();
const pipes = makePipes(300, { PATH: "/usr/bin:/bin" });
console.log(pipes === undefined, open() - before);
import { closeSync } from "node:fs";
`;

Deno.test({
  name: "of pipes that cannot all be opened none stays open",
  ignore: Deno.build.os !== "linux",
  fn: () => {
    const { stdout, stderr } = new Deno.Command("sh", {
      args: [
        "-c",
        'ulimit -n 300; printf %s "$1" | "$2" run -A --quiet --ext=ts -',
        "sh",
        SCRIPT,
        Deno.execPath(),
      ],
    }).outputSync();
    const text = new TextDecoder();
    assertEquals([text.decode(stdout), text.decode(stderr)], ["true 0\n", ""]);
  },
});
