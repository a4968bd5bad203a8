/** Examines a shared store: whether it answers, what this host may do there, what is not shared yet, and the cache. */

import { counted, sizeText } from "../../answers/parts/grouped_digits.ts";
import { formatFd, type Right, tryAccess } from "../../../fd/mod.ts";
import type { FdFailure } from "../../../fd/system.ts";
import { openObjects, requireCache, storeOf } from "../../sharing/open_cache.ts";
import { type Finding, note, ok, problem, type Remark } from "../harness.ts";
import type { Host } from "../../calls/terms/command.ts";

/** How long a request may take before the store counts as unreachable. */
const PATIENCE_MS = 5000;

/** Examines the shared store of a call. */
export async function examineSharedStore(host: Host): Promise<Finding[]> {
  const url = storeOf(host);
  const remarks = [...await examineAccess(url, host), ...await examineCache(host)];
  return remarks.map((remark) => ({ about: "shared store", ...remark }));
}

async function examineAccess(url: string, host: Host): Promise<Remark[]> {
  const { isMade, granted, failures } = await tryAccess(await openObjects(host, { patienceMs: PATIENCE_MS }));
  const rights = granted.join(", ");
  if (failures.length === 0) {
    const made = isMade ? "" : "; the first capture makes the store";
    return [ok(`${url} answers and allows this host to ${rights}${made}`)];
  }
  const allowed = granted.length === 0 ? "" : ` (allowed: ${rights})`;
  return failures.map(({ right, failure }) => described(url, right, failure, allowed));
}

/** Commands that need each right (docs/shared-store.md, "Rights"). */
const NEEDED_BY: Readonly<Record<Right, string>> = {
  read: "every command needs s3:GetObject",
  list: "every command needs s3:ListBucket",
  write: "capture, run, name, rm, gc and sync need s3:PutObject; reading does not",
  remove: "gc, store check and rm of fds beyond 1 MiB need s3:DeleteObject; nothing else does",
};

function described(url: string, right: Right, failure: FdFailure, allowed: string): Remark {
  switch (failure.kind) {
    case "store_denied":
      // A host that captures works without the right to delete.
      return (right === "remove" ? note : problem)(
        `${url} does not let this host ${right}: ${failure.reason}${allowed}`,
        `check the credentials and the bucket's policy: ${NEEDED_BY[right]}`,
      );
    case "store_unreachable":
      return problem(
        `${url} does not answer: ${failure.reason}; fds stay on this host until it does`,
        "check the network and the endpoint, then run fdtool sync --wait",
      );
    default:
      return problem(`${url} cannot be used (${failure.kind})`, `fdtool store check '${url}'`);
  }
}

async function examineCache(host: Host): Promise<Remark[]> {
  const cache = await requireCache("doctor", host);
  const { size, boundBytes, pending, emptyNoteCount } = await cache.facts();
  const bound = boundBytes === 0 ? "no bound" : `at most ${sizeText(boundBytes)}`;
  const what = `the cache ${cache.store.path} has ${counted(size.fdCount, "fd")} (${
    sizeText(size.diskBytes)
  }; ${bound})`;
  const remarks = [ok(what)];
  if (emptyNoteCount > 0) {
    const killed = `calls that were killed left notes about fds that were never stored: ${emptyNoteCount}`;
    remarks.push(note(killed, "fdtool sync"));
  }
  if (pending.length === 0) return remarks;
  const oldest = pending.reduce((oldest, each) => each.sinceMs < oldest.sinceMs ? each : oldest);
  const waiting =
    `${counted(pending.length, "fd")} of this host ${pending.length === 1 ? "is" : "are"} not shared yet; ` +
    `the oldest, ${formatFd(oldest.id)}, since ${new Date(oldest.sinceMs).toISOString()}`;
  return [...remarks, note(waiting, "fdtool sync --wait")];
}
