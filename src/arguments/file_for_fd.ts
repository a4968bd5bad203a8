/**
 * Notices that a file's path was given where an fd is expected.
 */

import { statSync } from "node:fs";
import { parseFdArgument } from "../../fd/mod.ts";

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
