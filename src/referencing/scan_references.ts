/**
 * Finds `<ref id="x">…</ref>` in a message (contract, Agents): the outermost ones, and what looks like a reference and
 * is none. The message comes in pieces and is not held; what is found is told in bytes of it.
 *
 * Tags are matched as brackets are: an opening tag belongs to the closing tag that balances it. An opening tag that is
 * never closed is text, so a reference behind it counts. One without a usable id is text too, but its closing tag is
 * its own: it does not end the reference that stands around it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { isName } from "../../fd/mod.ts";

/** A reference: its name, and where its content stands in the message. */
export interface FoundReference {
  name: string;
  fromByte: number;
  toByte: number;
}

/** Why a tag was left alone. */
export type TagFault = "unclosed" | "no id" | "bad name" | "no content" | "unfinished" | "stray" | "too many";

/** A tag that is part of no reference. */
export interface OddTag {
  fault: TagFault;
  lineNumber: number;
  /** The tag as it stands there, or its beginning. */
  tag: string;
}

/** What a message holds, in its order. `oddTags` are the first of `oddTagCount`. */
export interface MessageReferences {
  references: FoundReference[];
  oddTags: OddTag[];
  oddTagCount: number;
}

/** A scan that goes on as the message arrives. */
export interface ReferenceScan {
  push(bytes: Uint8Array): void;
  end(): MessageReferences;
}

/** A tag is no longer than this; what is not ended by then is text. */
const MAX_TAG_BYTES = 1024;
/** No message of a model has more; each becomes an fd. */
export const MOST_REFERENCES = 10_000;
const MOST_OPEN_TAGS = 100_000;
const KEPT_ODD_TAGS = 20;
const SHOWN_TAG_CHARS = 60;
const LINE_FEED = 0x0a;
const LESS_THAN = 0x3c;

const CLOSING = /^<\/ref\s*>/;
const OPENING_BEGINS = Buffer.from("<ref");
const CLOSING_BEGINS = Buffer.from("</ref");
const MAYBE_CLOSING = /^<\/ref\s*$/;
const OPENING = /^<ref(?=[\s>\/])/;
const ATTRIBUTE = /\s+([^\s"'<>\/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|[^\s"'<>=]+))?/y;
const OPENING_END = /\s*(\/?)>/y;

/** An opening tag whose closing tag has not come; the message itself is the outermost. */
interface OpenTag {
  /** Undefined where it can be no reference: then its content is looked at as if it were not there. */
  name: string | undefined;
  contentFromByte: number;
  /** What to tell of it if it is, or turns out to be, no reference. */
  odd: OddTag | undefined;
  inside: MessageReferences;
}

/** Starts to scan a message. */
export function scanReferences(): ReferenceScan {
  const open: OpenTag[] = [openTag(undefined, 0, undefined)];
  /** What stands at the end of the pieces so far and may be the beginning of a tag, and where in the message it does. */
  let rest = Buffer.alloc(0);
  let restFromByte = 0;
  /** The line feeds before `countedTo`, a byte of the piece at hand. */
  let lineFeedCount = 0;
  let countedTo = 0;

  const lineOf = (bytes: Buffer, at: number): number => {
    for (; countedTo < at; countedTo++) if (bytes[countedTo] === LINE_FEED) lineFeedCount++;
    return lineFeedCount + 1;
  };

  const closeTag = (atByte: number, odd: () => OddTag): void => {
    const top = open.at(-1)!;
    if (open.length === 1) return addOdd(top.inside, odd());
    open.pop();
    const around = open.at(-1)!.inside;
    if (top.name === undefined) return addText(around, top);
    const { references } = around;
    if (references.length >= MOST_REFERENCES) return addOdd(around, { ...top.odd!, fault: "too many" });
    references.push({ name: top.name, fromByte: top.contentFromByte, toByte: atByte });
  };

  const scan = (bytes: Buffer, isEnd: boolean): number => {
    let at = 0;
    for (;;) {
      at = bytes.indexOf(LESS_THAN, at);
      if (at < 0) return bytes.length;
      // Most of these are no tag of ours: markup of other kinds costs a look at a byte or two.
      if (!standsAt(bytes, at, OPENING_BEGINS, isEnd) && !standsAt(bytes, at, CLOSING_BEGINS, isEnd)) {
        at++;
        continue;
      }
      const window = bytes.toString("latin1", at, at + MAX_TAG_BYTES);
      const mayGrow = !isEnd && window.length < MAX_TAG_BYTES;
      if (mayGrow && (window.length <= CLOSING_BEGINS.length || MAYBE_CLOSING.test(window))) return at;
      const closing = CLOSING.exec(window);
      const oddHere = (fault: TagFault, tag: string): OddTag => ({
        fault,
        lineNumber: lineOf(bytes, at),
        tag: shownTag(tag),
      });
      if (closing !== null) {
        const [tag] = closing;
        closeTag(restFromByte + at, () => oddHere("stray", tag));
        at += tag.length;
      } else if (OPENING.test(window)) {
        const tag = readOpening(window);
        if (tag === undefined) {
          if (mayGrow) return at;
          addOdd(open.at(-1)!.inside, oddHere("unfinished", /^<[^<\n]*/.exec(window)![0]));
          at++;
          continue;
        }
        const text = window.slice(0, tag.length);
        const contentFromByte = restFromByte + at + tag.length;
        if (tag.isEmpty) addOdd(open.at(-1)!.inside, oddHere("no content", text));
        else if (open.length > MOST_OPEN_TAGS) addOdd(open.at(-1)!.inside, oddHere("too many", text));
        else if (tag.id === undefined) open.push(openTag(undefined, contentFromByte, oddHere("no id", text)));
        else if (!isName(tag.id)) open.push(openTag(undefined, contentFromByte, oddHere("bad name", text)));
        else open.push(openTag(tag.id, contentFromByte, oddHere("unclosed", text)));
        at += tag.length;
      } else {
        at++;
      }
    }
  };

  const take = (bytes: Buffer, isEnd: boolean): void => {
    const done = scan(bytes, isEnd);
    lineOf(bytes, done);
    countedTo = 0;
    rest = Buffer.from(bytes.subarray(done));
    restFromByte += done;
  };

  return {
    push(bytes) {
      take(rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]), false);
    },
    end() {
      take(rest, true);
      while (open.length > 1) {
        const unclosed = open.pop()!;
        addText(open.at(-1)!.inside, unclosed);
      }
      return open[0]!.inside;
    },
  };
}

