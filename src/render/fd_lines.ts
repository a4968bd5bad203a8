/**
 * The lines of `ls` in xml. A list may have 100,000, so the usual form of a line has code of its own, and lines come in
 * pieces, each of which can be written before the next is made. A test compares them with those of other lists.
 */

import type { FdSummary } from "../terms/answers.ts";
import { attributesOf } from "./tag_writer.ts";
import { escapeAttribute } from "./xml_escape.ts";

const PIECE_LINES = 500;

/** The fds of a list, each as an element with a line end, in order. */
export function fdLines(fds: readonly FdSummary[]): string[] {
  const pieces: string[] = [];
  for (let first = 0; first < fds.length; first += PIECE_LINES) {
    pieces.push(fds.slice(first, first + PIECE_LINES).map(fdLine).join(""));
  }
  return pieces;
}

function fdLine(fd: FdSummary): string {
  const isPlain = fd.names.length === 0 && fd.state !== "removed" && fd.dropped_bytes === undefined &&
    fd.disk_bytes === undefined;
  if (!isPlain) return `  <fd${attributesOf(fd, [])}/>\n`;
  const { state, source, bytes, chars, total_lines, pages, created } = fd;
  return `  <fd fd="${fd.fd}" state="${state}" source="${escapeAttribute(source)}" bytes="${bytes}" ` +
    `chars="${chars}" total_lines="${total_lines}" pages="${pages}" created="${created}"/>\n`;
}
