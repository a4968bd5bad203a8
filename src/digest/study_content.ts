/**
 * Studies stored content: all of its lines if it is not long, else its beginning, its end, and what a watcher noted.
 *
 * @module
 */

import {
  BLOCK_BYTES,
  cleanBytes,
  contentInMemory,
  type FdEntry,
  type OpenContent,
  openContent,
  type Store,
} from "../../fd/mod.ts";
import { newStudy, type Study, studyLines } from "./studied_lines.ts";

/** Bytes that are studied line by line from the start. */
const STUDIED_BYTES = 4 * 2 ** 20;
/** Bytes that are studied at the end of longer content. */
const ENDING_BYTES = 131_072;
const LINE_FEED = 0x0a;

/** Studies the content of `entry`; `bytes` is all of it, if it is in memory. */
export function studyContent(store: Store, entry: FdEntry, bytes?: Uint8Array): Study {
  const study = newStudy();
  study.totalLines = entry.lineCount;
  const content = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  try {
    if (entry.byteCount <= STUDIED_BYTES + ENDING_BYTES) studyBlocks(study, content, 0, entry.byteCount);
    else {
      studyBlocks(study, content, 0, STUDIED_BYTES);
      studyBlocks(study, content, entry.byteCount - ENDING_BYTES, entry.byteCount);
    }
  } finally {
    content.close();
  }
  return study;
}

/** Studies the lines that lie whole in the blocks of `fromByte` up to `toByte`. */
function studyBlocks(study: Study, content: OpenContent, fromByte: number, toByte: number): void {
  const { index, entry } = content;
  if (entry.byteCount === 0) return;
  const firstBlock = Math.floor(fromByte / BLOCK_BYTES);
  const start = firstBlock * BLOCK_BYTES;
  const bytes = new Uint8Array(Math.min(toByte, entry.byteCount) - start);
  for (let block = firstBlock, at = 0; at < bytes.length; block++) {
    const piece = content.block(block);
    bytes.set(piece.length > bytes.length - at ? piece.subarray(0, bytes.length - at) : piece, at);
    at += piece.length;
  }
  const isStart = start === 0;
  const from = isStart ? 0 : bytes.indexOf(LINE_FEED) + 1;
  const to = toByte >= entry.byteCount ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
  if (to <= from || !isStart && from === 0) return;
  const firstLine = isStart ? 1 : index.at(firstBlock).lineFeedsBefore + 2;
  const lineCount = toByte >= entry.byteCount ? entry.lineCount - firstLine + 1 : undefined;
  studyLines(study, cleanBytes(bytes.subarray(from, to)), firstLine, lineCount);
}
