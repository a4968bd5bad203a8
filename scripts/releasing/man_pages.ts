/**
 * Makes the manual pages of a release from the tables that help and parsing use: `fdtool(1)`, and one page per command.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { globalOptions } from "../../src/calls/arguments/global_options.ts";
import { exitCodesOf } from "../../src/calls/arguments/help_text.ts";
import { VERSION } from "../../src/calls/arguments/version.ts";
import { listOperations } from "../../src/commands/rows.ts";
import type { CommandSpec, Operation, OptionSpec } from "../../src/calls/terms/command.ts";

/** Returns the text of each page by its file name: `fdtool.1`, `fdtool-read.1`. */
export async function manPages(): Promise<ReadonlyMap<string, string>> {
  const shown = listOperations().filter(({ hidden }) => hidden !== true);
  const pages = new Map([["fdtool.1", programPage()]]);
  for (const operation of shown) {
    pages.set(`fdtool-${operation.name}.1`, commandPage(operation, (await operation.load()).spec));
  }
  return pages;
}

/** Writes pages into `folder`, which is made. */
export function writeManPages(pages: ReadonlyMap<string, string>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
}

function programPage(): string {
  const commands = listOperations().filter(({ hidden }) => hidden !== true);
  const groups = [...new Set(commands.map(({ group }) => group))];
  return [
    ...head("fdtool", "keep large output on disk as fd:N, show a preview, and read slices"),
    ".SH SYNOPSIS",
    `.B fdtool\n.I COMMAND\n${roman("[options]")}`,
    ".SH DESCRIPTION",
    roman(
      "fdtool stores large output as a virtual file descriptor (fd:12) and answers with a preview and the next " +
        "command. It also writes files with checks, a journal and an undo. " +
        "Write an fd as fd:12, 12 or ref:NAME.",
    ),
    ".SH COMMANDS",
    ...groups.flatMap((group) => [
      `.SS ${roman(group)}`,
      ...commands.filter((entry) => entry.group === group).flatMap(({ name, summary }) => [
        ".TP",
        `.BR ${word(`fdtool-${name}`)} (1)`,
        roman(summary),
      ]),
    ]),
    ...optionSection("OPTIONS OF EVERY COMMAND", globalOptions()),
    ...exampleSection("make 2>&1 | fdtool capture"),
    "",
  ].join("\n");
}

function commandPage({ name, summary, aliases }: Operation, spec: CommandSpec): string {
  const { usage, options, notes, example } = spec;
  return [
    ...head(`fdtool-${name}`, summary),
    ".SH SYNOPSIS",
    `.B fdtool ${word(name)}`,
    roman(usage),
    ...notes === undefined ? [] : [".SH DESCRIPTION", ...notes.flatMap(noteLines)],
    ...aliases.length === 0 ? [] : [".SH ALIASES", roman(aliases.join(", "))],
    ...optionSection("OPTIONS", options),
    ...optionSection("OPTIONS OF EVERY COMMAND", globalOptions()),
    ".SH EXIT STATUS",
    ...exitCodesOf(spec).flatMap(([code, meaning]) => [".TP", `.B ${code}`, roman(meaning)]),
    ...exampleSection(example),
    ".SH SEE ALSO",
    ".BR fdtool (1)",
    "",
  ].join("\n");
}

function head(name: string, summary: string): string[] {
  // Without a date, so that a release can be reproduced.
  return [
    `.TH ${word(name.toUpperCase())} 1 "" ${word(`fdtool ${VERSION}`)} "fdtool"`,
    ".SH NAME",
    `${roman(name)} \\- ${roman(summary)}`,
  ];
}

function optionSection(title: string, options: Readonly<Record<string, OptionSpec>>): string[] {
  const rows = Object.entries(options).filter(([, { hidden }]) => hidden !== true);
  return rows.length === 0 ? [] : [`.SH ${title}`, ...rows.flatMap(optionRow)];
}

function optionRow([name, { short, kind, choices, value, help }]: [string, OptionSpec]): string[] {
  const written = [...short === undefined ? [] : [`-${short}`], `--${name}`].map(roman).join(", ");
  const argument = kind === "flag" ? "" : ` \\fI${roman(choices?.join("|") ?? value ?? "VALUE")}\\fR`;
  return [".TP", `\\fB${written}\\fR${argument}`, roman(help)];
}

function noteLines(note: string): string[] {
  return note.startsWith(" ") ? [".PP", ".nf", roman(note), ".fi"] : [".PP", roman(note)];
}

function exampleSection(example: string): string[] {
  return [".SH EXAMPLE", ".nf", roman(example), ".fi"];
}

/** Text as roff prints it unchanged: no line of it is a request, and dashes can be copied. */
function roman(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^([.'])/gm, "\\&$1");
}

/** Text as one argument of a request. */
function word(text: string): string {
  return `"${roman(text).replaceAll('"', "\\(dq")}"`;
}
