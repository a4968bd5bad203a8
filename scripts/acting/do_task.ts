/** Does one task with the real binary, in a directory and a store of its own. */

import { dirname, join } from "node:path";
import { CHECKOUT } from "../checkout.ts";
import { charCount } from "../corpus/score_answer.ts";
import { type Call, NEXT, type Task } from "./tasks.ts";

export const FDTOOL = join(CHECKOUT, "dist", "fdtool");

/** The calls of a task, the chars of its command lines and of its answers, and what went wrong. */
export interface Done {
  name: string;
  calls: number;
  typedChars: number;
  answerChars: number;
  faults: string[];
  /** Each command and its answer. */
  transcript: string;
}

export async function doTask(task: Task): Promise<Done> {
  const world = Deno.makeTempDirSync({ prefix: "fdtool-agent-" });
  const directory = join(world, "work");
  const done: Done = { name: task.name, calls: 0, typedChars: 0, answerChars: 0, faults: [], transcript: "" };
  try {
    Deno.mkdirSync(directory);
    task.setUp(directory);
    let answer = "";
    for (const call of task.calls) {
      const line = call.line === NEXT ? nextIn(answer) : call.line;
      if (line === undefined) {
        done.faults.push("the answer before has no next command");
        break;
      }
      answer = await answerTo(line, directory, join(world, "store"));
      done.calls++;
      done.typedChars += charCount(line);
      done.answerChars += charCount(answer);
      done.transcript += `$ ${line}\n${answer}`;
      done.faults.push(...missing(call, line, answer));
    }
    for (const [path, text] of Object.entries(task.leaves ?? {})) {
      const content = Deno.readTextFileSync(join(directory, path));
      if (!content.includes(text)) done.faults.push(`${path} lacks ${text}`);
    }
  } finally {
    Deno.removeSync(world, { recursive: true });
  }
  return done;
}

/** The next command of an answer: an element, or an attribute if the answer has a body. */
function nextIn(answer: string): string | undefined {
  return /<next>(.*)<\/next>/.exec(answer)?.[1] ?? / next="([^"]*)"/.exec(answer)?.[1];
}

function missing({ holds }: Call, line: string, answer: string): string[] {
  return holds
    .filter((fact) => typeof fact === "string" ? !answer.includes(fact) : !fact.test(answer))
    .map((fact) => `${line.split("\n")[0]}: the answer lacks ${fact}`);
}

/** Runs a line of the shell. Returns what the agent reads: stdout and stderr. */
async function answerTo(line: string, cwd: string, store: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", {
    args: ["-c", `exec 2>&1\n${line}`],
    cwd,
    stdin: "null",
    clearEnv: true,
    env: {
      FDTOOL_STORE: store,
      HOME: cwd,
      LC_ALL: "C.UTF-8",
      NO_COLOR: "1",
      PATH: `${dirname(FDTOOL)}:${dirname(Deno.execPath())}:/usr/bin:/bin`,
    },
  }).output();
  return new TextDecoder().decode(stdout);
}
