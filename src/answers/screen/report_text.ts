/** Reports: their message, their facts as rows, their lists as tables; what was saved, with bars. */

import { counted, groupedDigits, linesText, sizeText } from "../parts/grouped_digits.ts";
import { agoText, clockText, durationText } from "../parts/moment_text.ts";
import { shellLine } from "../parts/next_command.ts";
import { wrapText } from "../../calls/arguments/wrap_text.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import type { Report, ReportType, Saved } from "../../calls/terms/reports.ts";
import { endText, facts, missingFacts, ranText, remarkLines, type Screen, type Texts } from "./screen.ts";
import { type Column, tableText } from "./table.ts";

/** Answers of facts as text. */
export const FACT_TEXTS = {
  fd_stats({ facts, message }, screen) {
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
  },
  fd_stat(stat, screen) {
    const { ink, nowMs } = screen;
    const { disk_bytes: onDisk, parent, removed } = stat;
    const moment = (iso: string) => `${agoText(Date.parse(iso), nowMs)} (${clockText(Date.parse(iso))})`;
    const heading = facts([ink.handle(stat.fd), plainText(stat.source), ...missingFacts(stat, screen)]);
    const rows: [string, string | undefined][] = [
      ["name", stat.names.length === 0 ? undefined : plainText(stat.names.join(" "))],
      ["command", stat.command && plainText(shellLine(stat.command))],
      ["directory", stat.cwd && plainText(stat.cwd)],
      ["ended", facts([endText(stat, screen), ranText(stat.duration_ms)]) || undefined],
      [
        "size",
        facts([
          `${sizeText(stat.bytes)} (${counted(stat.bytes, "byte", groupedDigits)})`,
          onDisk === undefined ? undefined : `${sizeText(onDisk)} on disk`,
        ]),
      ],
      [
        "content",
        `${linesText(stat.total_lines)}, ${counted(stat.chars, "char", groupedDigits)}, ` +
        `${counted(stat.pages, "page", groupedDigits)} of ${groupedDigits(stat.page_size)} chars`,
      ],
      ["exact", stat.exact && "no: a harness handed over text"],
      ["stored", moment(stat.created)],
      ["removed", removed === undefined ? undefined : facts([moment(removed), plainText(stat.why ?? "")])],
      [
        "part of",
        parent && `${ink.handle(parent.fd)}, ${parent.mode} ${groupedDigits(parent.start)}, ` +
          `count ${groupedDigits(parent.count)}`,
      ],
      ["sha-256", stat.sha256],
    ];
    return `${heading}\n${factLines(rows, screen)}`;
  },
  fd_extraction(answer, screen) {
    return remarkLines({ message: answer.message }, screen, `${screen.ink.handle(answer.new_fd)}: `) +
      remarkLines({ next: answer.next }, screen);
  },
  fd_file_result(answer, screen) {
    const handle = screen.ink.handle(answer.tx ?? answer.fd);
    return remarkLines({ message: answer.message }, screen, `${handle}: `) +
      remarkLines({ next: answer.next }, screen);
  },
  line_count({ lines, bytes, sha256, message }, screen) {
    return `${facts([linesText(lines), counted(bytes, "byte", groupedDigits), `sha-256 ${sha256}`])}\n` +
      remarkLines({ message }, screen);
  },
} satisfies Texts;

type Item = Readonly<Record<string, unknown>>;

/** The facts that the message does not say; none of other reports. */
const SHOWN_FACTS: { readonly [Type in ReportType]?: readonly string[] | "all" } = {
  fd_fork: ["store", "next_fd", "left_out", "copied_bytes", "copy_reason"],
  store_checked: ["store", "versioned"],
  store_limits: "all",
  store_shown: "all",
  ui_server: ["url"],
};

export function reportText(report: Report, screen: Screen): string {
  const shown = SHOWN_FACTS[report.type] ?? [];
  const rows: [string, string][] = [];
  let tables = "";
  for (const [name, value] of Object.entries(report.facts)) {
    if (value === undefined) continue;
    if (typeof value === "object") {
      tables += report.type === "doctor_report" ? findingLines(value, screen) : itemTable(value, screen);
    } else if (shown === "all" || shown.includes(name)) rows.push([wordsOf(name), valueText(name, value)]);
  }
  const tx = report.type === "fd_export" ? report.facts.tx : undefined;
  const step = tx !== undefined ? `${screen.ink.handle(plainText(tx))}: ` : "";
  return tables + remarkLines({ message: report.message }, screen, step) + factLines(rows, screen) +
    remarkLines({ next: report.next }, screen);
}

/** The findings of a check, a line each, with the mend below. */
function findingLines(findings: readonly Item[], { ink, columns }: Screen): string {
  const states = findings.map(({ state }) => plainText(String(state)));
  const width = Math.max(0, ...states.map((state) => state.length));
  return findings.map(({ about, what, mend }, at) => {
    const state = states[at]!;
    const paint = state === "ok" ? ink.good : state === "problem" ? ink.bad : ink.handle;
    const mended = mend === undefined ? "" : `${" ".repeat(width + 2)}${ink.next(plainText(String(mend)))}\n`;
    const label = `${plainText(String(about))}:`;
    const indent = width + 2;
    const lines = wrapText(`${" ".repeat(indent)}${label} ${plainText(String(what))}`, columns, indent);
    const said = lines.slice(indent + label.length);
    return `${paint(state.padEnd(width))}  ${ink.dim(label)}${said}\n${mended}`;
  }).join("");
}

/** A list as a table with a column for each field. The longest text comes last. */
function itemTable(items: readonly Item[], screen: Screen): string {
  const lengths = new Map<string, number>();
  for (const item of items) {
    for (const [name, value] of Object.entries(item)) {
      // A sum is for programs, and `stat` has it.
      if (value === undefined || name === "sha256") continue;
      lengths.set(name, Math.max(lengths.get(name) ?? 0, valueText(name, value).length));
    }
  }
  const longest = [...lengths].reduce((most, each) => each[1] > most[1] ? each : most, ["", -1])[0];
  const names = [...lengths.keys()].filter((name) => name !== longest);
  if (longest !== "") names.push(longest);
  const columns = names.map((name): Column<Item> => ({
    title: wordsOf(name).toUpperCase(),
    cell: (item) => item[name] === undefined ? "" : valueText(name, item[name]),
    paint: name === "fd" ? screen.ink.handle : undefined,
    isRight: items.every((item) => typeof item[name] === "number"),
  }));
  return tableText(items, columns, { ...screen, columns: Infinity });
}

function wordsOf(name: string): string {
  return name.replaceAll("_", " ");
}

function valueText(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return /(?:^|_)bytes/.test(name) ? sizeText(value) : groupedDigits(value);
  return plainText(Array.isArray(value) ? value.join(" ") : String(value));
}

const BAR_CELLS = 24;

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

/** Names and values, a line each; those without a value are left out. */
function factLines(rows: readonly (readonly [string, string | undefined])[], { ink }: Screen): string {
  const shown = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${ink.dim(name.padEnd(width))}  ${value}\n`).join("");
}
