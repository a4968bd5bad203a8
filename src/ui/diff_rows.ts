/** A unified diff as rows that the page shows side by side; bounded in lines, in chars of a line, and in all. */

import { Buffer } from "node:buffer";
import { findFd, formatFd, prepareContent, type Store } from "../../fd/mod.ts";
import { cleanBytes } from "../../fd/system.ts";
import { compareFds } from "../comparing/compare_fds.ts";
import { cutText, SHOWN_CHARS } from "./line_rows.ts";
import { textIn } from "./check_request.ts";
import { pairLines, type Ranges } from "./pair_lines.ts";

const CONTEXT_LINES = 3;
const MAX_ROWS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes kept of a line: more than is shown of it, whatever its chars. */
const KEPT_BYTES = SHOWN_CHARS * 4;
const LINE_FEED = 0x0a;

/**
 * ` `, `-` or `+`, a line, and what differs in it from the other line of a pair; `@` and the numbers of the first lines of a
 * hunk. A pair is a `-` with the `+` that follows it.
 */
export type DiffRow = readonly [" " | "-" | "+", string, Ranges?] | readonly ["@", number, number];

/** Takes a unified diff in pieces, and keeps its first rows. */
export function diffRows() {
  const rows: DiffRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let rowCount = 0;
  const kept = new Uint8Array(KEPT_BYTES);
  let keptBytes = 0;
  let allBytes = 0;
  let isCut = false;

  function endLine(): void {
    const line = kept.subarray(0, keptBytes);
    keptBytes = 0;
    if (isCut) return;
    const row = rowOf(line);
    // The names before the first hunk.
    if (row === undefined || rows.length === 0 && row[0] !== "@") return;
    if (rowCount++ === MAX_ROWS || allBytes > MAX_BYTES) isCut = true;
    else if (row[0] === "-") removed.push(row[1]);
    else if (row[0] === "+") added.push(row[1]);
    else {
      endChange();
      rows.push(row);
    }
  }

  function endChange(): void {
    for (const { old: before, new: after, marks } of pairLines(removed, added)) {
      if (before !== undefined) rows.push(marks === undefined ? ["-", before] : ["-", before, marks[0]]);
      if (after !== undefined) rows.push(marks === undefined ? ["+", after] : ["+", after, marks[1]]);
    }
    removed = [];
    added = [];
  }

  return {
    write(piece: Uint8Array): void {
      for (let at = 0; at < piece.length;) {
        const feed = piece.indexOf(LINE_FEED, at);
        const end = feed < 0 ? piece.length : feed;
        const part = piece.subarray(at, Math.min(end, at + KEPT_BYTES - keptBytes));
        kept.set(part, keptBytes);
        keptBytes += part.length;
        allBytes += part.length;
        if (feed >= 0) endLine();
        at = end + 1;
      }
    },
    end() {
      endChange();
      return { rows, cut: isCut };
    },
  };
}

/** The row of a line of a diff; undefined for another one. */
function rowOf(line: Uint8Array): DiffRow | undefined {
  const sign = String.fromCharCode(line[0] ?? 0);
  if (sign === "@") {
    const [, from = "1", to = "1"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(Buffer.from(line).toString()) ?? [];
    return ["@", Number(from), Number(to)];
  }
  if (sign !== " " && sign !== "-" && sign !== "+") return undefined;
  return [sign, cutText(Buffer.from(cleanBytes(line.subarray(1))).toString("utf8"))];
}

/** The differences between two fds; `isOver` cancels. */
export async function fdDiff(store: Store, query: URLSearchParams, isOver: () => boolean) {
  const before = findFd(store, textIn(query, "old"));
  const after = findFd(store, textIn(query, "new"));
  for (const entry of [before, after]) await prepareContent(store, entry);
  const ignore = (query.get("ignore") ?? "").split(",");
  const ignored = {
    ids: false,
    times: ignore.includes("times"),
    addresses: ignore.includes("addresses"),
    space: ignore.includes("space"),
    case: ignore.includes("case"),
  };
  const sink = diffRows();
  const comparison = { contextLines: CONTEXT_LINES, ignored, isExact: false };
  const found = await compareFds(store, before, after, comparison, sink.write, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) throw new Error("The page no longer waits for this diff.");
  });
  return {
    old: formatFd(before.id),
    new: formatFd(after.id),
    added: found.addedCount,
    removed: found.removedCount,
    hunks: found.hunkCount,
    sameBytes: found.hasSameBytes,
    ...sink.end(),
  };
}
