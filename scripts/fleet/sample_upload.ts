/** Fds of simulated hosts: their record lines and content without a local store. */

import { BLOCK_BYTES, blockSum } from "../../fd/bytes/block_sum.ts";
import { indexLength } from "../../fd/index/index_file.ts";
import { joinBytes, utf8Bytes } from "../../fd/bytes/utf8_bytes.ts";
import type { ClaimLine, SealLine } from "../../fd/records/record_line.ts";
import { sealedObject } from "../../fd/shared/objects/fd_object.ts";
import type { UploadSource } from "../../fd/shared/objects/publish_fd.ts";
import { encodeCheckedLine } from "../../fd/store/checked_log.ts";

const CLAIM: ClaimLine = {
  event: "claim",
  at: 1795337527195,
  source: "stdin",
  page_size: 4000,
  cwd: "/tmp",
  writer: { pid: 1 },
};

function sealOf(content: Uint8Array): SealLine {
  return {
    event: "seal",
    at: 1795337527196,
    bytes: content.length,
    chars: content.length,
    line_feeds: 0,
    lines: content.length === 0 ? 0 : 1,
    pages: 1,
    sum: blockSum(content),
    ended: "whole",
  };
}

/** An fd of this content, of which `arrived()` bytes have come; all if it is absent. */
export function sampleUpload(content: Uint8Array, arrived?: () => number): UploadSource {
  const byteCount = () => Math.min(arrived?.() ?? Infinity, content.length);
  const blockCount = Math.ceil(content.length / BLOCK_BYTES);
  const hasEnded = () => byteCount() === content.length;
  return {
    form: "plain",
    record: () =>
      joinBytes([CLAIM, ...hasEnded() ? [sealOf(content)] : []].map((line) => encodeCheckedLine(line))),
    // Only its length matters to a store.
    index: () => new Uint8Array(content.length <= BLOCK_BYTES ? 0 : indexLength(blockCount)),
    hasEnded,
    byteCount,
    read: (fromByte, count) => content.slice(fromByte, fromByte + count),
  };
}

/** The object of a small fd of this content, which has no id and no store yet. */
export function sampleObject(nonce: Uint8Array, content: Uint8Array): Uint8Array<ArrayBuffer> {
  const source = sampleUpload(content);
  return sealedObject({ nonce, record: source.record(), index: source.index(), content });
}

/** Text of `byteCount` bytes that starts with a label, which no other content has. */
export function labelledContent(label: string, byteCount = label.length): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(byteCount, label.length)).fill(0x2e);
  bytes.set(utf8Bytes(label));
  return bytes;
}
