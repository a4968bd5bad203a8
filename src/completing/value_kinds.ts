/**
 * Finds what fits an option or an argument, by the word that help has for its value. A new option is completed if its
 * word is one of these; a test fails for a word that is not.
 */

import { locateStore, type Store } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";
import { answersTo, fdsIn, inquiriesIn, liveFdsIn, namesIn, stepsIn, storeFor } from "./stored_values.ts";
import { type Asked, type Candidate, type Fitting, NOTHING_FITS, prefixed } from "./fitting.ts";

type Source = (asked: Asked, host: Host) => Candidate[] | Promise<Candidate[]>;

const SOURCES: Readonly<Record<string, Source>> = {
  FD: inStore(fdsIn),
  LIVE_FD: inStore(liveFdsIn),
  NAME: inStore(namesIn),
  TX: inStore((_, store, cwd) => stepsIn(store, cwd, false)),
  PLAN_TX: inStore((_, store, cwd) => stepsIn(store, cwd, true)),
  INQ: inStore(inquiriesIn),
  ANSWER: inStore(answersTo),
  STORE: knownStores,
  TOOL: ({ command }, host) => toolNames(command, host),
  PART: async () => words((await import("../agents/tool.ts")).PARTS),
  HARNESS: () => harnessNames(() => true),
  HOOKED: () => harnessNames(({ loadHook }) => loadHook !== undefined),
  COMMAND: commandNames,
  SIGNAL: () => words(["TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "KILL"]),
  DURATION: () => words(["30s", "2m", "10m", "1h"]),
  "-": () => [{ word: "-", about: "standard input or output" }],
};

/** Values that the store has. */
function inStore(read: (asked: Asked, store: Store, cwd: string) => Candidate[]): Source {
  return async (asked, host) => read(asked, await storeFor(host, asked.store), host.cwd);
}

/** A file or a step, as the argument before it says. */
const PLAN = "PLAN";

/** Words with another name in the table. */
const SAME: Readonly<Record<string, string>> = {
  "OLD-FD": "FD",
  "NEW-FD": "FD",
  "INQUIRY-ID": "INQ",
  TIME: "DURATION",
};

/** Words for which the shell completes paths. */
const PATHS: Readonly<Record<string, Fitting["paths"]>> = {
  FILE: "files",
  PATH: "files",
  "FILE-PATH": "files",
  DIR: "directories",
  STORE: "directories",
};

/** Numbers, ranges and texts, which nothing is known of. */
const FREE: ReadonlySet<string> = new Set([
  ...["N", "A-B", "CURSOR", "TEXT", "PATTERN", "FILTER", "JSON", "URL", "H", "SHA256"],
]);

/** Whether completion knows what fits where help has `word`. */
export function isKnownKind(word: string): boolean {
  return word === PLAN ||
    alternativesOf(word).every((each) => each in SOURCES || each in PATHS || FREE.has(each));
}

/** The values for `word`: one kind, several (`FILE|-|FD`), or a list of one with commas (`TOOL,…`). */
export async function valuesOfKind(word: string, asked: Asked, host: Host): Promise<Fitting> {
  if (word === PLAN) return await planValues(asked, host);
  if (word.endsWith(",…")) return await listValues(word, asked, host);
  const candidates: Candidate[] = [];
  let paths: Fitting["paths"];
  for (const each of alternativesOf(word)) {
    paths ??= PATHS[each];
    const source = SOURCES[each];
    if (source !== undefined) candidates.push(...await source(asked, host));
  }
  return { candidates, paths };
}

/** `FD...` and `NAME,…` as `FD` and `NAME`. */
function alternativesOf(word: string): string[] {
  return word.split("|").map((each) => each.replace(/(?:\.\.\.|,…)$/, "")).map((each) => SAME[each] ?? each);
}

/** The next member of a list: what is typed behind its last comma. */
async function listValues(word: string, asked: Asked, host: Host): Promise<Fitting> {
  const start = asked.typed.slice(0, asked.typed.lastIndexOf(",") + 1);
  const listed = new Set(start.split(","));
  const one = { ...asked, typed: asked.typed.slice(start.length) };
  const fitting = await valuesOfKind(word.slice(0, -2), one, host);
  const fresh = fitting.candidates.filter((each) => !listed.has(each.word));
  return prefixed({ ...fitting, candidates: fresh }, start);
}

/** A plan's file to check or apply; an applied one's step to show or undo. */
function planValues(asked: Asked, host: Host): Promise<Fitting> | Fitting {
  switch (asked.given[0]) {
    case "check":
    case "apply":
      return valuesOfKind("FILE|-", asked, host);
    case "show":
    case "undo":
      return valuesOfKind("PLAN_TX", asked, host);
    default:
      return NOTHING_FITS;
  }
}

function words(list: readonly string[]): Candidate[] {
  return list.map((word) => ({ word }));
}

/** The store of the environment and the user's own. */
function knownStores(_: Asked, { env }: Host): Candidate[] {
  const usual = locateStore({ store: undefined, env: { ...env, FDTOOL_STORE: undefined } });
  const named = env["FDTOOL_STORE"] || undefined;
  return [
    ...named === undefined ? [] : [{ word: named, about: "FDTOOL_STORE" }],
    ...named === usual ? [] : [{ word: usual, about: "the default" }],
  ];
}

/** The tools; as part of a list also their groups. */
async function toolNames(command: string, host: Host): Promise<Candidate[]> {
  const [{ toolsOf }, { PARTS }] = await Promise.all([
    import("../agents/tool_table.ts"),
    import("../agents/tool.ts"),
  ]);
  const tools = toolsOf(host.operations()).map(({ name, title }) => ({ word: name, about: title }));
  return command === "call" ? tools : [...words(PARTS), ...tools];
}

async function harnessNames(isMeant: (harness: { loadHook?: unknown }) => boolean): Promise<Candidate[]> {
  const { HARNESSES } = await import("../hooks/harnesses.ts");
  return HARNESSES.filter(isMeant).map(({ name, title }) => ({ word: name, about: title }));
}

/** The names of commands with what they do. */
function commandNames(_: Asked, host: Host): Candidate[] {
  return host.operations().filter(({ hidden }) => hidden !== true)
    .map(({ name, summary }) => ({ word: name, about: summary }));
}
