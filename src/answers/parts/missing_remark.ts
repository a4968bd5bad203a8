/**
 * Notes about partial content (contract, law 7): the fd is live, its writer died, or a size limit left a gap.
 */

import { type ByteRange, type FdEntry, formatFd } from "../../../fd/mod.ts";
import type { Missing } from "../../calls/terms/answers.ts";

type Part = Pick<FdEntry, "id" | "state" | "byteCount" | "gap" | "decoded">;

/** The fields that report missing content. With a `range`, only a gap inside it is reported. */
export function missingFields(entry: Part, range?: ByteRange): Missing {
  const { state, decoded } = entry;
  return {
    ...(state === "sealed" ? {} : { state }),
    ...gapFields(gapIn(entry, range)),
    ...(decoded === undefined ? {} : { encoding: decoded.encoding }),
  };
}

export function gapFields(gap: FdEntry["gap"]): Pick<Missing, "dropped_bytes" | "gap_at_byte"> {
  return gap === undefined ? {} : { dropped_bytes: gap.droppedBytes, gap_at_byte: gap.atByte };
}

/** Appends a sentence for each thing that is missing, as {@link missingFields}. */
export function withMissingRemark<Given extends string | undefined>(
  entry: Part,
  message: Given,
  range?: ByteRange,
): string | Given {
  const sentences = missingRemarks(entry, range);
  if (sentences.length === 0) return message;
  const first = message === undefined ? [] : [message.endsWith(".") ? message : `${message}.`];
  return [...first, ...sentences].join(" ");
}

/** A sentence for each thing that is missing, as {@link missingFields}. */
export function missingRemarks(entry: Part, range?: ByteRange): string[] {
  return missingSentences(formatFd(entry.id), missingFields(entry, range), entry.byteCount);
}

/** A sentence for each thing that is missing of `fd`. `byteCount` is its size; absent: don't mention it. */
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

/** The gap, if it is inside `range` or at one of its ends. */
function gapIn({ gap }: Part, range: ByteRange | undefined): FdEntry["gap"] {
  if (gap === undefined || range === undefined) return gap;
  return range.fromByte <= gap.atByte && gap.atByte <= range.toByte ? gap : undefined;
}
