/**
 * `rewrite`: replaces a whole file, once both proofs are given that the content is complete (contract, Writing files). All failed
 * checks are told at once, and nothing is written on any.
 *
 * @module
 */

import { fail, sha256Of } from "../../fd/mod.ts";
import type { WriteResult } from "../answers.ts";
import { ACKNOWLEDGEMENT, type RewriteRequest } from "../requests/write_requests.ts";
import { withTargetsLocked } from "./commit_changes.ts";
import { type GivenContent, handleSlice, missingNotes, textSource, withLineEnds } from "./given_content.ts";
import { fileContent, inspectTarget, resolveTarget, type Target, wholeFile } from "./inspect_target.ts";
import { gatherBytes } from "./gather_bytes.ts";
import { normalisedLineCount, tallyLineEnds } from "./line_ends.ts";
import { findPlaceholders } from "./find_placeholders.ts";
import { byteWord, changeDetails, lineEndNote, lineWord, writeAndReport } from "./report_write.ts";
import type { WriteContext } from "./write_context.ts";
import { refuseFaults, type WriteFault } from "./write_failure.ts";

/**
 * Rewrites a file. `content` stands in the place of the request's own where it came another way (stdin, a file).
 *
 * @throws {WriteError} every failed check; {@link FdError} what the path, the store or the disk met.
 */
export async function rewriteFile(
  request: RewriteRequest,
  context: WriteContext,
  content: GivenContent = requestedContent(request, context),
): Promise<WriteResult> {
  const realPath = resolveTarget(request.filePath, context);
  return await withTargetsLocked(context.store, [realPath], async () => {
    const target = await inspectTarget(request.filePath, context);
    const { faults, notes } = await check(request, target, content);
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
      notes: [...notes, ...lineEndNote(target, written.chunks(), "the content"), ...missingNotes([content])],
    });
  });
}

function requestedContent(
  { content, content_fd: handle, lines }: RewriteRequest,
  context: WriteContext,
): GivenContent {
  if (content !== undefined && handle === undefined) return textSource(content, "content");
  if (handle !== undefined && content === undefined) {
    return handleSlice(context.store, handle, { lines }).content;
  }
  const got = handle === undefined ? "neither" : "both";
  return fail({ kind: "invalid_parameter", field: "content", got, wanted: "one of content and content_fd" });
}

/** Every check that failed, and what is to be said of those that passed. */
async function check(
  request: RewriteRequest,
  target: Target,
  content: GivenContent,
): Promise<{ faults: WriteFault[]; notes: string[] }> {
  const faults: WriteFault[] = [];
  const notes: string[] = [];
  const { acknowledgement, expectedLineCount, expectedBytes, expectedSha256, ifMatch } = request;
  if (target.file === undefined && request.createIfMissing !== true) {
    faults.push({ kind: "file_not_found", path: request.filePath });
  }
  const actual = normalisedLineCount(tallyLineEnds(content.chunks()));
  if (actual !== expectedLineCount) {
    faults.push({ kind: "line_count_mismatch", actual, expected: expectedLineCount });
  }
  if (acknowledgement !== ACKNOWLEDGEMENT) faults.push({ kind: "invalid_acknowledgement" });
  if (expectedBytes !== undefined && content.byteLength !== expectedBytes) {
    faults.push({ kind: "size_mismatch", actualBytes: content.byteLength, expectedBytes });
  }
  if (expectedSha256 !== undefined) {
    const actualSha256 = await sha256Of(content.chunks());
    if (actualSha256 !== expectedSha256.toLowerCase()) {
      faults.push({ kind: "hash_mismatch", actual: actualSha256, expected: expectedSha256 });
    }
  }
  if (ifMatch !== undefined && target.file?.sha256 !== ifMatch.toLowerCase()) {
    faults.push({
      kind: "stale_file",
      path: request.filePath,
      expectedSha256: ifMatch,
      actualSha256: target.file?.sha256,
      what: target.file === undefined ? "it is not there" : "its content is another one",
    });
  }
  if (request.allowPlaceholders !== true) {
    const before = target.file === undefined ? [] : fileContent(target.realPath, target.path).chunks();
    const lines = findPlaceholders(content.chunks(), target.realPath, before);
    if (lines.length > 0) faults.push({ kind: "placeholder_found", lines });
  }
  if (request.checkStructure === true) {
    const { checkStructure } = await import("./structure_check.ts");
    const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const before = target.file === undefined ? undefined : text(wholeFile(target.realPath, target.path));
    const fault = await checkStructure(text(gatherBytes(content.chunks())), target.realPath, before);
    if (fault === "unknown") {
      notes.push(`The structure of ${target.path} was not checked: it is of no known type.`);
    } else if (fault !== undefined) faults.push(fault);
  }
  return { faults, notes };
}
