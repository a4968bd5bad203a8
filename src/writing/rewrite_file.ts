/**
 * `rewrite`: replaces a whole file, given both proofs that the content is complete (contract, Writing files). All
 * failed checks are reported at once, and then nothing is written.
 */

import type { WriteResult } from "../terms/answers.ts";
import { sha256Of } from "../../fd/mod.ts";
import { ACKNOWLEDGEMENT, type RewriteRequest } from "../requests/rewrite_request.ts";
import { normalisedLineCount, tallyLineEnds } from "./checks/line_ends.ts";
import { findPlaceholders } from "./checks/placeholder_lines.ts";
import {
  gatherBytes,
  type GivenContent,
  handleSlice,
  missingNotes,
  textSource,
  withLineEnds,
} from "./commit/given_content.ts";
import { currentContent, type Target, wholeContent, withTarget } from "./commit/inspect_target.ts";
import { byteWord, changeDetails, lineEndNote, lineWord, writeAndReport } from "./commit/report_write.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { refuseFaults } from "../terms/write_failure.ts";
import type { WriteFault } from "../terms/write_faults.ts";

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

interface Rewrite {
  request: RewriteRequest;
  target: Target;
  content: GivenContent;
}

/** A fault, or a note on a check that could not be made. */
type Finding = WriteFault | string | undefined;

/** The checks in the order in which they are reported. All of them run, so that one answer has every fault. */
const CHECKS: readonly ((rewrite: Rewrite) => Finding | Promise<Finding>)[] = [
  targetExists,
  lineCountMatches,
  isAcknowledged,
  sizeMatches,
  hashMatches,
  fileIsUnchanged,
  holdsNoPlaceholder,
  structureIsValid,
];

/** The faults of a rewrite, and notes on checks that could not be made. */
async function checkRewrite(rewrite: Rewrite): Promise<{ faults: WriteFault[]; notes: string[] }> {
  const faults: WriteFault[] = [];
  const notes: string[] = [];
  for (const check of CHECKS) {
    const found = await check(rewrite);
    if (typeof found === "string") notes.push(found);
    else if (found !== undefined) faults.push(found);
  }
  return { faults, notes };
}

function targetExists({ request, target }: Rewrite): Finding {
  if (target.file !== undefined || request.createIfMissing === true) return undefined;
  return { kind: "file_not_found", path: request.filePath };
}

function lineCountMatches({ request: { expectedLineCount: expected }, content }: Rewrite): Finding {
  const actual = normalisedLineCount(tallyLineEnds(content.chunks()));
  return actual === expected ? undefined : { kind: "line_count_mismatch", actual, expected };
}

function isAcknowledged({ request }: Rewrite): Finding {
  return request.acknowledgement === ACKNOWLEDGEMENT ? undefined : { kind: "invalid_acknowledgement" };
}

function sizeMatches({ request: { expectedBytes }, content }: Rewrite): Finding {
  const actualBytes = content.byteLength;
  if (expectedBytes === undefined || actualBytes === expectedBytes) return undefined;
  return { kind: "size_mismatch", actualBytes, expectedBytes };
}

async function hashMatches({ request: { expectedSha256: expected }, content }: Rewrite): Promise<Finding> {
  if (expected === undefined) return undefined;
  const actual = await sha256Of(content.chunks());
  return actual === expected.toLowerCase() ? undefined : { kind: "hash_mismatch", actual, expected };
}

function fileIsUnchanged({ request: { filePath, ifMatch }, target: { file } }: Rewrite): Finding {
  if (ifMatch === undefined || file?.sha256 === ifMatch.toLowerCase()) return undefined;
  return {
    kind: "stale_file",
    path: filePath,
    expectedSha256: ifMatch,
    actualSha256: file?.sha256,
    what: file === undefined ? "it does not exist" : "its sha-256 does not match --if-match",
  };
}

function holdsNoPlaceholder({ request, target, content }: Rewrite): Finding {
  if (request.allowPlaceholders === true) return undefined;
  const lines = findPlaceholders(content.chunks(), target.realPath, currentContent(target));
  return lines.length === 0 ? undefined : { kind: "placeholder_found", lines };
}

async function structureIsValid({ request, target, content }: Rewrite): Promise<Finding> {
  if (request.checkStructure !== true) return undefined;
  const { checkStructure } = await import("./checks/structure_check.ts");
  const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const before = target.file === undefined ? undefined : text(wholeContent(target));
  const fault = await checkStructure(text(gatherBytes(content.chunks())), target.realPath, before);
  return fault === "unknown" ? `The structure of ${target.path} was not checked: unknown file type.` : fault;
}
