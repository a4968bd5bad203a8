/** Writes, questions and plans. */

import { counted, groupedDigits, sizeText } from "../parts/grouped_digits.ts";
import { plainText } from "../../calls/terms/control_chars.ts";
import type { NamedStep, Question, WrittenFile } from "../../calls/terms/answers.ts";
import { markAroundText, shownDiff } from "./framed_body.ts";
import { andMore, facts, remarkLines, type Screen, type Texts } from "./screen.ts";
import { type Column, tableText } from "./table.ts";

/** Writes, questions and plans as text. */
export const WRITE_TEXTS = {
  write_result(answer, screen) {
    const { ink } = screen;
    const { lines: diff, mark } = shownDiff(answer.diff, screen);
    const step = answer.tx === undefined ? "" : `${ink.handle(answer.tx)}: `;
    const copy = answer.backup_file === undefined ? "" : `${mark}copy in ${plainText(answer.backup_file)}\n`;
    return diff + filesTable(answer.files ?? [], answer.more_files, screen) +
      remarkLines({ message: answer.message }, screen, mark + step) +
      (answer.lines === undefined || diff !== "" ? "" : `${changedText(answer.lines)}\n`) + copy +
      remarkLines({ next: answer.next }, screen, mark);
  },
  needs_input(answer, screen) {
    const { ink } = screen;
    const { question } = answer;
    const before = question.pre_amble === null ? "" : `${plainText(question.pre_amble)}\n`;
    return `${before}${ink.handle(answer.inquiry_id)} ${plainText(question.text)} ${
      ink.dim(`[${plainText(choices(question))}]`)
    }\n${remarkLines({ next: answer.next }, screen)}`;
  },
  plan_check(answer, screen) {
    return `${plainText(answer.intent)}\n${filesTable(answer.files, answer.more_files, screen)}` +
      remarkLines(answer, screen);
  },
  plan_shown(answer, screen) {
    const { ink } = screen;
    const heading = facts([
      ink.handle(answer.tx),
      plainText(answer.state),
      answer.intent && plainText(answer.intent),
      `plan in ${ink.handle(answer.plan_fd)}`,
      answer.paths.map(plainText).join(" ") + andMore(answer.more_paths),
    ]);
    const plan = answer.plan === undefined ? "" : `${JSON.stringify(answer.plan, null, 2)}\n`;
    const mark = plan === "" ? "" : markAroundText(plan, screen);
    return `${mark}${heading}\n${plan}${remarkLines(answer, screen, mark)}`;
  },
  recover_report(answer, screen) {
    const { ink } = screen;
    const lines = answer.recovered.map((step) =>
      `${stepLine(step, screen)} · ${plainText(step.how)}` +
      (step.left.length === 0 ? "" : ` · left as it was: ${step.left.map(plainText).join(" ")}`) +
      `${andMore(step.more_left)}\n`
    );
    const failed = (answer.failed ?? []).map((step) => `${stepLine(step, screen)} · ${ink.bad("failed")}\n`);
    return lines.join("") + moreSteps(answer.more_recovered) + failed.join("") +
      moreSteps(answer.more_failed) + remarkLines(answer, screen);
  },
  write_notice(answer, screen) {
    return answer.interrupted.map((step) => `${stepLine(step, screen)} · ${screen.ink.bad("interrupted")}\n`)
      .join("") + moreSteps(answer.more_interrupted) + remarkLines(answer, screen);
  },
  ref_notice(answer, screen) {
    const { ink } = screen;
    const replaced = (answer.replaced ?? []).map(({ id, fd, previous_fd: before }) =>
      `${plainText(id)} → ${ink.handle(fd)} (was ${before})\n`
    );
    const unstored = (answer.unstored ?? []).map((id) => `${plainText(id)} ${ink.bad("not stored")}\n`);
    const malformed = (answer.malformed ?? []).map(({ line, tag, why }) =>
      `line ${line}: ${plainText(tag)}: ${plainText(why)}\n`
    );
    return [...replaced, ...unstored, ...malformed].join("") + remarkLines(answer, screen);
  },
} satisfies Texts;

function changedText(lines: string): string {
  return `changed: ${/^\d+$/.test(lines) ? "line" : "lines"} ${lines}`;
}

function filesTable(files: readonly WrittenFile[], more: number | undefined, screen: Screen): string {
  const { ink } = screen;
  const columns: Column<WrittenFile>[] = [
    { title: "ADDED", cell: ({ lines_added: added }) => `+${added}`, paint: ink.added, isRight: true },
    { title: "REMOVED", cell: ({ lines_removed: lines }) => `-${lines}`, paint: ink.removed, isRight: true },
    { title: "SIZE", cell: ({ bytes }) => sizeText(bytes), isRight: true, rank: 1 },
    { title: "BACKUP", cell: ({ backup_fd: backup }) => backup ?? "", paint: ink.handle },
    { title: "FILE", cell: fileCell },
  ];
  return tableText(files, columns, screen) +
    (more === undefined ? "" : `and ${counted(more, "more file", groupedDigits)}\n`);
}

function fileCell({ path, created, removed, lines }: WrittenFile): string {
  return plainText(path) + (lines === undefined ? "" : `:${lines}`) +
    (created ? " (created)" : removed === true ? " (removed)" : "");
}

/** The answers that a question takes. */
function choices({ answer_type: type, default: given }: Question): string {
  const most = type === "Boolean"
    ? "yes or no"
    : type === "Text"
    ? "text"
    : "Select" in type
    ? type.Select.options.join(", ")
    : "JSON";
  return given === null ? most : `${most}; default: ${String(given)}`;
}

function stepLine({ tx, tool, paths, more_paths: more }: NamedStep, { ink }: Screen): string {
  return facts([ink.handle(tx), plainText(tool), paths.map(plainText).join(" ") + andMore(more)]);
}

function moreSteps(more: number | undefined): string {
  return more === undefined ? "" : `and ${counted(more, "more step", groupedDigits)}\n`;
}
