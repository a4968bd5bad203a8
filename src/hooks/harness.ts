/**
 * What fdtool knows of a harness: its ways of being wired, the files they are in, and what is written there. Each harness
 * is one record of this in a file of its own; `harnesses.ts` lists them.
 *
 * @module
 */

import type { Host, Outcome } from "../terms/command.ts";

/** `hook`: large shell output goes through fdtool. `mcp`: fdtool's tools are registered. `memory`: a paragraph for the model. */
export type Wiring = "hook" | "mcp" | "memory";
export const WIRINGS = ["hook", "mcp", "memory"] as const satisfies readonly Wiring[];

/** Where a configuration is: the user's own, or a project's. */
export type Scope = "user" | "project";

/** One harness. */
export interface Harness {
  /** As `install` knows it. */
  name: string;
  /** As people call it. */
  title: string;
  /** The name of its program, which `doctor` asks for its version; undefined if there is none to ask. */
  program: string | undefined;
  /** The version that it was last run with (docs/agents.md). */
  ranWith: string | undefined;
  /** How it can be wired. The first is the default, unless `--config` names a file that another one claims. */
  wirings: readonly WiringSpec[];
  /** What `fdtool hook NAME` does with what the harness writes to it. Loaded when it is called. */
  loadHook?: (() => Promise<AnswerHook>) | undefined;
  /** What `doctor` says of the harness's own settings and version. */
  inspect?(view: HarnessView): readonly Remark[];
}

/** What a harness's settings are asked by `inspect`. */
export interface HarnessView {
  setup: Setup;
  /** The wirings that were found, in either scope. */
  installed: readonly Wiring[];
  /** As its program says; undefined if that is not known. */
  version: string | undefined;
  /** A file's text; undefined if it cannot be read. */
  read(path: string): string | undefined;
}

/** What `inspect` found; the harness's name is added. */
export interface Remark {
  state: "note" | "problem";
  what: string;
  mend: string;
}

/** Answers a call of the hook. Whatever comes, the harness's command and its output stand, and the exit code is 0. */
export type AnswerHook = (written: Uint8Array, host: Host) => Outcome | Promise<Outcome>;

/** One way of wiring a harness. */
export interface WiringSpec {
  via: Wiring;
  scopes: readonly Scope[];
  /** The file it is in. A project's is relative to the working directory. */
  path(setup: Setup): string;
  /** What is added to that file. */
  parts(setup: Setup): readonly Part[];
  /** Whether a file that the caller names is of this wiring rather than of the first. */
  claims?(path: string): boolean;
  /** Sentences that `install` adds to its answer. */
  remarks?(setup: Setup): readonly string[];
  /** What to do in a scope that it has not. */
  otherwise?: string | undefined;
  /** Top-level members that the harness itself writes into a JSON file: a file that `install` made goes in spite of them. */
  ownMembers?: readonly string[] | undefined;
}

/** What is wired: which fdtool with which store, and for whom. */
export interface Setup {
  /** The word or path that starts fdtool. */
  program: string;
  /** `--store`, where the caller gave one: it goes into what is written. */
  storeOption: string | undefined;
  /** The store's absolute path. */
  storePath: string;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  scope: Scope;
  /** A path below the user's home directory. Without HOME the call fails. */
  home(...names: string[]): string;
}

/** One part of a configuration: what is added to a file, and how it is known again. */
export type Part =
  | {
    kind: "json";
    /** The object or the list that it is added to; what is missing of the way there is made. */
    path: readonly string[];
    /** The member's name; undefined for an element of a list. */
    key: string | undefined;
    value: unknown;
    /** For a member: whether what is found under its name is fdtool's, whatever program and store it names. */
    isOurs?(value: unknown): boolean;
    /** For an element of a list: where in the list ours is, whatever program and store it names, and if it is as wanted. */
    findIn?(list: unknown): FoundElement | undefined;
    /** Written by older versions: installing takes it out too. */
    isObsolete?: true;
    /** A person may have written the same: uninstalling leaves what was there before installing. */
    mayBeUsers?: true;
  }
  /** A table at the end of a TOML file. */
  | {
    kind: "toml";
    table: readonly string[];
    lines: readonly string[];
    value: unknown;
    isOurs(value: unknown): boolean;
  }
  /** A text in a TOML list. */
  | { kind: "toml_element"; table: string; key: string; value: string }
  /** A paragraph between markers. */
  | { kind: "paragraph"; text: string }
  /** The whole file is ours. */
  | { kind: "file"; text: string; mark: string };

/** A place in a list, as the indices and keys that lead to it. */
export interface FoundElement {
  path: readonly (number | string)[];
  isAsWanted: boolean;
}

/** What starts fdtool's MCP server: the first word, and the others. */
export function serverCommand({ program, storeOption }: Setup): { command: string; args: string[] } {
  return { command: program, args: ["mcp", ...storeOption === undefined ? [] : ["--store", storeOption]] };
}

/** A server under its name in a JSON file. */
export function serverPart(path: readonly string[], value: unknown): Part {
  return { kind: "json", path, key: "fdtool", value, isOurs: startsServer };
}

/** Whether a server's settings start fdtool's: `command` as a word with `args`, or as a list of words. */
export function startsServer(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("command" in value)) return false;
  const args = "args" in value ? value.args : [];
  const words = [value.command, args].flat();
  return words.some((word) => typeof word === "string" && /(?:^|[\\/])fdtool[^\\/]*$/.test(word)) &&
    words.includes("mcp");
}
