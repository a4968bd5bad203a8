/**
 * Defines classes of faults and runs their rounds. A round is a short run of cases chosen by its seed; a finding is
 * reported with that seed, so that it can be repeated.
 */

import { type Choices, choicesOf } from "./random_choices.ts";

/** One round: its seed's choices, and where it reports what it did. */
export interface Round {
  readonly seed: number;
  readonly choices: Choices;
  /** Counts cases: processes killed, calls failed, inputs fed. */
  ran(count: number): void;
  /** Runs one case, counts it and returns its result. An exception is a finding, and the round goes on. */
  attempt<T>(about: string, run: () => T | Promise<T>): Promise<T | undefined>;
}

/** A class of faults. */
export interface FaultClass {
  /** Its name for `--only`. */
  name: string;
  /** The faults and what must be true, in one line. */
  what: string;
  /** Why it cannot run here; undefined if it can. */
  unable?: (() => string | undefined) | undefined;
  /** Runs one round. An exception is a finding. */
  round(round: Round): void | Promise<void>;
}

/** A round that tries each of `cases` so many times, in turn. */
export function trying(
  times: number,
  ...cases: readonly ((choices: Choices, number: number, seed: number) => unknown)[]
): FaultClass["round"] {
  return async ({ seed, choices, attempt }) => {
    for (let number = 0; number < times; number++) {
      for (const each of cases) await attempt(`case ${number}`, () => each(choices, number, seed));
    }
  };
}

/** Something that broke. */
export interface SoakFinding {
  seed: number;
  what: string;
}

/** The result of a class. */
export interface ClassReport {
  name: string;
  what: string;
  rounds: number;
  runs: number;
  seeds: { first: number; last: number } | undefined;
  seconds: number;
  skipped: string | undefined;
  findings: SoakFinding[];
}

/** Returns an empty report. */
export function emptyReport({ name, what, unable }: FaultClass): ClassReport {
  const none = { rounds: 0, runs: 0, seeds: undefined, seconds: 0, findings: [] };
  return { name, what, ...none, skipped: unable?.() };
}

/** Runs rounds of a class from `seed` on while `more` returns true, and adds their results to `report`. */
export async function runRounds(
  faultClass: FaultClass,
  report: ClassReport,
  seed: number,
  more: (report: ClassReport) => boolean,
): Promise<void> {
  for (let next = seed; report.skipped === undefined && more(report); next++) {
    const startedMs = performance.now();
    const found = (about: string, thrown: unknown) => {
      const what = describe(thrown);
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
  }
}

/** Throws if there are findings. Each message follows its stack, so that a log cut off at the start still has the last. */
export function assertNothingFound({ findings }: ClassReport): void {
  if (findings.length === 0) return;
  const shown = findings.map(({ seed, what }) => {
    const [message = ""] = what.split("\n    at ", 1);
    return `${what.slice(message.length)}\nseed ${seed}: ${message}`;
  });
  throw new Error(shown.join("\n"));
}

/** Formats an exception with its stack and causes. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? "" : `\ncaused by ${describe(thrown.cause)}`;
  return (thrown.stack ?? thrown.message) + cause;
}
