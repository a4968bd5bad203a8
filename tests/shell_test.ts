/** `shell` from outside: contract, The shell. */

import { assert, assertEquals, assertStringIncludes, equal } from "@std/assert";
import * as fc from "fast-check";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHELL_LINES } from "./shell_lines.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

const [PROGRAM, ...PROGRAM_ARGS] = programUnderTest();

/** Under Deno, a background process that outlives the shell cannot be left alone. */
const IS_BINARY = PROGRAM_ARGS.length === 0;

interface Ended {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
  files: string;
}

/** A fresh directory with the files that random lines use. */
function fill(directory: string): void {
  mkdirSync(join(directory, "dir"), { recursive: true });
  writeFileSync(join(directory, "one.txt"), "1\n");
  writeFileSync(join(directory, "two.txt"), "2\n2\n");
  writeFileSync(join(directory, "lib.sh"), "libFunction() { echo from lib; }\nlibFunction\nLIB=1\n");
}

function filesIn(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((each) => {
      const path = join(each.parentPath, each.name);
      return `${path.slice(directory.length)}${each.isFile() ? `=${readFileSync(path, "latin1")}` : "/"}`;
    }).sort().join("\n");
}

async function runIn(world: World, directory: string, words: readonly string[], stdin: string): Promise<Ended> {
  // Both run in a directory of the same name, so that what they print is the same.
  const work = join(world.dir, "work");
  fill(directory);
  Deno.renameSync(directory, work);
  try {
    const child = new Deno.Command(words[0]!, {
      args: words.slice(1),
      cwd: work,
      clearEnv: true,
      env: { ...world.env, X: "x", HOME: world.home },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
    const { code, signal, stdout, stderr } = await child.output();
    const text = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return { code, signal, stdout: withoutPids(text(stdout)), stderr: withoutPids(text(stderr)), files: withoutPids(filesIn(work)) };
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}

/** Process ids differ in each run. */
function withoutPids(text: string): string {
  return text.replace(/\d{4,}/g, "N");
}

/** How many random lines are compared; the soak asks for more. */
const LINES = Number(Deno.env.get("FDTOOL_SHELL_LINES") ?? 60);

Deno.test("shell: any command line does what it does under bash", async () => {
  using world = makeWorld();
  await fc.assert(
    fc.asyncProperty(SHELL_LINES, fc.constantFrom("", "one\ntwo\n", "no line feed"), async (line, stdin) => {
      const under = (words: readonly string[]) =>
        runIn(world, join(world.dir, "fresh"), [...words, "-c", line, "name", "first arg"], stdin);
      const bash = () => under(["/bin/bash"]);
      const got = await under([PROGRAM!, ...PROGRAM_ARGS, "shell"]);
      const wanted = await bash();
      // What processes in a pipe do to each other is not the same each time, under bash either.
      for (let more = 0; more < 20 && !equal(got, wanted); more++) {
        if (equal(got, await bash())) return;
      }
      assertEquals(got, wanted, line);
    }),
    { numRuns: LINES, endOnFailure: true },
  );
});
