/**
 * Help, made from the same tables that parse the call. Lines have at most `width` chars, except examples, which are to be
 * pasted, and usage that has no place to break.
 */

import type { CommandSpec, Operation, OptionSpec } from "../terms/command.ts";
import { helpLine } from "./field_options.ts";
import { globalOptions } from "./global_options.ts";
import { wrapText } from "./wrap_text.ts";

const PURPOSE = "fdtool keeps large output on disk as fd:N, shows a preview, and lets you read slices.";

/** The exit code of a command that succeeded but could not print its answer. */
export const UNREPORTED_CODE = 4;
const UNREPORTED_EXIT = {
  [UNREPORTED_CODE]: "done, but stdout could not be written; the answer is on stderr",
};

/** The commands that a new user needs, in the order of use. */
const FIRST_COMMANDS = ["run", "capture", "read", "search", "ls", "ui", "edit", "log", "undo"];

/** Returns what fdtool says when it is called without a command: it fits a terminal of 80 columns and 24 lines. */
export function firstHelp(all: readonly Operation[], width: number): string {
  const first = FIRST_COMMANDS.map((name) => all.find((entry) => entry.name === name)!);
  const otherCount = shownAmong(all, false).length - first.length;
  return paragraph("fdtool keeps large output as fd:N, and writes files with checks and an undo.", width) +
    "\nUsage: fdtool COMMAND [options]\n\n" +
    rowLines(first.map(({ name, summary }) => [name, summary]), width) +
    "\nTry it\n  fdtool run -- ls -lR /etc\n  fdtool read fd:1 --lines 1-20\n\nMore\n" +
    rowLines([
      ["fdtool help", `${otherCount} more: diff, wait, stop, again, install, uninstall …`],
      ["fdtool help COMMAND", "the options of one command, an example, its exit codes"],
      ["fdtool doctor", "where the store is, and whether everything works"],
    ], width);
}

/** Returns the help of the whole program: its commands in groups, with the plumbing or without it. */
export function programHelp(all: readonly Operation[], width: number, withPlumbing: boolean): string {
  const commands = shownAmong(all, withPlumbing);
  const names = Math.max(...commands.map(({ name }) => name.length));
  let text = `${paragraph(PURPOSE, width)}\nUsage: fdtool COMMAND [options]\n`;
  let groupBefore = "";
  for (const { name, summary, group } of commands) {
    if (group !== groupBefore) text += `\n${group}\n`;
    groupBefore = group;
    text += rowLines([[name.padEnd(names), summary]], width);
  }
  const formats = [
    ["xml", "tags for models; a body is printed unchanged between them"],
    ["json", "one object on one line; a body that is not valid UTF-8 is base64"],
    ["raw", "a slice's exact bytes; other answers as a single value (a handle, a path) or one item per line"],
    ["text", "tables, colours and a pager for people"],
  ] as const;
  return `${text}\nOptions of every command\n${optionLines(globalOptions(), width)}\n` +
    `Formats\n${rowLines(formats, width)}\nExample\n  make 2>&1 | fdtool capture\n\n` +
    paragraph(
      "Write an fd as fd:12, 12, ref:NAME, last or last~2. For help on a command: fdtool help COMMAND",
      width,
    ) +
    (withPlumbing ? "" : paragraph(
      `For harnesses, scripts and shared stores: fdtool help --all (${
        shownAmong(all, true).length - commands.length
      } more commands)`,
      width,
    ));
}

/** Returns the help of one command: usage, options, an example, exit codes. */
export function commandHelp(
  { name, summary, aliases }: Operation,
  spec: CommandSpec,
  width: number,
): string {
  const { usage, options, example, notes } = spec;
  // Names are enough: agents pay for each line.
  const globals = Object.keys(globalOptions()).map((name) => `--${name}`).join(" ");
  const own = Object.keys(options).length === 0 ? "" : `Options\n${optionLines(options, width)}\n`;
  const codes = exitCodesOf(spec).map(([code, meaning]) => [code.padStart(3), meaning] as const);
  return paragraph(`fdtool ${name}: ${summary}`, width) +
    `\n${paragraph(`Usage: fdtool ${name} ${usage}`.trimEnd(), width, 7)}\n` +
    (aliases.length === 0 ? "" : `${paragraph(`Also called: ${aliases.join(", ")}`, width)}\n`) + own +
    `${paragraph(`Options of every command (see fdtool help): ${globals}`, width)}\n` +
    (notes ?? []).map((note) => note.startsWith(" ") ? `${note}\n` : paragraph(note, width)).join("") +
    (notes === undefined ? "" : "\n") +
    `Example\n${example.replaceAll(/^(?=.)/gm, "  ")}\n\nExit codes\n${rowLines(codes, width)}`;
}

/** The exit codes of a command, ascending, with their meanings. */
export function exitCodesOf({ exitCodes, reportsChange }: CommandSpec): [code: string, meaning: string][] {
  const all = { 2: "usage error", ...exitCodes, ...reportsChange && UNREPORTED_EXIT };
  return Object.entries(all).flatMap(([code, meanings]) =>
    [meanings].flat().map((meaning): [string, string] => [code, meaning])
  );
}

function shownAmong(all: readonly Operation[], withPlumbing: boolean): Operation[] {
  return all.filter(({ hidden, isPlumbing }) => hidden !== true && (withPlumbing || isPlumbing !== true));
}

function paragraph(text: string, width: number, indent = 0): string {
  return `${wrapText(text, width, indent)}\n`;
}

function optionLines(options: Readonly<Record<string, OptionSpec>>, width: number): string {
  return rowLines(
    Object.entries(options).filter(([, { hidden }]) => hidden !== true).map(([name, spec]) => {
      const short = spec.short === undefined ? "" : `-${spec.short}, `;
      const value = spec.kind === "flag" ? "" : ` ${spec.choices?.join("|") ?? spec.value ?? "VALUE"}`;
      return [`${short}--${name}${value}`, helpLine(spec)] as const;
    }),
    width,
  );
}

/** Of a narrow screen, less: what is explained must not be squeezed into the rest. */
const MAX_COLUMN = 30;

/** Two columns: what may be written, and what it means, on a line of its own below what is too long for the column. */
function rowLines(rows: readonly (readonly [written: string, meaning: string])[], width: number): string {
  const column = Math.min(
    MAX_COLUMN,
    Math.floor(width * 0.4),
    Math.max(...rows.map(([written]) => written.length)),
  );
  const indent = column + 4;
  return rows.map(([written, meaning]) => {
    const start = `  ${written}`;
    return written.length > column
      ? paragraph(start, width) + paragraph(`${" ".repeat(indent)}${meaning}`, width, indent)
      : paragraph(`${start.padEnd(indent)}${meaning}`, width, indent);
  }).join("");
}
