import { utf8Bytes } from "../../../fd/system.ts";
import type { PassThrough } from "../../calls/terms/answers.ts";

/** `text` printed unchanged in every format; `isDone`: it reports a change. */
export function textAnswer(text: string, isDone?: boolean): PassThrough {
  const bytes = utf8Bytes(text);
  const stdout = { byteLength: bytes.length, chunks: () => [bytes] };
  return { type: "pass_through", stdout, isDone, isOwnText: true };
}

export function passThrough(bytes: Uint8Array, goesTo: "stdout" | "stderr"): PassThrough {
  const body = { byteLength: bytes.length, chunks: () => [bytes] };
  const nothing = { byteLength: 0, chunks: () => [] };
  return goesTo === "stdout"
    ? { type: "pass_through", stdout: body }
    : { type: "pass_through", stdout: nothing, stderr: body };
}
