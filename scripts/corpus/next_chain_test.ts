import { assert, assertEquals } from "@std/assert";
import { blocksOf } from "../../tests/outlined_bytes.ts";
import { digestPreview } from "../../src/findings/digest/digest_preview.ts";
import { type ContentWatcher, watchContent } from "../../src/findings/digest/watch_content.ts";
import type { BlockContent } from "../../src/findings/outline/outlined_content.ts";
import { CASES } from "./corpus_cases.ts";
import { keptOutput } from "./kept_outputs.ts";
import { listings } from "./listings.ts";

/** One that has seen all of `content`, for all of its digests: watching takes a fifth of their time. */
function watcherOf(content: BlockContent): ContentWatcher | undefined {
  const watcher = watchContent();
  for (let block = 0; block < content.blockCount; block++) watcher?.see(content.block(block));
  const seen = watcher?.end();
  return seen && { see() {}, end: () => seen };
}

/** The lines that no digest shows, nor the reads to the end that `next` leads to after the last of them. */
async function neverOffered(output: Uint8Array): Promise<number[]> {
  const shown = new Set<number>();
  const content = blocksOf(output);
  const watcher = watcherOf(content);
  for (let page = 1;; page++) {
    const preview = await digestPreview(content, { budgetChars: 4000, page, watcher });
    assert(page === 1 || preview.lines !== "0-0", `digest ${page} shows nothing`);
    for (const gap of preview.parts) {
      if (!("omitted" in gap) || gap.like.length === 0) continue;
      const named = gap.like.reduce((sum, { count }) => sum + count, gap.others ?? 0);
      assertEquals(named, gap.omitted, `digest ${page}: lines ${gap.lines}: ${JSON.stringify(gap.like)}`);
    }
    for (const run of preview.lines.split(",")) {
      const [first = 0, last = 0] = run.split("-").map(Number);
      for (let line = first; line <= last; line++) shown.add(line);
    }
    const { readOn, query } = preview;
    if (readOn?.digest !== undefined) {
      assertEquals(readOn.digest, page + 1);
      continue;
    }
    // Too few lines to be read line by line.
    if (query !== undefined) return [];
    const readFrom = readOn?.mode === "line" ? readOn.start! : Infinity;
    return Array.from({ length: content.lineCount }, (_, at) => at + 1)
      .filter((line) => !shown.has(line) && line < readFrom);
  }
}

Deno.test("next, followed to its end, shows or offers every line of each recorded output and listing", async () => {
  const recorded = CASES.map(({ name }) => ({ name, content: keptOutput(name) }));
  for (const { name, content: output } of [...recorded, ...listings()]) {
    if (output === undefined) continue;
    const lines = await neverOffered(output);
    assertEquals(lines.slice(0, 5), [], `${name}: ${lines.length} lines are never offered`);
  }
});
