/**
 * The two commands that agents call all the time. They come with the program; all others, and the table of them, are
 * loaded by who calls them.
 *
 * What a small call runs through is written with loops where `find`, `map` and the like would do, and waits for nothing
 * that is there: a runtime that has just started must first make each built-in and each promise that it meets.
 */

import type { Command, CommandEntry } from "./terms/command.ts";
import { captureCommand } from "./operations/capture.ts";
import { readCommand } from "./operations/read.ts";
import { dashed } from "./arguments/option_spellings.ts";

/** An entry whose command is there. */
export interface CommonEntry extends CommandEntry {
  load(): Command;
}

export const CAPTURE: CommonEntry = {
  name: "capture",
  aliases: ["capture-stdin"],
  summary: "pass small input through; store large input and print a preview and its handle",
  group: "Capture output",
  failsOpen: true,
  load: captureCommand,
};

export const READ: CommonEntry = {
  name: "read",
  aliases: ["read-fd"],
  summary: "print a slice of an fd, or make it a new fd",
  group: "Read and search",
  load: readCommand,
};

/** Loaded by its own call, but found without the table: a harness calls it after every command. */
export const HOOK: CommandEntry = {
  name: "hook",
  aliases: [],
  summary: "store a harness's large shell output; answer with a preview to show instead",
  group: "Connect agents",
  failsOpen: true,
  load: async () => (await import("./operations/hook.ts")).hookCommand(),
};

/** The one of the two that `written` means, if any. */
export function findCommonEntry(written: string): CommonEntry | undefined {
  if (written === READ.name) return READ;
  if (written === CAPTURE.name) return CAPTURE;
  const name = dashed(written);
  if (READ.aliases.includes(name)) return READ;
  return CAPTURE.aliases.includes(name) ? CAPTURE : undefined;
}
