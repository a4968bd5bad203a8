/**
 * Finds a command's program as `execvp` does, before starting it, so that exit codes 127 (not found) and 126 (cannot be
 * executed) are exact.
 *
 * @module
 */

import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve, win32 } from "node:path";
import process from "node:process";
import { type FdFailure, systemCode } from "../../fd/mod.ts";

export type FoundProgram =
  | { kind: "program"; path: string }
  /** Text without a `#!` line, which sh runs. */
  | { kind: "shell_script"; path: string }
  | { kind: "not_found"; failure: FdFailure }
  | { kind: "not_executable"; failure: FdFailure };

export const SHELL = "/bin/sh";

/** Whether sh exists. On Windows, a file at that path is not a native program. */
export function hasShell(): boolean {
  return process.platform !== "win32" && existsSync(SHELL);
}

/** The directories that `execvp` searches if PATH is unset. */
const DEFAULT_PATH = "/bin:/usr/bin";

/**
 * Finds the program `name`: the file itself if the name contains a slash, otherwise the first executable file of that
 * name in `searchPath`. Relative paths are resolved against `cwd`; if that is undefined they stay relative, because the
 * caller's directory may have been deleted or renamed.
 */
export function findProgram(
  name: string,
  cwd: string | undefined,
  searchPath: string | undefined,
): FoundProgram {
  const at = (path: string) => cwd === undefined ? path : resolve(cwd, path);
  if (process.platform === "win32") {
    const env = { PATH: searchPath ?? process.env["PATH"], PATHEXT: process.env["PATHEXT"] };
    const isThere = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    return isOnWindows(name, cwd, env, isThere) ? { kind: "program", path: name } : notFoundAt(name);
  }
  if (name.includes("/")) return programAt(at(name));
  const notFound = notFoundAt(name);
  if (name === "") return notFound;
  let refused: FoundProgram | undefined;
  // An empty entry of PATH means the working directory.
  for (const directory of (searchPath ?? DEFAULT_PATH).split(":")) {
    const found = programAt(at(join(directory || ".", name)));
    if (found.kind === "program" || found.kind === "shell_script") return found;
    const code = "code" in found.failure ? found.failure.code : undefined;
    if (found.kind === "not_executable" && code !== "EISDIR" && code !== "ENOTDIR") refused ??= found;
  }
  return refused ?? notFound;
}

const DEFAULT_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";

/**
 * Whether Windows would find the program `name`, as it is or with an ending of PATHEXT, in `cwd` or PATH. Whether it
 * can be executed is known when it is started.
 */
export function isOnWindows(
  name: string,
  cwd: string | undefined,
  env: { PATH: string | undefined; PATHEXT: string | undefined },
  isThere: (path: string) => boolean,
): boolean {
  if (name === "") return false;
  const endings = ["", ...(env.PATHEXT || DEFAULT_EXTENSIONS).split(";").filter((ending) => ending !== "")];
  const here = cwd ?? ".";
  const directories = /[\\/:]/.test(name)
    ? [here]
    : [here, ...(env.PATH ?? "").split(";").filter((each) => each !== "")];
  return directories.some((directory) =>
    endings.some((ending) => isThere(win32.resolve(directory, name + ending)))
  );
}

function programAt(path: string): FoundProgram {
  try {
    const stat = statSync(path);
    if (stat.isDirectory()) return notExecutable(path, "EISDIR");
    // The system's code. The file is not opened, because a FIFO would block.
    if (!stat.isFile()) return notExecutable(path, "EACCES");
    accessSync(path, constants.X_OK);
    return { kind: isShellScript(path) ? "shell_script" : "program", path };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    if (code === "ENOENT") return notFoundAt(path);
    return notExecutable(path, code);
  }
}

function notFoundAt(path: string): FoundProgram {
  return { kind: "not_found", failure: { kind: "file_not_found", path, action: "run" } };
}

function notExecutable(path: string, code: string): FoundProgram {
  return { kind: "not_executable", failure: { kind: "permission_error", path, action: "execute", code } };
}

const HEAD_BYTES = 80;

/** Whether the file's first line has no NUL and no `#!`. */
function isShellScript(path: string): boolean {
  const head = new Uint8Array(HEAD_BYTES);
  let length: number;
  try {
    const file = openSync(path, "r");
    try {
      length = readSync(file, head, 0, HEAD_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    // It may be executable but not readable; starting it decides.
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
  if (head[0] === 0x23 && head[1] === 0x21) return false;
  const lineEnd = head.indexOf(0x0a);
  const firstLine = head.subarray(0, lineEnd === -1 ? length : Math.min(lineEnd, length));
  return !firstLine.includes(0);
}
