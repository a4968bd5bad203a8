/** Answers and dresses for the tests of renderers and commands. */

import { Buffer } from "node:buffer";
import type { Body, FdContent, FdResult } from "../src/calls/terms/answers.ts";
import type { NextCall } from "../src/calls/terms/next_call.ts";
import { callWords, commandLine, commandWriter } from "../src/answers/parts/next_command.ts";
import { dressOf } from "../src/answers/render/dress.ts";

/** A body in chunks of `chunkBytes`. */
export function bodyOf(content: string | Uint8Array, chunkBytes = Infinity): Body {
  const bytes = Buffer.from(content);
  return {
    byteLength: bytes.length,
    *chunks() {
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        yield bytes.subarray(from, Math.min(bytes.length, from + chunkBytes));
      }
    },
  };
}

export function contentAnswer(content: Body, more: Partial<FdContent> = {}): FdContent {
  return {
    type: "fd_content",
    fd: "fd:1",
    page: 2,
    pages: 13,
    continued: false,
    truncated: true,
    lines: "83-90",
    total_lines: 1000,
    mode: "page",
    start: 2,
    count: 1,
    content,
    ...more,
  };
}

export function resultAnswer(preview: FdResult["preview"], more: Partial<FdResult> = {}): FdResult {
  return {
    type: "fd_result",
    fd: "fd:1",
    pages: 13,
    truncated: false,
    lines: "1-82",
    total_lines: 1000,
    source: "stdin",
    chars: 48892,
    bytes: 48892,
    message: "Output exceeds 8000 characters. Use fdtool read to read more pages.",
    next: { command: "read", args: { fd: "fd:1", start: 2 } },
    preview,
    ...more,
  };
}

/** The dress of answers on a command line, without colours. */
export const DRESS = dressOf(commandWriter(undefined));

/** The command line that a next call is written as. */
export function nextLine(next: NextCall | undefined, storeOption?: string): string | undefined {
  return next && commandLine(next, storeOption);
}

/** The words of a next call behind its command's name. */
export function nextWords(next: NextCall | undefined): string[] {
  if (next === undefined || "words" in next) throw new Error(`no call of a command: ${JSON.stringify(next)}`);
  return callWords(next).slice(1);
}

/** Returns the output of a renderer as text. */
export function textOf(chunks: Iterable<Uint8Array>): string {
  return Buffer.concat([...chunks]).toString();
}
