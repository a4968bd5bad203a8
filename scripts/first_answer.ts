/**
 * Measures whether the first answer of fdtool holds the fact that a reader of the output needs. Run by
 * `scripts/first-answer`.
 */

import { join } from "node:path";
import { type CorpusCase, type Half, halfOf } from "./corpus/corpus_case.ts";
import { CASES } from "./corpus/corpus_cases.ts";
import { reportListings } from "./corpus/listings.ts";
import { keepOutput, keptOutput } from "./corpus/kept_outputs.ts";
import { measureCase, type Measured } from "./corpus/measure_case.ts";
import { recordCase } from "./corpus/record_case.ts";
import { measurePeers } from "./corpus/measure_peers.ts";
import { caseTable, lostList, totalsTable } from "./corpus/report_measures.ts";
import { recordRun, reportRuns } from "./corpus/runs/measure_runs.ts";
import { RUN_CASES } from "./corpus/runs/run_case.ts";
import { charCount, clean, placeOf, showsAll } from "./corpus/score_answer.ts";
import { keepPage, TODAY } from "./result_pages.ts";

const HELP = `Measures whether the first answer holds the fact that a reader of an output needs.

Usage: scripts/first-answer [--tuning] [--keep [NAME]]
       scripts/first-answer --export DIR
       scripts/first-answer --peers [--keep]
       scripts/first-answer --runs [--tuning] [--keep] [--record [NAME…]]
       scripts/first-answer --listings [--keep]
       scripts/first-answer --record [NAME…] | --record-missing | --list

  --tuning          measure the tuning half only, case by case
  --keep [NAME]     keep the results of both halves under scripts/first-answer-results/, named after the day and NAME
  --spoil-measured  print the measured half case by case; whoever looks at it can tune on it, which spoils the measure
  --export DIR      write the outputs of the tuning half and their facts to DIR
  --peers           measure the first answers of other tools, installed as scripts/corpus/TOOLS.md says
  --runs            measure whether the answer to a command that ran before states rightly what changed: of both halves,
                    or of the tuning half only; --record runs the tools again
  --listings        measure how many questions to listings are answered at once, and with one further call
  --record [NAME…]  make the outputs of all cases, or of the named ones, by running their tools
  --record-missing  make the outputs that are not recorded here
  --list            print the cases: half, whether it has a fault, name

A first answer is taken of each output, and of each with a small change (time stamps, a prefix, CRLF, colours, a line
less or more); \`next\` is followed at most five times. The half of a case is the first bit of the sha-256 of its name. The measured half is not tuned on: only its totals are
printed. Outputs of more than 40 KiB packed are not in the project; --record-missing makes them. It needs the tools
that scripts/corpus/TOOLS.md lists, installed in ~/.cache/fdtool/first-answer (FDTOOL_CORPUS_CACHE).
`;

async function main(words: readonly string[]): Promise<void> {
  const [option, ...rest] = words;
  switch (option) {
    case "--help":
      return console.log(HELP);
    case "--list":
      for (const each of CASES) {
        console.log(`${halfOf(each.name).padEnd(8)}  ${each.sound ? "sound" : "fault"}  ${each.name}`);
      }
      return;
    case "--record":
      return await record(CASES.filter(({ name }) => rest.length === 0 || rest.includes(name)));
    case "--record-missing":
      return await record(CASES.filter(({ name }) => keptOutput(name) === undefined));
    case "--peers":
      return await comparePeers(rest.includes("--keep"));
    case "--listings":
      return await measureListings(rest.includes("--keep"));
    case "--runs":
      return await measureRuns(rest);
    case "--export":
      if (rest[0] === undefined) throw new Error("--export needs a directory");
      return exportTuning(rest[0]);
    default:
      return await measure(words);
  }
}

