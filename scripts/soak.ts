/**
 * Tries every class of faults for some minutes with random seeds, and reports each failure with the seed that repeats it.
 * Run by `scripts/soak`, which builds the binary first.
 */

import { parseOptions } from "./parse_options.ts";
import { type ClassReport, emptyReport, type FaultClass, runRounds } from "./soaking/fault_class.ts";
import { INNER_CLASSES, OUTER_CLASSES } from "./soaking/fault_classes.ts";

const CLASSES = [...INNER_CLASSES, ...OUTER_CLASSES];

const USAGE = `usage: scripts/soak [MINUTES] [--seed N] [--only CLASS[,CLASS…]]

Tries classes of faults for MINUTES (10 unless given), each for its share of the time. Ends with 1 where something broke.

  --seed N   begin with this seed, to see a finding again (with --only); random unless given
  --only     these classes and no others
  --list     the classes, and why one cannot be tried here
`;

const { values, positionals } = parseOptions({
  args: Deno.args,
  allowPositionals: true,
  options: {
    seed: { type: "string" },
    only: { type: "string" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});

async function main(): Promise<number> {
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  if (values.list === true) {
    for (const { name, what, unable } of CLASSES) {
      const why = unable?.();
      console.log(`${name.padEnd(16)} ${what}${why === undefined ? "" : ` (not here: ${why})`}`);
    }
    return 0;
  }
  const minutes = Number(positionals[0] ?? 10);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
  const names = values.only?.split(",") ?? CLASSES.map(({ name }) => name);
  const unknown = names.find((name) => !CLASSES.some((each) => each.name === name));
  if (!(minutes > 0) || !Number.isSafeInteger(seed) || positionals.length > 1 || unknown !== undefined) {
    console.error(unknown === undefined ? USAGE : `fdtool: no class ${unknown}; see scripts/soak --list`);
    return 2;
  }
  const chosen = CLASSES.filter(({ name }) => names.includes(name));
  console.log(`fdtool: soaking for ${minutes} minutes from seed ${seed} …`);
  const reports = await soak(chosen, seed, Date.now() + minutes * 60_000);
  return reports.some(({ findings }) => findings.length > 0) ? 1 : 0;
}

/** Goes through the classes: each gets its share of the time that is left. */
async function soak(classes: readonly FaultClass[], seed: number, endMs: number): Promise<ClassReport[]> {
  const reports = classes.map(emptyReport);
  for (const [index, faultClass] of classes.entries()) {
    const report = reports[index]!;
    const shareEndMs = Date.now() + (endMs - Date.now()) / (classes.length - index);
    await runRounds(faultClass, report, seed, ({ rounds }) => rounds === 0 || Date.now() < shareEndMs);
    const { name, skipped, runs, seconds, seeds, findings } = report;
    const ended = `${runs} runs in ${
      seconds.toFixed(1)
    } s to seed ${seeds?.last}, ${findings.length} findings`;
    console.log(`${name.padEnd(16)} ${skipped === undefined ? ended : `skipped: ${skipped}`}`);
    for (const { seed: at, what } of findings.slice(0, 5)) {
      console.log(
        `  seed ${at}: ${what.slice(0, 2000)}\n  again: ./scripts/soak 1 --only ${name} --seed ${at}`,
      );
    }
  }
  return reports;
}

Deno.exitCode = await main();
