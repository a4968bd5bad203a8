/**
 * Runs one scenario in a fresh world: the harness without fdtool, with it, and its settings after uninstalling.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { nodeDirectory } from "./install_harness.ts";
import type {
  Check,
  LiveHarness,
  LiveRun,
  LiveWorld,
  Scenario,
  Trial,
  TrialContext,
  TrialResult,
} from "./live_harness.ts";
import { type ModelServer, startModelServer, type Step } from "./model_server.ts";

/** The result of a scenario. */
export interface Played {
  without: LiveRun;
  with: LiveRun;
  checks: readonly Check[];
  /** By how much a call of the same command took longer with fdtool: the median; undefined if there is no such call. */
  addedMilliseconds: number | undefined;
}

/** How harnesses are run. */
export interface RunSetting {
  /** The fdtool under test: its binary. */
  binary: string;
  /** Folder of the harness's programs. */
  programs: string;
  /** Whether to keep each world and print its path. */
  keep: boolean;
}

/** How long one run of a harness may take. */
const LIMIT_MILLISECONDS = 240_000;

export async function playScenario(
  harness: LiveHarness,
  scenario: Scenario,
  setting: RunSetting,
): Promise<Played> {
  return await inWorld(harness, setting, async ({ world, model, environment, fdtool }) => {
    scenario.arrange?.(world);
    const run = async (script: readonly Step[], isWithFdtool: boolean): Promise<LiveRun> => {
      model.play(filled(script, world), scenario.subagent);
      const command = harness.command(world, scenario);
      const ended = await runToEnd(command, {
        cwd: world.project,
        env: environment({ fdtool: isWithFdtool }),
      });
      return { ...model.seen(), ...ended };
    };
    const runWithout = async (script: readonly Step[]) => {
      const first = await run(script, false);
      // A harness may hang by itself: once more.
      return first.exitCode === undefined ? await run(script, false) : first;
    };
    const without = scenario.without === undefined
      ? { ...model.seen(), exitCode: 0, stdout: "", stderr: "" }
      : await runWithout(scenario.without);
    const before = settingsFiles(harness, world);
    const { installs = [[]] } = scenario;
    for (const words of installs) fdtool("install", harness.name, ...words);
    const withFdtool = await run(scenario.with, true);
    for (const words of installs.toReversed()) {
      // It takes back all tools.
      fdtool(
        "uninstall",
        harness.name,
        ...words.filter((word, at) => ![word, words[at - 1]].includes("--tools")),
      );
    }
    const after = settingsFiles(harness, world);
    const checks: Check[] = [
      ...[["without", without] as const, ["with", withFdtool] as const].slice(
        scenario.without === undefined ? 1 : 0,
      ).map((
        [when, { exitCode, stderr }],
      ) => ({
        what: `the harness ends with 0 ${when} fdtool`,
        ok: exitCode === 0,
        got: `${exitCode ?? "no end in time"} ${stderr.slice(0, 400)}`,
      })),
      ...scenario.checks({ without, with: withFdtool, world }),
      {
        what: "uninstalling restores the settings byte for byte",
        ok: JSON.stringify(before) === JSON.stringify(after),
        got: differing(before, after),
      },
    ];
    const addedMilliseconds = addedTime(scenario, without, withFdtool);
    return { without, with: withFdtool, checks, addedMilliseconds };
  });
}

export async function runTrial(
  harness: LiveHarness,
  trial: Trial,
  setting: RunSetting,
): Promise<TrialResult> {
  return await inWorld(harness, setting, async ({ world, model, environment, fdtool }) => {
    return await trial.run({
      world,
      environment,
      fdtool,
      play: (script) => model.play(script),
      seen: () => model.seen(),
    });
  });
}

interface OpenWorld extends Pick<TrialContext, "environment" | "fdtool"> {
  world: LiveWorld;
  model: ModelServer;
}

