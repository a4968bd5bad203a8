// Promise: makePipes makes all of a command's pipes or none of them, and a pipe that is left has nothing in it but what was
// written later.

import { closeSync, readSync, writeSync } from "node:fs";
import { assertEquals } from "@std/assert";
import { makePipes, readPipe } from "./output_pipe.ts";

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

Deno.test({
  name: "who leaves a pipe while others wait for its bytes leaves no mark in it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const { readEnd, writeEnd } = makePipes(1, { PATH: "/usr/bin:/bin" })![0]!;
    let taken = "";
    let reachedCount = 0;
    const take = (bytes: Uint8Array): void => {
      taken += new TextDecoder().decode(bytes);
      // The other stream of the command has brought something, too.
      reading.reach(() => reachedCount++);
    };
    const reading = readPipe(readEnd, take, Promise.resolve(false));
    writeSync(writeEnd, new TextEncoder().encode("before\n"));
    assertEquals([await reading.leave(), taken, reachedCount], [readEnd, "before\n", 1]);
    writeSync(writeEnd, new TextEncoder().encode("after\n"));
    const bytes = new Uint8Array(100);
    const byteLength = readSync(readEnd, bytes);
    assertEquals(new TextDecoder().decode(bytes.subarray(0, byteLength)), "after\n");
    [readEnd, writeEnd].forEach((end) => closeSync(end));
  },
});
