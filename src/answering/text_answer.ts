/**
 * Text printed unchanged in every format: definitions and instructions for a program or a prompt.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { PassThrough } from "../terms/answers.ts";

/** `text` as UTF-8, handed on unchanged; `isDone`: it reports something that was done. */
export function textAnswer(text: string, isDone?: boolean): PassThrough {
  const bytes = Buffer.from(text);
  const stdout = { byteLength: bytes.length, chunks: () => [bytes] };
  return { type: "pass_through", stdout, isDone, isOwnText: true };
}
