/**
 * Real disks that are too small, have no inodes left, or are read-only: a tmpfs and a bind mount in their own namespace.
 * The output reaches the caller, files are old or new, failures are typed, and with free space everything is recovered.
 */

import { makeWorld, quoteForShell, type World } from "../../tests/world.ts";
import { assertTyped, noBinary, runsHere } from "./outer_world.ts";
import { type FaultClass, trying } from "./fault_class.ts";
import type { Choices } from "./random_choices.ts";
import { LEFT_BY_FAULTS, must } from "./inner_world.ts";

function unable(): string | undefined {
  return noBinary() ??
    (runsHere("unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt")
      ? undefined
      : "no mounts can be made here (unshare -rm)");
}

const ACTIONS = [
  "capture --always <input",
  "capture --always --max-bytes 60000 <input",
  "run --always -- cat input",
  "to-file fd:1 disk/f",
  "to-file fd:1 disk/f --mode append",
  "to-file fd:1 disk/deep/g",
  "plan apply plan.json",
  "edit disk/f --old first --new second",
  "read fd:1 --all --extract",
  "name fd:1 n",
  "rm fd:1",
  "gc",
  "gc --pack",
  "path fd:1",
  "verify",
];

const PLAN = JSON.stringify({
  intent: "two files",
  plans: [
    {
      target_file: "disk/f",
      operations: [{ type: "append", content_block: "more\n".repeat(2000) }],
      safety_checks: { backup_required: true },
    },
    { target_file: "disk/new/h", operations: [{ type: "create", content_block: "new\n".repeat(2000) }] },
  ],
});

const INPUT = Array.from({ length: 9000 }, (_, n) => `row ${n}\n`).join("");

/** Runs lines of sh, which may mount, and write what an action printed to `out` and `err` and how it ended to `code`. */
async function runMounting(world: World, script: string, about: string): Promise<void> {
  world.write("input", INPUT);
  world.write("plan.json", PLAN);
  const finished = await world.shell(`exec unshare -rm sh -c ${quoteForShell(script)}`);
  must(finished.code === 0, () => `${about}: ${finished.stderr}`);
  const code = Number(world.text("code").split("\n")[0]);
  assertTyped({ ...finished, code, text: world.text("out"), stderr: world.text("err") }, about);
}

/** Runs one action on a full or nearly full disk; then frees space, recovers and verifies. */
async function fullOnce(choices: Choices): Promise<void> {
  const action = choices.one(ACTIONS);
  const size = choices.onceIn(3)
    // At least as many as are in use.
    ? `nr_inodes=${choices.whole(action.startsWith("path") ? 20 : 15, 36)}`
    : `size=${choices.whole(36, 90) * 4}k`;
  using world = makeWorld();
  Deno.mkdirSync(world.path("disk"));
  const old = "first\n".repeat(500);
  world.write("old", old);
  const script = `
set -e
mount -t tmpfs -o size=8m none disk
cp old disk/f
FDTOOL_STORE="$PWD/disk/store"; export FDTOOL_STORE
fdtool capture --always <input >/dev/null
${action.startsWith("path") ? "fdtool gc --pack >/dev/null" : ""}
mount -o remount,${size} disk
head -c 8m /dev/zero >disk/filler 2>/dev/null || true
[ ${size.startsWith("size") ? 1 : 0} = 0 ] || truncate -s -${
    Number(size.length) % 3 * 4096
  } disk/filler 2>/dev/null || true
set +e
fdtool ${action} >out 2>err; echo $? >code
rm -f disk/filler
mount -o remount,size=64m,nr_inodes=100k disk
cp disk/f first-look
fdtool recover >recovered 2>&1; echo $? >>code
fdtool verify >verified 2>&1
fdtool verify --format json >verified 2>&1
fdtool read fd:1 --all --format raw >whole 2>/dev/null
cp disk/f second-look
ls -A disk >names
fdtool capture --always <input >last 2>&1; echo $? >>code`;
  const about = `${action}, ${size}`;
  const read = (name: string) => world.text(name);
  await runMounting(world, script, about);
  const [, recovered, last] = read("code").trim().split("\n");
  const files = [old, INPUT, old + INPUT, old.replace("first", "second"), old + "more\n".repeat(2000)];
  for (const look of ["first-look", "second-look"]) {
    must(
      files.includes(read(look)),
      () => `${about}: the file is torn (${look}, ${read(look).length} bytes)`,
    );
  }
  must(
    recovered === "0" && last === "0",
    () => `${about}: with room again: ${read("recovered")}${read("last")}`,
  );
  must(!read("names").includes(".fdtool-"), () => `${about}: left behind: ${read("names")}`);
  const { finding } = JSON.parse(read("verified")) as { finding: { problem: string; repaired: boolean }[] };
  const bad = finding.filter(({ problem, repaired }) => !repaired && !LEFT_BY_FAULTS.has(problem));
  must(bad.length === 0, () => `${about}: ${JSON.stringify(bad)}`);
  if (!action.startsWith("rm")) must(read("whole") === INPUT, () => `${about}: fd:1 is not what was stored`);
  if (/^(capture|run)/.test(action) && !read("out").includes("<fd_result")) {
    must(read("out") === INPUT, () => `${about}: the output did not reach the caller`);
  }
}

async function readOnlyOnce(choices: Choices): Promise<void> {
  const action = choices.one(ACTIONS);
  using world = makeWorld();
  world.write("disk/f", "first\n");
  const script = `
set -e
FDTOOL_STORE="$PWD/disk/store"; export FDTOOL_STORE
fdtool capture --always <input >/dev/null
mount --bind disk disk && mount -o remount,bind,ro disk
set +e
fdtool ${action} >out 2>err; echo $? >code
fdtool read fd:1 --all --format raw >whole 2>errors
fdtool ls >>whole.ls 2>>errors; fdtool stat fd:1 >>whole.ls 2>>errors; fdtool search fd:1 "row 77" >>whole.ls 2>>errors
cp disk/f look`;
  const about = `${action}, read-only`;
  await runMounting(world, script, about);
  must(world.text("look") === "first\n", () => `${about}: the file changed`);
  must(
    world.text("whole") === INPUT && world.text("errors") === "",
    () => `${about}: reading failed: ${world.text("errors")}`,
  );
  if (/^(capture|run)/.test(action)) {
    must(world.text("out") === INPUT && world.text("err") !== "", () => `${about}: ${world.text("err")}`);
  }
}

export const smallDisks: FaultClass = {
  name: "small-disks",
  what:
    "a real tmpfs without room or inodes, and a read-only mount: old or new, typed, the output reaches the caller",
  wanted: 500,
  unable,
  round: trying(4, fullOnce, readOnlyOnce),
};
