/**
 * Answers as people read them at a terminal (contract, Answers): tables, headings in one line, colours, and always the
 * handle and the next command, because agents run on terminals too. In the width of the screen, and through the pager if
 * they are long.
 */

import process from "node:process";
import { Buffer } from "node:buffer";
import type { Outcome } from "../../calls/terms/command.ts";
import type { Environment } from "../../../fd/mod.ts";
import { utf8Bytes } from "../../../fd/system.ts";
import type { FramedAnswer } from "../../calls/terms/answers.ts";
import type { CallWriter } from "../../calls/terms/next_call.ts";
import { freshBoundary } from "../render/dress.ts";
import { hasBody, isOfContent } from "../render/body_text.ts";
import type { TextKind } from "../render/terminal_text.ts";
import { columnsOf, screenSize } from "../../calls/streams/screen_size.ts";
import { inkOf } from "./ink.ts";
import { pagerOf, showPaged } from "./pager.ts";
import { MARK, markOf } from "./framed_body.ts";
import { endText, facts, missingFacts, ranText, type Screen, type Texts } from "./screen.ts";
import type { ReportOf, ReportType } from "../../calls/terms/reports.ts";
import { CONTENT_TEXTS } from "./content_text.ts";
import { LIST_TEXTS } from "./list_text.ts";
import { FACT_TEXTS, reportText } from "./report_text.ts";
import { WRITE_TEXTS } from "./write_text.ts";
import { counted, groupedDigits, sizeText } from "../parts/grouped_digits.ts";
import { messageText } from "../parts/next_command.ts";
import { plainText } from "../../calls/terms/control_chars.ts";

const LINE_FEED = 0x0a;

/** The surface of the text; a terminal's colours begin with `escape`. */
interface Surface {
  isTerminal: boolean;
  escape: string | undefined;
  shown(chunks: Iterable<Uint8Array>, kind: TextKind): Iterable<Uint8Array>;
}

interface Reader {
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

/**
 * An answer for a program that a person pipes it to: its content alone, and the lines around it, which are complete
 * once the content was taken. Answers that show no stored content are a body as a whole.
 */
export function bareAnswer(answer: FramedAnswer, surface: Surface, reader: Reader) {
  if (!isOfContent(answer)) return { body: shownAnswer(answer, surface, reader), asides: [] };
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

/** Writes the answer with `write` or, if it is long and stdout a terminal, with the pager, opened at `openAt`. */
export async function showAnswer(
  answer: FramedAnswer,
  surface: Surface,
  reader: Reader,
  write: (chunks: Iterable<Uint8Array>) => boolean,
  openAt: Outcome["openAt"],
): Promise<boolean> {
  const chunks = () => shownAnswer(answer, surface, reader);
  const pager = surface.isTerminal && isPaged(answer) ? pagerOf(reader.env) : undefined;
  if (pager === undefined) return write(chunks());
  // The heading is a line, too; what led to the line is above it.
  const firstShown = typeof openAt === "number" ? Math.max(1, openAt + 1 - LINES_ABOVE) : openAt;
  const { env } = reader;
  return await showPaged(chunks, write, { pager, size: screenSize(env), env, openAt: firstShown });
}

/** Whether an answer is one to scroll in. Lists of fds end with the newest, which the prompt should follow. */
function isPaged(answer: FramedAnswer): boolean {
  return isOfContent(answer) || answer.type === "plan_shown" || answer.type === "write_log" ||
    answer.type === "write_result" && answer.diff !== undefined;
}

type OwnType = Exclude<FramedAnswer["type"], ReportType> | "fd_closed" | "fd_stats";

/** The answers that are no plain reports: each type has its text. */
const TEXTS: Pick<Required<Texts>, OwnType> = {
  ...CONTENT_TEXTS,
  ...FACT_TEXTS,
  ...LIST_TEXTS,
  ...WRITE_TEXTS,
  fd_closed: closingText,
  fd_path: ({ path }) => `${path}\n`,
};

/** The answer as UTF-8. Large content is walked and never loaded. */
export function textOf(answer: FramedAnswer, screen: Screen): Iterable<Uint8Array> {
  // The table's entry takes the answers of its own type.
  const text = hasOwnText(answer) ? TEXTS[answer.type](answer as never, screen) : reportText(answer, screen);
  return typeof text === "string" ? [utf8Bytes(text)] : text;
}

function hasOwnText(answer: FramedAnswer): answer is Extract<FramedAnswer, { type: OwnType }> {
  return Object.hasOwn(TEXTS, answer.type);
}

function closingText(closing: ReportOf<"fd_closed">, screen: Screen): string {
  const { ink, writeCall } = screen;
  const { facts: closed } = closing;
  const { fd, lines, bytes } = closed;
  const call = closing.next && writeCall(closing.next);
  return `${markOf(closed.marked === true, screen)}${
    facts([
      fd === undefined ? undefined : ink.handle(fd),
      closed.stream,
      bytes === 0 ? "no output" : counted(lines, "line", groupedDigits),
      bytes === 0 ? undefined : sizeText(bytes),
      endText(closed, screen),
      ranText(closed.duration_ms),
      ...missingFacts(closed, screen),
      closed.shared === false ? ink.bad("not shared yet") : undefined,
      plainText(messageText(closing.message, writeCall)),
      call === undefined ? undefined : ink.next(plainText(call)),
    ])
  }\n`;
}
