/** One fd: its facts, and the result of storing or writing a slice of it. */

import { counted, groupedDigits, linesText, sizeText } from "../answering/grouped_digits.ts";
import { shellLine } from "../answering/next_command.ts";
import { plainText } from "../terms/control_chars.ts";
import type { FdExtraction, FdFileResult, FdStat, LineCount } from "../terms/answers.ts";
import { agoText, clockText } from "../answering/moment_text.ts";
import { endText, facts, missingFacts, ranText, remarkLines, type Screen } from "./screen.ts";

export function statText(stat: FdStat, screen: Screen): string {
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
}

/** Names and values, a line each; those without a value are left out. */
export function factLines(rows: readonly (readonly [string, string | undefined])[], { ink }: Screen): string {
  const shown = rows.filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `  ${ink.dim(name.padEnd(width))}  ${value}\n`).join("");
}

export function extractionText(answer: FdExtraction, screen: Screen): string {
  return remarkLines({ message: answer.message }, screen, `${screen.ink.handle(answer.new_fd)}: `) +
    remarkLines({ next: answer.next }, screen);
}

export function fileResultText(answer: FdFileResult, screen: Screen): string {
  const handle = screen.ink.handle(answer.tx ?? answer.fd);
  return remarkLines({ message: answer.message }, screen, `${handle}: `) +
    remarkLines({ next: answer.next }, screen);
}

export function lineCountText({ lines, bytes, sha256, message }: LineCount, screen: Screen): string {
  return `${facts([linesText(lines), counted(bytes, "byte", groupedDigits), `sha-256 ${sha256}`])}\n` +
    remarkLines({ message }, screen);
}
