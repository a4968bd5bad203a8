/**
 * JSON, XML or YAML within other text: behind what a log puts before each line, in colours, or after other lines, such as the
 * warnings of the tool that wrote it.
 */

import type { OpenContent } from "../../fd/mod.ts";
import { cleanBytes, nodeBuffer } from "../../fd/system.ts";
import { latin1Of, type OutlinedContent } from "./outlined_content.ts";

/** Larger content is not searched. */
const MAX_BYTES = 4 * 2 ** 20;
const FIRST_BYTES = 4096;
/** With more lines before it, a document is only a part of the content. */
const MAX_LINES_BEFORE = 24;

/** A document that may be in some content. */
export interface InnerDocument {
  kind: (typeof FORMS)[number]["kind"];
  linesBefore: number;
  /** Reads it. Its lines are numbered as in the content: those before it are empty. */
  read(): OutlinedContent;
}

/** How the first lines of documents start, and what is in the last bytes. */
const FORMS = [
  { kind: "JSON", start: /^[[{](?:\s*$|\s*["[{])/, end: /[\]}]/ },
  { kind: "XML", start: /^<(?:\?xml|[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=|>|\s*$))/, end: />/ },
  { kind: "diff", start: /^(?:diff -|commit [0-9a-f]{7,})/, end: /^/ },
  { kind: "YAML", start: /^(?:---\s*$|["'\w./-]+:(?:\s|$))/, end: /^/ },
] as const;
/** How the first line of any of them starts. */
const MAY_START = /^(?:[[{<]|diff -|commit |---|["'\w./-]+:(?:\s|$))/;
const END_BYTES = 200;
/** As many lines after the first one of YAML look like it, too, and one is nested: lines of a log (`web-1: started`) are not. */
const MORE_YAML = /^(?=(?:[^]*\n)?[ \t]+\S)(?:\s*(?:- \S|(?:- )?["'\w./-]+:(?:\s|$)).*\n){5}/;

/** Finds a document in content that does not start with one. */
export function innerDocument({ entry, block, index }: OpenContent): InnerDocument | undefined {
  if (entry.byteCount > MAX_BYTES) return undefined;
  const firstBytes = block(0).subarray(0, FIRST_BYTES);
  const lines = linesOf(firstBytes);
  const prefix = prefixChars(lines);
  const first = lines.map((line) => line.slice(prefix));
  const starts = first.slice(0, MAX_LINES_BEFORE + 1);
  if (!starts.some((line) => MAY_START.test(line))) return undefined;
  const last = latin1Of(block(index.blockCount - 1).subarray(-END_BYTES));
  for (const { kind, start, end } of FORMS) {
    const linesBefore = starts.findIndex((line, at) =>
      start.test(line) && (kind !== "YAML" || startsYaml(first.slice(at)))
    );
    if (linesBefore < 0 || !end.test(last)) continue;
    const read = () => {
      const stored: Uint8Array[] = [];
      for (let at = 0; at < index.blockCount; at++) stored.push(block(at).slice());
      const all = linesOf(nodeBuffer().Buffer.concat(stored)).map((line) => line.slice(prefix));
      return contentOf(all.fill("", 0, linesBefore).join("\n"), entry.lineCount);
    };
    return { kind, linesBefore, read };
  }
  return undefined;
}

/** Whether lines that may be YAML go on with it, and not with the same key again, as in a log. */
function startsYaml([first = "", ...others]: readonly string[]): boolean {
  const key = `${first.slice(0, first.indexOf(":"))}:`;
  return MORE_YAML.test(`${others.join("\n")}\n`) &&
    !others.slice(0, 5).some((line) => line.startsWith(key));
}

/** Content in memory, of one char a byte, by which its chars are counted, too. */
function contentOf(text: string, lineCount: number): OutlinedContent {
  const bytes = nodeBuffer().Buffer.from(text, "latin1");
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    byteCount: bytes.length,
    lineCount,
    pieces: (fromByte, toByte) => [bytes.subarray(fromByte, toByte)],
    read: (fromByte, toByte) => bytes.subarray(fromByte, toByte),
    lineAt: (byteOffset) => Math.max(1, starts.findLastIndex((start) => start <= byteOffset) + 1),
    charAt: (byteOffset) => byteOffset,
  };
}

/** Lines of the clean view, a char a byte. */
function linesOf(bytes: Uint8Array): string[] {
  return latin1Of(cleanBytes(bytes)).split("\n");
}

/** The chars that all whole lines have before what they say: up to a space, equal but for their digits. */
function prefixChars(lines: readonly string[]): number {
  const masked = (at: number) => lines[at]!.replace(/\d/g, "0");
  let common = lines.length > 1 ? masked(0) : "";
  for (let at = 1; at < lines.length - 1 && common !== ""; at++) {
    const other = masked(at);
    while (!other.startsWith(common)) common = common.slice(0, -1);
  }
  // A long line has its document after a space.
  return lines.length < 4
    ? Math.max(0, lines.at(-1)!.search(/(?<=^.{0,64}\s)[[{]["{[]/))
    : common.lastIndexOf(" ") + 1;
}
