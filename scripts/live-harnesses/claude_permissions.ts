/**
 * Asks Claude Code itself what may run: the same commands, set-up by set-up and mode by mode, without fdtool and with it.
 * Each session is one script of the model; what Claude Code would ask a person arrives over its stdio protocol, and is
 * denied, so that it does not run.
 */

import type { Check, TrialContext, TrialResult } from "./live_harness.ts";
import { linesOf } from "../lines_of.ts";
import { markdownTable } from "../result_pages.ts";
import { elements, member, word } from "./model_api.ts";
import { HARMLESS_COMMANDS, OWN_COMMANDS, PROJECT_FILES, SET_UPS, type SetUp } from "./claude_commands.ts";

/** Claude Code's verdict on one command. */
type Verdict =
  | { kind: "ran" }
  | { kind: "denied" }
  /** The text shown to the user, and the suggested rule for "don't ask again". */
  | { kind: "asked"; shown: string; suggestions: string; reason: string };

const MODES = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"] as const;

/** Many calls in one turn of the model: the way to the model and back takes longer than most commands. */
const CALLS_A_TURN = 20;

/** How many commands are tried. */
export interface PermissionPlan {
  setUps: readonly string[] | undefined;
  modes: readonly (typeof MODES[number])[];
  /** One of this many commands is tried. */
  every: number;
}

export const ALL_PERMISSIONS: PermissionPlan = { setUps: undefined, modes: MODES, every: 1 };
export const SOME_PERMISSIONS: PermissionPlan = {
  setUps: ["files denied"],
  modes: ["default"],
  every: 6,
};

/** Compares the verdicts, command by command. */
export async function comparePermissions(plan: PermissionPlan, context: TrialContext): Promise<TrialResult> {
  const commands = HARMLESS_COMMANDS.filter((_, index) => index % plan.every === 0);
  const checks: Check[] = [];
  const rows: string[][] = [];
  /** The kinds of all verdicts, without fdtool and with it. */
  const kinds: [Verdict["kind"][], Verdict["kind"][]] = [[], []];
  for (const setUp of SET_UPS.filter(({ name }) => plan.setUps?.includes(name) ?? true)) {
    for (const mode of plan.modes) {
      const verdicts = async (own: readonly string[], isWithFdtool: boolean) => {
        const all = await verdictsOn([...commands, ...own], setUp, mode, context, { fdtool: isWithFdtool });
        return [all.slice(0, commands.length), all.slice(commands.length)] as const;
      };
      const [without, before] = await verdicts(OWN_COMMANDS.map(({ like }) => like), false);
      const [withFdtool, after] = await verdicts(OWN_COMMANDS.map(({ command }) => command), true);
      const differences = commands.flatMap((command, index) => {
        const [one, other] = [without, withFdtool].map((each) => JSON.stringify(each[index]));
        return one === other ? [] : [`${command}: ${one} → ${other}`];
      });
      checks.push({
        what: `${setUp.name}, ${mode}: the same verdict on ${commands.length} commands`,
        ok: differences.length === 0 && !without.includes(undefined),
        got: [...differences, ...commands.filter((_, index) => without[index] === undefined)].join("\n"),
      });
      const [some, others] = [without, withFdtool].map((all) => all.flatMap((each) => each?.kind ?? []));
      kinds[0].push(...some!);
      kinds[1].push(...others!);
      rows.push([setUp.name, mode, ...[...countsOf(others!), differences.length].map(String)]);
      const odd = OWN_COMMANDS.flatMap(({ command, like }, index) => {
        const [one, other] = [before[index]?.kind, after[index]?.kind];
        return one !== undefined && one === other ? [] : [`${command}: ${other}, but ${like}: ${one}`];
      });
      checks.push({
        what: `${setUp.name}, ${mode}: of fdtool's own commands, only the five that read fds are allowed`,
        ok: odd.length === 0,
        got: odd.join("\n"),
      });
      const settings = Deno.readTextFileSync(`${context.world.home}/.claude/settings.json`);
      checks.push({
        what: `${setUp.name}, ${mode}: uninstalling takes the allow rules out, byte for byte`,
        ok: settings === `${JSON.stringify({ permissions: setUp.permissions }, null, 2)}\n`,
        got: settings,
      });
    }
  }
  const summaries = kinds.map((all) => countsOf(all).map((count, at) => `${count} ${KINDS[at]}`).join(", "));
  const details = [
    `${commands.length} commands, each in every row, without fdtool and with it. Verdicts are the same if the command ran, ` +
    "was denied, or was asked about with the same text, reason and suggestions.",
    "",
    markdownTable(["permissions", "mode", "ran", "asked", "denied", "differences"], rows, 2),
  ].join("\n");
  return { checks, permissions: summaries.join(" → "), details };
}

