/**
 * The options of `install` and `uninstall`, and what they ask for.
 *
 * @module
 */

import type { CommandCall, Host, OptionSpec } from "../command.ts";
import { failUsage } from "../usage_failure.ts";
import type { SettingsOrder } from "./change_settings.ts";
import { defaultWiring, HARNESSES, settingsPart, settingsPath, type Wiring } from "./harnesses.ts";
import { ownProgram } from "./own_program.ts";

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
      "hook: large shell output goes through fdtool (default for claude-code and opencode); mcp: fdtool's tools",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** What a call of `install` or `uninstall` asks for. */
export function settingsOrder(
  command: string,
  { positionals, options }: CommandCall,
  host: Host,
): SettingsOrder {
  const written = positionals[0]!;
  const harness = HARNESSES.find((each) => each === written);
  if (harness === undefined) {
    const wanted = `one of ${HARNESSES.join(", ")}`;
    return failUsage({ kind: "bad_value", command, option: "harness", got: written, wanted });
  }
  const config = options["config"] as string | undefined;
  const places = ["user", "project", "config"].filter((name) =>
    options[name] !== undefined && options[name] !== false
  );
  if (places.length > 1) {
    const [first, second] = places.map((name) => `--${name}`);
    return failUsage({ kind: "conflict", command, first: first!, second: second!, wanted: "one place" });
  }
  const { env, cwd, storeOption } = host;
  const wiring = WIRINGS.find((each) => each === options["via"]) ?? defaultWiring(harness, config);
  const scope = options["project"] === true ? "project" : "user";
  const part = settingsPart(harness, wiring, { program: ownProgram(cwd, env["PATH"]), storeOption });
  return {
    harness,
    path: config ?? settingsPath(harness, wiring, { env, cwd, scope }),
    part,
    dryRun: options["dry-run"] === true,
  };
}
