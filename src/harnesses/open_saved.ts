/**
 * Opens files in which harnesses save large results. A path can come from a command's output, so it proves nothing: the file
 * must be where that harness saves results, and have been written during the call.
 */

import { homedir, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { closeReader, disk, orUndo, refuse } from "../../fd/system.ts";
import type { JsonObject } from "../calls/requests/json_object.ts";
import type { Host } from "../calls/terms/command.ts";
import { openInside } from "../writing/commit/open_inside.ts";
import { isInside, resolveRealPath } from "../writing/commit/resolve_path.ts";

/** The files in which a harness saves results: those with such paths, in or below a directory. */
export interface SavedResults {
  /** The directory in the user's home; without it, the system's for temporary files. */
  inHome?: string;
  /** Environment variables that name other directories. */
  variables?: readonly string[];
  path: RegExp;
}

function directoriesOf({ inHome, variables = [] }: SavedResults, { env }: Host, log: unknown): string[] {
  if (inHome === undefined) return [env["TMPDIR"] || tmpdir()];
  const own = [...variables.flatMap((name) => env[name] || []), join(env["HOME"] || homedir(), inHome)];
  return typeof log === "string" ? [...own, dirname(log)] : own;
}

/** How long before its hook is called a call may have begun, if the harness does not say how long it took. */
const LONGEST_CALL_MS = 60 * 60 * 1000;
/** File systems note times in steps, and the hook starts later. */
const SLACK_MS = 60_000;

/**
 * Opens the file at `path` to read it. The harness may say in its `call` how long that took, and where the session's log is,
 * beside which it saves results.
 *
 * @throws {FdError} `invalid_parameter` for another file than one that the harness saved, and the failures of reading.
 */
export function openSaved(path: string, saved: SavedResults, host: Host, call: JsonObject): number {
  const { duration_ms: tookMs, transcript_path: log } = call;
  const parent = resolveRealPath(dirname(path), host.cwd);
  const real = join(parent, basename(path));
  const root = directoriesOf(saved, host, log).find((each) =>
    isInside(parent, resolveRealPath(each, host.cwd))
  );
  if (root === undefined || !saved.path.test(real)) return refuse("saved output", path, WANTED);
  const file = openInside(real, path, { cwd: host.cwd, root });
  return orUndo(() => {
    const { uid, nlink, mtimeMs } = disk.fstat(file);
    const ageMs = Date.now() - mtimeMs;
    const callMs = typeof tookMs === "number" && tookMs >= 0 ? tookMs : LONGEST_CALL_MS;
    const isOwn = uid === (process.getuid?.() ?? uid) && nlink === 1;
    return isOwn && ageMs <= callMs + SLACK_MS ? file : refuse("saved output", path, WANTED);
  }, () => closeReader(file));
}

const WANTED = "a file that the harness saved during the call";
