/**
 * Makes every disk call of an action fail in turn, with an error or a short write. Afterwards each file is as before or as
 * wanted, the failure is typed, and the store is valid.
 */

import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { DISK_FAULTS, type DiskFault, withFailingCall } from "../../tests/failing_disk.ts";
import type { FaultClass, Round } from "./fault_class.ts";
import { innerWorld, must } from "./inner_world.ts";
import {
  type Action,
  ACTIONS,
  actionWorld,
  assertHeld,
  logOf,
  PACKINGS,
  prepareAction,
  runInside,
} from "./sample_actions.ts";

const ALL = [...ACTIONS, ...PACKINGS];
const LOG = logOf(5000);

async function oneFault(action: Action, fault: DiskFault, callNumber: number): Promise<boolean> {
  using inner = innerWorld();
  const world = actionWorld(inner, LOG);
  const held = await prepareAction(world, action);
  const { hit, result, thrown } = await withFailingCall(callNumber, fault, () => runInside(world, action));
  // A command throws only bugs; a capture throws typed failures.
  if (thrown !== undefined && !(thrown instanceof Error && thrown.name === "FdError")) throw thrown;
  const about = `${action.name}: ${JSON.stringify(hit)}`;
  const left = openFilesIn(dirname(world.files));
  // The injected failure of close leaves the file open; that is the test's doing.
  must(left.length === 0 || hit?.member === "close", () => `${about}: left open: ${left.join()}`);
  await assertHeld(world, action, {
    held,
    about,
    succeeded: result === true,
    // The one call that fails may be the one that removes a temporary file, or a directory.
    isLitter: (name, files) =>
      hit?.member === "unlink" && name.includes(".fdtool-") ||
      hit?.member === "rmdir" && name.endsWith("/") &&
        !Object.keys(files).some((each) => each !== name && each.startsWith(name) && !each.endsWith("/")),
  });
  return hit !== undefined;
}

/** Returns the files under `directory` that this process has open; none if that cannot be known. */
function openFilesIn(directory: string): string[] {
  if (!existsSync(DESCRIPTORS)) return [];
  return readdirSync(DESCRIPTORS).flatMap((name) => {
    try {
      const path = readlinkSync(`${DESCRIPTORS}/${name}`);
      return path.startsWith(directory) ? [path] : [];
    } catch (thrown) {
      // The descriptor of the listing itself is closed by now.
      if (!(thrown instanceof Error)) throw thrown;
      return [];
    }
  });
}

const DESCRIPTORS = "/proc/self/fd";

export const diskCalls: FaultClass = {
  name: "disk-calls",
  what:
    "each disk call of capture, to-file, edit, plan, undo, gc, rm, name, extract, verify, packing, sharing, unpacking and taking over fails in turn: before or after, typed",
  async round({ seed, choices, attempt }: Round) {
    const action = ALL[seed % ALL.length]!;
    const fault = choices.one(DISK_FAULTS);
    for (let callNumber = 1;; callNumber++) {
      const about = `${action.name}, call ${callNumber}, ${fault}`;
      if (await attempt(about, () => oneFault(action, fault, callNumber)) === false) return;
    }
  },
};
