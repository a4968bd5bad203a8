/** Passes on the matches within lines that a search stores in place of the lines. Loaded when called. */

import { charsBeforeByte } from "../slices/locate_text.ts";
import type { Store } from "../store/open_store.ts";
import { spansOfHit } from "./hit_spans.ts";
import { lineSpanFinder } from "./line_spans.ts";
import type { CopySpans, MatchRequest } from "./match_lines.ts";

const LINE_FEED = 0x0a;

export function spanCopier(store: Store, request: MatchRequest): CopySpans {
  const finder = lineSpanFinder(request);
  return (content, line, text, add) => {
    let count = 0;
    if (text !== undefined) {
      const { bytes, from, to } = text;
      const end = bytes[to - 1] === LINE_FEED ? to - 1 : to;
      for (const span of finder.inLine(bytes.subarray(from, end))) {
        add(span.bytes.subarray(span.from, span.to));
        count++;
      }
      return count;
    }
    // A line that was too long to buffer is read again.
    const hitChar = charsBeforeByte(content, Math.min(line.hitByte, line.toByte));
    const bounds = { matchBytes: Infinity, contextBytes: 0 };
    const hit = { ...line, lineNumber: 0, hitChar };
    for (const { match } of spansOfHit(store, content, hit, finder, request.clean === true, bounds)) {
      add(match);
      count++;
    }
    return count;
  };
}
