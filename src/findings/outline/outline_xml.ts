/** Outlines XML: one document, or several after another. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { markLength } from "./known_starts.ts";
import { oneLine, outlinedPart, outlineOfLines } from "./outline_paths.ts";
import {
  type ContentOutline,
  copyOf,
  eachPiece,
  latin1Of,
  OUTLINED_BYTES,
  type OutlinedContent,
  PIECE_BYTES,
} from "./outlined_content.ts";
import { OBJECT } from "./path_node.ts";
import { type TextPaths, textPaths } from "./text_paths.ts";

/** Outlines content that looks like XML, in at most about `budgetChars`. Returns undefined if it is something else. */
export function outlineXml(content: OutlinedContent, budgetChars: number): ContentOutline | undefined {
  const table = textPaths(true);
  const startsAt = markLength(content.read(0, 3));
  const scan = scanXml(table, startsAt);
  if (!eachPiece(content, startsAt, scan.take)) return undefined;
  scan.takeRest();
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

/** A comment, an instruction, CDATA, a document type, a tag, or text. */
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<!DOCTYPE[^<>[]*(?:\[[^\]]*\]\s*)?>|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(["'])(.*?)\2/gs;
/** Longer tags and more open elements are not outlined. */
const MAX_TAG_BYTES = 65_536;
const MAX_DEPTH = 4096;
/** Of other tokens that are longer, the middle is left out. */
const KEPT_BYTES = 4096;
const MAX_TEXT_CHARS = 256;
/** Names of elements that are open further inside are copied. */
const MAX_PARTS_OF_TEXTS = 64;

/**
 * Starts to scan XML that passes by in pieces of at most {@link PIECE_BYTES}. Elements are reported to a table of paths
 * as objects that have their attributes and child elements as members. Entities are not expanded, and only the names
 * of open elements are kept.
 */
function scanXml({ paths, key, value }: TextPaths, startsAt: number) {
  const open: string[] = [];
  /** An element that has no child elements yet. */
  let held: { name: string; attributes: string; fromByte: number; text: string; textAt: number } | undefined;
  /** The start of a token that goes on; a text would outlive several collections. */
  const rest = new Uint8Array(MAX_TAG_BYTES + PIECE_BYTES);
  let restBytes = 0;
  let restAt = startsAt;
  /** Bytes that are left out of the first token. */
  let leftOut = 0;
  /** A token that is not whole is looked at again when it is twice as long. */
  let wanted = 0;
  paths.open(OBJECT, startsAt);

  const scan = {
    /** The elements that are not inside others. */
    rootCount: 0,
    /** Whether something is not XML. */
    isBroken: false,
    /** The innermost element that is open. */
    inside: () => open.at(-1),
    /** Takes the next bytes; returns whether it may be XML. */
    take(piece: Uint8Array): boolean {
      rest.set(piece, restBytes);
      restBytes += piece.length;
      if (restBytes >= wanted) scan.takeRest();
      return !scan.isBroken;
    },
    /** Takes the whole tokens that there are. */
    takeRest(): void {
      const text = latin1Of(rest.subarray(0, restBytes));
      let at = 0;
      while (at < text.length && !scan.isBroken) {
        const length = takeUsual(text, at) ?? takeToken(text, at);
        if (length === undefined) break;
        at += length;
        restAt += leftOut;
        leftOut = 0;
      }
      rest.copyWithin(0, at, restBytes);
      restBytes -= at;
      restAt += at;
      wanted = Math.min(2 * restBytes, MAX_TAG_BYTES + 1);
      const isTag = /^<[^!?]/.test(text.slice(at, at + 2));
      if (restBytes <= (isTag ? MAX_TAG_BYTES : 2 * KEPT_BYTES)) return;
      if (isTag) scan.isBroken = true;
      leftOut += restBytes - KEPT_BYTES - 2;
      rest.copyWithin(KEPT_BYTES, restBytes - 2, restBytes);
      restBytes = KEPT_BYTES + 2;
      wanted = 0;
    },
    end(): void {
      // A tag that is not one is not the end of the content.
      if (rest.subarray(0, restBytes).includes(0x3e) || restBytes > 0 && open.length === 0) {
        scan.isBroken = true;
      }
      openHeld();
      for (let depth = open.length; depth >= 0; depth--) paths.close(restAt);
    },
  };

  /** Takes text, or the end of the innermost element; returns its length. A token that is matched leaves a list of its parts. */
  function takeUsual(text: string, at: number): number | undefined {
    if (text[at] !== "<") {
      const to = text.indexOf("<", at);
      const plain = text.slice(at, to < 0 ? text.length : to);
      takeText(plain, restAt + at);
      return plain.length;
    }
    const name = open.at(-1);
    const isEnd = text[at + 1] === "/" && name !== undefined && text.startsWith(name, at + 2) &&
      text[at + 2 + name.length] === ">";
    if (!isEnd) return undefined;
    const length = name.length + 3;
    open.pop();
    endElement(restAt + at, restAt + at + length);
    return length;
  }

  function takeText(text: string, fromByte: number): void {
    const isBlank = text.trim() === "";
    if (!isBlank && open.length === 0) scan.isBroken = true;
    if (held === undefined || isBlank && held.text === "") return;
    if (held.text === "") held.textAt = fromByte;
    held.text = (held.text + text).slice(0, MAX_TEXT_CHARS);
  }

  /** Takes any other token; returns its length, or undefined if it is not whole. */
  function takeToken(text: string, at: number): number | undefined {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) return undefined;
    const [{ length }, cdata, slash, name, attributes, end] = token;
    const fromByte = restAt + at;
    if (name === undefined) takeText(cdata ?? "", fromByte);
    if (slash === "") {
      // It stays open, while texts come and go.
      if (held !== undefined && open.length > MAX_PARTS_OF_TEXTS) open.push(copyOf(open.pop()!));
      openHeld();
      if (open.length === 0) scan.rootCount++;
      // XHTML is a page for people.
      if (open.length === 0 && name === "html" || open.length === MAX_DEPTH) scan.isBroken = true;
      open.push(name!);
      held = { name: name!, attributes: attributes!, fromByte, text: "", textAt: fromByte };
    }
    if (name !== undefined && (slash === "/" || end === "/")) {
      if (open.pop() !== name) scan.isBroken = true;
      else endElement(fromByte, fromByte + length);
    }
    return length;
  }

  /** Reports the start of the element and its attributes. */
  function openHeld(): void {
    if (held === undefined) return;
    const { name, attributes, fromByte } = held;
    held = undefined;
    key(name);
    paths.open(OBJECT, fromByte);
    for (;;) {
      const found = ATTRIBUTE.exec(attributes);
      if (found === null) return;
      const [, attribute, , text] = found;
      if (attribute!.startsWith("xmlns")) continue;
      const toByte = fromByte + 1 + name.length + ATTRIBUTE.lastIndex - 1;
      key(attribute!);
      value(text!, toByte - text!.length, toByte, text === "");
    }
  }

  function endElement(fromByte: number, toByte: number): void {
    if (held === undefined) return paths.close(toByte);
    const { name, attributes, textAt } = held;
    const text = held.text.trim();
    const isValue = attributes === "";
    if (isValue) held = undefined;
    else openHeld();
    if (isValue || text !== "") {
      key(isValue ? name : "text");
      value(text, textAt, text === "" ? textAt : fromByte, !isValue || text === "");
    }
    if (!isValue) paths.close(toByte);
  }

  return scan;
}
