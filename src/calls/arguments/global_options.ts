/**
 * The options that every command takes, before or after its name (contract, Commands).
 */

import type { OptionSpec } from "../terms/command.ts";
import { optionTable } from "./option_spellings.ts";

/** The formats of answers (contract, Answers). */
export type Format = "xml" | "json" | "raw" | "text";

export const FORMATS = ["xml", "json", "raw", "text"] as const;

/** `--color`. */
export type ColorChoice = "auto" | "always" | "never";

/** Their table; of the option `only` if that is given. */
export function globalOptions(only?: string): Readonly<Record<string, OptionSpec>> {
  return optionTable([
    ["store", "text", "DIR", "use the store in DIR (default: FDTOOL_STORE, else the user's state directory)"],
    ["fresh", "flag", undefined, "on a shared store: don't use what was cached in the last minute"],
    ["root", "text", "DIR", "read and write files only in DIR (default: FDTOOL_ROOT)"],
    [
      "format",
      "text",
      "FORMAT",
      "print xml, json, raw or text (default: FDTOOL_FORMAT, else text for a person at a terminal, else xml)",
      undefined,
      FORMATS,
    ],
    ["color", "text", "WHEN", "use colour: auto, always or never", ["colour"], ["auto", "always", "never"]],
    [
      "no-pager",
      "flag",
      undefined,
      "print long answers at once (default: FDTOOL_PAGER, else PAGER, else less)",
    ],
    ["help", "flag", undefined, "show help and exit", undefined, undefined, "h"],
    ["version", "flag", undefined, "show the version and exit", undefined, undefined, "V"],
  ], only);
}
