/** Notes what answers show of fds to programs, which `stats` counts. What people read costs no model anything. */

import { noteShown } from "../../fd/mod.ts";
import { utf8Text } from "../../fd/system.ts";
import type { Answer } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import { openHostStore } from "./open_host_store.ts";

/** Notes an answer of `charCount` chars. */
export function noteAnswer(answer: Answer, charCount: number, host: Host): void {
  switch (answer.type) {
    case "fd_result":
      return noteShown(openHostStore(host), answer.fd.slice(PREFIX), charCount, answer.chars);
    case "fd_content":
    case "fd_query":
      return noteShown(openHostStore(host), answer.fd.slice(PREFIX), charCount, undefined);
    case "fd_diff":
      return noteShown(openHostStore(host), answer.new_fd.slice(PREFIX), charCount, undefined);
    case "fd_matches": {
      // Of several fds, the newest with matches.
      const fd = answer.fd ?? answer.fds?.[0]?.fd;
      if (fd !== undefined) noteShown(openHostStore(host), fd.slice(PREFIX), charCount, undefined);
    }
  }
}

const PREFIX = "fd:".length;

/** The same chunks, of an answer that is noted with their chars and `moreChars`. */
export function noted(
  answer: Answer,
  chunks: Iterable<Uint8Array>,
  host: Host,
  moreChars = 0,
): Iterable<Uint8Array> {
  if (!Array.isArray(chunks)) return notedPieces(answer, chunks, host);
  let charCount = moreChars;
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