/** Makes a world with a scripted model in it, and takes both down. */
async function inWorld<T>(
  harness: LiveHarness,
  { binary, programs, keep }: RunSetting,
  use: (open: OpenWorld) => Promise<T>,
): Promise<T> {
  const model = startModelServer();
  const root = Deno.realPathSync(mkdtempSync(join(tmpdir(), `fdtool-live-${harness.name}-`)));
  await using resources = new AsyncDisposableStack();
  try {
    const [home, project] = [join(root, "home"), join(root, "project")];
    for (const each of ["home", "project", "tmp", "bin"]) mkdirSync(join(root, each));
    symlinkSync(binary, join(root, "bin", "fdtool"));
    const write = (path: string, content: unknown) => {
      const whole = join(root, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(
        whole,
        typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
      );
    };
    const variables = { $PROJECT: project };
    const world = { root, home, project, port: model.port, write, variables, resources };
    const environment = ({ fdtool }: { fdtool: boolean }) => {
      const path = [programs, nodeDirectory(), "/usr/local/bin", "/usr/bin", "/bin"];
      return {
        HOME: home,
        PATH: [fdtool ? join(root, "bin") : undefined, ...path].filter((each) => each !== undefined).join(
          ":",
        ),
        TMPDIR: join(root, "tmp"),
        LANG: "C.UTF-8",
        TERM: "dumb",
        NO_COLOR: "1",
        SHELL: "/bin/bash",
        USER: "tester",
        ...harness.environment(world),
      };
    };
    // A login shell takes PATH from the profile.
    write("home/.profile", `PATH=${environment({ fdtool: true })["PATH"]}\n`);
    harness.prepare(world);
    const fdtool = (...args: readonly string[]) => {
      const { success, stdout, stderr } = new Deno.Command(join(root, "bin", "fdtool"), {
        args: [...args],
        cwd: project,
        clearEnv: true,
        env: environment({ fdtool: true }),
      }).outputSync();
      const decoder = new TextDecoder();
      if (!success) throw new Error(`fdtool ${args.join(" ")}: ${decoder.decode(stderr)}`);
      return decoder.decode(stdout);
    };
    return await use({ world, model, environment, fdtool });
  } finally {
    await model.stop();
    if (keep) console.error(`kept: ${root}`);
    else rmSync(root, { recursive: true, force: true });
  }
}

/** The script with the world's variables. */
function filled(script: readonly Step[], { variables }: LiveWorld): readonly Step[] {
  let text = JSON.stringify(script);
  for (const [name, value] of Object.entries(variables)) text = text.replaceAll(name, value);
  return JSON.parse(text);
}

/** Runs a program in its own process group, which is killed if it does not end in time. */
export async function runToEnd(
  [program = "", ...args]: readonly string[],
  { cwd, env, limit = LIMIT_MILLISECONDS }: {
    cwd: string;
    env: Readonly<Record<string, string>>;
    limit?: number;
  },
): Promise<Pick<LiveRun, "exitCode" | "stdout" | "stderr">> {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => output.stderr += text);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) Deno.kill(-child.pid, "SIGKILL");
  }, limit);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(timer);
  return { exitCode: isLate ? undefined : code ?? undefined, ...output };
}

/** The settings' bytes, as text of one char a byte, by path. */
function settingsFiles(harness: LiveHarness, { root }: LiveWorld): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (directory: string) => {
    for (const { name, isDirectory, isFile } of Deno.readDirSync(directory)) {
      const path = join(directory, name);
      const inWorld = relative(root, path);
      if (isDirectory && name !== "node_modules") walk(path);
      else if (isFile && harness.isSettings(inWorld)) {
        found[inWorld] = new TextDecoder("latin1").decode(Deno.readFileSync(path));
      }
    }
  };
  walk(join(root, "home"));
  walk(join(root, "project"));
  return Object.fromEntries(Object.entries(found).sort(([one], [other]) => one < other ? -1 : 1));
}

function differing(before: Record<string, string>, after: Record<string, string>): string {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .map((path) => `${path}: ${before[path] ?? "not there"} → ${after[path] ?? "not there"}`).join("\n");
}

/** The median over the steps that call the same shell command in both scripts. */
function addedTime(scenario: Scenario, without: LiveRun, withFdtool: LiveRun): number | undefined {
  const added: number[] = [];
  for (const [step, planned] of scenario.with.entries()) {
    if (!("shell" in planned)) continue;
    const isSame = (each: Step) => "shell" in each && each.shell === planned.shell;
    const plain = without.results.find((each) => each.step === scenario.without?.findIndex(isSame));
    const own = withFdtool.results.find((each) => each.step === step);
    if (plain !== undefined && own !== undefined) added.push(own.milliseconds - plain.milliseconds);
  }
  const known = added.filter((each) => !Number.isNaN(each)).sort((one, other) => one - other);
  return known[Math.floor(known.length / 2)];
}
