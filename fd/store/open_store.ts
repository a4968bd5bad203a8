/** The store's location and limits, and whether it can be trusted (contract, The store). */

import { DIRECTORY_MODE, makePrivateDirectories, makePrivateDirectory } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { checkPath } from "../disk/check_argument.ts";
import { disk } from "../disk/disk.ts";
import { attempt, fail, ifPossible, refuse } from "../disk/errors.ts";
import { isThere } from "../disk/file_calls.ts";
import { nodePath } from "../disk/loaded_late.ts";
import { temporaryDirectory, versionPath } from "./store_paths.ts";
import { type Backend, LOCAL } from "./backend.ts";

/** Limits of a store; 0 turns a limit off. */
export interface StoreLimits {
  /** Maximum bytes stored per fd. */
  maxBytes: number;
  /** Maximum bytes stored in total. */
  quotaBytes: number;
  /** Age in milliseconds after which cleanup removes an fd. */
  ttlMs: number;
  /** Bytes that a host shares in a day at most; only of a shared store's cache. */
  shareBytes?: number | undefined;
}

/** A store's path and limits. Creating this record creates nothing on disk. */
export interface Store {
  /** Its directory. */
  readonly path: string;
  /** Limits for puts and cleanup. */
  readonly limits: StoreLimits;
  /** Fetches and shares, if several hosts use the store. */
  readonly backend: Backend;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

const GIB = 2 ** 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Default limits: 4 GiB per fd, 10 GiB in total, 30 days. */
export const DEFAULT_LIMITS: StoreLimits = { maxBytes: 4 * GIB, quotaBytes: 10 * GIB, ttlMs: 30 * DAY_MS };

/**
 * Returns the store's directory: `--store`, else `FDTOOL_STORE`, else `$XDG_STATE_HOME/fdtool`, else
 * `$HOME/.local/state/fdtool`, else `${TMPDIR:-/tmp}/fdtool-<uid>`; on Windows, after the first two,
 * `%LOCALAPPDATA%\fdtool`, else `%USERPROFILE%\AppData\Local\fdtool`, else `%TEMP%\fdtool`: directories that Windows
 * keeps for one user. Empty values count as unset, and a relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory
 * specification requires; so is a relative one on Windows. `uid` and `platform` default to the current process's.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { locateStore } from "./open_store.ts";
 * assertEquals(locateStore({ env: { HOME: "/home/ann" }, uid: 1000 }), "/home/ann/.local/state/fdtool");
 * assertEquals(locateStore({ env: {}, uid: 1000 }), "/tmp/fdtool-1000");
 * ```
 */
export function locateStore(options: {
  store?: string | undefined;
  env: Environment;
  uid?: number;
  platform?: string;
}): string {
  const { store, env, platform = process.platform } = options;
  if (platform === "win32") return locateOnWindows(store, env);
  if (store) return absolutePath(directoryNamed(store, "--store"));
  if (env.FDTOOL_STORE) return absolutePath(directoryNamed(env.FDTOOL_STORE, "FDTOOL_STORE"));
  if (env.XDG_STATE_HOME?.startsWith("/")) return absolutePath(`${env.XDG_STATE_HOME}/fdtool`);
  if (env.HOME) return absolutePath(`${env.HOME}/.local/state/fdtool`);
  return absolutePath(`${env.TMPDIR || "/tmp"}/fdtool-${options.uid ?? process.geteuid?.() ?? -1}`);
}

function locateOnWindows(store: string | undefined, env: Environment): string {
  const { isAbsolute, resolve } = nodePath().win32;
  if (store) return resolve(directoryNamed(store, "--store"));
  if (env.FDTOOL_STORE) return resolve(directoryNamed(env.FDTOOL_STORE, "FDTOOL_STORE"));
  const profile = env.USERPROFILE && `${env.USERPROFILE}\\AppData\\Local`;
  for (const place of [env.LOCALAPPDATA, profile, env.TEMP, env.TMP]) {
    if (place && isAbsolute(place)) return resolve(place, "fdtool");
  }
  const wanted = "a directory, since neither LOCALAPPDATA nor USERPROFILE nor TEMP is one";
  return refuse("FDTOOL_STORE", "", wanted);
}

/** Returns `written` unless it is a URL, which would silently become a directory called `s3:`. */
function directoryNamed(written: string, field: string): string {
  if (written.includes("://") && /^[a-z][a-z0-9+.-]*:\/\//i.test(written)) {
    refuse(field, written, "a directory (URLs are not supported)");
  }
  return written;
}

/** Returns the absolute, normalized `path`. Loads `node:path` only if needed. */
function absolutePath(path: string): string {
  const isNormal = path.startsWith("/") && !path.includes("//") && !path.includes("/./") &&
    !path.includes("/../");
  const isEnded = path.endsWith("/") || path.endsWith("/.") || path.endsWith("/..");
  return isNormal && !isEnded ? path : nodePath().resolve(path);
}

/**
 * Reads limits from `FDTOOL_MAX_BYTES`, `FDTOOL_QUOTA` (bytes, or with K, M, G, T) and `FDTOOL_TTL` (days, or with s,
 * m, h, d).
 */
export function limitsFrom(env: Environment): StoreLimits {
  return {
    maxBytes: limit(env, "FDTOOL_MAX_BYTES", DEFAULT_LIMITS.maxBytes, "bytes, such as 4294967296 or 4G"),
    quotaBytes: limit(env, "FDTOOL_QUOTA", DEFAULT_LIMITS.quotaBytes, "bytes, such as 10737418240 or 10G"),
    ttlMs: limit(
      env,
      "FDTOOL_TTL",
      DEFAULT_LIMITS.ttlMs,
      "an age, such as 30d, 12h or 0",
      (text) => parseDuration(text, "d"),
    ),
  };
}

/** Returns the limit in the variable `field`, or `otherwise`. Throws `invalid_parameter`. */
export function limit(
  env: Environment,
  field: string,
  otherwise: number,
  wanted: string,
  parse: (text: string) => number | undefined = parseByteCount,
): number {
  const text = env[field];
  if (text === undefined || text === "") return otherwise;
  return parse(text) ?? refuse(field, text, wanted);
}

/** Parses a number of bytes: digits, optionally followed by K, M, G or T (powers of 1024, `B` and `iB` allowed). */
export function parseByteCount(text: string): number | undefined {
  const match = /^([0-9]{1,15})([KMGT]?)(?:i?B)?$/i.exec(text);
  if (match === null) return undefined;
  return Number(match[1]) * 1024 ** " KMGT".indexOf((match[2] || " ").toUpperCase());
}

/**
 * Returns a duration in milliseconds: numbers with a unit (`ms`, `s`, `m`, `h`, `d`) one after the other, or a plain
 * number of `plainUnit`; undefined for anything else.
 *
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseDuration } from "./open_store.ts";
 * assertEquals(parseDuration("90s", "d"), 90_000);
 * assertEquals(parseDuration("1h30m", "s"), 5_400_000);
 * assertEquals(parseDuration("0.5", "s"), 500);
 * assertEquals(parseDuration("soon", "s"), undefined);
 * ```
 */
export function parseDuration(text: string, plainUnit: "s" | "d"): number | undefined {
  const number = "[0-9]{1,12}(?:\\.[0-9]{1,6})?";
  const written = new RegExp(`^${number}$`).test(text) ? text + plainUnit : text;
  if (!new RegExp(`^(?:${number}(?:ms|[smhd]))+$`).test(written)) return undefined;
  const unitsMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS };
  let durationMs = 0;
  for (const [, value, unit] of written.matchAll(new RegExp(`(${number})(ms|[smhd])`, "g"))) {
    durationMs += Number(value) * unitsMs[unit as keyof typeof unitsMs];
  }
  return durationMs;
}

