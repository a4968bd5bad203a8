/** Examines the store: write access, sizes, limits, open writes. */

import { counted, groupedDigits, sizeText } from "../../answers/parts/grouped_digits.ts";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  statfsSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import {
  type FdEntry,
  limitsFrom,
  listNewestFds,
  otherVersions,
  type Store,
  type StoreLimits,
  temporaryPath,
} from "../../../fd/mod.ts";
import { failureIn, type FdFailure, ifPossible, systemCode } from "../../../fd/system.ts";
import type { Host } from "../../calls/terms/command.ts";
import { listFew } from "../../answers/parts/first_few.ts";
import { diskBytesOf } from "../../answers/parts/fd_summary.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { shellWord } from "../../answers/parts/next_command.ts";
import { type Finding, note, ok, problem, type Remark } from "../harness.ts";
import { formatTransaction } from "../../writing/commit/journal.ts";
import { openTransactions } from "../../writing/history/recover_transactions.ts";
import { formatInquiry, openInquiries } from "../../writing/inquiries/inquiries.ts";

/** Below this, the next large output may not fit. Little, since containers give a store a small disk in memory. */
const MIN_FREE_BYTES = 16 * 2 ** 20;

export function examineStore(path: string, host: Host): Finding[] {
  const limits = readLimits(host);
  const findings: (Remark | Finding)[] = [
    ...examineStoreAt(path, host, "quotaBytes" in limits ? limits : undefined),
    "quotaBytes" in limits ? describeLimits(limits) : limits,
    ...examinePlace(path, host),
  ];
  return findings.map((finding) => ({ about: "fdtool", ...finding }));
}

function examineStoreAt(path: string, host: Host, limits: StoreLimits | undefined): Remark[] {
  const refused = refusedWrite(path);
  if (refused !== undefined) {
    return [existsSync(path) && belongsToOther(path) ? foreign(path) : unwritable(path, refused)];
  }
  if (!existsSync(path)) {
    const what = `the store ${path} does not exist yet; the first capture creates it`;
    return [ok(what), ...examineSpace(path, false)];
  }
  try {
    if (belongsToOther(path)) return [foreign(path)];
    const store = openHostStore(host);
    const { entries } = listNewestFds(store, {});
    const space = examineSpace(path, entries.some(({ byteCount }) => byteCount > 0));
    // Its cache is examined with the shared store.
    if (!store.backend.hasWholeFiles) return [...space, ...examineVersions(store)];
    const others = [...examineVersions(store), ...examineWrites(store, Date.now())];
    return [describeContents(store, entries, limits), ...space, ...others];
  } catch (thrown) {
    return [unreadable(path, failureIn(thrown))];
  }
}

function describeContents(
  store: Store,
  entries: readonly FdEntry[],
  limits: StoreLimits | undefined,
): Remark {
  const byteCount = entries.reduce((sum, entry) => sum + (diskBytesOf(entry) ?? entry.byteCount), 0);
  const contents = `${counted(entries.length, "fd", groupedDigits)} (${sizeText(byteCount)})`;
  const what = `the store ${store.path} is writable and has ${contents}`;
  const quota = limits?.quotaBytes ?? 0;
  if (quota === 0 || byteCount <= quota) return ok(what);
  return note(
    `${what}, more than its quota of ${sizeText(quota)}: cleaning removes the oldest`,
    "fdtool gc --pack, or raise FDTOOL_QUOTA",
  );
}

/** Reports a disk that is nearly full. Cleaning helps only if the store holds content. */
function examineSpace(path: string, holdsContent: boolean): Remark[] {
  const space = ifPossible(() => statfsSync(existingDirectory(path)));
  const free = space === undefined ? Infinity : space.bavail * space.bsize;
  if (free >= MIN_FREE_BYTES) return [];
  const what = `the disk of the store has ${sizeText(free)} free: output that does not fit passes through`;
  return [
    problem(what, holdsContent ? "fdtool gc --pack, or free space on that disk" : "free space on that disk"),
  ];
}

/** Reports data of other versions of fdtool, which use the same directory and see none of this one's. */
function examineVersions(store: Store): Remark[] {
  return otherVersions(store).map((name) => {
    const what =
      `the store ${store.path} also has ${name}, which another version of fdtool wrote and this one ` +
      "does not read";
    return problem(what, "use one version of fdtool everywhere");
  });
}

/**
 * Returns the error code if the store cannot be written. Writes to find out, and leaves nothing: permission bits do not show a
 * sandbox.
 */
