/**
 * The preview `digest`: the start and the end of some content, and between them the lines that matter (docs/first-answer.md
 * says how they are chosen). Content of a known kind is shown as an outline instead.
 *
 * @module
 */

import { type FdEntry, openContent, type Store, utf8Bytes } from "../../fd/mod.ts";
import { FIRST_BYTES, startOutline } from "../outline/content_outline.ts";
import type { Preview } from "../terms/preview.ts";
import { chooseLines } from "./choose_lines.ts";
import { composeDigest } from "./compose_digest.ts";
import { studyContent } from "./study_content.ts";
import type { Study } from "./studied_lines.ts";
import type { PreviewGap, PreviewPart } from "../terms/answers.ts";

/**
 * Makes the digest of `entry` in at most `budgetChars`. `bytes` is all of its content, if it is in memory.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export function digestPreview(
  store: Store,
  entry: FdEntry,
  budgetChars: number,
  bytes?: Uint8Array,
): Preview {
  const outline = outlineOf(store, entry, bytes);
  if (outline !== undefined) {
    const body = utf8Bytes(outline.lines.join("\n"));
    return {
      parts: [{ lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } }],
      lines: "0-0",
      truncated: false,
      readOn: outline.readOn ?? {},
      outlined: outline.kind,
    };
  }
  return digestOf(studyContent(store, entry, bytes), budgetChars);
}

function outlineOf(store: Store, entry: FdEntry, bytes: Uint8Array | undefined) {
  if (bytes !== undefined) {
    const reader = startOutline(bytes.subarray(0, FIRST_BYTES));
    return reader?.see(bytes) === true ? reader.end() : undefined;
  }
  if (entry.byteCount === 0) return undefined;
  const content = openContent(store, entry);
  try {
    const reader = startOutline(content.block(0).subarray(0, FIRST_BYTES));
    if (reader === undefined) return undefined;
    for (let block = 0; block < content.index.blockCount; block++) {
      if (!reader.see(content.block(block))) return undefined;
    }
    return reader.end();
  } finally {
    content.close();
  }
}

function digestOf(study: Study, budgetChars: number): Preview {
  const { lines, top, left } = chooseLines(study, budgetChars);
  const parts = composeDigest(study, lines);
  return {
    parts,
    lines: linesOf(parts),
    truncated: false,
    readOn: readOnFrom(study, lines, top?.line ?? left?.line),
  };
}

/** "1-5,512-530". */
function linesOf(parts: readonly (PreviewPart | PreviewGap)[]): string {
  const shown: string[] = [];
  for (const part of parts) if (!("omitted" in part)) shown.push(part.lines);
  return shown.length === 0 ? "0-0" : shown.join(",");
}

/** Lines that `next` reads, and how many of them stand before the line that it leads to. */
const READ_LINES = 40;
const LINES_BEFORE = 12;

/** The lines around `line`, or those after the start. Undefined if all is shown. */
function readOnFrom(study: Study, lines: readonly number[], line: number | undefined): Preview["readOn"] {
  if (lines.length === study.totalLines) return undefined;
  if (line !== undefined) {
    const start = Math.max(1, line - LINES_BEFORE);
    return { mode: "line", start, count: Math.min(READ_LINES, study.totalLines - start + 1) };
  }
  let start = 1;
  while (lines.includes(start)) start++;
  return { mode: "line", start, count: Math.min(READ_LINES, study.totalLines - start + 1) };
}
