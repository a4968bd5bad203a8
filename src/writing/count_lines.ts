/**
 * `count`: the number of lines that `rewrite` will expect to be told, with bytes and sha-256 (contract, Writing files).
 *
 * @module
 */

import { fail, sha256Of } from "../../fd/mod.ts";
import type { LineCount } from "../answers.ts";
import type { CountRequest } from "../requests/write_requests.ts";
import { type GivenContent, handleSlice, textSource } from "./given_content.ts";
import { fileContent } from "./inspect_target.ts";
import { normalisedLineCount, tallyLineEnds } from "./line_ends.ts";
import { resolveRealPath } from "./resolve_path.ts";
import type { WriteContext } from "./write_context.ts";

/** Counts what the request names. */
export async function countLines(request: CountRequest, context: WriteContext): Promise<LineCount> {
  return await countContent(contentOf(request, context));
}

type Countable = Pick<GivenContent, "chunks" | "remark">;

/** Counts content that came another way. */
export async function countContent(content: Countable): Promise<LineCount> {
  let byteCount = 0;
  const counted = function* () {
    for (const chunk of content.chunks()) {
      byteCount += chunk.length;
      yield chunk;
    }
  };
  const lines = normalisedLineCount(tallyLineEnds(counted()));
  const sha256 = await sha256Of(content.chunks());
  return { type: "line_count", lines, bytes: byteCount, sha256, message: content.remark };
}

function contentOf(
  { path, fd, content, lines }: CountRequest,
  context: WriteContext,
): Countable {
  const given = [path, fd, content].filter((each) => each !== undefined).length;
  if (given !== 1) {
    fail({
      kind: "invalid_parameter",
      field: "path",
      got: given === 0 ? "nothing" : "several contents",
      wanted: "one of path, fd and content",
    });
  }
  if (fd !== undefined) return handleSlice(context.store, fd, { lines }).content;
  if (content !== undefined) return textSource(content, "content");
  return fileContent(resolveRealPath(path!, context.cwd), path!);
}
