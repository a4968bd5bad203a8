/** Measures as tables. */

import { markdownTable } from "../result_pages.ts";
import { BUDGET, CUTS, type Measured, type Shown } from "./measure_case.ts";
import { PERTURBATIONS } from "./perturbations.ts";

/** One line a case. */
export function caseTable(rows: readonly Measured[]): string {
  const lines = rows.map((row) => [
    row.name,
    number(row.outputCharCount),
    number(row.first.charCount),
    mark(row, row.first),
    ...row.cuts.map((shown) => mark(row, shown)),
    row.followed === undefined ? "never" : `${row.followed.callCount}`,
    row.followed === undefined ? "" : number(row.followed.charCount),
  ]);
  return markdownTable(
    ["output", "chars", "answer", "fact", ...CUTS.map(({ name }) => name), "calls", "chars"],
    lines,
  );
}

/** The totals of the rows. */
export function totalsTable(rows: readonly Measured[]): string {
  const faulty = rows.filter((row) => row.faulty);
  const sound = rows.filter((row) => !row.faulty);
  const ended = sound.filter(({ sought, question }) => sought && !question);
  const within = (most: number) =>
    faulty.filter(({ followed }) => followed && followed.callCount <= most).length;
  const of = (name: string, shownOf: (row: Measured) => Shown) => [
    name,
    share(faulty.filter((row) => shownOf(row).fact).length, faulty.length),
    share(ended.filter((row) => shownOf(row).fact).length, ended.length),
    number(median(faulty.map((row) => shownOf(row).charCount))),
    number(median(sound.map((row) => shownOf(row).charCount))),
    number(sum(rows.map((row) => shownOf(row).charCount))),
  ];
  const over = rows.filter(({ first }) => first.charCount > BUDGET).length;
  const followed = faulty.flatMap((row) => row.followed ?? []);
  return `${
    markdownTable([
      "",
      "fact shown",
      "no fault: last state shown",
      "median chars, fault",
      "median chars, no fault",
      "chars of all",
    ], [
      of("fdtool, first answer", (row) => row.first),
      ...CUTS.map(({ name }, index) => of(name, (row) => row.cuts[index] as Shown)),
    ])
  }

${faulty.length} outputs with a fault, ${sound.length} without. ${over} first answers are over ${
    number(BUDGET)
  } chars.
With \`next\` once: ${share(within(2), faulty.length)}. At most five times: ${
    share(within(6), faulty.length)
  }, in ${number(sum(followed.map(({ callCount }) => callCount)))} calls and ${
    number(sum(followed.map(({ charCount }) => charCount)))
  } chars.

${steadyTable(faulty)}
${askedLine(rows)}`;
}

/** Compares first answers without and with the question of the reader. */
function askedLine(rows: readonly Measured[]): string {
  const lines = [true, false].map((faulty) => {
    const asked = rows.filter((row) => row.question && row.faulty === faulty);
    const told = asked.filter((row) => row.asked !== undefined);
    const shown = (of: readonly Measured[], fact: (row: Measured) => boolean | undefined) =>
      share(of.filter(fact).length, of.length);
    return `${faulty ? "With" : "Without"} a fault and with a question: the first answer shows the fact in ${
      shown(asked, ({ first }) => first.fact)
    }; told the question by \`--about\`, ${shown(told, (row) => row.asked?.fact)}.`;
  });
  return `\n${lines.join("\n")}\n`;
}

/** How many of the outputs with a fault show their fact after each change, and how many of those that did without it. */
function steadyTable(faulty: readonly Measured[]): string {
  const lines = PERTURBATIONS.map(({ name }, index) => {
    const changed = faulty.filter(({ perturbed }) => perturbed[index] !== undefined);
    const members = changed.filter(({ first }) => first.fact);
    const held = (rows: readonly Measured[]) => rows.filter(({ perturbed }) => perturbed[index]).length;
    return [name, share(held(changed), changed.length), share(held(members), members.length)];
  });
  return markdownTable(["each output with", "fact shown", "shown before, and again"], lines);
}

/** By each change, the outputs that show their fact without it alone. */
export function lostList(rows: readonly Measured[]): string {
  return PERTURBATIONS.map(({ name }, index) => {
    const lost = rows.filter(({ first, perturbed }) => first.fact && perturbed[index] === false);
    return `- lost with ${name}: ${lost.map((row) => row.name).join(", ") || "none"}`;
  }).join("\n");
}

function mark(row: Measured, shown: Shown): string {
  if (!row.sought) return "·";
  return shown.fact ? "yes" : "-";
}

export function share(count: number, all: number): string {
  return all === 0 ? "–" : `${count} of ${all} (${Math.round(100 * count / all)} %)`;
}

/** The middle value; of an even number of values, the lower of the two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function number(value: number): string {
  return value.toLocaleString("en");
}
