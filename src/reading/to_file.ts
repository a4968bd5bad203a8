/** Writes an fd, or a slice of it, to a user's file (contract, Commands), by the path of all writes. */

import {
  bytesSource,
  charsInSlice,
  findFd,
  formatFd,
  gatherBytes,
  locateSlice,
  prepareContent,
  readSlice,
} from "../../fd/mod.ts";
import { fail, refuse } from "../../fd/system.ts";
import type { AnswerOf, WriteResult } from "../calls/terms/answers.ts";
import type { Host } from "../calls/terms/command.ts";
import { missingFields, withMissingRemark } from "../answers/parts/missing_remark.ts";
import { rangeOrAll } from "../calls/requests/requested_slice.ts";
import type { ToFileRequest } from "../calls/requests/to_file_request.ts";
import type { Message } from "../calls/terms/next_call.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import { encodingOf } from "../writing/checks/encodings.ts";
import { convertLineEnds, fittingEol, missingLineEnd, tallyLineEnds } from "../writing/checks/line_ends.ts";
import { lostDefinitions } from "../writing/checks/lost_definitions.ts";
import { newTextFaults, newTextNotes } from "../writing/checks/new_text.ts";
import { isUnchanged } from "../writing/commit/commit_changes.ts";
import { changeDetails, remarksOn, writeAndReport } from "../writing/commit/report_write.ts";
import { refuseFaults } from "../calls/terms/write_failure.ts";
import { type Change, commitChanges, type Step } from "../writing/commit/commit_changes.ts";
import type { NewContent } from "../writing/commit/present_file.ts";
import { type Target, withTarget } from "../writing/commit/inspect_target.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";

/**
 * Writes to a file. If it throws, nothing was changed. Throws `invalid_parameter`, `file_exists`, `file_not_found`,
 * `outside_root`, and what reading the fd and writing a file throw.
 */
export async function toFile(
  request: ToFileRequest,
  host: Host,
): Promise<AnswerOf<"fd_file_result"> | WriteResult> {
  const context = writeContextOf(host);
  const { store } = context;
  const { file_path: path, mode = "write", create = true, exist_ok: existOk = true } = request;
  checkRequest(request, create, existOk);
  const entry = findFd(store, request.fd);
  const asked = rangeOrAll({ ...request, mode: undefined });
  await prepareContent(store, entry, asked);
  const slice = locateSlice(store, entry, asked);
  return await withTarget(path, context, async (target) => {
    if (target.file !== undefined && !existOk) {
      fail({ kind: "file_exists", path, refusedBy: "exist_ok=false" });
    }
    if (target.file === undefined && !create) fail({ kind: "file_not_found", path });
    const { added, convertedTo, lineEnd, continues } = fitted(
      request,
      target,
      readSlice(store, entry, slice),
    );
    const content = contentFor(mode, target, request.at_line ?? 1, added, lineEnd);
    // It exports what was stored, so only content that is replaced can be lost.
    if (mode === "write" && target.file !== undefined && target.file.stamp.byteCount > 0) {
      refuseFaults(path, newTextFaults(target, { content, allowPlaceholders: request.allow_placeholders }));
    }
    const notes: Message[] = mode === "write" && convertedTo === undefined
      ? lostDefinitions(path, target.before, content)
      : newTextNotes(target, { what: "the content", content, added, convertedTo });
    if (continues) notes.push("The last line had no line end, and the content continues it.");
    else if (mode === "append" && lineEnd.length > 0) {
      notes.push(["The last line had no line end, so one was added; use ", GLUE, " to append without."]);
    }
    const changes = [{ target, content, extendsOld: mode === "append" }];
    const step = { tool: "fd_to_file", cwd: context.cwd, root: context.root };
    if (request.dry_run === true) return await shownExport(context, changes, step, notes);
    // Before the write: a later failure would look like a failure of the write.
    const charCount = charsInSlice(store, entry, slice);
    const fd = formatFd(entry.id);
    const result = { type: "fd_file_result" as const, fd, file_path: path, mode, char_count: charCount };
    const given = { success: true, create, exist_ok: existOk, ...missingFields(entry, slice) };
    if (await isUnchanged(changes)) {
      const message = `Nothing was written to ${path}: this would change nothing.`;
      return { ...result, size_bytes: target.file!.stamp.byteCount, ...given, message };
    }
    const committed = await commitChanges(store, changes, step);
    const { byteCount, backupId, ownerKept } = committed.files[0]!;
    const tx = `tx:${committed.transactionId}`;
    const part = slice.all ? "" : `${slice.mode}s ${slice.start}-${slice.start + slice.count - 1} of `;
    const kept = backupId === undefined ? "" : `. The old content is in ${formatFd(backupId)}`;
    const [verb, to] = DONE[mode];
    const written = `${verb} ${part}${fd} (${charCount} chars) ${to} ${path}${kept}.`;
    return {
      ...result,
      size_bytes: byteCount,
      ...given,
      backup_fd: backupId === undefined ? undefined : formatFd(backupId),
      tx,
      message: inSentences([
        withMissingRemark(entry, written, slice),
        ...remarksOn(target, ownerKept),
        ...notes,
        ...committed.notes,
      ]),
      next: { command: "undo", args: { tx } },
    };
  });
}

