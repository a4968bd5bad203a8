/**
 * Runs the binary under strace, which makes one system call fail or kills the process there: every call of every kind in
 * turn. Files are as before or as wanted, failures are typed, and killed writes are recovered.
 */

import { assertStoreHolds, assertTyped, inOuterWorld, noBinary, runsHere } from "./outer_world.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { must, seen } from "./inner_world.ts";
import { LOG_LINE, SAMPLE_WRITES, type SampleWrite } from "./sample_writes.ts";
import { programUnderTest, quoteForShell, type World } from "../../tests/world.ts";

const CONTENT = LOG_LINE.repeat(12_000);
const BYTES = new TextEncoder().encode(CONTENT);
/** An action of the binary, with the files before and after it. */
interface Action extends SampleWrite {
  env?: Readonly<Record<string, string>>;
  stdin?: string;
  /** Prepares a store whose fds all have {@link CONTENT}. */
  prepare?: (world: World) => Promise<unknown>;
}

const captured = (world: World) => world.run(["capture", "--always"], { stdin: CONTENT });
const packed = (world: World) => world.run(["gc", "--pack"]);

const ACTIONS: readonly Action[] = [
  { words: ["capture", "--name", "n"], stdin: CONTENT, before: {}, after: {} },
  ...SAMPLE_WRITES,
  { words: ["gc"], env: { FDTOOL_QUOTA: "100000" }, before: {}, after: {} },
  { words: ["rm", "fd:1"], before: {}, after: {} },
  { words: ["gc", "--pack"], before: {}, after: {}, prepare: captured },
  {
    words: ["gc", "--pack", "--all"],
    before: {},
    after: {},
    prepare: async (world) => [await packed(world), await captured(world)],
  },
  { words: ["path", "fd:1"], before: {}, after: {}, prepare: packed },
  {
    words: ["gc", "--pack"],
    before: {},
    after: {},
    prepare: async (world) => [await packed(world), await world.run(["path", "fd:1"])],
  },
  {
    words: ["rm", "fd:2"],
    before: {},
    after: {},
    prepare: async (world) => [await captured(world), await packed(world)],
  },
];

/** Calls that change something. `disk_calls.ts` tries those that only read. */
const CALLS = ["write", "fsync", "rename", "link", "unlink", "mkdir", "ftruncate", "fchmod", "close"];
const ERRORS = ["ENOSPC", "EIO", "EACCES", "EDQUOT", "EINTR"];

function unable(): string | undefined {
  return noBinary() ??
    (runsHere("strace", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO:when=1", "true")
      ? undefined
      : "strace is not here, or may not trace");
}

const sorted = (files: Readonly<Record<string, string>>) =>
  JSON.stringify(Object.entries(files).sort(([one], [other]) => one < other ? -1 : 1));

/** Runs an action with a fault at call number `when` of its kind. Returns whether there was such a call. */
async function injectedOnce(action: Action, call: string, fault: string, when: number): Promise<boolean> {
  let wasHit = false;
  await inOuterWorld(async (world) => {
    await world.run(["capture", "--always"], { stdin: CONTENT });
    await action.prepare?.(world);
    for (const [name, text] of Object.entries(action.before)) world.write(name, text);
    const trace = `${world.home}/trace`;
    const strace = [
      "strace",
      "-qq",
      "-o",
      trace,
      "-e",
      `trace=${call}`,
      "-e",
      `inject=${call}:${fault}:when=${when}`,
    ];
    const line = [...strace, ...programUnderTest(), ...action.words].map(quoteForShell).join(" ");
    const finished = await world.shell(line, { stdin: action.stdin, env: action.env });
    const traced = Deno.readTextFileSync(trace);
    const isKill = fault.startsWith("signal");
    wasHit = isKill ? finished.code === 137 : traced.includes("(INJECTED)");
    const about = `${action.words.slice(0, 2).join(" ")}, ${call} ${when}, ${fault}`;
    if (!isKill) assertTyped(finished, about);
    await assertFiles(world, action, about, finished.code === 0 && !isKill);
    const isAll = action.words[0] === "capture" || action.prepare !== undefined;
    const isWhole = (fd: string) => isAll || fd === "fd:1" ? BYTES : undefined;
    await assertStoreHolds(world, about, isWhole);
    if (
      action.words[0] === "capture" && !isKill && call !== "write" && !finished.text.includes("<fd_result")
    ) {
      must(finished.text === CONTENT, () => `${about}: the output did not reach the caller`);
    }
    const next = await world.run(["capture", "--always"], { stdin: "next\n" });
    must(next.code === 0 && next.stderr === "", () => `${about}: the store takes no more: ${next.stderr}`);
  });
  return wasHit;
}

/** The files after `recover`: as before or after, with no litter except files that could not be removed. */
async function assertFiles(world: World, action: Action, about: string, wentWell: boolean): Promise<void> {
  const recovered = await world.run(["recover"]);
  must(recovered.code === 0, () => `${about}: recover: ${recovered.stderr}`);
  const files = Object.fromEntries(
    Object.entries(seen(world.dir)).filter(([name]) =>
      !(about.includes("unlink") && name.includes(".fdtool-"))
    ),
  );
  const isAfter = sorted(files) === sorted(action.after);
  must(
    isAfter || sorted(files) === sorted(action.before),
    () => `${about}: neither before nor after: ${sorted(files)}`,
  );
  if (wentWell) must(isAfter, () => `${about}: it said that it went well`);
}

function injecting(
  name: string,
  what: string,
  wanted: number,
  { calls, faults }: { calls: readonly string[]; faults: readonly string[] },
): FaultClass {
  return {
    name,
    what,
    wanted,
    unable,
    async round({ choices, attempt }: Round) {
      const action = choices.one(ACTIONS);
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
  "each changing system call of the binary's capture, to-file, plan apply, edit, gc, rm, packing, unpacking and taking over fails in turn (strace)",
  1000,
  // A failing close makes the runtime abort at start-up; `disk_calls.ts` tries fdtool's own.
  { calls: CALLS.filter((call) => call !== "close"), faults: ERRORS.map((error) => `error=${error}`) },
);

export const killedSteps = injecting(
  "killed-steps",
  "the binary is killed at each changing system call of the same, every step of the journal among them (strace)",
  1000,
  { calls: CALLS, faults: ["signal=KILL"] },
);
