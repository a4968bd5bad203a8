import { assert, assertEquals } from "@std/assert";
import { type FdEntry, openStore, putBytes, type Store } from "../../fd/mod.ts";
import { digestPreview } from "../../src/findings/digest/digest_preview.ts";
import { CASES } from "./corpus_cases.ts";
import { keptOutput } from "./kept_outputs.ts";

/** The lines that no digest shows, nor the reads to the end that `next` leads to after the last of them. */
async function neverOffered(store: Store, entry: FdEntry): Promise<number[]> {
  const shown = new Set<number>();
  for (let page = 1;; page++) {
    const preview = await digestPreview(store, entry, 4000, undefined, undefined, undefined, page);
    assert(page === 1 || preview.lines !== "0-0", `digest ${page} shows nothing`);
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
    return Array.from({ length: entry.lineCount }, (_, at) => at + 1)
      .filter((line) => !shown.has(line) && line < readFrom);
  }
}

Deno.test("next, followed to its end, shows or offers every line of each recorded output", async () => {
  const directory = Deno.makeTempDirSync();
  try {
    const store = openStore(directory);
    for (const { name } of CASES) {
      const output = keptOutput(name);
      if (output === undefined) continue;
      const lines = await neverOffered(store, putBytes(store, output, { source: "test" }));
      assertEquals(lines.slice(0, 5), [], `${name}: ${lines.length} lines are never offered`);
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
