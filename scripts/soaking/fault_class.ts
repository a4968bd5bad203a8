/**
 * What a class of faults is, and how rounds of it are run. A round is a short run of cases that its seed decides; what
 * it finds is told with that seed, so that it can be run again.
 *
 * @module
 */

import { type Choices, choicesOf } from "./random_choices.ts";

/** One round: its seed's choices, and where it tells what it did. */
export interface Round {
  readonly seed: number;
  readonly choices: Choices;
  /** Counts cases: processes killed, calls failed, inputs fed. */
  ran(count: number): void;
  /** Runs one case and counts it. What it throws is a finding, and the round goes on. Answers what it answers. */
  attempt<T>(about: string, run: () => T | Promise<T>): Promise<T | undefined>;
}

/** A class of faults. */
export interface FaultClass {
  /** What `--only` calls it. */
  name: string;
  /** What is done and what must hold, in a line. */
  what: string;
  /** How many cases a whole soak wants of it (the "Faults" that fdtool is measured by). */
  wanted: number;
  /** Why it cannot be run here; undefined where it can. */
  unable?: (() => string | undefined) | undefined;
  /** What its rounds in this process did, in numbers, if there is more to say than how many cases there were. */
  tally?: (() => string) | undefined;
  /** Runs one round. What it throws is a finding. */
  round(round: Round): void | Promise<void>;
}

/** Something that broke. */
export interface SoakFinding {
  seed: number;
  what: string;
}

/** What came of a class. */
export interface ClassReport {
  name: string;
  what: string;
  wanted: number;
  rounds: number;
  runs: number;
  seeds: { first: number; last: number } | undefined;
  seconds: number;
  /** What the class's `tally` says. */
  tally?: string | undefined;
  skipped: string | undefined;
  findings: SoakFinding[];
}

/** A report of nothing yet. */
export function emptyReport({ name, what, wanted, unable }: FaultClass): ClassReport {
  return {
    name,
    what,
    wanted,
    rounds: 0,
    runs: 0,
    seeds: undefined,
    seconds: 0,
    skipped: unable?.(),
    findings: [],
  };
}

/** Runs rounds of a class from `seed` on while `more` says so, and adds what came of them to `report`. */
export async function runRounds(
  faultClass: FaultClass,
  report: ClassReport,
  seed: number,
  more: (report: ClassReport) => boolean,
): Promise<void> {
  for (let next = seed; report.skipped === undefined && more(report); next++) {
    const startedMs = performance.now();
    const found = (about: string, thrown: unknown) => {
      const what = told(thrown);
      report.findings.push({ seed: next, what: about === "" ? what : `${about}: ${what}` });
    };
    const ran = (count: number) => {
      report.runs += count;
    };
    try {
      await faultClass.round({
        seed: next,
        choices: choicesOf(next),
        ran,
        async attempt(about, run) {
          ran(1);
          try {
            return await run();
          } catch (thrown) {
            found(about, thrown);
            return undefined;
          }
        },
      });
    } catch (thrown) {
      found("", thrown);
    }
    report.rounds++;
    report.seeds = { first: report.seeds?.first ?? next, last: next };
    report.seconds += (performance.now() - startedMs) / 1000;
    report.tally = faultClass.tally?.();
  }
}

/** What was thrown, with where and why. */
function told(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : `\ncaused by ${told(thrown.cause)}`;
  return (thrown.stack ?? thrown.message) + cause;
}
