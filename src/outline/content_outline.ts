/**
 * Outlines of content of a known kind, which the first answer shows instead of a digest: what it consists of, rather than
 * which of its lines matter.
 */

import { charsBeforeByte, lineOfByte, type OpenContent } from "../../fd/mod.ts";
import { BLOCK_BYTES } from "../../fd/system.ts";
import { type InnerDocument, innerDocument } from "./inner_document.ts";
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
  const inner = () => {
    const document = innerDocument(open);
    return document && outlineInner(document, budgetChars);
  };
  return kind?.load().then((outline) => outline(outlinedContent(open), budgetChars) ?? inner()) ?? inner();
}

/** The kinds, and what outlines content that turns out to be of the kind. */
const JSON_KIND = {
  looksLike: looksLikeJson,
  load: async () => (await import("./outline_json.ts")).outlineJson,
};
const XML_KIND = { looksLike: looksLikeXml, load: async () => (await import("./outline_xml.ts")).outlineXml };
const YAML_KIND = {
  looksLike: looksLikeYaml,
  load: async () => (await import("./outline_yaml.ts")).outlineYaml,
};
const DIFF_KIND = {
  looksLike: looksLikeDiff,
  load: async () => (await import("./outline_diff.ts")).outlineDiff,
};
const KINDS = [
  { looksLike: looksBinary, load: async () => (await import("./outline_binary.ts")).outlineBinary },
  JSON_KIND,
  DIFF_KIND,
  XML_KIND,
  YAML_KIND,
  { looksLike: looksLikeTable, load: async () => (await import("./outline_table.ts")).outlineTable },
];
const INNER_KINDS = { JSON: JSON_KIND, XML: XML_KIND, diff: DIFF_KIND, YAML: YAML_KIND };

/** Lines before a document that are shown with it. */
const LINES_BEFORE_SHOWN = 4;

/** Outlines a document within content, if it goes on to the end. */
async function outlineInner(
  { kind, linesBefore, read }: InnerDocument,
  budgetChars: number,
): Promise<ContentOutline | undefined> {
  const outline = await INNER_KINDS[kind].load();
  const found = outline(read(), budgetChars);
  if (found === undefined || found.below === "digest") return undefined;
  const [heading = "", ...lines] = found.lines;
  const { shownLines = [] } = found;
  const before = Array.from({ length: Math.min(linesBefore, LINES_BEFORE_SHOWN) }, (_, at) => at + 1);
  const first = Math.max(1, (shownLines[0] ?? linesBefore + 1) - 2);
  return {
    ...found,
    lines: [linesBefore === 0 ? heading : `${heading}, from line ${linesBefore + 1} on`, ...lines],
    shownLines: [...before, ...shownLines],
    // A query takes only the whole content, and chars are counted otherwise there.
    readOn: { mode: "line", start: first, count: READ_LINES },
    query: undefined,
  };
}

const READ_LINES = 20;

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
