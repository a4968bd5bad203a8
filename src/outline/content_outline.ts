/**
 * Outlines of content of a known kind, which the first answer shows instead of a digest: what it consists of, rather than
 * which of its lines matter.
 */

import { charsBeforeByte, lineOfByte, type OpenContent } from "../../fd/mod.ts";
import { BLOCK_BYTES } from "../../fd/system.ts";
import {
  looksBinary,
  looksLikeDiff,
  looksLikeJson,
  looksLikeTable,
  looksLikeXml,
  looksLikeYaml,
} from "./known_starts.ts";
import type { ContentOutline, OutlinedContent } from "./outlined_content.ts";

/** How many of the first bytes decide the kind. */
const FIRST_BYTES = 4096;

/**
 * Outlines content in at most about `budgetChars`. Returns undefined, at once or later, if its kind is unknown.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if it cannot be read.
 */
export function outlineContent(
  open: OpenContent,
  budgetChars: number,
): Promise<ContentOutline | undefined> | undefined {
  if (open.entry.byteCount === 0) return undefined;
  const firstBytes = open.block(0).subarray(0, FIRST_BYTES);
  const kind = KINDS.find(({ looksLike }) => looksLike(firstBytes));
  return kind?.load().then((outline) => outline(outlinedContent(open), budgetChars));
}

/** The kinds, and what outlines content that turns out to be of the kind. */
const KINDS = [
  { looksLike: looksBinary, load: async () => (await import("./outline_binary.ts")).outlineBinary },
  { looksLike: looksLikeJson, load: async () => (await import("./outline_json.ts")).outlineJson },
  { looksLike: looksLikeDiff, load: async () => (await import("./outline_diff.ts")).outlineDiff },
  { looksLike: looksLikeXml, load: async () => (await import("./outline_xml.ts")).outlineXml },
  { looksLike: looksLikeYaml, load: async () => (await import("./outline_yaml.ts")).outlineYaml },
  { looksLike: looksLikeTable, load: async () => (await import("./outline_table.ts")).outlineTable },
];

function outlinedContent(open: OpenContent): OutlinedContent {
  const { entry, block } = open;
  const { byteCount, lineCount } = entry;
  function* pieces(fromByte: number, toByte: number): Iterable<Uint8Array> {
    const to = Math.min(toByte, byteCount);
    for (let at = fromByte; at < to;) {
      const number = Math.floor(at / BLOCK_BYTES);
      const start = number * BLOCK_BYTES;
      const bytes = block(number);
      yield bytes.subarray(at - start, to - start);
      at = start + bytes.length;
    }
  }
  return {
    byteCount,
    lineCount,
    pieces,
    read(fromByte, toByte) {
      const bytes = new Uint8Array(Math.max(0, Math.min(toByte, byteCount) - fromByte));
      let filled = 0;
      for (const piece of pieces(fromByte, toByte)) {
        bytes.set(piece, filled);
        filled += piece.length;
      }
      return bytes;
    },
    lineAt: (byteOffset) => lineOfByte(open, Math.min(byteOffset, byteCount - 1)),
    charAt: (byteOffset) => charsBeforeByte(open, byteOffset),
  };
}
