/**
 * Inspects bodies before the answer's first byte is written, and shows their bytes as text. Bodies are walked and not
 * loaded, so that a 1 GiB answer takes no more memory than a small one.
 */

import {
  joinBytes,
  nodeBuffer,
  startOfUnfinished,
  textKind,
  utf8Bytes,
  utf8Text,
} from "../../../fd/system.ts";
import { groupedDigits } from "../parts/grouped_digits.ts";
import type { Body, FdContent, FramedAnswer, PreviewGap, PreviewPart } from "../../calls/terms/answers.ts";

/** Bodies up to this size are read once and buffered; larger ones are read again for each walk. */
const MAX_BUFFERED_BYTES = 262_144;

/** Buffers a small body in one piece; returns a large one as it is. */
export function bufferSmall(body: Body): Body {
  return body.bytes !== undefined || body.byteLength > MAX_BUFFERED_BYTES ? body : inOnePiece(wholeOf(body));
}

export function inOnePiece(bytes: Uint8Array): Body {
  return { byteLength: bytes.byteLength, chunks: () => [bytes], bytes };
}

function wholeOf(body: Body): Uint8Array {
  if (body.bytes !== undefined) return body.bytes;
  const chunks = body.chunks();
  // Copied, because a source other than an array may reuse a chunk's memory for the next one.
  if (!Array.isArray(chunks)) return joinBytes(Array.from(chunks, (chunk) => new Uint8Array(chunk)));
  return chunks.length === 1 ? chunks[0] : joinBytes(chunks);
}

/** Whether any of `needles` occurs in the body, across chunks too. */
export function holdsAny(body: Body, needles: readonly string[]): boolean {
  if (body.byteLength <= MAX_BUFFERED_BYTES) {
    const text = utf8Text(wholeOf(body));
    for (const needle of needles) if (text.includes(needle)) return true;
    return false;
  }
  // Longer than any of them.
  const overlapBytes = utf8Bytes(needles.join("")).length;
  let tail: Uint8Array = new Uint8Array(0);
  for (const chunk of body.chunks()) {
    const bytes = joinBytes([tail, chunk]);
    const text = utf8Text(bytes);
    if (needles.some((needle) => text.includes(needle))) return true;
    tail = bytes.subarray(-overlapBytes);
  }
  return false;
}

/** The body's bytes in pieces that never end inside a char. */
function* wholeChars(body: Body): Iterable<Uint8Array> {
  let open: Uint8Array = new Uint8Array(0);
  for (const chunk of body.chunks()) {
    const bytes = open.length === 0 ? chunk : joinBytes([open, chunk]);
    const end = startOfUnfinished(bytes);
    if (end > 0) yield bytes.subarray(0, end);
    open = bytes.slice(end);
  }
  if (open.length > 0) yield open;
}

export function isWellFormed(body: Body): boolean {
  for (const piece of wholeChars(body)) if (!nodeBuffer().isUtf8(piece)) return false;
  return true;
}

/** The body as text, in pieces. Each ill-formed part becomes U+FFFD (contract, Units); a BOM stays. */
export function* decodedText(body: Body): Iterable<string> {
  for (const piece of wholeChars(body)) yield utf8Text(piece);
}

export type Part = string | Body;

const MANY_PARTS = 64;

/**
 * The parts as well-formed UTF-8, with U+FFFD for each ill-formed part of a body. An answer of few parts with small
 * bodies comes in one piece.
 */
export function shownBytes(parts: readonly Part[]): Iterable<Uint8Array> {
  if (parts.length > MANY_PARTS) return shownPieces(parts);
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else if (part.byteLength <= MAX_BUFFERED_BYTES) text += utf8Text(wholeOf(part));
    else return shownPieces(parts);
  }
  return [utf8Bytes(text)];
}

function* shownPieces(parts: readonly Part[]): Iterable<Uint8Array> {
  for (const part of parts) {
    if (typeof part === "string") yield utf8Bytes(part);
    else {
      for (const piece of wholeChars(part)) {
        yield textKind(piece) === "neither" ? utf8Bytes(utf8Text(piece)) : piece;
      }
    }
  }
}