function refusedWrite(path: string): string | undefined {
  const probe = temporaryPath(path, "doctor");
  try {
    if (existsSync(dirname(probe))) {
      closeSync(openSync(probe, "wx", 0o600));
      unlinkSync(probe);
    } else {
      const directory = existingDirectory(path);
      if (!statSync(directory).isDirectory()) return "ENOTDIR";
      rmdirSync(mkdtempSync(join(directory, ".fdtool-doctor-")));
    }
    return undefined;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return code;
  }
}

/** The path itself or, as long as it does not exist, the directory above it. */
function existingDirectory(path: string): string {
  let directory = path;
  while (!existsSync(directory) && dirname(directory) !== directory) directory = dirname(directory);
  return directory;
}

const ELSEWHERE = "set FDTOOL_STORE to a directory that you can write";

function unwritable(path: string, code: string): Remark {
  const mend = code === "EROFS"
    ? `in a sandbox, add it to the writable roots (for Codex: fdtool install codex), or ${ELSEWHERE}`
    : !existsSync(path) || statSync(path).uid !== process.geteuid?.()
    ? ELSEWHERE
    : `chmod -R u+rwX ${shellWord(path)}, or ${ELSEWHERE}`;
  return problem(
    `the store ${path} cannot be written from here (${code}): output passes through and is not stored`,
    mend,
  );
}

/** Whether another user, who is not the system's, has the directory: fdtool stores nothing there. */
function belongsToOther(path: string): boolean {
  const own = process.geteuid?.();
  const { uid } = statSync(path);
  return own !== undefined && uid !== own && uid !== 0;
}

function foreign(path: string): Remark {
  const what = `the store ${path} belongs to another user: output passes through and is not stored`;
  return problem(what, ELSEWHERE);
}

function unreadable(path: string, failure: FdFailure): Remark {
  const what = failure.kind === "permission_error"
    ? `the store ${path} cannot be used: ${failure.action} ${failure.path} is not permitted`
    : `the store ${path} cannot be read completely (${failure.kind})`;
  const mend = failure.kind === "permission_error" ? ELSEWHERE : "fdtool verify";
  return problem(what, mend);
}

function readLimits({ env }: Host): StoreLimits | Remark {
  try {
    return limitsFrom(env);
  } catch (thrown) {
    const { field, got, wanted } = failureIn(thrown, "invalid_parameter");
    const mend = `unset ${field}, or set it to ${wanted}`;
    return problem(`${field} is "${got}"`, mend);
  }
}

function describeLimits({ maxBytes, quotaBytes, ttlMs }: StoreLimits): Remark {
  const age = ttlMs === 0 || ttlMs === Infinity ? "no age limit" : `${Math.round(ttlMs / 86_400_000)} days`;
  const what = `limits: ${limitText(maxBytes)} an fd (FDTOOL_MAX_BYTES), ${
    limitText(quotaBytes)
  } in all (FDTOOL_QUOTA), ${age} (FDTOOL_TTL)`;
  return ok(what);
}

function limitText(byteCount: number): string {
  return byteCount === 0 || byteCount === Infinity ? "no limit" : sizeText(byteCount);
}

/** Reports a store in the directory for temporary files, which the system may clear. */
function examinePlace(path: string, { env, storeOption }: Host): Remark[] {
  if (storeOption !== undefined || env["FDTOOL_STORE"] || env["XDG_STATE_HOME"] || env["HOME"]) return [];
  if (process.platform === "win32") return [];
  const what = `HOME is not set, so the store is ${path}, which the system may clear`;
  return [note(what, "export FDTOOL_STORE=DIR")];
}

/** The most handles that are named. */
const MAX_NAMED = 5;

/** Examines writes that a kill interrupted, and questions without an answer. */
function examineWrites(store: Store, nowMs: number): Finding[] {
  const findings: Finding[] = [];
  const interrupted = openTransactions(store, nowMs).filter((each) => each.interrupted);
  if (interrupted.length > 0) {
    const which = listFew(interrupted.map(({ transaction }) => formatTransaction(transaction.id)), MAX_NAMED);
    const what = `interrupted, so that some of their files may be old and others new: ${which}`;
    findings.push({ about: "writes", ...problem(what, "fdtool recover") });
  }
  const open = openInquiries(store);
  if (open.length > 0) {
    const which = listFew(open.map(({ id }) => formatInquiry(id)), MAX_NAMED);
    findings.push({ about: "writes", ...note(`waiting for an answer: ${which}`, "fdtool inquiries") });
  }
  return findings;
}
