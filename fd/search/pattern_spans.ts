/**
 * Finds where a pattern matches in a content, line by line: the same places as in Perl, RE2 and JavaScript (leftmost
 * match, repeats greedy or lazy as written), but in time linear in the line, whatever the pattern.
 *
 * The search automaton finds the lines that match. Only those are walked.
 */

import { Buffer } from "node:buffer";
import { lineSpanFinder } from "./line_spans.ts";
import { requiredText } from "./required_text.ts";
import type { Span } from "./walk_spans.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds every match of one pattern. */
export interface SpanFinder {
  /** Text contained in every line with a match, or "" if none is obvious. */
  requiredText: string;
  /**
   * Returns the matches in `content`, which must be whole lines, in order, without overlaps and empty matches. A match never
   * crosses a line end; CR and LF of a CRLF are not part of the line.
   */
  spans(content: Uint8Array): Span[];
}

/**
 * Finds matches in content that arrives in pieces of whole lines.
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported (lookaround, backreferences) or
 * takes too long.
 */
export function spanFinder(pattern: string): SpanFinder {
  const { automaton, root, inLine } = lineSpanFinder({ pattern }, true);

  function spans(content: Uint8Array): Span[] {
    const found: Span[] = [];
    for (let start = 0; start < content.length;) {
      const feed = content.indexOf(LINE_FEED, start);
      const next = feed === -1 ? content.length : feed + 1;
      let end = feed === -1 ? content.length : feed;
      if (end > start && content[end - 1] === CARRIAGE_RETURN) end--;
      if (start < end && automaton.nextMatch(content, start, end) >= 0) {
        const line = Buffer.from(content.buffer, content.byteOffset + start, end - start);
        for (const { from, to } of inLine(line)) found.push({ fromByte: start + from, toByte: start + to });
      }
      start = next;
    }
    return found;
  }

  return { requiredText: requiredText(root), spans };
}