/** Whether an answer is one about stored content, which it shows. */
export function isOfContent({ type }: FramedAnswer): boolean {
  return type === "fd_content" || type === "fd_diff" || type === "fd_matches" || type === "fd_query";
}

/** Whether an answer shows content, in which the words around it are escaped already. */
export function hasBody(answer: FramedAnswer): boolean {
  return "preview" in answer && answer.preview.length > 0 || "diff" in answer && answer.diff !== undefined ||
    isOfContent(answer);
}

/**
 * Puts each line's number before it, right-aligned and followed by a tab, from `firstLineNumber`; `lastLineNumber` sets
 * the width. If the body begins inside a line, that part is numbered too.
 */
export function numberedLines(body: Body, firstLineNumber: number, lastLineNumber: number): Body {
  const width = String(lastLineNumber).length;
  function* chunks(): Iterable<Uint8Array> {
    let lineNumber = firstLineNumber;
    let atLineStart = true;
    const { Buffer } = nodeBuffer();
    for (const chunk of body.chunks()) {
      if (chunk.length === 0) continue;
      // latin1 has one char a byte in both directions, so string functions change no byte.
      const lines = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1").split(
        "\n",
      );
      const last = lines.pop()!;
      let numbered = "";
      for (const line of lines) {
        numbered += atLineStart ? `${String(lineNumber++).padStart(width)}\t${line}\n` : `${line}\n`;
        atLineStart = true;
      }
      if (last !== "") {
        numbered += atLineStart ? `${String(lineNumber++).padStart(width)}\t${last}` : last;
        atLineStart = false;
      }
      yield Buffer.from(numbered, "latin1");
    }
  }
  const lineCount = firstLineNumber === 0 ? 0 : lastLineNumber - firstLineNumber + 1;
  return { byteLength: body.byteLength + lineCount * (width + 1), chunks };
}

/** The body of an `fd_content`, buffered if small, with line numbers if requested. */
export function numberedBody({ content, numbered_from: first, lines }: FdContent): Body {
  const body = bufferSmall(content);
  return first === undefined ? body : numberedLines(body, first, Number(lines.slice(lines.indexOf("-") + 1)));
}

/**
 * The bodies of a preview and their lines; a digest is one body, without lines. No line of the content can pass for one of
 * its gaps: it has its number before it.
 */
export function previewBodies(preview: readonly (PreviewPart | PreviewGap)[]) {
  const bodies: { lines: string; body: Body }[] = [];
  for (const part of preview) {
    if ("omitted" in part || part.numbered === true) return [{ lines: "", body: digestBody(preview) }];
    bodies.push({ lines: part.lines, body: bufferSmall(part.body) });
  }
  return bodies;
}

/** All parts of a digest in one body. */
export function digestBody(parts: readonly (PreviewPart | PreviewGap)[]): Body {
  let text = "";
  for (const part of parts) {
    if ("omitted" in part) {
      // `… lines 41-1210: 1,170 like "   Compiling serde v1.0.219"`.
      const { lines, omitted, like, others } = part;
      const where = omitted === 1 ? `line ${lines.slice(0, lines.indexOf("-"))}` : `lines ${lines}`;
      let what = "";
      for (const { count, line } of like) {
        what += `${what === "" ? ": " : ", "}${groupedDigits(count)} like ${JSON.stringify(line)}`;
      }
      const rest = others === undefined ? "" : `, ${groupedDigits(others)} other${others === 1 ? "" : "s"}`;
      text += `… ${where}${what}${rest}\n`;
    } else if (part.numbered !== true) {
      // An outline.
      text += `${utf8Text(wholeOf(part.body))}\n`;
    } else {
      let lineNumber = Number(part.lines.slice(0, part.lines.indexOf("-")));
      for (const line of utf8Text(wholeOf(part.body)).split("\n")) text += `${lineNumber++}:${line}\n`;
    }
  }
  return inOnePiece(utf8Bytes(text.slice(0, -1)));
}
