import { utf8Bytes } from "../../fd/system.ts";
import type { PassThrough } from "../terms/answers.ts";

/** `text` printed unchanged in every format; `isDone`: it reports a change. */
export function textAnswer(text: string, isDone?: boolean): PassThrough {
  const bytes = utf8Bytes(text);
  const stdout = { byteLength: bytes.length, chunks: () => [bytes] };
  return { type: "pass_through", stdout, isDone, isOwnText: true };
}
