/** Tells fds and files apart, where one of them is expected or either may be given. */

import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { namedId, parseFdArgument, type Store } from "../../fd/mod.ts";

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
  if (failure.fd === "" || parseFdArgument(failure.fd) !== undefined) return false;
  try {
    return statSync(failure.fd).isFile();
  } catch {
    return false;
  }
}
