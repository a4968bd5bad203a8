/**
 * Who writes an fd, so that others can tell whether it still does. A process id alone will not do: ids are reused, and
 * a container has a numbering of its own.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

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
  return writerOf("self");
}

/** The process `pid` of this machine and pid namespace, which runs. */
export function writerOf(pid: number | "self"): WriterIdentity {
  return {
    pid: pid === "self" ? process.pid : pid,
    started: startTime(String(pid)),
    boot: readLine("/proc/sys/kernel/random/boot_id"),
    space: pidSpace(),
  };
}

/**
 * Whether `writer` still runs; "unknown" where it lives on another machine or in another pid namespace, which a store
 * on a shared file system or in a shared volume allows.
 */
export function writerFate(writer: WriterIdentity): "alive" | "gone" | "unknown" {
  const me = thisWriter();
  if (writer.boot !== me.boot || writer.space !== me.space) return "unknown";
  if (writer.started !== undefined) {
    return startTime(String(writer.pid)) === writer.started ? "alive" : "gone";
  }
  try {
    process.kill(writer.pid, 0);
    return "alive";
  } catch (thrown) {
    return systemCode(thrown) === "ESRCH" ? "gone" : "alive";
  }
}

/** The start time of a process; undefined where it is gone, a zombie (dead but not buried), or not to be seen. */
function startTime(process: string): string | undefined {
  const stat = readLine(`/proc/${process}/stat`);
  // The second field is the command's name in parentheses and may itself hold blanks and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined || fields[0] === "Z" ? undefined : fields[19];
}

function pidSpace(): string | undefined {
  try {
    return disk.readlink("/proc/self/ns/pid") as string;
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
