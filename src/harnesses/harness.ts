/**
 * A harness: how it can be wired, in which files, and what is written there. Each harness is one
 * record in a file of its own; `harnesses.ts` lists them.
 */

import { join } from "node:path";
import { getNodeValue } from "jsonc-parser";
import { shellWord } from "../answers/parts/next_command.ts";
import { type JsonObject, membersIn } from "../calls/requests/json_object.ts";
import type { Host, Outcome } from "../calls/terms/command.ts";
import type { ReportOf } from "../calls/terms/reports.ts";
import { parseJsonText } from "./edit_json.ts";
import { SHELL_INSTRUCTIONS } from "./shell_instructions.ts";
import type { Environment } from "../../fd/mod.ts";

/**
 * `hook`: large shell output goes through fdtool. `shell`: commands do. `mcp`: fdtool's tools are registered. `memory`: a
 * paragraph for the model.
 */
type Wiring = "hook" | "shell" | "mcp" | "memory";
export const WIRINGS = ["hook", "shell", "mcp", "memory"] as const satisfies readonly Wiring[];

export type Scope = "user" | "project";

export interface Harness {
  /** The argument of `install`. */
  name: string;
  title: string;
  /** The program that `doctor` asks for its version, if there is one. */
  program: string | undefined;
  /** The newest version it was tested with (docs/agents.md). */
  ranWith: string | undefined;
  /** Its tools alone change nothing that the model sees of its commands, so its memory file has a paragraph by default. */
  needsMemory?: true;
  /** The first is the default, unless `--config` names a file that another one claims. */
  wirings: readonly WiringSpec[];
  /** Loads the code of `fdtool hook NAME`. */
  loadHook?: (() => Promise<AnswerHook>) | undefined;
  /** Reports problems of the harness's settings and version for `doctor`. */
  inspect?(view: HarnessView): readonly Remark[];
}

export interface HarnessView {
  setup: Setup;
  installed: readonly Wiring[];
  /** Undefined if the program did not report one. */
  version: string | undefined;
  /** Reads a file's text; undefined if it cannot be read. */
  read(path: string): string | undefined;
}

/** One line of `doctor`, with its fix. */
export type Finding = ReportOf<"doctor_report">["facts"]["finding"][number];

/** A finding, without what it is about. */
export type Remark = Omit<Finding, "about">;

/** A remark that all is well. */
export const ok = (what: string): Remark => ({ state: "ok", what });
/** A remark worth knowing. */
export const note = (what: string, mend?: string): Remark => ({ state: "note", what, mend });
/** A remark about a failure, or about what weakens fdtool. */
export const problem = (what: string, mend: string): Remark => ({ state: "problem", what, mend });

/**
 * Answers a call of the hook; `tools` is its option. It never fails: the exit code is 0, and the harness keeps its output.
 */
export type AnswerHook = (
  written: Uint8Array,
  host: Host,
  tools: string | undefined,
) => Promise<Outcome>;

export interface WiringSpec {
  via: Wiring;
  /** The name that `doctor` gives it; default `via`. */
  label?: string;
  scopes: readonly Scope[];
  /** The file to change. A project's is relative to the working directory. */
  path(setup: Setup): string;
  parts(setup: Setup): readonly Part[];
  /** A file that this one names: installed before it, and uninstalled after it. */
  needs?(setup: Setup): WiringSpec | undefined;
  /** Whether a file given by `--config` belongs to this wiring rather than to the first. */
  claims?(path: string): boolean;
  /** Whether it stores large files that the model reads, if that is asked for. */
  mayReadFiles?: true;
  /** Sentences that `install` adds to its answer. */
  remarks?(setup: Setup): readonly string[];
  /** A sentence that `uninstall` adds. */
  farewell?: string;
  /** The alternative in a scope that this wiring does not have. */
  otherwise?: string | undefined;
  /** Top-level members that the harness itself writes: a file that `install` created is removed in spite of them. */
  ownMembers?: readonly string[] | undefined;
}

/** A change of one settings file. */
export interface SettingsOrder {
  harness: Harness;
  wiring: WiringSpec;
  path: string;
  parts: readonly Part[];
  notes: readonly string[];
  dryRun: boolean;
  /** The change of the file that this one names, when both are removed. */
  needed?: SettingsOrder | undefined;
}

export interface Setup {
  /** The name or path that starts fdtool. */
  program: string;
  /** `--store` as given, which is written into the settings. */
  storeOption: string | undefined;
  /** Absolute. */
  storePath: string;
  env: Environment;
  cwd: string;
  scope: Scope;
  /** Whether to add the harness's permission rules for the commands that only read fds. */
  hasRules: boolean;
  /** Whether large results of the tool that reads files are stored too. */
  readsFiles?: boolean | undefined;
  /** Whether what was installed is taken out. */
  isRemoval?: boolean | undefined;
  /** A path under the user's home directory. Without HOME the call fails. */
  home(...names: string[]): string;
}

