/**
 * The checks before a file is rewritten, in the order in which they are reported. All of them run, so that one answer
 * has every fault.
 */

import { sha256Of } from "../../fd/mod.ts";
import { ACKNOWLEDGEMENT, type RewriteRequest } from "../requests/rewrite_request.ts";
import { findPlaceholders } from "./checks/find_placeholders.ts";
import { gatherBytes } from "./commit/gather_bytes.ts";
import type { GivenContent } from "./commit/given_content.ts";
import { currentContent, type Target, wholeContent } from "./commit/inspect_target.ts";
import { normalisedLineCount, tallyLineEnds } from "./checks/line_ends.ts";
import type { WriteFault } from "../terms/write_faults.ts";

interface Rewrite {
  request: RewriteRequest;
  target: Target;
  content: GivenContent;
}

/** A fault, or a note on a check that could not be made. */
type Finding = WriteFault | string | undefined;

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
export async function checkRewrite(rewrite: Rewrite): Promise<{ faults: WriteFault[]; notes: string[] }> {
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
