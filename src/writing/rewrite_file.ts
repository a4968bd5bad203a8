/**
 * `rewrite`: replaces a whole file, given both proofs that the content is complete (contract, Writing files). All
 * failed checks are reported at once, and then nothing is written.
 */

import type { WriteResult } from "../terms/answers.ts";
import type { RewriteRequest } from "../requests/rewrite_request.ts";
import { withTarget } from "./commit/commit_changes.ts";
import {
  type GivenContent,
  handleSlice,
  missingNotes,
  textSource,
  withLineEnds,
} from "./commit/given_content.ts";
import { currentContent } from "./commit/inspect_target.ts";
import { byteWord, changeDetails, lineEndNote, lineWord, writeAndReport } from "./commit/report_write.ts";
import { checkRewrite } from "./rewrite_checks.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { refuseFaults } from "../terms/write_failure.ts";

/**
 * Rewrites a file. `content` replaces that of the request if it came by stdin or from a file.
 *
 * @throws {WriteError} for every failed check; {@link FdError} for failures of the path, the store or the disk.
 */
export async function rewriteFile(
  request: RewriteRequest,
  context: WriteContext,
  content: GivenContent = requestedContent(request, context),
): Promise<WriteResult> {
  return await withTarget(request.filePath, context, async (target) => {
    const { faults, notes } = await checkRewrite({ request, target, content });
    refuseFaults(request.filePath, faults);
    const eol = request.eol ?? "keep";
    const written = withLineEnds(content, eol);
    return await writeAndReport(context, {
      changes: [{ target, content: written }],
      step: { tool: "rewrite_file", cwd: context.cwd, root: context.root },
      dryRun: request.dry_run === true,
      sentence: (_change, counts, file) =>
        file.created
          ? `Created ${file.path}: ${lineWord(counts.newLineCount)} (${byteWord(file.bytes)}).`
          : `Rewrote ${file.path}: ${changeDetails(counts, file)}`,
      notes: [
        ...notes,
        ...lineEndNote(currentContent(target), written.chunks(), "the content"),
        ...missingNotes([content]),
      ],
    });
  });
}

function requestedContent(
  { content, content_fd: handle, pages, lines, chars }: RewriteRequest,
  context: WriteContext,
): GivenContent {
  return handle === undefined
    ? textSource(content!, "content")
    : handleSlice(context.store, handle, { pages, lines, chars }).content;
}
