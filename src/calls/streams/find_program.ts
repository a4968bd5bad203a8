/**
 * Finds a command's program as `execvp` does, before starting it, so that exit codes 127 (not found) and 126 (cannot be
 * executed) are exact.
 */

import { accessSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { join, resolve, win32 } from "node:path";
import process from "node:process";
import { atEnd, closeReader, type FdFailure, ifPossible, systemCode } from "../../../fd/system.ts";
import type { Environment } from "../../../fd/mod.ts";

export type FoundProgram =
  | { kind: "program"; path: string }
  /** Text without a `#!` line, which sh runs. */
  | { kind: "shell_script"; path: string }
  | { kind: "not_found"; failure: FdFailure }
  | { kind: "not_executable"; failure: FdFailure };

export const SHELL = "/bin/sh";

/**
 * The command that runs `line` as a shell does. On Windows it is cmd.exe, which Node and npm use too, or the shell in
 * `FDTOOL_SHELL`.
 */
export function shellWords(line: string, env: Environment, platform: string = process.platform): string[] {
  if (platform !== "win32") return [SHELL, "-c", line];
  const shell = env["FDTOOL_SHELL"] || env["ComSpec"] || "cmd.exe";
  if (isNamed(shell, "cmd")) return [shell, ...CMD_FLAGS, line];
  const isPowerShell = isNamed(shell, "powershell") || isNamed(shell, "pwsh");
  return isPowerShell ? [shell, "-NoProfile", "-Command", line] : [shell, "-c", line];
}

/** No commands of the registry, and one line as it is. */
export const CMD_FLAGS = ["/d", "/s", "/c"] as const;

/** Whether the program at `path` is called `name` or `name.exe` on Windows. */
export function isNamed(path: string, name: string): boolean {
  const base = win32.basename(path).toLowerCase();
  return base === name || base === `${name}.exe`;
}

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
    const path = findOnWindows(name, cwd, env, isThere);
    return path === undefined ? notFoundAt(name) : { kind: "program", path };
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
 * The path of the program `name` as cmd.exe finds it: in `cwd` or PATH, as it is if it has an ending, or with an ending
 * of PATHEXT. A file that has neither is found last, and cannot be executed: beside npm.cmd there is an `npm` for sh.
 */
export function findOnWindows(
  name: string,
  cwd: string | undefined,
  env: { PATH: string | undefined; PATHEXT: string | undefined },
  isThere: (path: string) => boolean,
): string | undefined {
  if (name === "") return undefined;
  const endings = (env.PATHEXT || DEFAULT_EXTENSIONS).split(";").filter((ending) => ending !== "");
  if (win32.extname(name) === "") endings.push("");
  else endings.unshift("");
  const here = cwd ?? ".";
  const directories = /[\\/:]/.test(name)
    ? [here]
    : [here, ...(env.PATH ?? "").split(";").filter((each) => each !== "")];
  for (const directory of directories) {
    for (const ending of endings) {
      const path = win32.resolve(directory, name + ending);
      if (isThere(path)) return path;
    }
  }
  return undefined;
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
  return { kind: "not_found", failure: { kind: "file_not_found", path, action: "run", isProgram: true } };
}

function notExecutable(path: string, code: string): FoundProgram {
  return { kind: "not_executable", failure: { kind: "permission_error", path, action: "execute", code } };
}

const HEAD_BYTES = 80;

/** Whether the file's first line has no NUL and no `#!`. */
function isShellScript(path: string): boolean {
  const head = headOf(path);
  return head !== undefined && /^(?!#!)[^\0\n]*(\n|$)/.test(head);
}

/** The interpreter that the first line of a script names. */
export function interpreterOf(path: string): string | undefined {
  return /^#![ \t]*([^\0\s]+)/.exec(headOf(path) ?? "")?.[1];
}

/** The start of the file, a char a byte. Undefined if it may be executed but not read: starting it decides. */
function headOf(path: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  return ifPossible(() => {
    const file = openSync(path, "r");
    using _file = atEnd(() => closeReader(file));
    return head.toString("latin1", 0, readSync(file, head, 0, HEAD_BYTES, 0));
  });
}