/** Whether `beginning` stands at `at`, or, before the message's end, may stand there once more of it has come. */
function standsAt(bytes: Buffer, at: number, beginning: Buffer, isEnd: boolean): boolean {
  for (let index = 0; index < beginning.length; index++) {
    if (at + index === bytes.length) return !isEnd;
    if (bytes[at + index] !== beginning[index]) return false;
  }
  return true;
}

function openTag(name: string | undefined, contentFromByte: number, odd: OddTag | undefined): OpenTag {
  return { name, contentFromByte, odd, inside: { references: [], oddTags: [], oddTagCount: 0 } };
}

/** The opening tag that `window` starts with; undefined where it does not end in it. */
function readOpening(
  window: string,
): { length: number; id: string | undefined; isEmpty: boolean } | undefined {
  let id: string | undefined;
  let at = "<ref".length;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const attribute = ATTRIBUTE.exec(window);
    if (attribute === null) break;
    const [text, name, inDouble, inSingle] = attribute;
    if (name === "id") id ??= inDouble ?? inSingle;
    at += text.length;
  }
  OPENING_END.lastIndex = at;
  const end = OPENING_END.exec(window);
  return end === null ? undefined : { length: at + end[0].length, id, isEmpty: end[1] === "/" };
}

function addOdd(found: MessageReferences, odd: OddTag): void {
  found.oddTagCount++;
  if (found.oddTags.length < KEPT_ODD_TAGS) found.oddTags.push(odd);
}

/** A tag is text after all: what stands in it stands in what is around it. */
function addText(around: MessageReferences, { odd, inside }: OpenTag): void {
  if (odd !== undefined) addOdd(around, odd);
  for (const each of inside.oddTags) addOdd(around, each);
  around.oddTagCount += inside.oddTagCount - inside.oddTags.length;
  for (const reference of inside.references) {
    if (around.references.length < MOST_REFERENCES) around.references.push(reference);
    else around.oddTagCount++;
  }
}

function shownTag(tag: string): string {
  const text = Buffer.from(tag, "latin1").toString("utf8");
  return text.length > SHOWN_TAG_CHARS ? `${text.slice(0, SHOWN_TAG_CHARS)}…` : text;
}
