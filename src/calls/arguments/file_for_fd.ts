/** Tells fds from files and patterns, where one of them is expected or either may be given. */

import { findFd, isName, namedId, parseFdArgument, type Store } from "../../../fd/mod.ts";
import { FdError, ifPossible } from "../../../fd/system.ts";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Whether `word`, which may be an fd or a file, is an fd: `fd:12`, `ref:NAME` and `12` always are, `NAME` is if no file has
 * that name. `./12` is a file, and `-` is stdin.
 */
export function namesFd(store: Store, word: string, cwd: string): boolean {
  if (/^(?:fd|ref):/.test(word) || parseFdArgument(word) !== undefined) return true;
  return word !== "-" && !existsSync(resolve(cwd, word)) && namedId(store, word) !== undefined;
}

/** Whether a failure to find an fd is about the path of an existing regular file. */
export function isFileForFd<Failure extends { kind: string }>(
  failure: Failure,
): failure is Extract<Failure, { kind: "not_found" }> {
  if (failure.kind !== "not_found" || !("fd" in failure) || typeof failure.fd !== "string") return false;
  return failure.fd !== "" && parseFdArgument(failure.fd) === undefined && isFile(failure.fd, ".");
}

function isFile(path: string, cwd: string): boolean {
  return ifPossible(() => statSync(resolve(cwd, path)).isFile(), Error) ?? false;
}

/**
 * `words` with the fd or file first, if it is the second: `error fd:1`, `error NAME` if only the second is a name in the
 * store, or `error FILE` and `error 1` if only the second is one of either.
 */
export function fdFirst(words: readonly string[], cwd: string, openStore: () => Store): readonly string[] {
  const [first, second, ...others] = words;
  if (first === undefined || second === undefined || parseFdArgument(first) !== undefined) return words;
  const isBound = (word: string) => isName(word) && namedId(openStore(), word) !== undefined;
  const isFd = () => ifPossible(() => findFd(openStore(), second), FdError) !== undefined;
  const isSecond = /^(fd|ref):/.test(second) ||
    !isBound(first) &&
      (parseFdArgument(second) !== undefined
        ? !isFile(first, cwd) && isFd()
        : isBound(second) || isFile(second, cwd) && !existsSync(resolve(cwd, first)));
  return isSecond ? [second, first, ...others] : words;
}