async function measure(words: readonly string[]): Promise<void> {
  const tuning = await measureHalf("tuning");
  const tuningReport = `${totalsTable(tuning)}
${lostList(tuning)}

${caseTable(tuning)}
`;
  if (words.includes("--tuning")) return console.log(tuningReport);
  const measured = await measureHalf("measured");
  const report = `# Whether the first answer holds the fact

Measured by \`scripts/first-answer\` on ${TODAY}. Chars are those of the answer with its tags.

## Measured half

${totalsTable(measured)}
## Tuning half

${tuningReport}`;
  console.log(report);
  if (words.includes("--spoil-measured")) console.log(`${lostList(measured)}\n\n${caseTable(measured)}`);
  const keep = words.indexOf("--keep");
  if (keep !== -1) keepPage("first-answer", [TODAY, ...words.slice(keep + 1, keep + 2)].join("-"), report);
}

async function measureRuns(words: readonly string[]): Promise<void> {
  if (words[0] === "--record") {
    for (const each of RUN_CASES) if (words.length === 1 || words.includes(each.name)) await recordRun(each);
    return;
  }
  const report = `# Whether a second run's answer states rightly what changed

Measured by \`scripts/first-answer --runs\` on ${TODAY}. Chars are those of the answer with its tags.

${await reportRuns(words.includes("--tuning"))}`;
  console.log(report);
  if (words.includes("--keep")) keepPage("first-answer", `${TODAY}-runs`, report);
}

async function measureListings(keep: boolean): Promise<void> {
  const report = `# Whether first answers to listings hold what is asked of them

Measured by \`scripts/first-answer --listings\` on ${TODAY}.

${await reportListings()}`;
  console.log(report);
  if (keep) keepPage("first-answer", `${TODAY}-listings`, report);
}

async function comparePeers(keep: boolean): Promise<void> {
  const report = `# What other tools show first

Measured by \`scripts/first-answer --peers\` on ${TODAY}: outputs whose fact is shown, of both halves, beside the chars of
the answers. scripts/corpus/peer_answers.ts says how each was called.

${await measurePeers(CASES)}
`;
  console.log(report);
  if (keep) keepPage("first-answer", `${TODAY}-peers`, report);
}

/** Measures two cases at a time. */
async function measureHalf(half: Half): Promise<Measured[]> {
  const rows: Measured[] = [];
  const waiting = CASES.filter(({ name }) => halfOf(name) === half);
  const missing: string[] = [];
  const work = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const output = keptOutput(each.name);
      if (output === undefined) missing.push(each.name);
      else rows.push(await measureCase(each, output));
    }
  };
  await Promise.all([work(), work()]);
  if (missing.length > 0) {
    console.error(`Not recorded here: ${missing.join(", ")}. Run scripts/first-answer --record-missing`);
  }
  return rows.toSorted((a, b) => a.name < b.name ? -1 : 1);
}

async function record(cases: readonly CorpusCase[]): Promise<void> {
  for (const each of cases) {
    const output = await recordCase(each);
    const raw = new TextDecoder().decode(output);
    const text = clean(raw);
    const lacking = each.facts.filter((fact) => !showsAll(raw, [fact]));
    if (lacking.length > 0) {
      const path = await Deno.makeTempFile({ prefix: `${each.name}-` });
      Deno.writeFileSync(path, output);
      console.error(`${each.name}: the output lacks ${lacking.join(", ")}; it is in ${path}`);
      continue;
    }
    const { byteCount } = keepOutput(each.name, output);
    const places = each.facts.map((fact) => `${Math.round(100 * placeOf(fact, text) / text.length)} %`);
    const at = places.length === 0 ? "" : `; facts at ${places.join(", ")}`;
    console.log(`${each.name}: ${charCount(text)} chars, ${byteCount} bytes packed${at}`);
  }
}

/** The outputs as they are, and beside each its facts. */
function exportTuning(folder: string): void {
  Deno.mkdirSync(folder, { recursive: true });
  for (const { name, sound, facts, question } of CASES) {
    const output = halfOf(name) === "tuning" ? keptOutput(name) : undefined;
    if (output === undefined) continue;
    Deno.writeFileSync(join(folder, `${name}.out`), output);
    Deno.writeTextFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({ name, sound, question, facts: facts.map(String) }, null, 2) + "\n",
    );
  }
}

await main(Deno.args);
