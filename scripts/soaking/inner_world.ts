/**
 * A world for faults inside this process: a store, a directory of files, commands run as by `src/cli.ts` but without
 * stdin and stdout, and checks afterwards. Ten thousand calls take seconds.
 */

import { Buffer } from "node:buffer";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  checkStore,
  dataPath,
  DEFAULT_LIMITS,
  findFd,
  formatFd,
  locateSlice,
  openStore,
  putBytes,
  readSlice,
  readWhole,
  type Store,
} from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { callTool, namedTool } from "../../src/agents/call_tool.ts";
import type { Host, Outcome } from "../../src/calls/terms/command.ts";
import { findOperation, listOperations } from "../../src/commands/rows.ts";
import { type Format, FORMATS } from "../../src/calls/arguments/global_options.ts";
import { inkOf } from "../../src/answers/screen/ink.ts";
import { textOf } from "../../src/answers/screen/show_answer.ts";
import { findCommand, parseCall, requireArguments } from "../../src/calls/arguments/parse_arguments.ts";
import { commandWriter } from "../../src/answers/parts/next_command.ts";
import { dressOf } from "../../src/answers/render/dress.ts";
import { dressedFailure } from "../../src/answers/render/failure_dress.ts";
import { failureOf, failureText } from "../../src/answers/render/failure_text.ts";
import { jsonOf } from "../../src/answers/render/json.ts";
import { rawOf } from "../../src/answers/render/raw.ts";
import { xmlOf } from "../../src/answers/render/xml.ts";
import { VERSION } from "../../src/calls/arguments/version.ts";

/** The world of one round. */
export interface InnerWorld extends Disposable {
  readonly store: Store;
  /** The user's files; commands run here. */
  readonly files: string;
  readonly host: Host;
  path(name: string): string;
}

/** A directory in memory, where syncing costs nothing: these tests try the order of calls, not the disk. */
const QUICK = "/dev/shm";

/** Returns a directory in memory for worlds; the system's temporary directory if there is none. */
export function quickDirectory(): string {
  return existsSync(QUICK) ? QUICK : tmpdir();
}

/** The host of commands that run in `files`. */
export function hostOf(store: Store, files: string, home: string): Host {
  // A query runs the source in another process; its runtime's cache would be a change of this world.
  const cache = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? home, ".cache/deno");
  return {
    env: { FDTOOL_STORE: store.path, HOME: home, DENO_DIR: cache },
    cwd: files,
    storeOption: undefined,
    root: undefined,
    version: VERSION,
    operations: listOperations,
  };
}

