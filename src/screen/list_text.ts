/** Lists as tables: fds, names, the journal, questions. */

import { groupedDigits, sizeText } from "../answering/grouped_digits.ts";
import { shellLine } from "../answering/next_command.ts";
import { plainText } from "../terms/control_chars.ts";
import type { FdList, FdSummary, InquiryList, RefList, WriteLog } from "../terms/answers.ts";
import { bodyText } from "./content_text.ts";
import { diffLines, markAroundText } from "./framed_body.ts";
import { ageText } from "../answering/moment_text.ts";
import { andMore, facts, remarkLines, type Screen } from "./screen.ts";
import type { Remarks } from "../terms/next_call.ts";
import { type Column, tableText } from "./table.ts";

export function fdListText(answer: FdList, screen: Screen): string {
  const { fds } = answer;
  return listText(answer, "No fds.", fds, fdColumns(fds, screen), screen);
}

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

export function refListText(answer: RefList, screen: Screen): string {
  const { ink, nowMs } = screen;
  const columns: Column<RefList["refs"][number]>[] = [
    { title: "FD", cell: ({ fd }) => fd, paint: ink.handle },
    { title: "AGE", cell: ({ created }) => ageText(Date.parse(created), nowMs), isRight: true, rank: 2 },
    { title: "LINES", cell: ({ lines }) => groupedDigits(lines), isRight: true, rank: 1 },
    { title: "STATE", cell: ({ state }) => state ?? "", paint: ink.bad },
    { title: "NAME", cell: ({ id }) => plainText(id) },
  ];
  return listText(answer, "No names.", answer.refs, columns, screen);
}

type Step = WriteLog["steps"][number];

export function writeLogText(answer: WriteLog, screen: Screen): string {
  const { ink, nowMs } = screen;
  const { steps } = answer;
  const columns: Column<Step>[] = [
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
    { title: "BACKUP", cell: backupCell, paint: ink.handle, most: 16, rank: 5 },
    { title: "FILES", cell: pathsCell },
  ];
  const [only] = steps;
  const left = steps.length === 1 ? only?.left ?? [] : [];
  const leftLines = left.map((path) => `left as it was: ${plainText(path)}\n`).join("");
  const diff = answer.diff === undefined ? "" : bodyText(answer.diff);
  const mark = diff === "" ? "" : markAroundText(diff, screen);
  return tableText(steps, columns, screen) + leftLines + diffLines(diff, ink) +
    remarkLines(answer, screen, mark);
}

function sizeChange({ bytes_before: before, bytes_after: after }: Step): string {
  return after === undefined ? sizeText(before) : `${sizeText(before)} → ${sizeText(after)}`;
}

function backupCell({ backups, more_backups: more }: Step): string {
  return backups.join(" ") + andMore(more);
}

function pathsCell({ paths, more_paths: more, intent, left, more_left: moreLeft }: Step): string {
  const leftCount = (left?.length ?? 0) + (moreLeft ?? 0);
  return facts([
    paths.map(plainText).join(" ") + andMore(more),
    intent === undefined ? undefined : plainText(intent),
    leftCount === 0 ? undefined : `${groupedDigits(leftCount)} left as they were`,
  ]);
}

export function inquiryListText(answer: InquiryList, screen: Screen): string {
  const { ink, nowMs } = screen;
  const columns: Column<InquiryList["inquiries"][number]>[] = [
    { title: "INQ", cell: ({ inquiry_id: id }) => id, paint: ink.handle },
    { title: "AGE", cell: ({ asked }) => ageText(Date.parse(asked), nowMs), isRight: true, rank: 2 },
    { title: "TOOL", cell: ({ tool }) => plainText(tool), rank: 1 },
    { title: "FILE", cell: ({ path }) => plainText(path), most: 40 },
    { title: "QUESTION", cell: ({ question }) => plainText(question) },
  ];
  return listText(answer, "No open questions.", answer.inquiries, columns, screen);
}

/** The items of a list as a table, or `none`, and the remarks of the answer. */
function listText<Row>(
  answer: Remarks,
  none: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  screen: Screen,
): string {
  const message = answer.message ?? (rows.length === 0 ? none : undefined);
  return tableText(rows, columns, screen) + remarkLines({ message, next: answer.next }, screen);
}
