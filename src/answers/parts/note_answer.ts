/** Notes what answers show of fds to programs, which `stats` counts. What people read costs no model anything. */

import { noteShown } from "../../../fd/mod.ts";
import { utf8Text } from "../../../fd/system.ts";
import type { Answer } from "../../calls/terms/answers.ts";
import type { Host } from "../../calls/terms/command.ts";
import { openHostStore } from "./open_host_store.ts";

/** Notes an answer of `charCount` UTF-16 units, which are quickly counted. */
export function noteAnswer(answer: Answer, charCount: number, host: Host): void {
  let fd: string | undefined;
  switch (answer.type) {
    case "fd_result":
    case "fd_content":
    case "fd_query":
      fd = answer.fd;
      break;
    case "fd_diff":
      fd = answer.new_fd;
      break;
    case "fd_matches":
      // Of several fds, the newest with matches.
      fd = answer.fd ?? answer.fds?.[0]?.fd;
  }
  if (fd === undefined) return;
  const storedChars = answer.type === "fd_result" ? answer.chars : undefined;
  noteShown(openHostStore(host), fd.slice("fd:".length), charCount, storedChars);
}

/** The same chunks, of an answer that is noted with their chars and `charCount` more, unless a person reads it. */
export function noted(answer: Answer, chunks: Iterable<Uint8Array>, host: Host | undefined, charCount = 0) {
  if (host === undefined || host.isForPeople === true) return chunks;
  if (!Array.isArray(chunks)) return notedPieces(answer, chunks, host);
  for (const chunk of chunks) charCount += utf8Text(chunk).length;
  noteAnswer(answer, charCount, host);
  return chunks;
}

/** Counts what the reader took. */
function* notedPieces(answer: Answer, chunks: Iterable<Uint8Array>, host: Host): Iterable<Uint8Array> {
  let charCount = 0;
  try {
    for (const chunk of chunks) {
      charCount += utf8Text(chunk).length;
      yield chunk;
    }
  } finally {
    noteAnswer(answer, charCount, host);
  }
}
