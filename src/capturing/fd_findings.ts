/** Makes the digest of an fd and finds its failures: opens its content for `findings/`, which knows no store. */

import {
  charsBeforeByte,
  contentInMemory,
  type FdEntry,
  formatFd,
  lineOfByte,
  type OpenContent,
  openContent,
  type Store,
} from "../../fd/mod.ts";
import {
  digestPreview,
  failingPlaces,
  foldingPlaces,
  type Wanted,
} from "../findings/digest/digest_preview.ts";
import type { BlockContent } from "../findings/outline/outlined_content.ts";
import type { Preview } from "../calls/terms/answers.ts";
import type { StoredOutput } from "./store_output.ts";

/**
 * The digest of `stored` in at most `budgetChars`, of `wanted` lines, or of those that it finds itself; from page 2 on one of
 * those that follow.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export async function digestFd(
  { store, entry, bytes, watcher }: StoredOutput,
  budgetChars: number,
  wanted?: Wanted,
  page = 1,
): Promise<Preview> {
  const opened = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  try {
    const options = { budgetChars, watcher, wanted, page };
    const { elementQuery, ...preview } = await digestPreview(blocksOf(opened), options);
    const { readOn } = preview;
    if (readOn?.digest !== undefined && readOn.max_chars === entry.pageSize) delete readOn.max_chars;
    if (elementQuery === undefined) return preview;
    const query = { command: "query", args: { fd: formatFd(entry.id), filter: elementQuery } } as const;
    return { ...preview, said: [query, " shows an element."] };
  } finally {
    opened.close();
  }
}

/** The lines of `entry` that most surely failed, at most `most`; see {@link failingPlaces}. */
export function failuresIn(store: Store, entry: FdEntry, most?: number): ReturnType<typeof failingPlaces> {
  return ofContent(store, entry, (content) => failingPlaces(content, most));
}

/** The same, with what a first answer of `budgetChars` leaves out; see {@link foldingPlaces}. */
export function foldsIn(store: Store, entry: FdEntry, most: number, budgetChars: number) {
  return ofContent(store, entry, (content) => foldingPlaces(content, most, budgetChars));
}

function ofContent<Result>(store: Store, entry: FdEntry, use: (content: BlockContent) => Result): Result {
  const opened = openContent(store, entry);
  try {
    return use(blocksOf(opened));
  } finally {
    opened.close();
  }
}

function blocksOf(opened: OpenContent): BlockContent {
  const { entry, index } = opened;
  return {
    byteCount: entry.byteCount,
    lineCount: entry.lineCount,
    command: entry.command,
    cwd: entry.cwd,
    blockCount: index.blockCount,
    block: (block) => opened.block(block),
    lineFeedsBefore: (block) => index.at(block).lineFeedsBefore,
    mayHaveControls: (block) => index.at(block).hasControls !== false,
    lineAt: (byteOffset) => lineOfByte(opened, byteOffset),
    charAt: (byteOffset) => charsBeforeByte(opened, byteOffset),
  };
}
