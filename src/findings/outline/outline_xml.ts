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
  const scan = new XmlScan(table, startsAt);
  if (!eachPiece(content, startsAt, (piece) => scan.take(piece))) return undefined;
  scan.takeRest();
  const inside = scan.open.at(-1);
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

/** An element that has no child elements yet. */
interface Leaf {
  name: string;
  attributes: string;
  fromByte: number;
  text: string;
  textAt: number;
}

/**
 * A scan of XML that passes by in pieces of at most {@link PIECE_BYTES}. Elements are reported to a table of paths as objects
 * that have their attributes and child elements as members. Entities are not expanded, and only the names of open elements
 * are kept.
 */
class XmlScan {
  /** The elements that are not inside others. */
  rootCount = 0;
  /** Whether something is not XML. */
  isBroken = false;
  /** The names of the elements that are open. */
  readonly open: string[] = [];
  private leaf: Leaf | undefined;
  /** The start of a token that goes on; a text would outlive several collections. */
  private readonly rest = new Uint8Array(MAX_TAG_BYTES + PIECE_BYTES);
  private restBytes = 0;
  private restAt: number;
  /** Bytes that are left out of the first token. */
  private leftOut = 0;
  /** A token that is not whole is looked at again when it is twice as long. */
  private wanted = 0;

  constructor(private readonly table: TextPaths, startsAt: number) {
    this.restAt = startsAt;
    table.paths.open(OBJECT, startsAt);
  }

  /** Takes the next bytes; returns whether it may be XML. */
  take(piece: Uint8Array): boolean {
    this.rest.set(piece, this.restBytes);
    this.restBytes += piece.length;
    if (this.restBytes >= this.wanted) this.takeRest();
    return !this.isBroken;
  }

  /** Takes the whole tokens that there are. */
  takeRest(): void {
    const text = latin1Of(this.rest.subarray(0, this.restBytes));
    let at = 0;
    while (at < text.length && !this.isBroken) {
      const length = this.takeUsual(text, at) ?? this.takeToken(text, at);
      if (length === undefined) break;
      at += length;
      this.restAt += this.leftOut;
      this.leftOut = 0;
    }
    this.rest.copyWithin(0, at, this.restBytes);
    this.restBytes -= at;
    this.restAt += at;
    this.wanted = Math.min(2 * this.restBytes, MAX_TAG_BYTES + 1);
    const isTag = /^<[^!?]/.test(text.slice(at, at + 2));
    if (this.restBytes <= (isTag ? MAX_TAG_BYTES : 2 * KEPT_BYTES)) return;
    if (isTag) this.isBroken = true;
    this.leftOut += this.restBytes - KEPT_BYTES - 2;
    this.rest.copyWithin(KEPT_BYTES, this.restBytes - 2, this.restBytes);
    this.restBytes = KEPT_BYTES + 2;
    this.wanted = 0;
  }

  end(): void {
    // A tag that is not one is not the end of the content.
    if (
      this.rest.subarray(0, this.restBytes).includes(0x3e) || this.restBytes > 0 && this.open.length === 0
    ) {
      this.isBroken = true;
    }
    this.openLeaf();
    for (let depth = this.open.length; depth >= 0; depth--) this.table.paths.close(this.restAt);
  }

  /** Takes text, or the end of the innermost element; returns its length. A token that is matched leaves a list of its parts. */
  private takeUsual(text: string, at: number): number | undefined {
    if (text[at] !== "<") {
      const to = text.indexOf("<", at);
      const plain = text.slice(at, to < 0 ? text.length : to);
      this.takeText(plain, this.restAt + at);
      return plain.length;
    }
    const name = this.open.at(-1);
    const isEnd = text[at + 1] === "/" && name !== undefined && text.startsWith(name, at + 2) &&
      text[at + 2 + name.length] === ">";
    if (!isEnd) return undefined;
    const length = name.length + 3;
    this.open.pop();
    this.endElement(this.restAt + at, this.restAt + at + length);
    return length;
  }

  private takeText(text: string, fromByte: number): void {
    const isBlank = text.trim() === "";
    if (!isBlank && this.open.length === 0) this.isBroken = true;
    if (this.leaf === undefined || isBlank && this.leaf.text === "") return;
    if (this.leaf.text === "") this.leaf.textAt = fromByte;
    this.leaf.text = (this.leaf.text + text).slice(0, MAX_TEXT_CHARS);
  }

  /** Takes any other token; returns its length, or undefined if it is not whole. */
  private takeToken(text: string, at: number): number | undefined {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (token === null) return undefined;
    const [{ length }, cdata, slash, name, attributes, end] = token;
    const fromByte = this.restAt + at;
    if (name === undefined) this.takeText(cdata ?? "", fromByte);
    if (slash === "") {
      // It stays open, while texts come and go.
      if (this.leaf !== undefined && this.open.length > MAX_PARTS_OF_TEXTS) {
        this.open.push(copyOf(this.open.pop()!));
      }
      this.openLeaf();
      if (this.open.length === 0) this.rootCount++;
      // XHTML is a page for people.
      if (this.open.length === 0 && name === "html" || this.open.length === MAX_DEPTH) this.isBroken = true;
      this.open.push(name!);
      this.leaf = { name: name!, attributes: attributes!, fromByte, text: "", textAt: fromByte };
    }
    if (name !== undefined && (slash === "/" || end === "/")) {
      if (this.open.pop() !== name) this.isBroken = true;
      else this.endElement(fromByte, fromByte + length);
    }
    return length;
  }

  /** Reports the start of the element and its attributes. */
  private openLeaf(): void {
    if (this.leaf === undefined) return;
    const { name, attributes, fromByte } = this.leaf;
    this.leaf = undefined;
    this.table.key(name);
    this.table.paths.open(OBJECT, fromByte);
    for (;;) {
      const found = ATTRIBUTE.exec(attributes);
      if (found === null) return;
      const [, attribute, , text] = found;
      if (attribute!.startsWith("xmlns")) continue;
      const toByte = fromByte + 1 + name.length + ATTRIBUTE.lastIndex - 1;
      this.table.key(attribute!);
      this.table.value(text!, toByte - text!.length, toByte, text === "");
    }
  }

  private endElement(fromByte: number, toByte: number): void {
    if (this.leaf === undefined) return this.table.paths.close(toByte);
    const { name, attributes, textAt } = this.leaf;
    const text = this.leaf.text.trim();
    const isValue = attributes === "";
    if (isValue) this.leaf = undefined;
    else this.openLeaf();
    if (isValue || text !== "") {
      this.table.key(isValue ? name : "text");
      this.table.value(text, textAt, text === "" ? textAt : fromByte, !isValue || text === "");
    }
    if (!isValue) this.table.paths.close(toByte);
  }
}
