/**
 * The data that `scripts/live` needs to run a harness's real program headless. To add one:
 *
 * 1. Write a file of this folder with a record of {@link LiveHarness}: the npm packages at exact versions, the settings
 *    that make it talk to the scripted model (`prepare`, `environment`) without asking the network for anything else,
 *    and the words that run one prompt (`command`). Which API it speaks does not matter: `model_server.ts` answers all.
 * 2. Give it scenarios. Each has a script for the run without fdtool and one for the run with it, and checks of what the
 *    model saw in both. What fits no script, such as a permission dialogue, is a trial: a function.
 * 3. Add the record to `harness_list.ts`.
 *
 * Around each scenario, `run_scenario.ts` makes a fresh home and project, runs the harness without fdtool, installs
 * fdtool (`fdtool install NAME …`), runs it again, uninstalls, and compares the settings byte for byte.
 */

import { existsSync, readFileSync } from "node:fs";
import type { CallStep, Seen, Step } from "./model_server.ts";

export interface LiveHarness {
  /** As `fdtool install` knows it. */
  name: string;
  /** npm packages with exact versions. The first is the harness: its version is in the results. */
  packages: readonly [string, ...string[]];
  /** Programs that npm would run after installing, if scripts of packages were allowed: a folder of node_modules, words. */
  afterNpm?: readonly { folder: string; words: readonly string[] }[];
  /** Environment variables beside HOME, PATH, TMPDIR, LANG and TERM. */
  environment(world: LiveWorld): Readonly<Record<string, string>>;
  /** Writes the settings that a user has before fdtool is installed. */
  prepare(world: LiveWorld): void;
  /** The words that run one prompt to its end. */
  command(world: LiveWorld, scenario: Pick<Scenario, "flags">): readonly string[];
  /** Whether a file, by its path from the world's root (`home/…`, `project/…`), is one that uninstalling must restore. */
  isSettings(path: string): boolean;
  scenarios: readonly Scenario[];
  trials?: readonly Trial[];
}

/** The directories of one scenario. */
export interface LiveWorld {
  root: string;
  home: string;
  project: string;
  /** The scripted model's port. */
  port: number;
  /** Writes a file, with its folders, by its path from the root. Values other than text become JSON. */
  write(path: string, content: unknown): void;
  /** Replaces words in scripts: `$PROJECT`, and those that a scenario adds. */
  variables: Record<string, string>;
  /** Ends with the world. */
  resources: AsyncDisposableStack;
}

export interface Scenario {
  name: string;
  what: string;
  /** Whether it is part of the short form that `scripts/test` runs; `alone`: there only with fdtool. */
  short?: "compared" | "alone";
  /** Arguments after each `fdtool install NAME`, and `uninstall`; once without any unless given. */
  installs?: readonly (readonly string[])[];
  /** Flags of the harness's own, where `command` uses them. */
  flags?: readonly string[];
  /** Files and settings that this scenario needs, written after `prepare`; beside those of others in the short form. */
  arrange?(world: LiveWorld): void;
  /** The model's script without fdtool, if it is run so, and with it. */
  without?: readonly Step[];
  with: readonly Step[];
  /** The script of a subagent, in both runs. */
  subagent?: readonly Step[];
  /** The permissions without and with fdtool, in a few words for the table. */
  permissions?(both: { without: LiveRun; with: LiveRun }): string;
  checks(both: { without: LiveRun; with: LiveRun; world: LiveWorld }): readonly Check[];
}