/**
 * Opens the store at `path`. Creates nothing: a store is created with its first fd. The directory may contain other
 * things too; fdtool uses its `v2`, which must belong to the caller and is closed to other users.
 *
 * @throws {FdError} `invalid_parameter` for a URL, `permission_error` if the store belongs to another user,
 * `write_error` if the path is not a directory.
 */
export function openStore(path: string, limits: StoreLimits = DEFAULT_LIMITS): Store {
  checkPath(path);
  directoryNamed(path, "store");
  attempt("write", "open the store", path, () => ifPossible(() => closeStore(path), "ENOENT"), "store");
  return { path, limits, backend: LOCAL };
}

/** Refuses a store that is not a directory of the caller, and closes one to other users. */
function closeStore(path: string): void {
  const inner = versionPath(path);
  const stat = disk.lstat(inner, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if ((stat.mode & constants.S_IFMT) !== constants.S_IFDIR) {
    fail({ kind: "write_error", path: inner, action: "open the store", code: "ENOTDIR", place: "store" });
  }
  const uid = process.geteuid?.();
  if (uid === undefined) return;
  if (stat.uid !== uid) failForeign(inner);
  if ((stat.mode & 0o077) !== 0) {
    if ((stat.mode & OTHERS_WRITE) !== 0) failIfPlanted(inner, uid);
    disk.chmod(inner, DIRECTORY_MODE);
  }
  closeOuter(path);
}

/**
 * Opens the store that the command line would use for this user, with limits from the environment: see {@link
 * locateStore} and {@link limitsFrom}.
 *
 * @throws {FdError} like {@link openStore}; `invalid_parameter` for an invalid limit.
 */
export function openUserStore(env: Environment = process.env): Store {
  return openStore(locateStore({ env }), limitsFrom(env));
}

/**
 * Refuses a store whose outer directory, or the symlink to it, belongs to another user (the system is fine). If the
 * caller's directory is writable by others, it is closed to them.
 */
function closeOuter(path: string): void {
  const uid = process.geteuid?.();
  if (uid === undefined) return;
  const named = disk.lstat(path);
  // Checks mode bits directly: every call opens a store, and the `Stats` methods are slow to load.
  const outer = (named.mode & constants.S_IFMT) === constants.S_IFLNK ? disk.stat(path) : named;
  if (named.uid !== uid && named.uid !== 0 || outer.uid !== uid && outer.uid !== 0) failForeign(path);
  if (outer.uid === uid && (outer.mode & OTHERS_WRITE) !== 0 && (outer.mode & STICKY) === 0) {
    disk.chmod(path, DIRECTORY_MODE);
  }
}

/** Refuses a store that others could write to if it contains symlinks or files of another user. */
function failIfPlanted(directory: string, uid: number): void {
  for (const name of disk.readdir(directory) as string[]) {
    const path = `${directory}/${name}`;
    const stat = disk.lstat(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (stat.isSymbolicLink() || stat.uid !== uid) {
      fail({
        kind: "permission_error",
        path,
        action: "trust what others put into the store,",
        code: "EPERM",
      });
    }
    if (stat.isDirectory()) failIfPlanted(path, uid);
  }
}

const OTHERS_WRITE = 0o022;
/** The sticky bit, which prevents users from renaming others' files, as in /tmp. */
const STICKY = 0o1000;

function failForeign(path: string): never {
  fail({ kind: "permission_error", path, action: "use another user's store", code: "EPERM", place: "store" });
}

/** Creates the store's directories if they do not exist. */
export function makeStore(store: Store): void {
  attempt("write", "create the store", store.path, () => {
    if (isThere(store.path)) closeOuter(store.path);
    makePrivateDirectories(versionPath(store.path));
    makePrivateDirectory(temporaryDirectory(store.path));
  }, "store");
}
