/**
 * Other users of the machine: a store that they own or can write to; links, pipes and directories planted in it; a target
 * or its directory swapped during a write. Nothing outside the root is written, nothing is written or removed through a
 * planted link, nothing waits for ever.
 */

import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { putBytes } from "../../fd/mod.ts";
import { watchDisk } from "../../tests/watched_disk.ts";
import { type FaultClass, type Round, trying } from "./fault_class.ts";
import { called, callsIn, type InnerWorld, innerWorld, must, seen } from "./inner_world.ts";
import type { Choices } from "./random_choices.ts";

const COMMANDS = callsIn(
  "ls; name fd:1 n; read fd:1 --all; read fd:1 --lines 1-900 --extract; edit f --old old --new new; " +
    "to-file fd:1 g; create asked; inquiries; log; undo; fork --keep kept; " +
    "spawn --preload fd:1 --preload-file f --keep kept/too; recover; verify; gc; rm fd:1",
);

function prepare(world: InnerWorld): void {
  putBytes(world.store, new TextEncoder().encode("a line of a log\n".repeat(5000)), {
    source: "soak",
    names: ["n"],
  });
  for (const name of ["f", "g"]) writeFileSync(world.path(name), "old\nlines\n");
}

/** The neighbour's files, which must not change. */
function victimOf(world: InnerWorld): { path: string; assertUntouched(about: string): void } {
  const path = join(dirname(world.files), "victim");
  mkdirSync(path);
  for (const name of ["1.rec", "1.dat", "n", "old", "f", "next"]) {
    writeFileSync(join(path, name), "theirs\n");
    utimesSync(join(path, name), 1, 1);
  }
  const before = JSON.stringify(seen(path));
  return {
    path,
    assertUntouched(about) {
      const now = seen(path);
      must(
        JSON.stringify(now) === before,
        () => `${about}: the neighbour's files are now ${Object.keys(now).join()}`,
      );
    },
  };
}

async function runAll(world: InnerWorld, about: string): Promise<string[]> {
  const failed: string[] = [];
  for (const words of COMMANDS) {
    try {
      const { failed: kind } = await called(words, world.host);
      if (kind !== undefined) failed.push(kind);
    } catch (thrown) {
      throw new Error(`${about}: ${words.join(" ")}`, { cause: thrown });
    }
  }
  return failed;
}

/** A world whose store has been used for everything. */
async function usedWorld(): Promise<InnerWorld> {
  const world = innerWorld();
  prepare(world);
  await runAll(world, "first");
  prepare(world);
  return world;
}

type Planted = "link to a directory" | "link to a file" | "link to nothing" | "pipe" | "socket" | "nonsense";

/** Puts a link, a pipe, a socket or nonsense at `path`. */
function plant(kind: Planted, path: string, victim: string): void {
  if (kind === "link to a directory") symlinkSync(victim, path);
  if (kind === "link to a file") symlinkSync(join(victim, "f"), path);
  if (kind === "link to nothing") symlinkSync(join(victim, "not-there"), path);
  if (kind === "pipe") new Deno.Command("mkfifo", { args: [path] }).outputSync();
  if (kind === "socket") Deno.listen({ transport: "unix", path }).close();
  if (kind === "nonsense") writeFileSync(path, "no log\n");
}

async function plantedOnce(choices: Choices): Promise<void> {
  using world = await usedWorld();
  const victim = victimOf(world);
  const version = join(world.store.path, "v2");
  const entries = readdirSync(version, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile()
  );
  const { parentPath, name } = choices.one(entries);
  const path = join(parentPath, name);
  const kind = choices.one<Planted>(["link to a file", "link to nothing", "pipe", "socket"]);
  rmSync(path);
  plant(kind, path, victim.path);
  if (kind === "socket" && !existsSync(path)) return;
  const about = `${path.slice(version.length)} is a ${kind}`;
  await runAll(world, about);
  victim.assertUntouched(about);
}

/** A store that others could write to and have changed. */
async function openedOnce(choices: Choices): Promise<void> {
  using world = await usedWorld();
  const victim = victimOf(world);
  const version = join(world.store.path, "v2");
  chmodSync(version, 0o777);
  const directory = choices.one(
    "fds refs tmp journal locks inquiries fds/0000 journal/open forks".split(" "),
  );
  const path = join(version, directory);
  rmSync(path, { recursive: true, force: true });
  symlinkSync(victim.path, path);
  await runAll(world, directory);
  victim.assertUntouched(`v2 was open to all, and ${directory} is a link`);
}

