/** Whether the answer to a command that ran before states rightly what changed. */

import { join } from "node:path";
import { halfOf } from "../corpus_case.ts";
import { keepOutput, keptOutput } from "../kept_outputs.ts";
import { shell } from "../measure_case.ts";
import { recordRuns } from "../record_case.ts";
import { median, number, share } from "../report_measures.ts";
import { markdownTable } from "../../result_pages.ts";
import { charCount, clean } from "../score_answer.ts";
import { type Rerun, RUN_CASES, type RunCase } from "./run_case.ts";

/** Between the outputs of a case, which are kept in one file. */
const SEPARATOR = "\0\n";

export function keptRuns({ name }: RunCase): string[] | undefined {
  const kept = keptOutput(`runs/${name}`);
  return kept && new TextDecoder().decode(kept).split(SEPARATOR);
}

/** Runs the tools of a case, keeps the outputs, and says where they are not as the case says. */
export async function recordRun(each: RunCase): Promise<void> {
  const outputs = await recordRuns(
    each.name,
    each.files(),
    each.command,
    each.reruns.map(({ edit }) => edit),
  );
  const texts = outputs.map((output) => new TextDecoder().decode(output));
  const { byteCount } = keepOutput(`runs/${each.name}`, new TextEncoder().encode(texts.join(SEPARATOR)));
  console.log(`${each.name}: ${texts.map(charCount).join(", ")} chars, ${byteCount} bytes packed`);
  for (const wrong of wrongFacts(each, texts)) console.error(`  ${wrong}`);
}

/** The facts of a case that its outputs do not have. */
export function wrongFacts({ reruns }: RunCase, outputs: readonly string[]): string[] {
  const lines = outputs.map((output) => clean(output).split("\n"));
  const has = (run: number, fact: RegExp) => lines[run]!.some((line) => fact.test(line));
  return reruns.flatMap(({ gone, fresh, left }, at) => [
    ...gone.filter((fact) => !has(at, fact)).map((fact) => `run ${at + 1} lacks ${fact}, which goes`),
    ...fresh.filter((fact) => !has(at + 1, fact)).map((fact) => `run ${at + 2} lacks ${fact}, which is new`),
    ...left.filter((fact) => !has(at, fact) || !has(at + 1, fact)).map((fact) =>
      `run ${at + 1} or ${at + 2} lacks ${fact}`
    ),
  ]);
}

export interface MeasuredRun {
  name: string;
  wrong: string[];
  charCount: number;
  /** Of the answer to one more run with the same output. */
  sameCharCount: number;
  answers: string[];
}

/** Measures a case in a store of its own. The command is `cat`, so that the outputs are those that were recorded. */
async function measureRun(each: RunCase, outputs: readonly string[]): Promise<MeasuredRun[]> {
  const folder = Deno.makeTempDirSync({ prefix: "run-changes-" });
  try {
    const answerTo = async (output: string) => {
      Deno.writeTextFileSync(join(folder, "output"), output);
      return await shell("fdtool run --always -- cat output", join(folder, "store"), "/dev/null", folder);
    };
    const answers: string[] = [];
    for (const output of outputs) answers.push(await answerTo(output));
    const same = charCount(await answerTo(outputs.at(-1)!));
    return each.reruns.map((rerun, at) => ({
      name: each.reruns.length === 1 ? each.name : `${each.name} ${at + 2}`,
      wrong: wrongStatements(rerun, answers[at + 1]!),
      charCount: charCount(answers[at + 1]!),
      sameCharCount: same,
      answers: [answers[at]!, answers[at + 1]!],
    }));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Lines of the answer that say what changed. */
const CHANGE = /^(new|gone|now|was) +(?:\d+:|and )(.*)$/;

/** The parts of the statement that the answer gets wrong or leaves out. */
function wrongStatements({ gone, fresh, left, count }: Rerun, answer: string): string[] {
  const text = answer.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const rows = text.split("\n").flatMap((line) => {
    const found = CHANGE.exec(line);
    return found === null ? [] : [{ kind: found[1]!, text: found[2]! }];
  });
  const calls = (fact: RegExp, ...kinds: string[]) =>
    rows.some((row) => kinds.includes(row.kind) && fact.test(row.text));
  const statement = text.slice(0, text.indexOf("<preview>")) + rows.map(({ text }) => text).join("\n");
  return [
    ...gone.filter((fact) => !calls(fact, "gone")).map((fact) => `not gone: ${fact}`),
    ...fresh.filter((fact) => !calls(fact, "new")).map((fact) => `not new: ${fact}`),
    ...left.filter((fact) =>
      rows.some((row) =>
        row.kind === "gone" && fact.test(row.text) && !gone.some((other) => other.test(row.text)) ||
        row.kind === "new" && fact.test(row.text) && !fresh.some((other) => other.test(row.text))
      )
    ).map((fact) => `left, but called new or gone: ${fact}`),
    ...left.filter((fact) => !text.split("\n").some((line) => fact.test(line) && !/^gone/.test(line)))
      .map((fact) => `left, and not shown: ${fact}`),
    ...(count.test(statement) ? [] : [`count: ${count}`]),
  ];
}

/** The measures as text: totals of both halves, and the cases of the tuning half. */
export async function reportRuns(onlyTuning: boolean): Promise<string> {
  const answersTo = Deno.env.get("FDTOOL_CORPUS_ANSWERS");
  const report: string[] = [];
  for (const half of onlyTuning ? ["tuning"] as const : ["tuning", "measured"] as const) {
    const rows: MeasuredRun[] = [];
    for (const each of RUN_CASES.filter(({ name }) => halfOf(name) === half)) {
      const outputs = keptRuns(each);
      if (outputs !== undefined) rows.push(...await measureRun(each, outputs));
    }
    const right = rows.filter(({ wrong }) => wrong.length === 0).length;
    report.push(
      `${half} half: ${share(right, rows.length)} stated rightly; chars of an answer: median ${
        number(median(rows.map(({ charCount }) => charCount)))
      }, most ${
        number(Math.max(...rows.map(({ charCount }) => charCount)))
      }; of the same output again: median ${
        number(median(rows.map(({ sameCharCount }) => sameCharCount)))
      }, most ${number(Math.max(...rows.map(({ sameCharCount }) => sameCharCount)))}\n`,
    );
    if (half !== "tuning") continue;
    report.push(
      markdownTable(
        ["run", "chars", "same", "wrong"],
        rows.map((row) => [row.name, number(row.charCount), number(row.sameCharCount), row.wrong.join("; ")]),
      ) + "\n",
    );
    if (answersTo === undefined) continue;
    Deno.mkdirSync(answersTo, { recursive: true });
    for (const { name, answers } of rows) {
      Deno.writeTextFileSync(join(answersTo, `${name.replace(" ", "-")}.txt`), answers.join("\n=====\n"));
    }
  }
  return report.join("\n");
}
