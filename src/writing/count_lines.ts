/**
 * `count`: the number of lines that `rewrite` expects, with bytes and sha-256 (contract, Writing files).
 */

import type { LineCount } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import type { CountRequest } from "../requests/rewrite_request.ts";
import { type GivenContent, handleSlice, textSource } from "./commit/given_content.ts";
import { namedContent } from "./commit/inspect_target.ts";
import { lineEndCounter, normalisedLineCount } from "./checks/line_ends.ts";
import type { WriteContext } from "./commit/write_context.ts";

/** Counts the content that the request names. `checkpoint` is called at intervals. */
export async function countLines(
  request: CountRequest,
  context: WriteContext,
  checkpoint?: Host["checkpoint"],
): Promise<LineCount> {
  return await countContent(contentOf(request, context), checkpoint);
}

type Countable = Pick<GivenContent, "chunks" | "remark"> & { byteCount: number };

/** The bytes between two checkpoints. */
const CHECKPOINT_BYTES = 8_388_608;

export async function countContent(
  content: Countable,
  checkpoint?: Host["checkpoint"],
): Promise<LineCount> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  const lineEnds = lineEndCounter();
  let byteCount = 0;
  let checkedBytes = 0;
  for (const chunk of content.chunks()) {
    byteCount += chunk.length;
    lineEnds.add(chunk);
    hash.update(chunk);
    if (checkpoint === undefined || byteCount - checkedBytes < CHECKPOINT_BYTES) continue;
    checkedBytes = byteCount;
    await checkpoint(byteCount, Math.max(byteCount, content.byteCount));
  }
  const lines = normalisedLineCount(lineEnds.tally());
  return { type: "line_count", lines, bytes: byteCount, sha256: hash.digest("hex"), message: content.remark };
}

function contentOf(
  { path, fd, content, pages, lines, chars }: CountRequest,
  context: WriteContext,
): Countable {
  if (fd !== undefined) return sized(handleSlice(context.store, fd, { pages, lines, chars }).content);
  if (content !== undefined) return sized(textSource(content, "content"));
  return namedContent(path!, context);
}

function sized(content: GivenContent): Countable {
  return { byteCount: content.byteLength, remark: content.remark, chunks: () => content.chunks() };
}
