/** Marks the matches within the lines that a search shows, for people: as grep colours them. */

import { Buffer } from "node:buffer";
import { lineSpanFinder } from "../../../fd/mod.ts";
import { FdError, ifPossible } from "../../../fd/system.ts";
import type { FdMatches } from "../../calls/terms/answers.ts";
import type { SearchRequest } from "../../calls/requests/search_request.ts";
import { matchingOf } from "./search.ts";

/** The answer with `spans` in each matching line. A pattern that takes too long on them leaves the rest unmarked. */
export function markSpans(answer: FdMatches, request: SearchRequest): FdMatches {
  if (request.invert === true) return answer;
  const finder = lineSpanFinder(matchingOf(request));
  let isTooSlow = false;
  const matches = answer.matches.map((match) => {
    if (match.context === true || match.start !== undefined || isTooSlow) return match;
    const spans = ifPossible(() => spansIn(match.text, finder), FdError);
    isTooSlow = spans === undefined;
    return spans === undefined ? match : { ...match, spans };
  });
  return { ...answer, matches };
}

function spansIn(text: string, finder: ReturnType<typeof lineSpanFinder>): [number, number][] {
  const line = Buffer.from(text);
  const spans: [number, number][] = [];
  let byteAt = 0;
  let at = 0;
  const indexOf = (byte: number): number => {
    at += line.toString("utf8", byteAt, byte).length;
    byteAt = byte;
    return at;
  };
  for (const { from, to } of finder.inLine(line)) spans.push([indexOf(from), indexOf(to)]);
  return spans;
}
