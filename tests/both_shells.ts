/** Runs a command line under bash and under `fdtool shell`, and compares all that can be seen from outside. */

import { equal } from "@std/assert";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { ifPossible, systemCode } from "../fd/system.ts";
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

/** Enough that a pipe's copy is stored, and few enough that a pipe has room for them. */
const LIST_LINES = 1200;
const LIST = "list";

/** A fresh directory with the files that random lines use. */
function fill(directory: string): void {
  mkdirSync(join(directory, "dir"), { recursive: true });
  writeFileSync(join(directory, "one.txt"), "1\n");
  writeFileSync(join(directory, "two.txt"), "2\n2\n");
  // Without digits, which are replaced where they may be process ids.
  const name = (count: number) => Array.from(String(count), (digit) => "abcdefghij"[Number(digit)]).join("");
  const lines = Array.from({ length: LIST_LINES }, (_, at) => `${name(at)} a line of the list\n`);
  writeFileSync(join(directory, LIST), lines.join(""));
  writeFileSync(join(directory, "lib.sh"), "libFunction() { echo from lib; }\nlibFunction\nLIB=1\n");
}

function filesIn(directory: string): string {
  if (!existsSync(directory)) return "none";
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((each) => {
      const path = join(each.parentPath, each.name);
      // No line changes it, and it would fill the reports.
      if (each.name === LIST) return LIST;
      return `${path.slice(directory.length)}${each.isFile() ? `=${readFileSync(path, "latin1")}` : "/"}`;
    }).sort().join("\n");
}

const PASSED_CHARS = 8000;

/** Some lines wait for ever, such as one whose `cat` reads what it writes. */
const LIMIT_SECONDS = 4;
const TIMED_OUT = 124;

async function runIn(
  world: World,
  directory: string,
  words: readonly string[],
  { stdin = "", opening = "", env = {} }: Setting,
): Promise<Ended> {
  // Both run in a directory of the same name, so that what they print is the same.
  const work = join(world.dir, "work");
  fill(directory);
  Deno.renameSync(directory, work);
  try {
    // A line may ignore TERM.
    const limited = ["timeout", "-k", "1", String(LIMIT_SECONDS), ...words];
    const startedAt = Date.now();
    // The variables of bash are for the words alone.
    const all = opening === "" ? limited : ["bash", "-c", `${opening} exec "$@"`, "opening", ...limited];
    const child = new Deno.Command(all[0]!, {
      args: all.slice(1),
      cwd: work,
      clearEnv: true,
      // The program `time` writes this instead of times.
      env: { ...world.env, X: "x", HOME: world.home, TIME: "timed", ...env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
    const { code, signal, stdout, stderr } = await child.output();
    const isLate = Date.now() - startedAt >= LIMIT_SECONDS * 1000;
    if (isLate) return { code: TIMED_OUT, signal: null, stdout: "", stderr: "", files: "" };
    // More is stored instead, and other tests compare that.
    const isLarge = stdout.length + stderr.length > PASSED_CHARS || latin1(stdout).includes("<fd_result ");
    return {
      code,
      signal,
      stdout: isLarge ? "" : withoutPids(latin1(stdout)),
      stderr: isLarge ? "" : withoutPids(latin1(stderr)),
      files: withoutPids(filesIn(work)),
    };
  } finally {
    remove(work);
  }
}

/** Removes a directory in which processes that a line left behind may still write. Its files have been compared by then. */
function remove(directory: string): void {
  for (;;) {
    try {
      return rmSync(directory, { recursive: true, force: true });
    } catch (thrown) {
      if (systemCode(thrown) !== "ENOTEMPTY") throw thrown;
      for (const name of readdirSync("/proc")) {
        const isThere = () => readlinkSync(`/proc/${name}/cwd`).startsWith(directory);
        if (Number(name) > 0 && ifPossible(isThere)) ifPossible(() => process.kill(Number(name), "SIGKILL"));
      }
    }
  }
}

/** Process ids differ in each run, and pipes that are cut off get a line. */
function withoutPids(text: string): string {
  return text.replace(/fdtool: .*\n/g, "").replace(/ *\d{3,}/g, " N");
}

/** Stdin, variables and descriptors of both ways of running a line. */
export interface Setting {
  stdin?: string;
  /** Commands before them in the same process, such as redirections. */
  opening?: string;
  env?: Readonly<Record<string, string>>;
}

/** Processes of a pipe race with each other, under bash too. */
const MAX_TRIES = 20;

/** How a line ends under bash and under `fdtool shell`, if that differs in each of several runs. */
export async function differenceFromBash(
  world: World,
  line: string,
  setting: Setting = {},
): Promise<{ wanted: Ended; got: Ended } | undefined> {
  const under = async (words: readonly string[]): Promise<Ended> => {
    const all = [...words, "-c", line, "name", "first arg"];
    const ended = await runIn(world, join(world.dir, "fresh"), all, setting);
    // Stages of a pipe trace in any order.
    if (/\bset\s+-\w*x/.test(line)) ended.stderr = ended.stderr.split("\n").sort().join("\n");
    return ended;
  };
  const wanted: Ended[] = [];
  const got: Ended[] = [];
  while (got.length < MAX_TRIES) {
    wanted.push(await under(["bash"]));
    got.push(await under([...programUnderTest(), "shell"]));
    if (got.some((each) => wanted.some((other) => equal(each, other)))) return undefined;
  }
  // Programs of a pipe write to stderr at the same time, some in pieces.
  const mixed = (ended: Ended) => ({ ...ended, stderr: [...ended.stderr].sort().join("") });
  const isRace = line.includes("|") &&
    got.some((each) => wanted.some((other) => equal(mixed(each), mixed(other))));
  return isRace ? undefined : { wanted: wanted[0]!, got: got[0]! };
}
