/** A command that really ran several times, its project being edited between the runs, and what changed each time. */

import { readdirSync } from "node:fs";
import { filesOf } from "../text_cases.ts";

export interface RunCase {
  /** Names the file of the outputs, and decides the half: `halfOf`. */
  name: string;
  /** The programs that really ran. */
  tools: string;
  files: () => Record<string, string>;
  /** The command that bash runs in the project's directory, each time; its stdout and stderr together are the output. */
  command: string;
  /** The later runs, in order. */
  reruns: readonly Rerun[];
}

/** A later run, and what the answer has to say of it. Written before any answer was looked at. */
export interface Rerun {
  /** A line of bash that changes the project before it. */
  edit: string;
  /** Lines that the answer has to call gone; each matches one of them. */
  gone: readonly RegExp[];
  /** Lines that the answer has to call new. */
  fresh: readonly RegExp[];
  /** Lines that the answer must call neither gone nor new, and has to show. */
  left: readonly RegExp[];
  /** Matches what is said before the digest: how many failures are left. */
  count: RegExp;
}

const LISTS = ["gone", "fresh", "left"] as const;

const FOLDER = new URL("./projects/", import.meta.url);

/**
 * The cases in `projects/`, a text file each: lines that begin with `tools:`, `run:` and, for each rerun, `edit:`, `gone:`,
 * `fresh:`, `left:` (patterns between slashes) and `count:`; then the files, as in `../projects/`.
 */
export const RUN_CASES: readonly RunCase[] = readdirSync(FOLDER).sort().map((file) =>
  runCase(file.replace(/\.txt$/, ""), Deno.readTextFileSync(new URL(file, FOLDER)))
);

function runCase(name: string, text: string): RunCase {
  const head = text.split(/^-- .* --\n/m, 1)[0]!;
  const [, ...parts] = head.split(/^(tools|run|edit|gone|fresh|left|count): /m);
  const said: Record<string, string> = {};
  const reruns: Rerun[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const key = parts[at]!;
    const value = parts[at + 1]!.trimEnd();
    const rerun = reruns.at(-1);
    const list = LISTS.find((each) => each === key);
    if (key === "edit") reruns.push({ edit: value, gone: [], fresh: [], left: [], count: /$^/ });
    else if (rerun === undefined) said[key] = value;
    else if (list !== undefined) rerun[list] = [...rerun[list], pattern(value)];
    else rerun.count = pattern(value);
  }
  return { name, tools: said.tools!, command: said.run!, reruns, files: () => filesOf(text) };
}

/** The pattern that is written as in TypeScript. */
function pattern(value: string): RegExp {
  const [, source, flags] = /^\/(.*)\/(\w*)$/.exec(value) ?? [];
  if (source === undefined) throw new Error(`${value} is not a pattern between slashes`);
  return new RegExp(source, flags);
}
