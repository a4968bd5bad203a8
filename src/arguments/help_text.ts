/**
 * Help, made from the same tables that parse the call.
 *
 * @module
 */

import type { CommandEntry, CommandSpec, OptionSpec } from "../terms/command.ts";
import { GLOBAL_OPTIONS } from "./global_options.ts";

/** Returns the help of the whole program: its commands in groups. */
export function programHelp(all: readonly CommandEntry[]): string {
  const commands = all.filter(({ hidden }) => hidden !== true);
  const width = Math.max(...commands.map(({ name }) => name.length));
  let text = "fdtool keeps large output on disk as fd:N, shows a preview, and lets you read slices.\n\n" +
    "Usage: fdtool COMMAND [options]\n";
  let groupBefore = "";
  for (const { name, summary, group } of commands) {
    if (group !== groupBefore) text += `\n${group}\n`;
    groupBefore = group;
    text += `  ${name.padEnd(width)}  ${summary}\n`;
  }
  return text + `\nOptions of every command\n${optionLines(GLOBAL_OPTIONS)}\n` +
    "Formats\n" +
    "  xml   tags for models; a body is printed unchanged between them\n" +
    "  json  one object on one line; a body that is not valid UTF-8 is base64\n" +
    "  raw   a slice's exact bytes; other answers as a single value (a handle, a path) or one item per line\n\n" +
    "Example\n  make 2>&1 | fdtool capture\n\n" +
    "Write an fd as fd:12, 12 or ref:NAME. For help on a command: fdtool help COMMAND\n";
}

/** Returns the help of one command: usage, options, an example, exit codes. */
export function commandHelp(spec: CommandSpec): string {
  const aliases = spec.aliases.length === 0 ? "" : `Also called: ${spec.aliases.join(", ")}\n\n`;
  const own = Object.keys(spec.options).length === 0 ? "" : `Options\n${optionLines(spec.options)}\n`;
  const exitCodes = spec.exitCodes.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}\n`);
  return `fdtool ${spec.name}: ${spec.summary}\n\nUsage: fdtool ${spec.name} ${spec.usage}\n\n${aliases}${own}` +
    `Options of every command\n${optionLines(GLOBAL_OPTIONS)}\n` +
    `Example\n  ${spec.example}\n\nExit codes\n${exitCodes.join("")}`;
}

function optionLines(options: Readonly<Record<string, OptionSpec>>): string {
  const rows = Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? "" : `-${spec.short}, `;
    const value = spec.kind === "flag" ? "" : ` ${spec.choices?.join("|") ?? spec.value ?? "VALUE"}`;
    return [`${short}--${name}${value}`, spec.help] as const;
  });
  const width = Math.min(30, Math.max(...rows.map(([written]) => written.length)));
  return rows.map(([written, help]) =>
    written.length > width
      ? `  ${written}\n  ${"".padEnd(width)}  ${help}\n`
      : `  ${written.padEnd(width)}  ${help}\n`
  ).join("");
}
