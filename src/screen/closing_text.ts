/** Renders the line after output that was shown as it came. */

import { groupedDigits } from "../answering/grouped_digits.ts";
import { messageText } from "../answering/next_command.ts";
import { sizeText } from "../answering/size_text.ts";
import { plainText } from "../terms/control_chars.ts";
import type { Report } from "../terms/answers.ts";
import { endText, missingFacts, ranText } from "./fd_facts.ts";
import { markOf } from "./framed_body.ts";
import { counted, facts, type Screen } from "./screen.ts";

export function closingText(closing: Report, screen: Screen): string {
  const { ink, writeCall } = screen;
  const {
    fd,
    stream,
    lines,
    bytes,
    exit_code,
    signal,
    duration_ms,
    state,
    dropped_bytes,
    gap_at_byte,
    shared,
    marked,
  } = closing.facts as ClosingFacts;
  const call = closing.next && writeCall(closing.next);
  return `${markOf(marked === true, screen)}${
    facts([
      fd === undefined ? undefined : ink.handle(fd),
      stream,
      bytes === 0 ? "no output" : counted(lines ?? 0, "line", groupedDigits),
      bytes === 0 ? undefined : sizeText(bytes ?? 0),
      endText({ exit_code, signal }, screen),
      ranText(duration_ms),
      ...missingFacts({ state, dropped_bytes, gap_at_byte }, screen),
      shared === false ? ink.bad("not shared yet") : undefined,
      plainText(messageText(closing.message, writeCall)),
      call === undefined ? undefined : ink.next(plainText(call)),
    ])
  }\n`;
}

interface ClosingFacts {
  fd?: string;
  stream?: string;
  lines?: number;
  bytes?: number;
  exit_code?: number;
  signal?: string;
  duration_ms?: number;
  state?: "live" | "incomplete";
  dropped_bytes?: number;
  gap_at_byte?: number;
  shared?: boolean;
  marked?: boolean;
}
