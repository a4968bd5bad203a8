/** Shows what was saved: a table for days, projects and commands each, with bars, and the sums. */

import { counted, groupedDigits, sizeText } from "../answering/grouped_digits.ts";
import { durationText } from "../answering/moment_text.ts";
import { plainText } from "../terms/control_chars.ts";
import type { ReportOf, Saved } from "../terms/reports.ts";
import { factLines } from "./fd_text.ts";
import { remarkLines, type Screen } from "./screen.ts";
import { type Column, tableText } from "./table.ts";

const BAR_CELLS = 24;

export function savingsText({ facts, message }: ReportOf<"fd_stats">, screen: Screen): string {
  const said = remarkLines({ message }, screen);
  if (facts.outputs === 0) return said;
  const parts = [["DAY", facts.day], ["PROJECT", facts.project], ["COMMAND", facts.command]] as const;
  const tables = parts.map(([title, rows]) => tableText(rows, columnsOf(title, rows, screen), screen));
  const of = (count: number, what: string) => counted(count, what, groupedDigits);
  const rows: [string, string][] = [
    ["printed", of(facts.printed_chars, "char")],
    ["shown at first", of(facts.shown_chars, "char")],
    ["read later", `${of(facts.later_chars, "char")} in ${of(facts.later_answers, "answer")}`],
    ["not run again", `at most ${of(facts.reread_outputs, "command")}: ${durationText(facts.reread_ms)}`],
    ["on the disk", `${sizeText(facts.disk_bytes)} for ${sizeText(facts.stored_bytes)} of content`],
  ];
  return `${tables.join("\n")}\n${said}${factLines(rows, screen)}`;
}

/** The bar is what was printed: filled as far as it was shown or read. */
function columnsOf(title: string, rows: readonly Saved[], { ink }: Screen): Column<Saved>[] {
  const most = Math.max(...rows.map(({ printed_chars: printed }) => printed), 1);
  const number = (name: string, of: (row: Saved) => number, rank: number): Column<Saved> => ({
    title: name,
    cell: (row) => (of(row) < 0 ? "-" : "") + groupedDigits(Math.abs(of(row))),
    isRight: true,
    rank,
  });
  return [
    { title, cell: ({ of }) => plainText(of), paint: ink.handle, most: 40 },
    number("OUTPUTS", ({ outputs }) => outputs, 1),
    number("PRINTED", ({ printed_chars: printed }) => printed, 4),
    number("SHOWN", ({ shown_chars: shown }) => shown, 2),
    number("LATER", ({ later_chars: later }) => later, 3),
    number("SAVED", ({ saved_chars: saved }) => saved, 5),
    {
      title: "PRINTED, AND SHOWN OR READ (█)",
      cell: ({ printed_chars: printed, saved_chars: saved }) => {
        const cells = Math.ceil(BAR_CELLS * printed / most);
        const filled = printed === 0 ? 0 : Math.min(cells, Math.ceil(cells * (printed - saved) / printed));
        return "█".repeat(filled) + "░".repeat(cells - filled);
      },
    },
  ];
}
