/**
 * Content between lines of fdtool's own. Those begin with a mark; if the content has the mark too, the mark gets a random
 * word, which no content can know (contract, law 8). Unified diffs are coloured as git does.
 */

import { joinBytes, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import { holdsAny, inOnePiece, shownBytes } from "../render/body_text.ts";
import type { Body } from "../../calls/terms/answers.ts";
import type { Ink } from "./ink.ts";
import type { Screen } from "./screen.ts";

export const MARK = "── ";
const LINE_FEED = 0x0a;

/** The start of fdtool's own lines around `bodies`. */
export function markAround(bodies: readonly Body[], screen: Screen): string {
  return markOf(bodies.some((body) => holdsAny(body, [MARK.trimEnd()])), screen);
}

/** The mark; with a random word if it `isTaken`. */
export function markOf(isTaken: boolean, { ink, makeBoundary, isMarked }: Screen): string {
  return ink.dim(isTaken || isMarked === true ? `${MARK.trimEnd()}${makeBoundary()} ` : MARK);
}

/** The same around text. */
export function markAroundText(text: string, screen: Screen): string {
  return markAround([inOnePiece(utf8Bytes(text))], screen);
}

/** `heading`, the body with a line end, and `closing`. */
export function* framedBody(heading: string, body: Body, closing: string): Iterable<Uint8Array> {
  yield utf8Bytes(heading);
  let last = LINE_FEED;
  for (const bytes of shownBytes([body])) {
    last = bytes.at(-1) ?? last;
    yield bytes;
  }
  yield utf8Bytes(last === LINE_FEED ? closing : `\n${closing}`);
}

/** A diff of bounded size in colours, and the start of fdtool's own lines around it; both empty for none. */
export function shownDiff(body: Body | undefined, screen: Screen): { lines: string; mark: string } {
  if (body === undefined) return { lines: "", mark: "" };
  const diff = utf8Text(joinBytes(Array.from(body.chunks(), (chunk) => new Uint8Array(chunk))));
  return { lines: diffLines(diff, screen.ink), mark: diff === "" ? "" : markAroundText(diff, screen) };
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * The lines of a diff, each with a line end. What a line is follows from the counts of its hunk: a removed line `-- x` is
 * not a header.
 */
function diffLines(diff: string, ink: Ink): string {
  if (diff === "") return "";
  let oldLeft = 0;
  let newLeft = 0;
  let painted = "";
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const hunk = oldLeft <= 0 && newLeft <= 0 ? HUNK.exec(line) : null;
    if (hunk !== null) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
      painted += ink.hunk(line);
    } else if (oldLeft <= 0 && newLeft <= 0 && !line.startsWith("\\")) painted += ink.heading(line);
    else if (line.startsWith("+")) {
      newLeft--;
      painted += ink.added(line);
    } else if (line.startsWith("-")) {
      oldLeft--;
      painted += ink.removed(line);
    } else {
      painted += line;
      if (!line.startsWith("\\")) {
        oldLeft--;
        newLeft--;
      }
    }
    painted += "\n";
  }
  return painted;
}