const DONE = { write: ["Wrote", "to"], append: ["Appended", "to"], insert: ["Inserted", "into"] } as const;

/** Shows the change that the export would make. */
async function shownExport(
  context: WriteContext,
  changes: readonly Change[],
  step: Step,
  notes: readonly Message[],
): Promise<WriteResult> {
  return await writeAndReport(context, {
    changes,
    step,
    dryRun: true,
    notes,
    sentence: (_change, counts, file) => `${file.path}: ${changeDetails(counts, file)}`,
  });
}

function checkRequest({ mode, at_line }: ToFileRequest, create: boolean, existOk: boolean): void {
  if (!create && !existOk) {
    const wanted = "create or exist_ok to be true";
    refuse("exist_ok", "create=false and exist_ok=false", wanted);
  }
  if ((mode === "insert") !== (at_line !== undefined)) {
    const got = mode === "insert" ? "nothing" : String(at_line);
    const wanted = mode === "insert" ? "the line to insert before, from 1" : "mode insert with at_line";
    refuse("at_line", got, wanted);
  }
}

const GLUE = { parameter: "glue", value: true } as const;

/** The added content with line ends as asked or, beside text that stays, as in the file; and the line end before it. */
function fitted({ mode = "write", eol, glue }: ToFileRequest, target: Target, given: NewContent) {
  const isPart = mode !== "write" && target.file !== undefined;
  const ends = tallyLineEnds(isPart ? target.before.chunks() : []);
  const its = isPart || eol !== undefined ? tallyLineEnds(given.chunks()) : ends;
  const wanted = eol ?? (its.isBinary ? "keep" : fittingEol(ends));
  const isOther = wanted === "crlf" ? its.lfCount > 0 : wanted === "lf" && its.crlfCount > 0;
  const added = isOther ? bytesSource(convertLineEnds(gatherBytes(given.chunks()), wanted)) : given;
  const lacked = glue === true || its.isBinary ? NOTHING : missingLineEnd(ends, firstOf(added.chunks()));
  // A part of a line continues the last one, as the bytes that were stored say.
  const continues = mode === "append" && its.lastByte !== LINE_FEED && lacked.length > 0;
  return {
    added,
    lineEnd: continues ? NOTHING : lacked,
    continues,
    convertedTo: isOther && eol === undefined && wanted !== "keep" ? wanted : undefined,
  };
}

function firstOf(chunks: Iterable<Uint8Array>): Uint8Array {
  for (const chunk of chunks) return chunk;
  return NOTHING;
}

/** The new content of the file. `lineEnd` goes before what is added after the last line. */
function contentFor(
  mode: keyof typeof DONE,
  target: Target,
  atLine: number,
  added: NewContent,
  lineEnd: Uint8Array,
): NewContent {
  if (mode === "write" || target.file === undefined && atLine === 1) return added;
  const atByte = mode === "append" ? Infinity : placeOfFileLine(target, atLine);
  return {
    *chunks() {
      let byteOffset = 0;
      let isAdded = false;
      for (const chunk of target.before.chunks()) {
        const before = Math.min(chunk.length, Math.max(0, atByte - byteOffset));
        if (before > 0) yield chunk.subarray(0, before);
        if (before < chunk.length) {
          if (!isAdded) yield* added.chunks();
          isAdded = true;
          yield chunk.subarray(before);
        }
        byteOffset += chunk.length;
      }
      if (isAdded) return;
      if (lineEnd.length > 0) yield lineEnd;
      yield* added.chunks();
    },
  };
}

const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array(0);

/** The start of line `atLine` of a file, after a byte order mark; the file's end for the line after its last. */
function placeOfFileLine(target: Target, atLine: number): number {
  if (atLine === 1) return encodingOf(firstOf(target.before.chunks()))?.markBytes ?? 0;
  let line = 1;
  let byteOffset = 0;
  let lastByte = LINE_FEED;
  for (const chunk of target.before.chunks()) {
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      if (++line === atLine) return byteOffset + at + 1;
    }
    byteOffset += chunk.length;
    lastByte = chunk.at(-1) ?? lastByte;
  }
  // Without a final LF, the last line ends with the file, where the next one would start.
  const last = lastByte === LINE_FEED ? line : line + 1;
  if (atLine === last) return byteOffset;
  const wanted = `1 to ${last} (the lines of ${target.path}, or one after the last)`;
  return refuse("at_line", atLine, wanted);
}
