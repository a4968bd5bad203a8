/**
 * Identifies the process that writes an fd, so that others can check whether it is still running. A process id is not
 * enough: ids are reused, and containers have their own numbering.
 */

import { closeSync, constants, openSync, readSync } from "node:fs";
import { utf8Text } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible, systemCode } from "../disk/errors.ts";

/**
 * A process, distinguished from all others that ever had its id. Fields that the system does not provide are absent.
 */
export interface WriterIdentity {
  /** Process id in its own pid namespace. */
  pid: number;
  /** Start time in clock ticks since boot (proc(5), `stat`, field 22). */
  started?: string | undefined;
  /** The machine's boot id; on Windows, which has none, the machine's name. */
  boot?: string | undefined;
  /** The pid namespace. */
  space?: string | undefined;
}

let me: WriterIdentity | undefined;

/** Identifies this process. */
export function thisWriter(): WriterIdentity {
  return me ??= identityOf("self");
}

/** Identifies another process on this machine. `started` is absent if it has just ended. */
export function identityOf(pid: number | "self"): WriterIdentity {
  // Wine shows the /proc of its host, where its processes have other numbers.
  if (process.platform === "win32") {
    const { hostname } = process.getBuiltinModule("node:os");
    return { pid: pid === "self" ? process.pid : pid, boot: `host ${hostname()}` };
  }
  return {
    pid: pid === "self" ? process.pid : pid,
    started: statOf(pid)?.started,
    boot: readLine("/proc/sys/kernel/random/boot_id"),
    space: nameSpace("self", "pid"),
  };
}

/**
 * Whether `writer` is still running; "unknown" if it is on another machine or in another pid namespace, which is
 * possible on shared file systems and volumes.
 */
export function writerFate(writer: WriterIdentity): "alive" | "gone" | "unknown" {
  const { boot, space } = thisWriter();
  if (writer.boot !== boot || writer.space !== space) return "unknown";
  const { pid, started } = writer;
  if (started === undefined) return processExists(pid) ? "alive" : "gone";
  const stat = statOf(pid);
  // Failing to read the process, or not being allowed to, does not mean that it ended.
  if (stat === undefined) return processExists(pid) ? "unknown" : "gone";
  if (stat.started === started) return "alive";
  // A process in another time namespace counts from another start.
  return stat.started !== undefined && nameSpace(pid, "time") !== nameSpace("self", "time")
    ? "unknown"
    : "gone";
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemCode(thrown) !== "ESRCH";
  }
}

/** The state of a process that ended and was not yet waited for by its parent. */
const ZOMBIE = "Z";

/** Reads when a process started, undefined if it has ended, from `/proc/PID/stat`; undefined if that cannot be read. */
function statOf(process: number | "self"): { started: string | undefined } | undefined {
  const stat = readLine(`/proc/${process}/stat`);
  // The second field is the command's name in parentheses, and may itself contain spaces and parentheses.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return state === undefined ? undefined : { started: state === ZOMBIE ? undefined : fields[18] };
}

function nameSpace(process: number | "self", kind: "pid" | "time"): string | undefined {
  return ifPossible(() => disk.readlink(`/proc/${process}/ns/${kind}`) as string);
}

/** More than a kernel file of one line has: one read gives all of it. */
const LINE_BYTES = 1024;

/** Reads a kernel file of one line. Returns undefined if it does not exist. */
function readLine(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY);
    const bytes = new Uint8Array(LINE_BYTES);
    return utf8Text(bytes.subarray(0, readSync(file, bytes, 0, LINE_BYTES, null))).trimEnd();
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
