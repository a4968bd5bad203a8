/**
 * Runs the binary on each action of a table and interrupts it: a kill at a random moment, or under strace a kill or an
 * error at each system call that changes something. Each case has a fresh world, so that checking it reads little.
 */

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { collectGarbage, listFds, openStore, type Store } from "../../fd/mod.ts";
import { makeWorld, programUnderTest, quoteForShell, type World } from "../../tests/world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { hostOf, must, quickDirectory, sameBytes, seen } from "./inner_world.ts";
import { assertTyped, killAfter, noBinary, runsHere } from "./outer_world.ts";
import {
  type Action,
  ACTIONS,
  type ActionWorld,
  actionWorld,
  age,
  assertHeld,
  logOf,
  PACKINGS,
  prepareAction,
} from "./sample_actions.ts";

const ALL = [...ACTIONS, ...PACKINGS];
const LONG = ALL.filter(({ isLong }) => isLong === true);

const LOG = logOf(12_000);

function worldOf({ store, dir, home }: World, log: Uint8Array): ActionWorld {
  const opened = openStore(store);
  return actionWorld({ store: opened, files: dir, host: hostOf(opened, dir, home) }, log);
}

/** How long each action takes here. */
const spans = new Map<string, number>();

/** Only kills count: calls that ended before their kill are repeated, at most this many times. */
const TRIES = 4;

/** A process takes this part of its time to start. */
const STARTING = 0.25;

/** Kills the action at a random moment; returns whether it was still running. */
async function killedOnce(action: Action, { choices }: Round): Promise<boolean> {
  using outer = makeWorld(quickDirectory());
  // Long enough that kills come within the writing of it.
  const world = worldOf(outer, logOf(choices.whole(20_000, 45_000)));
  const held = await prepareAction(world, action);
  const { name, words, before = {}, after } = action;
  const stdin = action.stdin?.(world.log) ?? new Uint8Array(0);
  const startedMs = performance.now();
  const { child, finished } = outer.start(words, { stdin, env: action.env?.(world.log) });
  // The first call of all shows how long one takes, and each call that ends how long its action does.
  const span = spans.get(name) ?? spans.values().next().value;
  const callOff = span === undefined
    ? undefined
    : killAfter(child, (STARTING + (1.1 - STARTING) * choices.fraction()) * span);
  const { signal, code, stderr } = await finished;
  callOff?.();
  const wasKilled = signal === "SIGKILL";
  must(wasKilled || code === 0, () => `${name}: ${words.join(" ")} gave ${code}: ${stderr}`);
  if (!wasKilled) {
    const tookMs = performance.now() - startedMs;
    spans.set(name, span === undefined ? tookMs : 0.8 * span + 0.2 * tookMs);
  }
  const torn = seen(outer.dir);
  const wanted = after?.(new TextDecoder().decode(world.log)) ?? before;
  for (const [file, text] of Object.entries(torn)) {
    if (before[file] === undefined && wanted[file] === undefined) continue;
    must(
      text === before[file] || text === wanted[file],
      () => `${name}: ${file} is torn: ${text.length} bytes`,
    );
  }
  if (after !== undefined) await recoverIn(outer, name);
  await assertHeld(world, action, { held, about: name, succeeded: !wasKilled });
  await assertNoLitter(world, name);
  return wasKilled;
}

/** Recovers by the binary: Deno knows a file's time only to the millisecond, and takes a `.bak` of Bun's for another file. */
async function recoverIn(outer: World, about: string): Promise<void> {
  const { code, stderr } = await outer.run(["recover"]);
  must(code === 0, () => `${about}: recover: ${stderr}`);
}

function temporaryCount({ path }: Store): number {
  const directory = join(path, "v2", "tmp");
  return existsSync(directory) ? readdirSync(directory).length : 0;
}

/** Cleaning removes every temporary file and unused pack, and packing leaves each content once. */
async function assertNoLitter({ store, log }: ActionWorld, about: string): Promise<void> {
  age(store);
  const nowMs = Date.now();
  // A kill may have taken the note of the clock with it.
  await collectGarbage(store, { dryRun: false, nowMs, trustClock: true });
  must(temporaryCount(store) === 0, () => `${about}: cleaning left ${temporaryCount(store)} temporary files`);
  const { packing } = await collectGarbage(store, { dryRun: false, nowMs, pack: {} });
  must(packing?.failures.length === 0, () => `${about}: cannot pack: ${JSON.stringify(packing?.failures)}`);
  const packs = new Map<string, number>();
  for (const { byteCount, contentPath, state } of listFds(store)) {
    if (state !== "sealed" || byteCount !== log.length) continue;
    must(!existsSync(contentPath), () => `${about}: ${contentPath} is plain after packing`);
    packs.set(contentPath, lstatSync(contentPath.replace(/\.dat$/, ".pack")).ino);
  }
  must(new Set(packs.values()).size <= 1, () => `${about}: the log is kept ${packs.size} times`);
  const version = join(store.path, "v2", "packs");
  for (const name of existsSync(version) ? readdirSync(version, { recursive: true }) as string[] : []) {
    const stat = lstatSync(join(version, name));
    must(stat.isDirectory() || stat.nlink > 1, () => `${about}: packs/${name} is not used`);
  }
}

