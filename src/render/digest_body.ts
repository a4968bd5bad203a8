/**
 * A digest as text: its lines as `search` shows them, `12:text`, and a line of fdtool's own for each gap. No line of the
 * content can pass for one, because it has its number before it.
 */

import { joinBytes, utf8Bytes, utf8Text } from "../../fd/system.ts";
import { groupedDigits } from "../answering/grouped_digits.ts";
import type { Body, PreviewGap, PreviewPart } from "../terms/answers.ts";

/** Whether the parts of a preview are a digest. */
export function isDigest(parts: readonly (PreviewPart | PreviewGap)[]): boolean {
  for (const part of parts) if ("omitted" in part || part.numbered === true) return true;
  return false;
}

/** All parts of a digest in one body. */
export function digestBody(parts: readonly (PreviewPart | PreviewGap)[]): Body {
  let text = "";
  for (const part of parts) text += "omitted" in part ? `${gapLine(part)}\n` : numbered(part);
  const bytes = utf8Bytes(text.slice(0, -1));
  return { byteLength: bytes.length, chunks: () => [bytes], bytes };
}

function numbered({ lines, body, numbered }: PreviewPart): string {
  // An outline.
  if (numbered !== true) return `${utf8Text(joinBytes([...body.chunks()]))}\n`;
  let lineNumber = Number(lines.slice(0, lines.indexOf("-")));
  let text = "";
  for (const line of utf8Text(joinBytes([...body.chunks()])).split("\n")) text += `${lineNumber++}:${line}\n`;
  return text;
}

/** `… lines 41-1210: 1,170 like "   Compiling serde v1.0.219"`. */
function gapLine({ lines, omitted, like }: PreviewGap): string {
  const where = omitted === 1 ? `line ${lines.slice(0, lines.indexOf("-"))}` : `lines ${lines}`;
  const what = like.map(({ count, line }) => `${groupedDigits(count)} like ${JSON.stringify(line)}`).join(
    ", ",
  );
  return what === "" ? `… ${where}` : `… ${where}: ${what}`;
}
