/**
 * Counts what ten tasks cost an agent in a shell: calls, and chars of answers. Run by `scripts/agent-tasks`.
 */

import { type Done, doTask } from "./acting/do_task.ts";
import { INSTRUCTIONS, TASKS } from "./acting/tasks.ts";
import { keepPage, markdownTable, TODAY } from "./result_pages.ts";

/** Maximum for all tasks together. Before they were measured: 47 calls, 72,000 chars. */
export const MAX_CALLS = 30;
export const MAX_ANSWER_CHARS = 30_000;

const HELP = `Does ten tasks as an agent in a shell would that knows only what fdtool prints.

Usage: scripts/agent-tasks [--keep] [--show [TASK]]

  --keep         keep the results under scripts/agent-tasks-results/, named after the day
  --show [TASK]  print the calls and answers of one task, or of all

Fails if an answer lacks its decisive fact, or if all tasks take more than ${MAX_CALLS} calls or ${MAX_ANSWER_CHARS} chars of
answers.
`;

export async function doTasks(): Promise<Done[]> {
  const all: Done[] = [];
  for (const task of [INSTRUCTIONS, ...TASKS]) all.push(await doTask(task));
  return all;
}

/** The missing facts, and the bounds that the results break. */
export function faultsIn(all: readonly Done[]): string[] {
  const calls = sum(all, "calls");
  const chars = sum(all, "answerChars");
  return [
    ...all.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`)),
    ...(calls > MAX_CALLS ? [`${calls} calls, at most ${MAX_CALLS} wanted`] : []),
    ...(chars > MAX_ANSWER_CHARS ? [`${chars} chars of answers, at most ${MAX_ANSWER_CHARS} wanted`] : []),
  ];
}

function sum(all: readonly Done[], field: "calls" | "typedChars" | "answerChars"): number {
  return all.reduce((total, done) => total + done[field], 0);
}

function reportOf(all: readonly Done[]): string {
  const row = (name: string, done: readonly Done[]) => {
    const counts = (["calls", "typedChars", "answerChars"] as const)
      .map((field) => sum(done, field).toLocaleString("en-US"));
    return [name, ...counts];
  };
  return `# What ten tasks cost an agent in a shell

Measured by \`scripts/agent-tasks\` on ${TODAY}. Chars of answers are those of stdout and stderr.

${
    markdownTable(["task", "calls", "chars typed", "chars of answers"], [
      ...all.map((done) => row(done.name, [done])),
      row("all", all),
    ])
  }
`;
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const all = await doTasks();
  const shows = words.indexOf("--show");
  if (shows >= 0) {
    const wanted = words[shows + 1];
    for (const { name, transcript } of all) {
      if (wanted === undefined || name === wanted) console.log(transcript);
    }
  }
  const report = reportOf(all);
  console.log(report);
  const faults = faultsIn(all);
  for (const fault of faults) console.log(fault);
  if (words.includes("--keep")) keepPage("agent-tasks", TODAY, report);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
