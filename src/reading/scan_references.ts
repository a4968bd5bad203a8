/**
 * Finds the outermost `<ref id="x">…</ref>` of a message (contract, Agents), and malformed tags. The message comes in
 * pieces and is not kept in memory; results are byte ranges.
 *
 * Tags are matched like brackets. An opening tag that is never closed is text, so a reference inside it counts. An
 * opening tag without a usable id is text too, but it still takes its closing tag, which therefore cannot end the
 * reference around it.
 */

import { Buffer } from "node:buffer";
import { isName } from "../../fd/mod.ts";

/** A reference: its name, and the bytes of its content in the message. */
export interface FoundReference {
  name: string;
  fromByte: number;
  toByte: number;
}

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
  references: FoundReference[];
  oddTags: OddTag[];
  oddTagCount: number;
}

/** A scan to which pieces of the message are added. */
export interface ReferenceScan {
  push(bytes: Uint8Array): void;
  end(): MessageReferences;
}

/** Longer tags are text. */
const MAX_TAG_BYTES = 1024;
/** More than any message of a model has. Each becomes an fd. */
export const MAX_REFERENCES = 10_000;
const MAX_OPEN_TAGS = 100_000;
const MAX_ODD_TAGS = 20;
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

/** An opening tag that is not closed yet; the outermost one is the message itself. */
interface OpenTag {
  /** Undefined if it cannot be a reference: references inside it then count as if it were not there. */
  name: string | undefined;
  contentFromByte: number;
  /** Reported if it turns out not to be a reference. */
  odd: OddTag | undefined;
  inside: MessageReferences;
}

export function scanReferences(): ReferenceScan {
  const open: OpenTag[] = [openTag(undefined, 0, undefined)];
  /** The end of the pieces so far, if it may begin a tag, and its offset in the message. */
  let rest = Buffer.alloc(0);
  let restFromByte = 0;
  /** Line feeds before `countedTo`, an offset in the current piece. */
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
    if (references.length >= MAX_REFERENCES) return addOdd(around, { ...top.odd!, fault: "too many" });
    references.push({ name: top.name, fromByte: top.contentFromByte, toByte: atByte });
  };

  const scan = (bytes: Buffer, isEnd: boolean): number => {
    let at = 0;
    for (;;) {
      at = bytes.indexOf(LESS_THAN, at);
      if (at < 0) return bytes.length;
      // A quick look at one or two bytes rules out most other markup.
      if (!isAt(bytes, at, OPENING_BEGINS, isEnd) && !isAt(bytes, at, CLOSING_BEGINS, isEnd)) {
        at++;
        continue;
      }
      const window = bytes.toString("latin1", at, at + MAX_TAG_BYTES);
      const mayGrow = !isEnd && window.length < MAX_TAG_BYTES;
      if (mayGrow && (window.length <= CLOSING_BEGINS.length || MAYBE_CLOSING.test(window))) return at;
      const closing = CLOSING.exec(window);
      const oddTag = (fault: TagFault, tag: string): OddTag => ({
        fault,
        lineNumber: lineOf(bytes, at),
        tag: shownTag(tag),
      });
      if (closing !== null) {
        const [tag] = closing;
        closeTag(restFromByte + at, () => oddTag("stray", tag));
        at += tag.length;
      } else if (OPENING.test(window)) {
        const tag = readOpening(window);
        if (tag === undefined) {
          if (mayGrow) return at;
          addOdd(open.at(-1)!.inside, oddTag("unfinished", /^<[^<\n]*/.exec(window)![0]));
          at++;
          continue;
        }
        const text = window.slice(0, tag.length);
        const contentFromByte = restFromByte + at + tag.length;
        if (tag.isEmpty) addOdd(open.at(-1)!.inside, oddTag("no content", text));
        else if (open.length > MAX_OPEN_TAGS) addOdd(open.at(-1)!.inside, oddTag("too many", text));
        else if (tag.id === undefined) open.push(openTag(undefined, contentFromByte, oddTag("no id", text)));
        else if (!isName(tag.id)) open.push(openTag(undefined, contentFromByte, oddTag("bad name", text)));
        else open.push(openTag(tag.id, contentFromByte, oddTag("unclosed", text)));
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

/** Whether `beginning` is at `at` or, before the message's end, may be once more bytes have come. */
function isAt(bytes: Buffer, at: number, beginning: Buffer, isEnd: boolean): boolean {
  for (let index = 0; index < beginning.length; index++) {
    if (at + index === bytes.length) return !isEnd;
    if (bytes[at + index] !== beginning[index]) return false;
  }
  return true;
}

function openTag(name: string | undefined, contentFromByte: number, odd: OddTag | undefined): OpenTag {
  return { name, contentFromByte, odd, inside: { references: [], oddTags: [], oddTagCount: 0 } };
}

/** Parses the opening tag at the start of `window`; undefined if it does not end there. */
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