const KINDS = ["ran", "asked", "denied"] as const;

/** How often each of {@link KINDS} is among them. */
function countsOf(kinds: readonly Verdict["kind"][]): number[] {
  return KINDS.map((kind) => kinds.filter((each) => each === kind).length);
}

/** Commands per session: one of 220 ended before its script did, in plan mode. */
const COMMANDS_A_SESSION = 100;

/** The verdict on each command; undefined if the session ended before it. */
export async function verdictsOn(
  commands: readonly string[],
  ...[setUp, mode, context, options]: SessionSetting
): Promise<readonly (Verdict | undefined)[]> {
  const verdicts: (Verdict | undefined)[] = [];
  for (let at = 0; at < commands.length; at += COMMANDS_A_SESSION) {
    const some = commands.slice(at, at + COMMANDS_A_SESSION);
    verdicts.push(...await verdictsInSession(some, setUp, mode, context, options));
  }
  return verdicts;
}

type SessionSetting = [setUp: SetUp, mode: string, context: TrialContext, options: { fdtool: boolean }];

async function verdictsInSession(
  commands: readonly string[],
  ...[{ permissions }, mode, { world, environment, fdtool, play, seen }, { fdtool: isWithFdtool }]:
    SessionSetting
): Promise<readonly (Verdict | undefined)[]> {
  // The next session must not find the changes of this one.
  Deno.removeSync(world.project, { recursive: true });
  for (const [path, text] of Object.entries(PROJECT_FILES)) world.write(path, text);
  world.write("home/.claude/settings.json", { permissions });
  if (isWithFdtool) fdtool("install", "claude-code");
  const turns = Array.from({ length: Math.ceil(commands.length / CALLS_A_TURN) }, (_, turn) => ({
    calls: commands.slice(turn * CALLS_A_TURN, (turn + 1) * CALLS_A_TURN).map((command) => ({
      shell: command,
    })),
  }));
  play(turns);
  const asked = new Map<string, Verdict>();
  const denied = new Set<string>();
  const child = new Deno.Command("claude", {
    args: [
      ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
      ...["--permission-prompt-tool", "stdio"],
      ...mode === "bypassPermissions" ? ["--dangerously-skip-permissions"] : ["--permission-mode", mode],
    ],
    cwd: world.project,
    clearEnv: true,
    env: environment({ fdtool: isWithFdtool }),
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter();
  const send = async (message: unknown) =>
    await input.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  await send({ type: "user", message: { role: "user", content: "Do what is scripted." } });
  for await (const line of linesOf(child.stdout)) {
    const message: unknown = JSON.parse(line);
    const request = member(message, "request");
    if (member(request, "subtype") === "can_use_tool") {
      asked.set(callOf(member(request, "tool_use_id")), {
        kind: "asked",
        shown: word(member(member(request, "input"), "command")),
        suggestions: JSON.stringify(member(request, "permission_suggestions") ?? null),
        reason: JSON.stringify(member(request, "decision_reason") ?? null),
      });
      const response = { behavior: "deny", message: "not now" };
      const request_id = member(message, "request_id");
      await send({ type: "control_response", response: { subtype: "success", request_id, response } });
    } else if (member(message, "type") === "result") {
      for (const each of elements(member(message, "permission_denials"))) {
        denied.add(callOf(member(each, "tool_use_id")));
      }
      break;
    }
  }
  await input.close();
  await child.status;
  const answered = new Set(seen().results.map(({ step, call }) => `s${step}c${call}`));
  if (isWithFdtool) fdtool("uninstall", "claude-code");
  return commands.map((_, index) => {
    const call = `s${Math.floor(index / CALLS_A_TURN)}c${index % CALLS_A_TURN}`;
    if (!answered.has(call)) return undefined;
    return asked.get(call) ?? { kind: denied.has(call) ? "denied" : "ran" };
  });
}

/** The call's own id in the script. */
function callOf(id: unknown): string {
  return word(id).replace("toolu_call_", "").replace("toolu_", "");
}
