/**
 * The record of a command whose stdout and stderr are two pipes, and the pipes themselves: lines stay whole and in order,
 * and nothing is left of the pipes.
 */

import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import { existsSync } from "node:fs";
import { makeWorld, programUnderTest, runsOf, type World } from "./world.ts";

const ignore = Deno.build.os !== "linux" || programUnderTest().length > 1;

/** The record of `line`, run with stdout and stderr as two pipes. */
async function recordOf(world: World, line: string): Promise<string> {
  const { text } = await world.run(["-c", line]);
  const fd = /fd="(fd:\d+)"/.exec(text)?.[1];
  assert(fd !== undefined, text);
  return (await world.run(["read", fd, "--all", "--format", "raw"])).text;
}

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1}\n`).join("");

Deno.test({
  name: "two pipes: a message follows all of the output that was written before it",
  ignore,
  async fn() {
    using world = makeWorld();
    for (let run = 0; run < runsOf(15); run++) {
      for (
        const [line, last] of [
          ["seq 1 50000; echo oops >&2; exit 3", "oops\n"],
          ["seq 1 50000 >&2; echo done", "done\n"],
          ["seq 1 50000; printf oops >&2", "oops"],
        ] as const
      ) {
        assertEquals(await recordOf(world, line) === numbers(50_000) + last, true, line);
      }
    }
  },
});

Deno.test({
  name: "two pipes: lines that come in parts are whole",
  ignore,
  async fn() {
    const step = fc.record({
      stream: fc.constantFrom(1, 2),
      parts: fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        using world = makeWorld();
        // Each line begins on its stream, and before it ends the other stream brings one.
        const begun = steps.map(({ stream, parts }, at) => {
          const [first = 1, ...rest] = parts;
          const other = 3 - stream;
          return `head -c ${first} /dev/zero | tr '\\0' a >&${stream}; echo b${at} >&${other}
${
            rest.map((size) => `head -c ${size} /dev/zero | tr '\\0' a >&${stream};`).join(" ")
          } echo c${at} >&${stream}`;
        });
        const record = await recordOf(world, `${begun.join("\n")}\nseq 1 3000`);
        const length = (parts: readonly number[]) => parts.reduce((sum, size) => sum + size, 0);
        const wanted = steps.map(({ parts }, at) => `b${at}\n${"a".repeat(length(parts))}c${at}\n`).join("");
        const lines = (text: string) => text.split("\n").sort().join("\n");
        assertEquals(lines(record) === lines(wanted + numbers(3000)), true, record.slice(0, 300));
      }),
      { numRuns: runsOf(8) },
    );
  },
});

Deno.test({
  name: "one pipe: the order of a run is that of the writes, whatever waits",
  ignore,
  async fn() {
    using world = makeWorld();
    for (let run = 0; run < runsOf(10); run++) {
      const { text, code } = await world.run([
        "run",
        "--preview",
        "none",
        "--",
        "sh",
        "-c",
        "seq 1 50000; echo oops >&2; exit 3",
      ]);
      const fd = /fd="(fd:\d+)"/.exec(text)![1]!;
      const record = await world.run(["read", fd, "--all", "--format", "raw"]);
      assertEquals([code, record.text === `${numbers(50_000)}oops\n`], [3, true]);
    }
  },
});

Deno.test({
  name: "pipes: whatever TMPDIR is, the command runs, and nothing of them is left or passed on",
  ignore,
  async fn() {
    using world = makeWorld();
    const others = `fdtool-pipes-${Deno.uid()}`;
    world.write("file", "");
    Deno.mkdirSync(world.path(`open/${others}`), { recursive: true });
    Deno.chmodSync(world.path(`open/${others}`), 0o777);
    for (const name of ["empty", 'it\'s $(touch evil) "quoted" `x`']) Deno.mkdirSync(world.path(name));
    Deno.mkdirSync(world.path("linked"));
    Deno.symlinkSync("/", world.path(`linked/${others}`));
    for (
      const tmpdir of ["open", "linked", "empty", "file", "missing", 'it\'s $(touch evil) "quoted" `x`', "."]
    ) {
      for (const limit of ["", "ulimit -n 100; "]) {
        const env = { TMPDIR: tmpdir === "." ? "." : world.path(tmpdir) };
        // Without room for the pipes that the binary starts with, FIFOs are made.
        const line = "seq 1 9000 | tail -1; ls /proc/self/fd | wc -l";
        const all = `fdtool -c '${line}' && fdtool run -- sh -c 'echo a; echo b >&2'`;
        const { text, code } = await world.shell(limit + all, { env });
        assertEquals([text.replace(/\n\d+\n/, "\n"), code], ["9000\na\nb\n", 0], tmpdir);
        if (limit === "") assertEquals(text, `${(await world.shell(`bash -c '${line}'`)).text}a\nb\n`);
      }
    }
    const left = [...walk(world.dir)].sort();
    assertEquals(
      left,
      ["empty", "file", 'it\'s $(touch evil) "quoted" `x`', "linked", "open"].flatMap((name) =>
        name === "open" || name === "linked" ? [name, `${name}/${others}`] : [name]
      ),
    );
    assertEquals(existsSync(world.path("evil")), false);
  },
});

function* walk(folder: string, before = ""): Iterable<string> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    yield before + name;
    if (isDirectory) yield* walk(`${folder}/${name}`, `${before}${name}/`);
  }
}
