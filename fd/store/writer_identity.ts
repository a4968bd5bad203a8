/**
 * Who writes an fd, so that others can tell whether it still does. A process id alone will not do: ids are reused, and
 * a container has a numbering of its own.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";

/** A process, told apart from all others that ever had its id. Where the system cannot say, a field is absent. */
export interface WriterIdentity {
  /** Of the process, in its own pid namespace. */
  pid: number;
  /** Start time in clock ticks since boot (proc(5), `stat`, field 22). */
  started?: string | undefined;
  /** The machine's boot id. */
  boot?: string | undefined;
  /** The pid namespace. */
  space?: string | undefined;
}

/** This process. */
export function thisWriter(): WriterIdentity {
  return identityOf("self");
}

/** A process that runs beside this one. Where it has just ended, it has no start time. */
export function identityOf(pid: number | "self"): WriterIdentity {
  return {
    pid: pid === "self" ? process.pid : pid,
    started: startTimeIn(statFields(String(pid)) ?? []),
    boot: readLine("/proc/sys/kernel/random/boot_id"),
    space: nameSpace("self", "pid"),
  };
}

/**
 * Whether `writer` still runs; "unknown" where it lives on another machine or in another pid namespace, which a store
 * on a shared file system or in a shared volume allows.
 */
export function writerFate(writer: WriterIdentity): "alive" | "gone" | "unknown" {
  const me = thisWriter();
  if (writer.boot !== me.boot || writer.space !== me.space) return "unknown";
  const { pid, started } = writer;
  if (started === undefined) return isThere(pid) ? "alive" : "gone";
  const fields = statFields(String(pid));
  // What could not be read just now, or is hidden from this user, is no sign of death.
  if (fields === undefined) return isThere(pid) ? "unknown" : "gone";
  if (startTimeIn(fields) === started) return "alive";
  // In a time namespace of its own, a process counts from another beginning.
  return !isZombie(fields) && nameSpace(pid, "time") !== nameSpace("self", "time") ? "unknown" : "gone";
}

/** Whether a process has that id. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) !== "ESRCH";
  }
}

/** What the system says of a process, from its state on (proc(5), `stat`, field 3); undefined where it says nothing. */
function statFields(process: string): string[] | undefined {
  const stat = readLine(`/proc/${process}/stat`);
  // The second field is the command's name in parentheses and may itself hold blanks and parentheses.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Dead, but not buried. */
function isZombie(fields: readonly string[]): boolean {
  return fields[0] === "Z";
}

function startTimeIn(fields: readonly string[]): string | undefined {
  return isZombie(fields) ? undefined : fields[19];
}

function nameSpace(process: number | "self", kind: "pid" | "time"): string | undefined {
  try {
    return disk.readlink(`/proc/${process}/ns/${kind}`) as string;
  } catch {
    return undefined;
  }
}

/** Reads a kernel file whole; undefined where the system has no such file. */
function readLine(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1").trimEnd();
  } catch {
    return undefined;
  }
}
