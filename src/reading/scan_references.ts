/**
 * Finds the outermost `<ref id="x">…</ref>` of a message (contract, Agents), and malformed tags. The message comes in
 * pieces and is not kept in memory; results are byte ranges.
 *
 * Tags are matched like brackets. An opening tag that is never closed is text, so a reference inside it counts. An
 * opening tag without a usable id is text too, but it still takes its closing tag, which therefore cannot end the
 * reference around it.
 */

import { Buffer } from "node:buffer";
import { type ByteRange, isName } from "../../fd/mod.ts";

/** Why a tag is ignored. */
export type TagFault = "unclosed" | "no id" | "bad name" | "no content" | "unfinished" | "stray" | "too many";

/** A tag that belongs to no reference. */
export interface OddTag {
  fault: TagFault;
  lineNumber: number;
  /** The tag, or its beginning. */
  tag: string;
}

/** The parts of a message in order. `oddTags` are the first of `oddTagCount`. */
export interface MessageReferences {
  /** The name of each, and the bytes of its content in the message. */
  references: ({ name: string } & ByteRange)[];
  oddTags: OddTag[];
  oddTagCount: number;
}

/** Longer tags are text. */
const MAX_TAG_BYTES = 1024;
/** More than any message of a model has. Each becomes an fd. */
export const MAX_REFERENCES = 10_000;
const MAX_OPEN_TAGS = 100_000;
const MAX_ODD_TAGS = 20;
const SHOWN_TAG_CHARS = 60;

/** The start of a tag or, at the end of a piece, of what may be one with the next piece. */
const BEGINNING = /<\/?(?:ref(?=[\s>\/]|$)|r?e?$)/g;
/** A closing tag, or an opening one with its attributes and the slash of an empty element. */
const TAG = /^<(?:\/ref\s*|ref((?:\s+[^\s"'<>\/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+))?)*)\s*(\/?))>/;
const ATTRIBUTE = /\s+([^\s"'<>\/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|[^\s"'<>=]+))?/g;

/** An opening tag that is not closed yet; the outermost one is the message itself. */
interface OpenTag {
  /** Undefined if it cannot be a reference: references inside it then count as if it were not there. */
  name: string | undefined;
  contentFromByte: number;
  /** Reported if it turns out not to be a reference. */
  odd: OddTag | undefined;
  inside: MessageReferences;
}

/** Starts a scan to which pieces of the message are added. */
export function scanReferences() {
  const open: OpenTag[] = [openTag(undefined, 0, undefined)];
  /** The end of the pieces so far, if it may begin a tag: one char a byte, its offset in the message, and its line. */
  let rest = "";
  let restFromByte = 0;
  let lineNumber = 1;

  function takeTag(
    [tag, attributes, slash]: RegExpExecArray,
    fromByte: number,
    odd: (fault: TagFault) => OddTag,
  ): void {
    if (attributes === undefined) return closeTag(fromByte, odd);
    if (slash !== "") return addOdd(open.at(-1)!.inside, odd("no content"));
    if (open.length > MAX_OPEN_TAGS) return addOdd(open.at(-1)!.inside, odd("too many"));
    const id = idIn(attributes);
    const isNamed = id !== undefined && isName(id);
    const fault = isNamed ? "unclosed" : id === undefined ? "no id" : "bad name";
    open.push(openTag(isNamed ? id : undefined, fromByte + tag.length, odd(fault)));
  }

  function closeTag(atByte: number, odd: (fault: TagFault) => OddTag): void {
    const top = open.at(-1)!;
    if (open.length === 1) return addOdd(top.inside, odd("stray"));
    open.pop();
    const around = open.at(-1)!.inside;
    if (top.name === undefined) return addText(around, top);
    const { references } = around;
    if (references.length >= MAX_REFERENCES) return addOdd(around, { ...top.odd!, fault: "too many" });
    references.push({ name: top.name, fromByte: top.contentFromByte, toByte: atByte });
  }

  /** Takes the tags in `text`. Returns how much of it cannot be the beginning of another one. */
  function scan(text: string, isEnd: boolean): number {
    let countedTo = 0;
    const countLines = (to: number) => {
      lineNumber += text.slice(countedTo, to).split("\n").length - 1;
      countedTo = to;
    };
    let done = text.length;
    for (let at = 0;;) {
      BEGINNING.lastIndex = at;
      const from = BEGINNING.exec(text)?.index;
      if (from === undefined) break;
      const window = text.slice(from, from + MAX_TAG_BYTES);
      const tag = TAG.exec(window);
      if (tag === null && !isEnd && window.length < MAX_TAG_BYTES) {
        done = from;
        break;
      }
      countLines(from);
      const [whole] = tag ?? /^<[^<\n]*/.exec(window)!;
      const odd = (fault: TagFault) => ({ fault, lineNumber, tag: shownTag(whole) });
      if (tag !== null) takeTag(tag, restFromByte + from, odd);
      else if (/^<ref[\s>\/]/.test(window)) addOdd(open.at(-1)!.inside, odd("unfinished"));
      at = from + (tag === null ? 1 : whole.length);
    }
    countLines(done);
    return done;
  }

  function take(text: string, isEnd: boolean): void {
    const done = scan(text, isEnd);
    rest = text.slice(done);
    restFromByte += done;
  }

  return {
    push(bytes: Uint8Array): void {
      take(rest + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"), false);
    },
    end(): MessageReferences {
      take(rest, true);
      while (open.length > 1) {
        const unclosed = open.pop()!;
        addText(open.at(-1)!.inside, unclosed);
      }
      return open[0]!.inside;
    },
  };
}

/** The quoted `id` among the attributes of a tag. */
function idIn(attributes: string): string | undefined {
  for (const [, name, inDouble, inSingle] of attributes.matchAll(ATTRIBUTE)) {
    if (name === "id" && (inDouble ?? inSingle) !== undefined) return inDouble ?? inSingle;
  }
  return undefined;
}

function openTag(name: string | undefined, contentFromByte: number, odd: OddTag | undefined): OpenTag {
  return { name, contentFromByte, odd, inside: { references: [], oddTags: [], oddTagCount: 0 } };
}

function addOdd(found: MessageReferences, odd: OddTag): void {
  found.oddTagCount++;
  if (found.oddTags.length < MAX_ODD_TAGS) found.oddTags.push(odd);
}

/** The tag is text, so what it contains belongs to what is around it. */
function addText(around: MessageReferences, { odd, inside }: OpenTag): void {
  if (odd !== undefined) addOdd(around, odd);
  for (const each of inside.oddTags) addOdd(around, each);
  around.oddTagCount += inside.oddTagCount - inside.oddTags.length;
  for (const reference of inside.references) {
    if (around.references.length < MAX_REFERENCES) around.references.push(reference);
    else around.oddTagCount++;
  }
}

function shownTag(tag: string): string {
  const text = Buffer.from(tag, "latin1").toString("utf8");
  return text.length > SHOWN_TAG_CHARS ? `${text.slice(0, SHOWN_TAG_CHARS)}…` : text;
}
