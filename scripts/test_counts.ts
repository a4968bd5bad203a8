/** Counting tests over several runs. */

/** How many tests passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

/** The sum of two counts. */
export function addCounts(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/**
 * The counts in the summary that `deno test` ends with. A run that failed without a failed test (a type error, a crash, a
 * leak found at the end) counts as one failure more, and so does one that ran no test or has no summary.
 */
export function countsOfDenoTest(output: string, succeeded: boolean): Counts {
  const summaries = [...output.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed.*$/gm)];
  const last = summaries.at(-1);
  const [line = "", passed = "0", failed = "0"] = last ?? [];
  const skipped = /(\d+) ignored/.exec(line)?.[1] ?? "0";
  const counts = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
  const ranNone = counts.passed + counts.failed === 0;
  if (counts.failed === 0 && (!succeeded || ranNone)) return { ...counts, failed: 1 };
  return counts;
}

/**
 * The names of the failed tests in the output of `deno test`, each with its file and line: the lines between its heading
 * FAILURES and the summary. Empty for a run that crashed before that.
 */
export function failedTests(output: string): string[] {
  const [, listed = ""] = /^ FAILURES *\n([\s\S]*)^FAILED \|/m.exec(output) ?? [];
  return listed.split("\n").filter((line) => / => \S+:\d+:\d+$/.test(line));
}

/** The counts in a last line `N passed, N failed, N skipped`. A run that failed without a failed check counts as one failure. */
export function countsOfLastLine(output: string, succeeded: boolean): Counts {
  const last = /(?:^|\n)(\d+) passed, (\d+) failed(?:, (\d+) skipped)?[^\n]*\n*$/.exec(output);
  const [passed, failed, skipped] = [1, 2, 3].map((group) => Number(last?.[group] ?? 0));
  const counts = { passed: passed!, failed: failed!, skipped: skipped! };
  return counts.failed === 0 && (!succeeded || last === null) ? { ...counts, failed: 1 } : counts;
}
