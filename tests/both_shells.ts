/** Runs a command line under bash and under `fdtool shell`, and compares all that can be seen from outside. */

import { equal } from "@std/assert";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { programUnderTest, type World } from "./world.ts";

export interface Ended {
  code: number;
  signal: string | null;
  stdout: string;
  stderr: string;
  files: string;
}

/** Each byte as a char. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
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

async function runIn(
  world: World,
  directory: string,
  words: readonly string[],
  stdin: string,
  setting: Setting,
): Promise<Ended> {
  // Both run in a directory of the same name, so that what they print is the same.
  const work = join(world.dir, "work");
  fill(directory);
  Deno.renameSync(directory, work);
  try {
    const child = new Deno.Command(words[0]!, {
      args: words.slice(1),
      cwd: work,
      clearEnv: true,
      env: { ...world.env, X: "x", HOME: world.home, ...setting },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
    const { code, signal, stdout, stderr } = await child.output();
    return {
      code,
      signal,
      stdout: withoutPids(latin1(stdout)),
      stderr: withoutPids(latin1(stderr)),
      files: withoutPids(filesIn(work)),
    };
  } finally {
    Deno.removeSync(work, { recursive: true });
  }
}

/** Process ids differ in each run, and pipes that are cut off get a line. */
function withoutPids(text: string): string {
  return text.replace(/^fdtool: .*\n/gm, "").replace(/ *\d{3,}/g, " N");
}

/** The variables that both ways of running a line get. */
export type Setting = Readonly<Record<string, string>>;

/** Processes of a pipe race with each other, under bash too. */
const MAX_TRIES = 30;

/** How a line ends under bash and under `fdtool shell`, if that differs in each of several runs. */
export async function differenceFromBash(
  world: World,
  line: string,
  stdin: string,
  setting: Setting = {},
): Promise<{ wanted: Ended; got: Ended } | undefined> {
  const under = (words: readonly string[]) =>
    runIn(world, join(world.dir, "fresh"), [...words, "-c", line, "name", "first arg"], stdin, setting);
  const wanted: Ended[] = [];
  const got: Ended[] = [];
  while (got.length < MAX_TRIES) {
    wanted.push(await under(["bash"]));
    got.push(await under([...programUnderTest(), "shell"]));
    if (got.some((each) => wanted.some((other) => equal(each, other)))) return undefined;
  }
  return { wanted: wanted[0]!, got: got[0]! };
}