/** An abandoned forked store with links and pipes in it: removing it does not follow them. */
async function leftForkOnce(choices: Choices): Promise<void> {
  using world = innerWorld();
  prepare(world);
  const victim = victimOf(world);
  const home = join(world.store.path, "v2", "forks", "1-left");
  mkdirSync(join(home, "v2", "fds"), { recursive: true, mode: 0o700 });
  const inside = choices.one(["owners", "v2/fds/0000", "v2/refs", "v2/next", "odd"]);
  const kind = choices.one<Planted>([
    "link to a directory",
    "link to a file",
    "link to nothing",
    "pipe",
    "nonsense",
  ]);
  const path = join(home, inside);
  plant(kind, path, victim.path);
  if (choices.onceIn(4)) {
    rmSync(home, { recursive: true });
    symlinkSync(victim.path, home);
    lutimesSync(home, 1, 1);
  } else utimesSync(home, 1, 1);
  const about = `a forked store that was left has ${inside}, a ${kind}`;
  await runAll(world, about);
  victim.assertUntouched(about);
  must(!existsSync(home) || !lstatSync(home).isDirectory(), () => `${about}, and it is not removed`);
}

/** A store, or its parent directory, that belongs to another user. Needs root. */
async function foreignOnce(choices: Choices): Promise<void> {
  using world = innerWorld();
  prepare(world);
  const path = choices.one([world.store.path, join(world.store.path, "v2")]);
  chownSync(path, 65534, 65534);
  const before = JSON.stringify(Object.keys(seen(world.store.path)));
  const failed = await runAll(world, "foreign");
  must(
    failed.length === COMMANDS.length && failed.every((kind) => kind === "permission_error"),
    () => `a store of another user's is refused: ${failed.join()}`,
  );
  must(
    JSON.stringify(Object.keys(seen(world.store.path))) === before,
    () => "something was made in another user's store",
  );
}

const WRITES = callsIn(
  "edit inside/f --old old --new new; to-file fd:1 inside/f; to-file fd:1 inside/made/f; " +
    "to-file fd:1 inside/f --mode append; plan apply plan.json; undo",
);

/** The directory of a target is swapped for a link that leads out of the root, just before disk call `at`. */
async function swappedOnce(words: readonly string[], at: number): Promise<boolean> {
  using world = innerWorld();
  prepare(world);
  mkdirSync(world.path("inside"));
  writeFileSync(world.path("inside/f"), "old\nlines\n");
  writeFileSync(
    world.path("plan.json"),
    JSON.stringify({
      intent: "x",
      plans: [
        {
          target_file: "inside/f",
          operations: [{ type: "append", content_block: "x\n" }],
          safety_checks: { backup_required: true },
        },
        { target_file: "inside/new/h", operations: [{ type: "create", content_block: "x\n" }] },
        { target_file: "f", operations: [{ type: "append", content_block: "x\n" }] },
      ],
    }),
  );
  const host = { ...world.host, root: world.files };
  if (words[0] === "undo") await called(WRITES[0]!, host);
  const victim = victimOf(world);
  let callCount = 0;
  const putBack = watchDisk((_member, call, parameters) => {
    if (++callCount === at) {
      renameSync(world.path("inside"), world.path("moved"));
      symlinkSync(victim.path, world.path("inside"));
    }
    return call(...parameters);
  });
  const about = `${words.slice(0, 3).join(" ")}, directory swapped before call ${at}`;
  try {
    await called(words, host);
  } finally {
    putBack();
  }
  victim.assertUntouched(about);
  await called(["recover"], host);
  victim.assertUntouched(`${about}, recovered`);
  const moved = world.path("moved/f");
  if (existsSync(moved)) {
    const text = seen(dirname(moved))["f"]!;
    must(/^(old|new|a line)/.test(text), () => `${about}: the file that was moved away is torn: ${text}`);
  }
  return callCount >= at;
}

export const neighbours: FaultClass = {
  name: "neighbours",
  what:
    "foreign and open stores, planted links, pipes and sockets, in forked stores too, directories swapped for links out of the root",
  async round(round: Round) {
    const { seed, choices, attempt } = round;
    await trying(4, plantedOnce, openedOnce, leftForkOnce, ...Deno.uid() === 0 ? [foreignOnce] : [])(round);
    const words = WRITES[seed % WRITES.length]!;
    for (let at = choices.whole(1, 3);; at += choices.whole(1, 4)) {
      if (await attempt("", () => swappedOnce(words, at)) === false) return;
    }
  },
};
