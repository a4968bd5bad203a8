/** The options of `install` and `uninstall`, and the changes of settings that a call asks for. */

import { realpathSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { storePathOf } from "../answers/parts/open_host_store.ts";
import { FdError } from "../../fd/system.ts";
import type { WriteResult } from "../calls/terms/answers.ts";
import {
  flagOption,
  type RequestFields,
  type RequestOf,
  textOption,
} from "../calls/requests/request_fields.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import { WriteError } from "../calls/terms/write_failure.ts";
import { failConflict, failValue } from "../calls/requests/usage_failure.ts";
import { findProgram } from "../calls/streams/find_program.ts";
import { sourceRuntime } from "../capturing/background/own_program.ts";
import { type Harness, type SettingsOrder, type Setup, WIRINGS, type WiringSpec } from "./harness.ts";
import { HARNESS_NAMES, HARNESSES } from "./harnesses.ts";

/** The fields of `uninstall`. */
export const SETTINGS_FIELDS = {
  harness: { kind: "text", isRequired: true, isArgument: true },
  user: flagOption("change the user's configuration (default)"),
  project: flagOption("change the project's configuration, in the working directory"),
  config: textOption("FILE", "change this file"),
  via: {
    kind: "text",
    choices: WIRINGS,
    option: {
      value: "HOW",
      help:
        "hook: store large shell output (claude-code's default); shell: be the shell (opencode); mcp: serve fdtool's tools (default of the others); " +
        "memory: add a paragraph to the harness's memory file",
    },
  },
  memory: flagOption(
    "also add a paragraph to the harness's memory file (AGENTS.md or similar; for the user of codex and gemini-cli: the default)",
  ),
} as const satisfies RequestFields;

/** The fields of `install` besides. */
export const INSTALL_FIELDS = {
  no_rules: flagOption(
    "add no permission rules (claude-code: those that let the commands which only read fds run unasked)",
  ),
  tools: {
    kind: "text",
    choices: ["read"],
    option: { value: "TOOL", help: "also store large files that the model reads (claude-code's hook)" },
  },
} as const satisfies RequestFields;

type SettingsRequest =
  & RequestOf<typeof SETTINGS_FIELDS>
  & RequestOf<typeof INSTALL_FIELDS>
  & { dry_run?: boolean | undefined };

export const settingsUsage = `${HARNESS_NAMES.join("|")} [options]`;

/** The harness of that name, or with that program; fails with a usage error if there is none. */
export function harnessOf(command: string, written: string): Harness {
  const harness = HARNESSES.find(({ name, program }) => name === written || program === written);
  if (harness !== undefined) return harness;
  return failValue(command, "harness", written, `one of ${HARNESS_NAMES.join(", ")}`);
}

export function setupOf(
  host: Host,
  scope: Setup["scope"],
  hasRules = true,
): Setup {
  const { env, cwd, storeOption } = host;
  return {
    program: ownName(cwd, env["PATH"]),
    storeOption,
    storePath: storePathOf(host),
    env,
    cwd,
    scope,
    hasRules,
    home: (...names) => {
      if (env["HOME"] !== undefined && env["HOME"] !== "") return join(env["HOME"], ...names);
      return failValue("install", "--user", "no HOME", "a HOME, or --project or --config FILE");
    },
  };
}

/** The changes that a request asks for; with `every`, all wirings of the scope if it names none. */
export function settingsOrders(
  command: string,
  request: SettingsRequest,
  host: Host,
  { every }: { every: boolean },
): SettingsOrder[] {
  const { harness: named, config, via: asked } = request;
  const harness = harnessOf(command, named);
  const refuseBoth = (names: readonly ("user" | "project" | "config" | "memory")[], wanted: string) => {
    const [first, second] = names.filter((name) => request[name] !== undefined && request[name] !== false);
    if (second !== undefined) failConflict(command, `--${first}`, `--${second}`, wanted);
  };
  refuseBoth(["user", "project", "config"], "one place");
  refuseBoth(["config", "memory"], "--via memory --config FILE");
  // A file that the call names may be for others, too.
  const isUsers = request.project !== true && config === undefined;
  const readsFiles = every || request.tools === "read";
  const setup = {
    ...setupOf(host, isUsers ? "user" : "project", request.no_rules !== true),
    readsFiles,
    isRemoval: every,
  };
  const wirings = every && asked === undefined && config === undefined
    ? harness.wirings.filter(({ scopes }) => scopes.includes(setup.scope))
    : chosenWirings(command, harness, request);
  if (request.tools !== undefined && !wirings.some(({ mayReadFiles }) => mayReadFiles === true)) {
    failValue(command, "--tools", `${request.tools} for ${named}`, "the hook of claude-code");
  }
  const orderOf = (wiring: WiringSpec, path: string): SettingsOrder => {
    const notes = every ? wiring.farewell ?? [] : [
      ...wiring.remarks?.(setup) ?? [],
      ...harness.needsMemory === true && wiring.via === "mcp"
        ? [wirings.some(({ via }) => via === "memory") ? WITH_PARAGRAPH : TOOLS_ALONE]
        : [],
    ];
    const dryRun = request.dry_run === true;
    return { harness, wiring, path, parts: wiring.parts(setup), notes: [notes].flat(), dryRun };
  };
  return wirings.flatMap((wiring) => {
    if (config === undefined && !wiring.scopes.includes(setup.scope)) {
      const got = `${harness.name} --via ${wiring.via}`;
      failValue(command, "HARNESS", got, wiring.otherwise ?? "--project");
    }
    const order = orderOf(wiring, config ?? wiring.path(setup));
    const needed = wiring.needs?.(setup);
    if (needed === undefined) return [order];
    const neededOrder = orderOf(needed, needed.path(setup));
    return every ? [{ ...order, needed: neededOrder }, neededOrder] : [neededOrder, order];
  });
}

const TOOLS_ALONE =
  "The tools alone do not make the output of commands smaller: --memory tells the model to use them.";
const WITH_PARAGRAPH =
  "The output of commands gets smaller if the model runs them through fdtool, as the paragraph in the memory file tells it.";

function chosenWirings(
  command: string,
  harness: Harness,
  { via: asked, config, memory, project }: SettingsRequest,
): WiringSpec[] {
  const { wirings } = harness;
  const claiming = config === undefined ? undefined : wirings.find(({ claims }) => claims?.(config) === true);
  const chosen = asked === undefined
    ? claiming ?? wirings[0]!
    : wirings.find(({ via }) => via === asked) ?? refuseWiring(command, harness, asked);
  const isByDefault = harness.needsMemory === true && asked === undefined && config === undefined &&
    project !== true;
  const paragraph = memory ?? isByDefault ? wirings.filter(({ via }) => via === "memory") : [];
  return [...new Set([chosen, ...paragraph])];
}

function refuseWiring(command: string, { name, wirings }: Harness, asked: string): never {
  const ways = wirings.map(({ via }) => via).join(" or ");
  return failValue(command, "--via", asked, `${ways} for ${name} (docs/agents.md says why)`);
}

/**
 * Carries out `orders` in order until one fails: the answers of those before it that are `shown` are still reported. Throws its
 * failure if nothing was written before it.
 */
export async function carryOutOrders(
  orders: readonly SettingsOrder[],
  carryOut: (order: SettingsOrder) => Promise<WriteResult>,
  shown = (answers: readonly WriteResult[]) => answers,
): Promise<Outcome> {
  const answers: WriteResult[] = [];
  const failures: Error[] = [];
  for (const order of orders) {
    try {
      answers.push(await carryOut(order));
    } catch (thrown) {
      const wasWritten = answers.some(({ tx }) => tx !== undefined);
      if (!wasWritten || !(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
      failures.push(thrown);
      break;
    }
  }
  const [answer, ...furtherAnswers] = shown(answers);
  return { exitCode: failures.length, answer, furtherAnswers, failures };
}

/** How other programs start fdtool: `fdtool` if PATH has it, else the path of this binary. */
export function ownName(cwd: string, searchPath: string | undefined): string {
  if (findProgram("fdtool", cwd, searchPath).kind === "program") return "fdtool";
  return sourceRuntime() === undefined ? realpathSync(process.execPath) : "fdtool";
}
