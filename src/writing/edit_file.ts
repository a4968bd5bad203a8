/**
 * `edit`: exact replacements in a file, all or none (contract, Writing files).
 */

import { bytesSource, gatherBytes } from "../../fd/mod.ts";
import { utf8Bytes, utf8Text } from "../../fd/system.ts";
import type { NeedsInput, WriteResult } from "../calls/terms/answers.ts";
import type { EditRequest } from "../calls/requests/edit_request.ts";
import { applyEdits, type ByteEdit } from "./apply_edits.ts";
import { checkNewText } from "./checks/new_text.ts";
import { type GivenContent, missingNotes, requestedContent, textBytes } from "./commit/given_content.ts";
import { type Target, textTarget, wholeContent, withTarget } from "./commit/inspect_target.ts";
import { askAboutLargeChange } from "./inquiries/large_change.ts";
import { meantFile } from "./commit/target_path.ts";
import { shortCall } from "../calls/terms/next_call.ts";
import { convertLineEnds, fittingEol, tallyLineEnds } from "./checks/line_ends.ts";
import type { Correction } from "./checks/nearest_lines.ts";
import { changeSentence, writeAndReport } from "./commit/report_write.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { refuse } from "../calls/terms/write_failure.ts";

/** Edits a file, or asks first if the edit changes more than half of it. */
export async function editFile(
  request: EditRequest,
  context: WriteContext,
): Promise<WriteResult | NeedsInput> {
  const retryWith = (path: string) => shortCall({ command: "edit", args: { ...request, path } });
  const given = await requestedEdits(request, context);
  return await withTarget(request.path, context, async (target) => {
    const setsWhole = given.some((edit) => edit.oldBytes.length === 0);
    const { text, inFile } = textTarget(target, setsWhole);
    const { edits, convertedTo } = request.eol === undefined ? fittingEdits(text, given) : { edits: given };
    const edited = editedText(text, edits, request);
    const change = { target, content: bytesSource(inFile(edited)) };
    const notes = checkNewText(text, {
      what: "the new text",
      content: bytesSource(edited),
      added: { chunks: () => edits.map((edit) => edit.newBytes) },
      allowPlaceholders: request.allow_placeholders,
      convertedTo,
    });
    const asking = { tool: "edit_file", request: { ...request }, changes: [{ ...change, setsWhole }] };
    const asked = askAboutLargeChange(context, asking);
    if (asked !== undefined) return asked;
    return await writeAndReport(context, {
      changes: [change],
      step: { tool: "edit_file" },
      dryRun: request.dry_run === true,
      sentence: (_change, counts, file) => changeSentence("Edited", counts, file),
      notes: [...notes, ...missingNotes(edits)],
    });
  }, { bufferedBytes: Infinity, retryWith });
}

function editedText(target: Target, edits: readonly ByteEdit[], request: EditRequest): Uint8Array {
  if (target.file === undefined && edits[0]?.oldBytes.length !== 0) {
    const meant = meantFile(target.path, target.place);
    const retry = meant && shortCall({ command: "edit", args: { ...request, path: meant } });
    refuse({ kind: "file_not_found", path: target.path, meant, retry: retry || undefined });
  }
  const outcome = applyEdits(wholeContent(target), edits, target.path);
  if (outcome.fault === undefined) return outcome.content;
  const { fault, correction } = outcome;
  if (fault.kind !== "match_not_found" || correction === undefined) return refuse(fault);
  return refuse({ ...fault, retry: correctedRequest(request, fault.edit ?? 0, correction) });
}

/** The request with the edit at `index` corrected; undefined if it is long, or no command line can say it. */
function correctedRequest(
  { edits, ...request }: EditRequest,
  index: number,
  { text, eol, replacement }: Correction,
): EditRequest | undefined {
  const isMixed = edits?.some((each) =>
    each.new_fd !== undefined || each.replace_all !== edits[0]?.replace_all
  );
  if (isMixed && edits?.length !== 1) return undefined;
  // Conversion must leave what was found as it is.
  const isUnchanged = utf8Text(convertLineEnds(utf8Bytes(text), request.eol ?? "keep")) === text;
  const wanted = eol ?? (isUnchanged ? request.eol : undefined);
  const correct = <Edit extends Pick<EditRequest, "new_string">>(edit: Edit): Edit => ({
    ...edit,
    old_string: text,
    ...edit.new_string === undefined ? {} : { new_string: replacement(edit.new_string) },
  });
  const corrected = edits === undefined
    ? { ...correct(request), eol: wanted }
    : { ...request, edits: edits.with(index, correct(edits[index]!)), eol: wanted };
  return shortCall({ command: "edit", args: corrected })?.args;
}

type GivenEdit = ByteEdit & Pick<GivenContent, "remark">;

/** The edits with the line ends of the text that they replace, or of the file. */
function fittingEdits(target: Target, given: readonly GivenEdit[]) {
  const ends = tallyLineEnds([wholeContent(target)]);
  let convertedTo: "lf" | "crlf" | undefined;
  const edits = given.map((edit) => {
    const eol = fittingEol(ends, edit.oldBytes);
    const newBytes = convertLineEnds(edit.newBytes, eol);
    if (eol !== "keep" && newBytes.length !== edit.newBytes.length) convertedTo = eol;
    return { ...edit, newBytes };
  });
  return { edits, convertedTo };
}

/** The edits as bytes. With `eol`, old and new text are converted, so that text copied with other line ends matches. */
async function requestedEdits(request: EditRequest, context: WriteContext): Promise<GivenEdit[]> {
  const { edits, old_string, new_string, new_fd, replace_all } = request;
  const given = edits ?? [{ old_string, new_string, new_fd, replace_all }];
  return await Promise.all(given.map(async (edit, index) => {
    const field = (name: string) => edits === undefined ? name : `edits[${index}].${name}`;
    const asked = { fd: edit.new_fd, text: edit.new_string, field: field("new_string") };
    const given = await requestedContent(context.store, asked);
    const convert = (bytes: Uint8Array) => convertLineEnds(bytes, request.eol ?? "keep");
    return {
      oldBytes: convert(textBytes(edit.old_string!, field("old_string"))),
      newBytes: convert(gatherBytes(given.chunks())),
      remark: given.remark,
      replaceAll: edit.replace_all === true,
    };
  }));
}
