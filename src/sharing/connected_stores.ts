/**
 * The stores that this host is connected to (contract, Shared stores). A harness may run fdtool without asking, so a store
 * that a command line names is used only if the user said so before: otherwise that line could send what it likes to any
 * address, or read files that the harness guards. Each connection is a file in the user's local store.
 */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { type Environment, isStoreUrl, locateStore, openStore, parseStoreUrl } from "../../fd/mod.ts";
import { attempt, fail, ifPossible } from "../../fd/system.ts";
import { type Host, runsUnasked } from "../calls/terms/command.ts";
import type { ReportOf } from "../calls/terms/reports.ts";

type Connection = ReportOf<"store_connections">["facts"]["connection"][number];

type Caller = Pick<Host, "cwd" | "env">;

/**
 * Throws `not_connected` if the call's `--store` must not be used: a URL that is neither connected nor FDTOOL_STORE's, or, in
 * a command that runs without a question, a directory of which the same is true.
 */
export function requireConnected(command: string, { storeOption, cwd, env }: Host): void {
  if (storeOption === undefined || storeOption === "") return;
  const isUrl = isStoreUrl(storeOption);
  if (!isUrl && !runsUnasked(command, env)) return;
  const place = placeOf(storeOption, "--store", { cwd, env });
  if (isConnected(place, env) || place === usualPlace(isUrl, { cwd, env })) return;
  fail({ kind: "not_connected", store: storeOption, command: isUrl ? undefined : command });
}

/** Remembers that the user chose the store at `written`. */
export function connect(written: string, { cwd, env }: Caller): void {
  const directory = connectionsDirectory(env);
  const store = isStoreUrl(written) ? written : resolve(cwd, written);
  const connection: Connection = { store, connected: new Date().toISOString() };
  attempt("write", "remember a store in", directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Whatever the umask.
    chmodSync(directory, 0o700);
    const path = join(directory, fileName(placeOf(written, "URL", { cwd, env })));
    writeFileSync(path, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
  });
}

/** Forgets the store; returns whether this host was connected to it. */
export function disconnect(written: string, { cwd, env }: Caller): boolean {
  const place = placeOf(written, "URL", { cwd, env });
  if (!isConnected(place, env)) return false;
  rmSync(join(connectionsDirectory(env), fileName(place)));
  return true;
}

/** The stores that this host is connected to, oldest first. */
export function listConnections(env: Environment): Connection[] {
  const directory = connectionsDirectory(env);
  if (!isOwn(directory)) return [];
  return readdirSync(directory)
    .map((name): Connection => JSON.parse(readFileSync(join(directory, name), "utf8")))
    .sort((one, other) => one.connected < other.connected ? -1 : 1);
}

function isConnected(place: string, env: Environment): boolean {
  const directory = connectionsDirectory(env);
  return isOwn(directory) &&
    lstatSync(join(directory, fileName(place)), { throwIfNoEntry: false }) !== undefined;
}

/** In the directory of the user's local store. */
function connectionsDirectory(env: Environment): string {
  return join(openStore(locateStore({ env: { ...env, FDTOOL_STORE: undefined } })).path, "connected");
}

/** Whether only this user may have written there: without HOME, it is in the directory for temporary files. */
function isOwn(directory: string): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  return stat !== undefined && stat.isDirectory() && stat.uid === (process.geteuid?.() ?? stat.uid) &&
    (process.platform === "win32" || (stat.mode & 0o022) === 0);
}

/** The place of the store that the call would have without `--store`, if it is of the same kind. */
function usualPlace(isUrl: boolean, { cwd, env }: Caller): string | undefined {
  const written = env["FDTOOL_STORE"] ?? "";
  if (isStoreUrl(written) !== isUrl) return undefined;
  return placeOf(isUrl ? written : locateStore({ env }), "FDTOOL_STORE", { cwd, env });
}

/** All that a URL says, in one spelling: a host name is made of the region too. Of a directory, its real path. */
function placeOf(written: string, field: string, { cwd, env }: Caller): string {
  if (isStoreUrl(written)) return JSON.stringify(parseStoreUrl(written, field, env));
  const path = resolve(cwd, written);
  return ifPossible(() => realpathSync(path)) ?? path;
}

function fileName(place: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(place).digest("hex");
}
