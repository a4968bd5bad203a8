/** Examines fdtool and its store: program, write access, limits, sizes. @module */

import { accessSync, closeSync, constants, existsSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import {
  FdError,
  limitsFrom,
  listNewestFds,
  otherVersions,
  type Store,
  systemCode,
  temporaryPath,
  VERSION_DIRECTORY,
} from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { findProgram } from "../running/find_program.ts";
import type { Finding } from "./finding.ts";
import { reportedVersion } from "./reported_version.ts";

const ABOUT = "fdtool";

export function examineStore(path: string, host: Host): Finding[] {
  return [examineProgram(host), ...examineWriting(path, host), examineLimits(host)];
}

function examineProgram({ version, cwd, env }: Host): Finding {
  const found = findProgram("fdtool", cwd, env["PATH"]);
  if (found.kind !== "program") {
    const mend = "put fdtool in a directory of PATH";
    return { about: ABOUT, state: "note", what: `fdtool ${version}; fdtool is not in PATH`, mend };
  }
  const other = reportedVersion(found.path, { cwd, env });
  if (other === version) return { about: ABOUT, state: "ok", what: `fdtool ${version} at ${found.path}` };
  const what = `this is fdtool ${version}, but harnesses start ${found.path}, which is ${
    other ?? "of unknown version"
  }`;
  return {
    about: ABOUT,
    state: "problem",
    what,
    mend: `remove ${found.path}, or replace it with this version`,
  };
}

function examineWriting(path: string, host: Host): Finding[] {
  const refused = refusedWrite(path);
  if (refused !== undefined) return [unwritable(path, refused)];
  if (!existsSync(path)) {
    return [{
      about: ABOUT,
      state: "ok",
      what: `the store ${path} does not exist yet; the first capture creates it`,
    }];
  }
  try {
    const store = openHostStore(host);
    // Its cache is examined with the shared store.
    if (store.shared !== undefined) return examineVersions(store);
    const { entries } = listNewestFds(store, {});
    const bytes = entries.reduce((sum, { byteCount }) => sum + byteCount, 0);
    const contents = `${entries.length} ${entries.length === 1 ? "fd" : "fds"} (${bytes} bytes)`;
    return [
      { about: ABOUT, state: "ok", what: `the store ${path} is writable and has ${contents}` },
      ...examineVersions(store),
    ];
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    const what = `the store ${path} cannot be read completely (${thrown.failure.kind})`;
    return [{ about: ABOUT, state: "problem", what, mend: "fdtool verify" }];
  }
}

/** Reports data of other versions of fdtool, which use the same directory and see none of this one's. */
function examineVersions(store: Store): Finding[] {
  return otherVersions(store).map((name) => {
    const isOlder = Number(name.slice(1)) < Number(VERSION_DIRECTORY.slice(1));
    const what = `the store ${store.path} also has ${name}, which ${isOlder ? "an older" : "a newer"} ` +
      "fdtool wrote and this one does not read";
    const mend = isOlder
      ? `update or stop the older fdtool; then mkdir DIR, mv ${store.path}/${name} DIR, and ` +
        "fdtool export --all --store DIR | fdtool import"
      : "use the newer fdtool everywhere";
    return { about: ABOUT, state: "problem", what, mend };
  });
}

/**
 * Returns the error code if the store cannot be written. Writes a file to find out: permission bits do not show a
 * sandbox.
 */
function refusedWrite(path: string): string | undefined {
  const probe = temporaryPath(path, "doctor");
  try {
    if (existsSync(dirname(probe))) {
      closeSync(openSync(probe, "wx", 0o600));
      unlinkSync(probe);
    } else {
      let directory = path;
      while (!existsSync(directory) && dirname(directory) !== directory) directory = dirname(directory);
      accessSync(directory, constants.W_OK);
      if (!statSync(directory).isDirectory()) return "ENOTDIR";
    }
    return undefined;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return code;
  }
}

function unwritable(path: string, code: string): Finding {
  return {
    about: ABOUT,
    state: "problem",
    what: `the store ${path} cannot be written from here (${code}): output passes through and is not stored`,
    mend: code === "EROFS"
      ? "in a sandbox, add it to the writable roots (for Codex: fdtool install codex), or set FDTOOL_STORE to a directory that can be written"
      : "change its permissions, or set FDTOOL_STORE to a directory that can be written",
  };
}

function examineLimits({ env }: Host): Finding {
  try {
    const { maxBytes, quotaBytes, ttlMs } = limitsFrom(env);
    const age = ttlMs === 0 || ttlMs === Infinity ? "no age limit" : `${Math.round(ttlMs / 86_400_000)} days`;
    const what = `limits: ${bytesWord(maxBytes)} an fd, ${bytesWord(quotaBytes)} in all, ${age}`;
    return { about: ABOUT, state: "ok", what };
  } catch (thrown) {
    if (!(thrown instanceof FdError) || thrown.failure.kind !== "invalid_parameter") throw thrown;
    const { field, got, wanted } = thrown.failure;
    return {
      about: ABOUT,
      state: "problem",
      what: `${field} is "${got}"`,
      mend: `set it to ${wanted}, or unset it`,
    };
  }
}

function bytesWord(count: number): string {
  return count === 0 || count === Infinity ? "no limit" : `${count} bytes`;
}
