/**
 * The options that every command takes, before or after its name (contract, Commands).
 *
 * @module
 */

import type { OptionSpec } from "../terms/command.ts";
import { optionTable } from "./option_rows.ts";

/** How answers are dressed (contract, Answers). */
export type Format = "xml" | "json" | "raw";

export const FORMATS = ["xml", "json", "raw"] as const;

/** `--color`. */
export type ColorChoice = "auto" | "always" | "never";

export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = optionTable([
  ["store", "text", "DIR", "the store (default: FDTOOL_STORE, else your state directory)"],
  ["root", "text", "DIR", "write and read files only in DIR (or FDTOOL_ROOT)"],
  ["format", "text", "FORMAT", "xml, json or raw (default xml, or FDTOOL_FORMAT)", undefined, FORMATS],
  ["color", "text", "WHEN", "colour for people: auto, always or never", ["colour"], [
    "auto",
    "always",
    "never",
  ]],
  ["help", "flag", undefined, "show help and stop", undefined, undefined, "h"],
  ["version", "flag", undefined, "show the version and stop", undefined, undefined, "V"],
]);
