/**
 * The options that every command takes, before or after its name (SPEC section 4).
 *
 * @module
 */

import type { OptionSpec } from "./command.ts";

/** How answers are dressed (SPEC section 5). */
export type Format = "xml" | "json" | "raw";

export const FORMATS = ["xml", "json", "raw"] as const;

export const GLOBAL_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  store: { kind: "text", value: "DIR", help: "the store (default: FDTOOL_STORE, else your state directory)" },
  root: { kind: "text", value: "DIR", help: "confine writes to DIR (or FDTOOL_ROOT)" },
  format: {
    kind: "text",
    value: "FORMAT",
    choices: FORMATS,
    help: "xml, json or raw (default xml, or FDTOOL_FORMAT)",
  },
  color: {
    kind: "text",
    value: "WHEN",
    choices: ["auto", "always", "never"],
    aliases: ["colour"],
    help: "colour for people: auto, always or never",
  },
  help: { kind: "flag", short: "h", help: "show help and stop" },
  version: { kind: "flag", short: "V", help: "show the version and stop" },
};