export const kills: FaultClass = {
  name: "kills",
  what:
    "captures, exports, edits, plans, packing, sweeps and removals killed at random moments: files all old or all new, fds whole or a prefix, nothing lost, no litter",
  unable: noBinary,
  async round(round: Round) {
    const { choices, attempt } = round;
    for (let n = 0; n < 8; n++) {
      const action = choices.one(choices.onceIn(2) ? LONG : ALL);
      for (let tried = 0; tried < TRIES; tried++) {
        if (await attempt("", () => killedOnce(action, round)) !== false) break;
      }
    }
  },
};

/** Calls that change something. `disk_calls.ts` tries those that only read. */
const CALLS = ["write", "fsync", "rename", "link", "unlink", "mkdir", "ftruncate", "fchmod", "close"];
const ERRORS = ["ENOSPC", "EIO", "EACCES", "EDQUOT", "EINTR"];

function unable(): string | undefined {
  return noBinary() ??
    (runsHere("strace", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", "true")
      ? undefined
      : "strace is not here, or may not trace");
}

/** Runs an action with a fault at call number `when` of its kind. Returns whether there was such a call. */
async function injectedOnce(action: Action, call: string, fault: string, when: number): Promise<boolean> {
  using outer = makeWorld(quickDirectory());
  const world = worldOf(outer, LOG);
  const held = await prepareAction(world, action);
  const trace = join(outer.home, "trace");
  const inject = [`trace=${call}`, `inject=${call}:${fault}:when=${when}`].flatMap((each) => ["-e", each]);
  const line = ["strace", "-qq", "-o", trace, ...inject, ...programUnderTest(), ...action.words];
  const stdin = action.stdin?.(world.log);
  const finished = await outer.shell(line.map(quoteForShell).join(" "), {
    stdin,
    env: action.env?.(world.log),
  });
  const isKill = fault.startsWith("signal");
  const wasHit = isKill ? finished.code === 137 : Deno.readTextFileSync(trace).includes("(INJECTED)");
  const about = `${action.name}, ${call} ${when}, ${fault}`;
  if (!isKill) assertTyped(finished, about);
  await recoverIn(outer, about);
  await assertHeld(world, action, {
    held,
    about,
    succeeded: finished.code === 0,
    isLitter: (name) => call === "unlink" && name.includes(".fdtool-"),
  });
  if (action.name === "capture" && !isKill && call !== "write" && !finished.text.includes("<fd_result")) {
    must(sameBytes(finished.stdout, world.log), () => `${about}: the output did not reach the caller`);
  }
  const next = await outer.run(["capture", "--always"], { stdin: "next\n" });
  must(next.code === 0 && next.stderr === "", () => `${about}: the store takes no more: ${next.stderr}`);
  return wasHit;
}

function injecting(
  name: string,
  what: string,
  { calls, faults }: { calls: readonly string[]; faults: readonly string[] },
): FaultClass {
  return {
    name,
    what,
    unable,
    async round({ choices, attempt }: Round) {
      const action = choices.one(ALL);
      const call = choices.one(calls);
      const fault = choices.one(faults);
      for (let when = 1;; when++) {
        if (await attempt("", () => injectedOnce(action, call, fault, when)) !== true) return;
      }
    },
  };
}

export const injectedCalls = injecting(
  "system-calls",
  "each changing system call of the same actions of the binary fails in turn (strace)",
  // A failing close makes the runtime abort at start-up; `disk_calls.ts` tries fdtool's own.
  { calls: CALLS.filter((call) => call !== "close"), faults: ERRORS.map((error) => `error=${error}`) },
);

export const killedSteps = injecting(
  "killed-steps",
  "the binary is killed at each changing system call of the same, every step of the journal among them (strace)",
  { calls: CALLS, faults: ["signal=KILL"] },
);
