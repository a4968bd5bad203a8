/**
 * The options of `install` and `uninstall`, and what they ask for.
 *
 * @module
 */

import type { CommandCall, Host, OptionSpec } from "../command.ts";
import { failUsage } from "../usage_failure.ts";
import type { SettingsOrder } from "./change_settings.ts";
import {
  defaultWiring,
  HARNESSES,
  possibleWirings,
  settingsPart,
  settingsPath,
  type Wiring,
} from "./harnesses.ts";
import { ownName } from "./own_name.ts";

const WIRINGS = ["hook", "mcp"] as const satisfies readonly Wiring[];

export const settingsOptions = {
  user: { kind: "flag", help: "the user's own configuration (default)" },
  project: { kind: "flag", help: "the project's, in the working directory" },
  config: { kind: "text", value: "FILE", help: "this file" },
  via: {
    kind: "text",
    value: "HOW",
    choices: WIRINGS,
    help:
      "hook: large shell output goes through fdtool (claude-code's default); mcp: fdtool's tools (the others')",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What a call of `install` or `uninstall` asks for: with `every`, all that may be wired where it leaves open how. */
export function settingsOrders(
  command: string,
  { positionals, options }: CommandCall,
  host: Host,
  { every }: { every: boolean },
): SettingsOrder[] {
  const written = positionals[0]!;
  const harness = HARNESSES.find((each) => each === written);
  if (harness === undefined) {
    const wanted = `one of ${HARNESSES.join(", ")}`;
    return failUsage({ kind: "bad_value", command, option: "harness", got: written, wanted });
  }
  const isGiven = (name: string) => options[name] !== undefined && options[name] !== false;
  const [first, second] = ["user", "project", "config"].filter(isGiven).map((name) => `--${name}`);
  if (second !== undefined) {
    failUsage({ kind: "conflict", command, first: first!, second, wanted: "one place" });
  }
  const config = options["config"] as string | undefined;
  const { env, cwd, storeOption } = host;
  const scope = options["project"] === true ? "project" : "user";
  const asked = WIRINGS.find((each) => each === options["via"]);
  const wirings = every && asked === undefined && config === undefined
    ? possibleWirings(harness, scope)
    : [asked ?? defaultWiring(harness, config)];
  const program = ownName(cwd, env["PATH"]);
  return wirings.map((wiring) => {
    const part = settingsPart(harness, wiring, { program, storeOption });
    const path = config ?? settingsPath(harness, wiring, { env, cwd, scope });
    return { harness, path, part, dryRun: options["dry-run"] === true };
  });
}
