/** Puts an answer as text on its surface: in the width of the screen, and through the pager if it is long. */

import process from "node:process";
import type { Environment } from "../../fd/mod.ts";
import type { FramedAnswer } from "../terms/answers.ts";
import type { CallWriter } from "../terms/next_call.ts";
import { freshBoundary } from "../render/dress.ts";
import { hasBody } from "../render/body_text.ts";
import type { TextKind } from "../render/terminal_text.ts";
import { columnsOf, screenSize } from "../streams/screen_size.ts";
import { inkOf } from "./ink.ts";
import { pagerOf, showPaged } from "./pager.ts";
import { textOf } from "./text.ts";

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
export function shownAnswer(
  answer: FramedAnswer,
  surface: Surface,
  { env, writeCall }: Reader,
): Iterable<Uint8Array> {
  const text = textOf(answer, {
    ink: inkOf(surface.escape),
    columns: surface.isTerminal ? screenSize(env).columns : columnsOf(env) ?? Infinity,
    nowMs: Date.now(),
    cwd: workingDirectory(),
    writeCall,
    makeBoundary: freshBoundary,
  });
  return surface.shown(text, hasBody(answer) ? "body" : "own");
}

/** Writes the answer with `write` or, if it is long and stdout a terminal, with the pager. */
export async function showAnswer(
  answer: FramedAnswer,
  surface: Surface,
  reader: Reader,
  write: (chunks: Iterable<Uint8Array>) => boolean,
): Promise<boolean> {
  const chunks = () => shownAnswer(answer, surface, reader);
  const pager = surface.isTerminal && isPaged(answer) ? pagerOf(reader.env) : undefined;
  if (pager === undefined) return write(chunks());
  return await showPaged(chunks, write, { pager, size: screenSize(reader.env), env: reader.env });
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
