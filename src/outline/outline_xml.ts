/** Outlines XML: one document, or several after another. */

import { groupedDigits } from "../answering/grouped_digits.ts";
import { markLength } from "./known_starts.ts";
import { type ContentOutline, latin1Of, OUTLINED_BYTES, type OutlinedContent } from "./outlined_content.ts";
import { oneLine, outlinedPart, outlineOfLines } from "./outline_paths.ts";
import { scanXml } from "./scan_xml.ts";
import { textPaths } from "./text_paths.ts";

/** Outlines content that looks like XML, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineXml(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const table = textPaths(true);
  const startsAt = markLength(content.read(0, 3));
  const scan = scanXml(table, startsAt);
  for (const piece of content.pieces(startsAt, OUTLINED_BYTES)) {
    scan.take(latin1Of(piece));
    if (scan.isBroken) return undefined;
  }
  const inside = scan.inside();
  const isWhole = content.byteCount <= OUTLINED_BYTES;
  if (isWhole) scan.end();
  if (scan.isBroken || scan.rootCount === 0) return undefined;
  const documents = scan.rootCount === 1 ? "" : `, ${groupedDigits(scan.rootCount)} documents`;
  const end = inside === undefined || !isWhole ? "" : `; the content ends inside <${inside}>`;
  const heading = `XML${documents}${outlinedPart(content)}${end}`;
  return outlineOfLines("XML", heading, table.paths.root, content, budgetChars, withoutTags);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const TAG = /<\/?[A-Za-z_][\w:.-]*((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?>/g;

/** The attributes and text in a part of XML. */
function withoutTags(text: string): string {
  const plain = text.replace(/<!\[CDATA\[|\]\]>/g, " ").replace(TAG, " $1 ");
  const short = plain.replace(/([─═━=~*_-])\1{4,}/g, "$1$1$1…");
  return oneLine(short.replace(/&(?:#(x[0-9a-f]+|\d+)|(\w+));/gi, (all, code, name) => {
    const point = code === undefined ? NaN : Number(code.replace(/^x/i, "0x"));
    return ENTITIES[name] ?? (point <= 0x10ffff ? String.fromCodePoint(point) : all);
  }));
}
