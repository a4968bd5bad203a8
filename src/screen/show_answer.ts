/** Puts an answer as text on its surface: in the width of the screen, and through the pager if it is long. */

import { Buffer } from "node:buffer";
import process from "node:process";
import type { Environment } from "../../fd/mod.ts";
import { utf8Bytes } from "../../fd/system.ts";
import type { FramedAnswer } from "../terms/answers.ts";
import type { CallWriter } from "../terms/next_call.ts";
import { freshBoundary } from "../render/dress.ts";
import { hasBody } from "../render/body_text.ts";
import type { TextKind } from "../render/terminal_text.ts";
import { columnsOf, screenSize } from "../streams/screen_size.ts";
import { inkOf } from "./ink.ts";
import { pagerOf, showPaged } from "./pager.ts";
import { MARK } from "./framed_body.ts";
import type { Screen } from "./screen.ts";
import { textOf } from "./text.ts";

const LINE_FEED = 0x0a;

/** The surface of the text; a terminal's colours begin with `escape`. */
export interface Surface {
  isTerminal: boolean;
  escape: string | undefined;
  shown(chunks: Iterable<Uint8Array>, kind: TextKind): Iterable<Uint8Array>;
}

export interface Reader {
  env: Environment;
  writeCall: CallWriter;
}

/** Undefined if it was removed. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** The answer as the surface takes it. */
export function shownAnswer(answer: FramedAnswer, surface: Surface, reader: Reader): Iterable<Uint8Array> {
  const text = textOf(answer, screenFor(surface, reader));
  return surface.shown(text, hasBody(answer) ? "body" : "own");
}

function screenFor(surface: Surface, { env, writeCall }: Reader): Screen {
  return {
    ink: inkOf(surface.escape),
    columns: surface.isTerminal ? screenSize(env).columns : columnsOf(env) ?? Infinity,
    nowMs: Date.now(),
    cwd: workingDirectory(),
    writeCall,
    makeBoundary: freshBoundary,
  };
}

/** The content of an answer alone, and the lines around it, which are complete once the content was taken. */
export interface BareAnswer {
  body: Iterable<Uint8Array>;
  asides: Iterable<Uint8Array>;
}

/** An answer for a program that a person pipes it to. Answers that show no stored content are a body as a whole. */
export function bareAnswer(answer: FramedAnswer, surface: Surface, reader: Reader): BareAnswer {
  switch (answer.type) {
    case "fd_content":
    case "fd_diff":
    case "fd_matches":
    case "fd_query":
      break;
    default:
      return { body: shownAnswer(answer, surface, reader), asides: [] };
  }
  const boundary = freshBoundary();
  let hasMark = false;
  const screen: Screen = {
    ...screenFor(surface, reader),
    ink: inkOf(undefined),
    isMarked: true,
    makeBoundary: () => {
      hasMark = true;
      return boundary;
    },
  };
  const mark = utf8Bytes(`${MARK.trimEnd()}${boundary} `);
  const asides: Uint8Array[] = [];
  function* body(): Iterable<Uint8Array> {
    for (const chunk of textOf(answer, screen)) {
      // Nothing was found or differs: then all of it is about the content.
      if (!hasMark) asides.push(chunk);
      else yield* withoutMarked(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), mark, asides);
    }
  }
  return { body: body(), asides };
}

/** The lines without the mark. Those with it come after each other, and go to `asides`; no chunk cuts one. */
function* withoutMarked(chunk: Buffer, mark: Uint8Array, asides: Uint8Array[]): Iterable<Uint8Array> {
  let at = 0;
  for (;;) {
    const marked = chunk.indexOf(mark, at);
    if (marked < 0) break;
    // The line end that a heading begins with is not the content's.
    if (marked > at + 1) yield chunk.subarray(at, marked);
    const lineFeed = chunk.indexOf(LINE_FEED, marked);
    at = lineFeed < 0 ? chunk.length : lineFeed + 1;
    const own = chunk.subarray(marked + mark.length, at);
    if (own.length > 0) asides.push(utf8Bytes(MARK), own);
  }
  if (at < chunk.length) yield chunk.subarray(at);
}

/** Whether a person scrolls in long answers. */
export function isScrolled(env: Environment): boolean {
  return pagerOf(env) !== undefined;
}

const LINES_ABOVE = 6;

/** Writes the answer with `write` or, if it is long and stdout a terminal, with the pager, opened at line `openAt`. */
export async function showAnswer(
  answer: FramedAnswer,
  surface: Surface,
  reader: Reader,
  write: (chunks: Iterable<Uint8Array>) => boolean,
  openAt: number | undefined,
): Promise<boolean> {
  const chunks = () => shownAnswer(answer, surface, reader);
  const pager = surface.isTerminal && isPaged(answer) ? pagerOf(reader.env) : undefined;
  if (pager === undefined) return write(chunks());
  // The heading is a line, too; what led to the line is above it.
  const firstShown = openAt === undefined ? undefined : Math.max(1, openAt + 1 - LINES_ABOVE);
  return await showPaged(chunks, write, {
    pager,
    size: screenSize(reader.env),
    env: reader.env,
    openAt: firstShown,
  });
}

/** Whether an answer is one to scroll in. Lists of fds end with the newest, which the prompt should follow. */
function isPaged(answer: FramedAnswer): boolean {
  switch (answer.type) {
    case "fd_content":
    case "fd_diff":
    case "fd_matches":
    case "fd_query":
    case "plan_shown":
    case "write_log":
      return true;
    case "write_result":
      return answer.diff !== undefined;
    default:
      return false;
  }
}