/** Makes a world; `using` removes it. */
export function innerWorld(): InnerWorld {
  const root = realpathSync(mkdtempSync(join(quickDirectory(), "fdtool-soak-")));
  const files = join(root, "files");
  mkdirSync(files);
  const store = openStore(join(root, "store"), DEFAULT_LIMITS);
  return {
    store,
    files,
    host: hostOf(store, files, root),
    path: (name) => join(files, name),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Sets the time of empty records some seconds back. Readers wait for the claim of a new record, and thousands of damaged
 * stores would wait most of the time.
 */
export function passTime(store: Store): void {
  const shard = join(dataPath(store.path), "fds", "0000");
  const passed = Date.now() / 1000 - 10;
  for (const name of existsSync(shard) ? readdirSync(shard) : []) {
    const path = join(shard, name);
    const stat = lstatSync(path);
    if (name.endsWith(".rec") && stat.isFile() && stat.size === 0) utimesSync(path, passed, passed);
  }
}

/** The result of a call. */
export interface Called {
  /** Undefined if it failed. */
  outcome: Outcome | undefined;
  /** The kind of its failure. */
  failed: string | undefined;
  text: string;
}

/**
 * Runs a call as the command line would. Throws with the call for exceptions other than typed failures: they are findings.
 */
export async function called(words: readonly string[], host: Host): Promise<Called> {
  return await outcomeOf(JSON.stringify(words), async () => {
    const found = findCommand(words);
    const entry = found.name === undefined ? undefined : findOperation(found.name);
    if (entry === undefined) return undefined;
    const command = await entry.load();
    const { call, globals } = parseCall(entry, command.spec, found.words);
    if (globals.help === true || globals.version === true) return undefined;
    requireArguments(command.spec, call);
    return await command.run(call, { ...host, root: globals.root ?? host.root });
  });
}

/** Calls of one word a part, as in `ls; read fd:1 --all`. */
export function callsIn(text: string): string[][] {
  return text.split("; ").map((call) => call.split(" "));
}

const DRESS = dressOf(commandWriter(undefined));

/** Calls a tool with JSON, as `fdtool call` does. */
export async function calledTool(name: string, json: string, host: Host): Promise<Called> {
  return await outcomeOf(
    `${name} ${json}`,
    () => callTool(namedTool(name, listOperations()), json, host),
  );
}

async function outcomeOf(about: string, run: () => Promise<Outcome | undefined>): Promise<Called> {
  try {
    const outcome = await run();
    return { outcome, failed: undefined, text: FORMATS.map((format) => shown(outcome, format)).join("") };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.kind === "internal_error") throw new Error(about.slice(0, 500), { cause: thrown });
    const text = failureText(failure, undefined);
    const dressed = FORMATS.map((format) => dressedFailure(text, format, DRESS)).join("");
    if (text.type === "" || text.message === "" || /^\s+at .+:\d+:\d+/m.test(text.message)) {
      throw new Error(`a failure is a sentence: ${dressed}`);
    }
    return { outcome: undefined, failed: text.type, text: dressed };
  }
}

/** Renders an answer and reads all of its output, including bodies of any size. */
function shown(outcome: Outcome | undefined, format: Format): string {
  const answer = outcome?.answer;
  if (answer === undefined || answer.type === "pass_through") return "";
  const chunks = format === "xml"
    ? xmlOf(answer, DRESS)
    : format === "json"
    ? jsonOf(answer, DRESS.writeCall)
    : format === "text"
    ? textOf(answer, { ...DRESS, ink: inkOf(undefined), columns: 80, nowMs: 0 })
    : rawOf(answer, DRESS.writeCall);
  return Buffer.concat([...chunks].map((chunk) => Buffer.from(chunk))).toString();
}

/** The whole content of an fd, or the kind of the failure. */
export function contentOr(store: Store, id: number): { bytes: Uint8Array; state: string } | string {
  try {
    const entry = findFd(store, formatFd(id));
    const slice = locateSlice(store, entry, { all: true });
    return { bytes: new Uint8Array(readWhole(readSlice(store, entry, slice))), state: entry.state };
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return thrown.failure.kind;
  }
}

/** Whether two byte strings are the same. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** Stores content, which must then be readable; returns its id. */
export function mustTakeMore(store: Store, content: Uint8Array, about: string): number {
  const { id } = putBytes(store, content, { source: "soak" });
  must(typeof contentOr(store, id) !== "string", () => `${about}: the store takes no more`);
  return id;
}

/** Names of files under `directory` (directories end with `/`) with their contents. */
export function seen(directory: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(name.parentPath, name.name);
    const shownName = path.slice(directory.length + 1);
    if (name.isDirectory()) found[`${shownName}/`] = "";
    else found[shownName] = name.isFile() ? readFileSync(path, "latin1") : "no file";
  }
  return found;
}

/** Problems that a fault may leave and `verify` reports: not findings. */
export const LEFT_BY_FAULTS: ReadonlySet<string> = new Set(
  ["writer_died", "removal_unfinished", "name_dangling", "record_damaged"],
);

/** Verifies and repairs the store; throws if it has damage that an interrupted step cannot leave. */
export async function assertValidStore(store: Store, about: string): Promise<void> {
  await checkStore(store, { repair: true });
  const { findings } = await checkStore(store, { repair: true });
  const bad = findings.filter(({ problem }) => !LEFT_BY_FAULTS.has(problem));
  if (bad.length > 0) throw new Error(`${about}: the store is damaged: ${JSON.stringify(bad)}`);
}

/** Waits for all before it fails with the first that failed, which might take away what the others use. */
export async function allEnded<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(promises);
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  return await Promise.all(promises);
}

/** Throws with `what` unless `holds` is true. */
export function must(holds: boolean, what: () => string): asserts holds {
  if (!holds) throw new Error(what());
}
