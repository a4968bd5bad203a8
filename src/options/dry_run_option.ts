/** The option of every command that writes: show what would be, and write nothing (contract, Writing files). @module */

import type { OptionSpec } from "../terms/command.ts";

export const dryRunOption = {
  "dry-run": { kind: "flag", help: "show the unified diff and write nothing" },
} as const satisfies Readonly<Record<string, OptionSpec>>;
