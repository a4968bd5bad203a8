/**
 * `rewrite`: replaces a whole file, given both proofs that the content is complete (contract, Writing files). All
 * failed checks are reported at once, and then nothing is written.
 */

import type { WriteResult } from "../calls/terms/answers.ts";
import { bytesSource, gatherBytes, sha256Of } from "../../fd/mod.ts";
import { ACKNOWLEDGEMENT, type RewriteRequest } from "../calls/requests/rewrite_request.ts";
import { convertLineEnds, lineCountOf, tallyLineEnds } from "./checks/line_ends.ts";
import { newTextFaults, newTextNotes } from "./checks/new_text.ts";
import { type GivenContent, missingNotes, requestedContent } from "./commit/given_content.ts";
import { meantFile } from "./commit/target_path.ts";
import type { NewContent } from "./commit/present_file.ts";
import { type Target, wholeContent, withTarget } from "./commit/inspect_target.ts";
import { changeSentence, writeAndReport } from "./commit/report_write.ts";
import type { Message } from "../calls/terms/next_call.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { refuseFaults } from "../calls/terms/write_failure.ts";
import type { WriteFault } from "../calls/terms/write_faults.ts";

/**
 * Rewrites a file. `given` replaces that of the request if it came by stdin or from a file.
 *
 * @throws {WriteError} for every failed check; {@link FdError} for failures of the path, the store or the disk.
 */
export async function rewriteFile(
  request: RewriteRequest,
  context: WriteContext,
  given?: GivenContent,
): Promise<WriteResult> {
  const asked = { fd: request.content_fd, range: request, text: request.content, field: "content" };
  const content = given ?? await requestedContent(context.store, asked);
  return await withTarget(request.filePath, context, async (target) => {
    const { faults, notes, written } = await checkRewrite(request, target, content);
    refuseFaults(request.filePath, faults);
    return await writeAndReport(context, {
      changes: [{ target, content: written }],
      step: { tool: "rewrite_file" },
      dryRun: request.dry_run === true,
      sentence: (_change, counts, file) => changeSentence("Rewrote", counts, file),
      notes: [...notes, ...missingNotes([content])],
    });
  });
}

/**
 * The faults of a rewrite, in the order in which they are reported, notes, and the content with the line ends that were asked
 * for. All checks are made, so that one answer has every fault.
 */
async function checkRewrite(
  request: RewriteRequest,
  target: Target,
  content: GivenContent,
): Promise<{ faults: WriteFault[]; notes: Message[]; written: NewContent }> {
  const { filePath: path, expectedLineCount, expectedBytes, expectedSha256, ifMatch } = request;
  const { realPath, file } = target;
  const faults: WriteFault[] = [];
  const notes: Message[] = [];
  if (file === undefined && request.createIfMissing !== true) {
    faults.push({ kind: "file_not_found", path, meant: meantFile(path, target.place), mayCreate: true });
  }
  const lineCount = lineCountOf(tallyLineEnds(content.chunks()));
  if (lineCount !== expectedLineCount) {
    const { content_fd: fd } = request;
    faults.push({ kind: "line_count_mismatch", actual: lineCount, expected: expectedLineCount, fd });
  }
  if (request.acknowledgement !== ACKNOWLEDGEMENT) faults.push({ kind: "invalid_acknowledgement" });
  const actualBytes = content.byteLength;
  if (expectedBytes !== undefined && actualBytes !== expectedBytes) {
    faults.push({ kind: "size_mismatch", actualBytes, expectedBytes });
  }
  if (expectedSha256 !== undefined) {
    const actual = await sha256Of(content.chunks());
    if (actual !== expectedSha256.toLowerCase()) {
      faults.push({ kind: "hash_mismatch", actual, expected: expectedSha256 });
    }
  }
  if (ifMatch !== undefined && file?.sha256 !== ifMatch.toLowerCase()) {
    const what = file === undefined
      ? "it does not exist"
      : `its sha-256 (${file.sha256}) does not match the expected ${ifMatch}`;
    faults.push({ kind: "stale_file", path, expectedSha256: ifMatch, actualSha256: file?.sha256, what });
  }
  const eol = request.eol ?? "keep";
  const written = eol === "keep" ? content : bytesSource(convertLineEnds(gatherBytes(content.chunks()), eol));
  const { allowPlaceholders } = request;
  faults.push(...newTextFaults(target, { content: written, allowPlaceholders }, "allowPlaceholders"));
  notes.push(...newTextNotes(target, { what: "the content", content: written }));
  if (request.checkStructure === true) {
    const { checkStructure } = await import("./checks/structure_check.ts");
    const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const before = file === undefined ? undefined : text(wholeContent(target));
    const fault = await checkStructure(text(gatherBytes(content.chunks())), realPath, before);
    if (fault === undefined) notes.push(`The structure of ${path} was not checked: unknown file type.`);
    else if (fault.problems.length > 0) faults.push(fault);
  }
  return { faults, notes, written };
}
