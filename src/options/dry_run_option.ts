/** The option of every command that writes (contract, Writing files). */

import { DRY_RUN_FIELD } from "../requests/shared_fields.ts";
import type { OptionSpec } from "../terms/command.ts";

export const dryRunOption = {
  "dry-run": { kind: "flag", help: DRY_RUN_FIELD.option.help },
} as const satisfies Readonly<Record<string, OptionSpec>>;
