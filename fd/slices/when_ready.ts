/**
 * Runs work on content that may have to be waited for: fetched from an object store, or unpacked. The work is written once,
 * for content that can be read at once. Here, what it reads and is not ready yet ends it; that is got, and the work is run
 * again. So work only reads, and little: what is read as a whole is fetched before (`prepare_content.ts`).
 */

import type { OpenContent } from "./open_content.ts";

/** Thrown by content for a block that is not ready, or whose entry of the index is not. */
class NotReady extends Error {
  constructor(readonly block: number, readonly isIndex: boolean) {
    super();
  }
}

/** Does `work` on `content` and waits for the blocks that it reads. */
export async function whenReady<Result>(
  content: OpenContent,
  work: (content: OpenContent) => Result,
): Promise<Result> {
  const { index, prepare, prepareEntries } = content;
  if (prepare === undefined) return work(content);
  const blocks = new Set<number>();
  const entries = new Set<number>();
  const ready: OpenContent = {
    ...content,
    index: {
      blockCount: index.blockCount,
      at(block) {
        if (prepareEntries !== undefined && !entries.has(block)) throw new NotReady(block, true);
        return index.at(block);
      },
    },
    block(block) {
      if (!blocks.has(block)) throw new NotReady(block, false);
      return content.block(block);
    },
  };
  for (;;) {
    try {
      return work(ready);
    } catch (thrown) {
      if (!(thrown instanceof NotReady)) throw thrown;
      const { block, isIndex } = thrown;
      await (isIndex ? prepareEntries : prepare)?.(block, block + 1);
      (isIndex ? entries : blocks).add(block);
    }
  }
}