/** One run of the harness. */
export interface LiveRun extends Seen {
  /** Undefined if it did not end in time. */
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

/** One thing that must hold. */
export interface Check {
  what: string;
  ok: boolean;
  /** The value found instead. */
  got?: string | undefined;
}

/** A trial that no script can express: runs the harness as needed and returns checks. */
export interface Trial {
  name: string;
  what: string;
  short?: boolean;
  run(context: TrialContext): Promise<TrialResult>;
}

export interface TrialResult {
  checks: readonly Check[];
  /** The permissions without and with fdtool, in a few words for the table. */
  permissions?: string;
  /** Markdown for the results, in addition to the checks. */
  details?: string;
}

export interface TrialContext {
  /** A fresh world, prepared. */
  world: LiveWorld;
  /** The environment that the harness runs in. */
  environment(options: { fdtool: boolean }): Readonly<Record<string, string>>;
  /** Runs fdtool in the world, throws if it fails, and returns stdout. */
  fdtool(...words: readonly string[]): string;
  play(script: readonly Step[]): void;
  seen(): Seen;
}

/** The text of a result; empty if it never came. */
export function resultText(seen: Seen, step: number, call = 0): string {
  return seen.results.find((each) => each.step === step && each.call === call)?.text ?? "";
}

/** Checks that a text holds another. */
export function holds(what: string, text: string, wanted: string): Check {
  return { what, ok: text.includes(wanted), got: shortened(text) };
}

/** Checks that two values are the same JSON. */
export function same(what: string, actual: unknown, expected: unknown): Check {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  return { what, ok: one === other, got: `${shortened(one ?? "")} instead of ${shortened(other ?? "")}` };
}

/** The scenario whose commands must be shown as without fdtool, but for what `shown` leaves out. */
export function unchangedResults(
  scenario: Pick<Scenario, "what"> & Partial<Scenario>,
  steps: readonly Step[],
  shown: (text: string) => string = (text) => text,
): Scenario {
  return {
    name: "unchanged results",
    without: steps,
    with: steps,
    checks: ({ without, with: seen }) =>
      steps.map((_, step) =>
        same(`step ${step}`, shown(resultText(seen, step)), shown(resultText(without, step)))
      ),
    ...scenario,
  };
}

/** The scenario that uses fdtool's tools over the harness's own MCP client. */
export function toolsOverMcp(scenario: Pick<Scenario, "what"> & Partial<Scenario>): Scenario {
  return {
    name: "tools over MCP",
    installs: [["--project", "--via", "mcp"]],
    without: [{ shell: "seq 1 100000" }],
    with: [
      { shell: "seq 1 100000 | fdtool capture" },
      { tool: "read_fd", args: { fd: "$FD", mode: "line", start: 99_990, count: 5 } },
      { tool: "search_fd", args: { fd: "$FD", pattern: "^7777$" } },
      { tool: "read_fd", args: { fd: "fd:999" } },
    ],
    checks: ({ with: seen }) => [
      holds("a slice is read", resultText(seen, 1), "99993"),
      holds("a line is found", resultText(seen, 2), "7777"),
      holds("a failure says what is wrong", resultText(seen, 3), "fd:999"),
    ],
    ...scenario,
  };
}

/** Prints a line that matters, in the middle of thousands that do not; the line is not in the command's text. */
const BURIED = 'seq 1 5000; echo "src/a.c:$((3+4)):1: error: no such thing"; seq 1 5000; echo oops >&2';
const ERROR_LINE = "src/a.c:7:1: error: no such thing";

/**
 * The scenarios of a harness whose results a hook replaces, the commands unchanged. `pause` is what its own program needs
 * to see all output; `ended` and `stopped` are its words for exit code 3 and for a command that it stops, if it has them,
 * `kept` and `exit` are fdtool's.
 */
export function replacedResults(
  {
    pause = "",
    ended = "",
    stopped,
    small,
    shown = (text) => text,
    projectFlags = [],
    kept = (lineCount) => `total_lines="${lineCount}"`,
    exit = 'exit_code="3"',
  }: {
    pause?: string;
    ended?: string;
    stopped?: { more: Readonly<Record<string, unknown>>; says: string };
    small: readonly Step[];
    shown?: (text: string) => string;
    projectFlags?: readonly string[];
    kept?: (lineCount: number) => string;
    exit?: string;
  },
): readonly Scenario[] {
  const large = { shell: `seq 1 100000${pause}` };
  const failing = { shell: `${BURIED}${pause}; exit 3` };
  const written = { shell: `printf %s "$(seq 1 9000)" | tee copy${pause}` };
  const calls: CallStep[] = [{ shell: `seq 1 9000${pause}` }, { shell: "echo small" }];
  const slow = stopped === undefined ? [] : [{ shell: "seq 1 9000; sleep 30", more: stopped.more }];
  return [
    {
      name: "large output",
      what:
        "A large output, a slice of it, a failing command with its error in the middle, every byte, two calls at once",
      without: [large, failing, written, { calls }],
      with: [
        large,
        { shell: "fdtool read $FD --lines 99990-99999" },
        failing,
        { shell: "fdtool search $FD oops" },
        written,
        { shell: "fdtool read $FD --all --format raw | cmp - copy; echo compared: $?" },
        { calls },
      ],
      checks: ({ without, with: seen }) => [
        holds("a large output arrives as a handle", resultText(seen, 0), kept(100_000)),
        holds("a slice of it can be read", resultText(seen, 1), "\n99995\n"),
        holds("the line that matters is shown", resultText(seen, 2), ERROR_LINE),
        {
          what: "without fdtool it is not",
          ok: resultText(without, 1) !== "" && !resultText(without, 1).includes(ERROR_LINE),
          got: shortened(resultText(without, 1)),
        },
        holds("the exit code is shown", resultText(seen, 2), exit),
        holds("and said as the harness says it", resultText(seen, 2), ended),
        holds("stderr is in the fd", resultText(seen, 3), ":oops"),
        holds("every byte is in the fd", resultText(seen, 5), "compared: 0"),
        holds("of two calls at once the large one is stored", resultText(seen, 6), kept(9000)),
        same("and the small one stays", shown(resultText(seen, 6, 1)), shown(resultText(without, 3, 1))),
      ],
    },
    {
      name: "project",
      what: "Installed in a project; a command with large output that the harness stops",
      installs: [["--project"]],
      flags: projectFlags,
      without: [large, ...slow],
      with: [large, ...slow],
      checks: ({ with: seen }) => [
        holds("a large output arrives as a handle", resultText(seen, 0), kept(100_000)),
        ...stopped === undefined ? [] : [
          holds("so does what came before the end", resultText(seen, 1), kept(9000)),
          holds("and how it ended is said", resultText(seen, 1), stopped.says),
        ],
      ],
    },
    unchangedResults({ what: "Small, failing and stopped commands are as without fdtool" }, small, shown),
  ];
}

/** Adds members to the JSON file at `path` in the world, and to the objects in it. */
export function addMembers(
  { root, write }: LiveWorld,
  path: string,
  members: Readonly<Record<string, unknown>>,
): void {
  const file = `${root}/${path}`;
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const added = Object.entries(members).map(([name, value]) => [
    name,
    isObject(value) && isObject(before[name]) ? { ...before[name], ...value as object } : value,
  ]);
  write(path, { ...before, ...Object.fromEntries(added) });
}

function shortened(text: string): string {
  return text.length <= 400 ? text : `${text.slice(0, 250)} … ${text.slice(-120)}`;
}
