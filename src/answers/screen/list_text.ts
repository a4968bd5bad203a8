/** Lists as tables: fds, names, the journal, questions. */

import { groupedDigits, sizeText } from "../parts/grouped_digits.ts";
import { shellLine } from "../parts/next_command.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import type { FdSummary, WriteLog } from "../../calls/terms/answers.ts";
import { shownDiff } from "./framed_body.ts";
import { ageText } from "../parts/moment_text.ts";
import { andMore, facts, remarkLines, type Screen, type Texts } from "./screen.ts";
import type { Remarks } from "../../calls/terms/next_call.ts";
import { type Column, tableText } from "./table.ts";

/** Lists as text. */
export const LIST_TEXTS = {
  fd_list(answer, screen) {
    const { fds } = answer;
    return listText(answer, "No fds.", fds, screen, fdColumns(fds, screen));
  },
  ref_list(answer, screen) {
    const { ink, nowMs } = screen;
    return listText(answer, "No names.", answer.refs, screen, [
      { title: "FD", cell: ({ fd }) => fd, paint: ink.handle },
      { title: "AGE", cell: ({ created }) => ageText(Date.parse(created), nowMs), isRight: true, rank: 2 },
      { title: "LINES", cell: ({ lines }) => groupedDigits(lines), isRight: true, rank: 1 },
      { title: "STATE", cell: ({ state }) => state ?? "", paint: ink.bad },
      { title: "NAME", cell: ({ id }) => plainText(id) },
    ]);
  },
  write_log(answer, screen) {
    const { ink, nowMs } = screen;
    const { steps } = answer;
    const table = tableText<Step>(steps, [
      { title: "TX", cell: ({ tx }) => tx, paint: ink.handle },
      { title: "AGE", cell: ({ at }) => ageText(Date.parse(at), nowMs), isRight: true, rank: 3 },
      { title: "TOOL", cell: ({ tool }) => plainText(tool), rank: 2 },
      {
        title: "STATE",
        cell: ({ state }) => state === "done" ? "" : state,
        paint: (text, { state }) => state === "interrupted" ? ink.bad(text) : ink.live(text),
      },
      { title: "UNDOES", cell: ({ undoes }) => undoes ?? "", paint: ink.handle, rank: 4 },
      { title: "SIZE", cell: sizeChange, isRight: true, rank: 1 },
      {
        title: "BACKUP",
        cell: ({ backups, more_backups: more }) => backups.join(" ") + andMore(more),
        paint: ink.handle,
        most: 16,
        rank: 5,
      },
      { title: "FILES", cell: pathsCell },
    ], screen);
    const [only] = steps;
    const left = steps.length === 1 ? only?.left ?? [] : [];
    const leftLines = left.map((path) => `left as it was: ${plainText(path)}\n`).join("");
    const diff = shownDiff(answer.diff, screen);
    return table + leftLines + diff.lines + remarkLines(answer, screen, diff.mark);
  },
  inquiry_list(answer, screen) {
    const { ink, nowMs } = screen;
    return listText(answer, "No open questions.", answer.inquiries, screen, [
      { title: "INQ", cell: ({ inquiry_id: id }) => id, paint: ink.handle },
      { title: "AGE", cell: ({ asked }) => ageText(Date.parse(asked), nowMs), isRight: true, rank: 2 },
      { title: "TOOL", cell: ({ tool }) => plainText(tool), rank: 1 },
      { title: "FILE", cell: ({ path }) => plainText(path), most: 40 },
      { title: "QUESTION", cell: ({ question }) => plainText(question) },
    ]);
  },
} satisfies Texts;

function fdColumns(fds: readonly FdSummary[], { ink, nowMs, cwd }: Screen): Column<FdSummary>[] {
  const areRemoved = fds.some(({ removed }) => removed !== undefined);
  return [
    { title: "FD", cell: ({ fd }) => fd, paint: ink.handle },
    {
      title: areRemoved ? "REMOVED" : "AGE",
      cell: ({ created, removed }) => ageText(Date.parse(removed ?? created), nowMs),
      isRight: true,
      rank: 3,
    },
    { title: "SIZE", cell: ({ bytes }) => sizeText(bytes), isRight: true, rank: 2 },
    { title: "LINES", cell: ({ total_lines: lines }) => groupedDigits(lines), isRight: true, rank: 1 },
    {
      title: "EXIT",
      cell: endCell,
      paint: (text, fd) => text === "0" ? text : fd.state === "live" ? ink.live(text) : ink.bad(text),
      isRight: true,
    },
    {
      title: "NAME",
      cell: ({ names }) => plainText(names.map((name) => `ref:${name}`).join(" ")),
      most: 24,
      rank: 4,
    },
    ...areRemoved ? [{ title: "WHY", cell: ({ why }: FdSummary) => plainText(why ?? "") }] : [],
    {
      title: "COMMAND",
      cell: (fd) => sourceCell(fd, cwd),
      most: MAX_COMMAND_CELLS,
      paint: (text) => text.startsWith("(") ? ink.dim(text) : text,
    },
  ];
}

/** A script as an argument can have megabytes, and a pipe has no width that would cut it. */
const MAX_COMMAND_CELLS = 400;

/** How the command ended or, before that, the state. */
function endCell({ state, exit_code: code, signal, dropped_bytes: dropped }: FdSummary): string {
  if (state === "live" || state === "incomplete") return state;
  if (signal !== undefined) return plainText(signal);
  return dropped !== undefined ? "capped" : code === undefined ? "" : String(code);
}

/** The first word in the record of a backup; the second is the file's path. */
const BACKUP_OF = "backup of";

/** The command, or where the bytes came from. */
function sourceCell({ command, source }: FdSummary, cwd: string | undefined): string {
  if (command === undefined) return `(${plainText(source)})`;
  const [first, path = ""] = command;
  if (first !== BACKUP_OF) return plainText(shellLine(command));
  const isInside = cwd !== undefined && path.startsWith(`${cwd}/`);
  return `(${BACKUP_OF} ${plainText(isInside ? path.slice(cwd.length + 1) : path)})`;
}

type Step = WriteLog["steps"][number];

function sizeChange({ bytes_before: before, bytes_after: after }: Step): string {
  return after === undefined ? sizeText(before) : `${sizeText(before)} → ${sizeText(after)}`;
}

function pathsCell({ paths, more_paths: more, intent, left, more_left: moreLeft }: Step): string {
  const leftCount = (left?.length ?? 0) + (moreLeft ?? 0);
  return facts([
    paths.map(plainText).join(" ") + andMore(more),
    intent === undefined ? undefined : plainText(intent),
    leftCount === 0 ? undefined : `${groupedDigits(leftCount)} left as they were`,
  ]);
}

/** The items of a list as a table, or `none`, and the remarks of the answer. */
function listText<Row>(
  answer: Remarks,
  none: string,
  rows: readonly Row[],
  screen: Screen,
  columns: readonly Column<Row>[],
): string {
  const message = answer.message ?? (rows.length === 0 ? none : undefined);
  return tableText(rows, columns, screen) + remarkLines({ message, next: answer.next }, screen);
}
