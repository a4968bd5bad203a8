/**
 * Notes about partial content, for answers about an fd or a part of it: it is live, its writer died, or a size limit cut
 * a hole into it (contract, law 7).
 *
 * @module
 */

import { type FdEntry, formatFd } from "../../fd/mod.ts";
import type { Missing } from "../terms/answers.ts";

type Part = Pick<FdEntry, "id" | "state" | "byteCount" | "gap">;

/** Bytes `[fromByte, toByte)` of an fd. */
interface ByteRange {
  fromByte: number;
  toByte: number;
}

/** What is missing, as fields. With a `range`, only a hole inside it is reported. */
export function missingFields(entry: Part, range?: ByteRange): Missing {
  const { state } = entry;
  return { ...(state === "sealed" ? {} : { state }), ...gapFields(gapIn(entry, range)) };
}

/** The fields of a hole; empty without one. */
export function gapFields(gap: FdEntry["gap"]): Pick<Missing, "dropped_bytes" | "gap_at_byte"> {
  return gap === undefined ? {} : { dropped_bytes: gap.droppedBytes, gap_at_byte: gap.atByte };
}

/** `message`, plus a sentence for each thing that is missing. See {@link missingFields}. */
export function withMissingRemark(entry: Part, message: string, range?: ByteRange): string;
export function withMissingRemark(
  entry: Part,
  message: string | undefined,
  range?: ByteRange,
): string | undefined;
export function withMissingRemark(
  entry: Part,
  message: string | undefined,
  range?: ByteRange,
): string | undefined {
  const sentences = missingSentences(formatFd(entry.id), missingFields(entry, range), entry.byteCount);
  if (sentences.length === 0) return message;
  const first = message === undefined ? [] : [message.endsWith(".") ? message : `${message}.`];
  return [...first, ...sentences].join(" ");
}

/** A sentence for each thing that is missing of `fd`, which has `byteCount` bytes (absent: don't mention the size). */
export function missingSentences(
  fd: string,
  { state, dropped_bytes: droppedBytes, gap_at_byte: gapAtByte }: Missing,
  byteCount?: number,
): string[] {
  const sentences: string[] = [];
  if (state === "live") {
    const arrived = byteCount === undefined ? "" : `: ${byteCount} bytes so far`;
    sentences.push(`${fd} is still live${arrived}.`);
  }
  if (state === "incomplete") {
    const size = byteCount === undefined ? "" : `; it has ${byteCount} bytes`;
    sentences.push(`${fd} is incomplete: its writer did not finish${size}.`);
  }
  if (droppedBytes !== undefined) {
    sentences.push(`${fd} is missing ${droppedBytes} bytes after byte ${gapAtByte} (size limit).`);
  }
  return sentences;
}

/** The hole, if it is in `range` or at one of its ends. */
function gapIn({ gap }: Part, range: ByteRange | undefined): FdEntry["gap"] {
  if (gap === undefined || range === undefined) return gap;
  return range.fromByte <= gap.atByte && gap.atByte <= range.toByte ? gap : undefined;
}