/** One addition to a file, and how `uninstall` recognises it. */
export type Part =
  | {
    kind: "json";
    /** The object or list to add to; missing containers on the way are created. */
    path: readonly string[];
    /** Undefined for an element of a list. */
    key: string | undefined;
    value: unknown;
    /** For a member: whether the value found under its name is fdtool's, for any program and store. */
    isOurs?(value: unknown): boolean;
    /** For an element: where fdtool's is in the list, for any program and store, and whether it is up to date. */
    findIn?(list: unknown): FoundElement | undefined;
    /** Another value under its name is the user's: it stays, and this part is left out. */
    yields?: true;
    /** The user may have written the same: `uninstall` leaves what was there before `install`. */
    mayBeUsers?: true;
  }
  /** A table of a TOML file. */
  | { kind: "toml"; path: readonly string[]; value: object; isOurs(value: unknown): boolean }
  /** A string in a TOML list. */
  | { kind: "toml_element"; path: readonly string[]; value: string }
  | { kind: "paragraph"; text: string }
  /** A file that is fdtool's as a whole. */
  | { kind: "file"; text: string; mark: string; isProgram?: true };

export interface FoundElement {
  path: readonly (number | string)[];
  isCurrent: boolean;
}

export function serverCommand({ program, storeOption }: Setup): { command: string; args: string[] } {
  return { command: program, args: ["mcp", ...storeOption === undefined ? [] : ["--store", storeOption]] };
}

/** A server in a JSON file, as a member of the object at `path`. */
export function serverPart(path: readonly string[], value: unknown): Part {
  return { kind: "json", path, key: "fdtool", value, isOurs: startsServer };
}

/** Whether a server's settings start fdtool's server: `command` is a string with `args`, or a list. */
export function startsServer(value: unknown): boolean {
  const { command, args } = membersIn(value);
  const words = [command, args].flat();
  return words.some((word) => typeof word === "string" && /(?:^|[\\/])fdtool[^\\/]*$/.test(word)) &&
    words.includes("mcp");
}

/** Paths in the directory that `variable` names, else under the user's home; for a project, in `project`. */
export function directory(variable: string, home: readonly string[], project: string) {
  return (...names: string[]) => (setup: Pick<Setup, "scope" | "env" | "home">): string =>
    join(setup.scope === "user" ? setup.env[variable] ?? setup.home(...home) : project, ...names);
}

/**
 * A script that a harness starts as its shell with `args`, after `lines`: a program that is missing would fail every
 * command.
 */
export function shellScript(
  name: string,
  { program, storeOption }: Setup,
  { lines, shell, args }: { lines: string; shell: string; args: string },
): Part {
  const [fdtool, store] = [program, storeOption ?? ""].map((word) => shellWord(word, "posix"));
  const text = `#!/bin/sh
# Written by \`fdtool install ${name}\`; \`fdtool uninstall ${name}\` removes it.
${lines}case $(ulimit -v 2>/dev/null) in
? | ?? | ??? | ???? | ????? | 1?????)
  # The system could not load the program, and end it without a word.
  echo "fdtool: too little address space (ulimit -v); the command's output is not kept" >&2
  exec "${shell}" ${args}
  ;;
esac
if command -v ${fdtool} >/dev/null 2>&1; then
  export FDTOOL_SHELL="\${FDTOOL_SHELL:-${shell}}"
${storeOption === undefined ? "" : `  export FDTOOL_STORE=${store}\n`}  exec ${fdtool} shell ${args}
fi
exec "${shell}" ${args}
`;
  return { kind: "file", text, mark: `fdtool install ${name}`, isProgram: true };
}

/** The wiring of a memory file, whose paths these are; undefined if the user's is not known. */
export function memoryFile(
  { user, project }: { user: ((setup: Setup) => string) | undefined; project: string },
): WiringSpec {
  return {
    via: "memory",
    scopes: user === undefined ? ["project"] : ["user", "project"],
    path: (setup) => setup.scope === "user" && user !== undefined ? user(setup) : project,
    parts: (setup) => [{ kind: "paragraph", text: memoryParagraph(setup) }],
    claims: (path) => /\.(?:md|mdc|txt|markdown)$/i.test(path),
    otherwise: "--project (AGENTS.md) or --config FILE",
  };
}

/** The paragraph for a harness's memory file, which the model reads in every session. */
function memoryParagraph({ program, storeOption }: Setup): string {
  const called = storeOption === undefined ? program : `${program} --store ${storeOption}`;
  const name = called === "fdtool" ? "" : `\n\nHere fdtool is called \`${called}\`.`;
  return `## fdtool\n\n${SHELL_INSTRUCTIONS}${name}`;
}

/** A harness's own settings in a JSON text; none if it is missing or invalid. */
export function settingsIn(text: string | undefined): JsonObject {
  const parsed = parseJsonText(text ?? "");
  return "problems" in parsed || parsed.root === undefined ? {} : membersIn(getNodeValue(parsed.root));
}

export function names(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

/** A setting that keeps what is installed from working. */
export function turnedOff(path: string, setting: string, effect: string): Remark {
  return problem(`${effect}, because of ${setting} in ${path}`, `change ${setting} in ${path}`);
}

/** Reports the settings file that turns off the hook that is installed: the first of `paths` that says something decides. */
export function hooksTurnedOff({ installed, read }: HarnessView, paths: readonly string[]): Remark[] {
  const said = paths.map((path) => ({ path, isOff: settingsIn(read(path))["disableAllHooks"] }));
  const first = said.find(({ isOff }) => typeof isOff === "boolean");
  return first?.isOff === true && installed.includes("hook")
    ? [turnedOff(first.path, "disableAllHooks", "no hook runs")]
    : [];
}
