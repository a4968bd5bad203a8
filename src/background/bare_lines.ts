/** `read --follow` for a person at a terminal: what arrives, without tags, and one line with the verdict. */

import { cursorAt, findFd, formatFd, type Store } from "../../fd/mod.ts";
import { closingOf } from "../capturing/closing.ts";
import { holdsAny } from "../render/body_text.ts";
import { numberedBody } from "../render/number_lines.ts";
import type { Answer, Body, FdContent, PassThrough } from "../terms/answers.ts";

const LF = 0x0a;

/** The answers of `follow`, which reads `fd`, as a person reads them. Returns the same exit code. */
export async function* bareLines(
  store: Store,
  fd: string,
  follow: AsyncGenerator<FdContent, number, void>,
): AsyncGenerator<Answer, number, void> {
  let lastByte = LF;
  let hasMark = false;
  for (;;) {
    const { done, value } = await follow.next();
    if (done === true) {
      if (lastByte !== LF) yield shownContent({ byteLength: 1, chunks: () => [new Uint8Array([LF])] });
      yield closing(store, fd, hasMark);
      return value;
    }
    const body = numberedBody(value);
    // Else a line of the content could pass for the closing one.
    hasMark ||= holdsAny(body, ["──"]);
    yield shownContent({
      byteLength: body.byteLength,
      *chunks() {
        for (const chunk of body.chunks()) {
          lastByte = chunk.at(-1) ?? lastByte;
          yield chunk;
        }
      },
    });
  }
}

function shownContent(stdout: Body): PassThrough {
  return { type: "pass_through", stdout, isContent: true };
}

function closing(store: Store, written: string, hasMark: boolean): Answer {
  const entry = findFd(store, written);
  const fd = formatFd(entry.id);
  const { exitCode, signal, durationMs } = entry;
  const end = { exit_code: exitCode, signal, duration_ms: durationMs, marked: hasMark || undefined };
  const since = String(cursorAt(entry, entry.byteCount));
  const next = entry.state === "live"
    ? { words: ["read", fd, "--since", since, "--follow"] }
    : { command: "read", args: { fd } } as const;
  return closingOf(entry, end, { remarks: [], next });
}
