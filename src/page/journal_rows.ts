/** The journal as the page shows it: the newest steps, each with its diff, and the undo of one. */

import { Buffer } from "node:buffer";
import { FdError } from "../../fd/system.ts";
import { sizeText } from "../answers/parts/grouped_digits.ts";
import { commandWriter } from "../answers/parts/next_command.ts";
import { plainLines, plainText } from "../calls/terms/control_chars.ts";
import { WriteError } from "../calls/terms/write_failure.ts";
import { jsonOf } from "../answers/render/json.ts";
import { failureOf, failureText } from "../answers/render/failure_text.ts";
import { logAnswer, stepAnswer, stepDiff } from "../writing/history/log_answer.ts";
import { undoWrite } from "../writing/history/undo_transaction.ts";
import { findTransaction, type Transaction } from "../writing/commit/journal.ts";
import { formatInquiry, openInquiries } from "../writing/inquiries/inquiries.ts";
import { pathFromHere } from "../writing/commit/resolve_path.ts";
import type { WriteContext } from "../writing/commit/write_context.ts";
import { diffRows } from "./diff_rows.ts";
import { numberIn, textIn } from "./check_request.ts";

const MAX_STEPS = 100_000;
const MAX_QUESTIONS = 20;
/** Files of a step that are shown with their diffs. */
const MAX_FILES = 50;

/** The newest steps, newest first. */
export function journalRows(context: WriteContext, query: URLSearchParams) {
  const limit = numberIn(query, "limit", { least: 1, most: MAX_STEPS, otherwise: 50 });
  const { steps, total } = logAnswer(context, limit, Date.now());
  return { total, steps: steps.reverse().map((step) => ({ ...step, paths: step.paths.map(plainText) })) };
}

/** The questions of writes that wait for an answer, newest first. */
export function openQuestions({ store, cwd }: WriteContext) {
  return openInquiries(store).reverse().slice(0, MAX_QUESTIONS).map(({ id, asked }) => ({
    inquiry: formatInquiry(id),
    question: plainText(asked.question.text),
    paths: asked.files.slice(0, MAX_FILES).map(({ path }) => plainText(pathFromHere(path, cwd))),
    at: new Date(asked.at).toISOString(),
  }));
}

/** One step with the diffs of its first files. */
export async function stepRows(context: WriteContext, query: URLSearchParams) {
  const handle = textIn(query, "tx");
  const transaction = findTransaction(context.store, handle);
  const step = stepAnswer(context, handle, MAX_FILES, Date.now()).steps[0]!;
  const files = [];
  for (let index = 0; index < Math.min(MAX_FILES, transaction.begin.files.length); index++) {
    files.push(await fileRows(context, transaction, index));
  }
  const { bytes_before: before, bytes_after: after } = step;
  const size = `${sizeText(before)} → ${after === undefined ? "?" : sizeText(after)}`;
  return { step: { ...step, size }, files };
}

/** A file of a step: its rows, or a sentence about why there are none. */
async function fileRows(context: WriteContext, transaction: Transaction, index: number) {
  const file = transaction.begin.files[index]!;
  const removed = transaction.after?.[index] === null;
  const path = plainText(pathFromHere(file.path, context.cwd));
  const row = { path, created: file.before === null && !removed, removed };
  const without = (note: string) => ({ ...row, rows: [], cut: false, note });
  try {
    const found = await stepDiff(context, transaction, index);
    if ("missing" in found) return without(found.missing);
    if (Buffer.from(found.diff.subarray(0, 13)).toString() === "Binary files ") {
      return without("Binary files differ.");
    }
    const sink = diffRows();
    sink.write(found.diff);
    const shown = sink.end();
    return shown.rows.length === 0 ? without("The content is the same.") : { ...row, ...shown };
  } catch (thrown) {
    if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
    return without(plainText(failureText(failureOf(thrown), "log").message));
  }
}

/** Undoes a step, or shows what that would change, as the JSON answer of `fdtool undo`. */
export async function undoStep(context: WriteContext, query: URLSearchParams): Promise<unknown> {
  const answer = await undoWrite({ tx: textIn(query, "tx"), dry_run: query.get("dry_run") === "1" }, context);
  const shown = JSON.parse(Buffer.concat([...jsonOf(answer, commandWriter(undefined))]).toString());
  return { ...shown, diff: shown.diff && plainLines(shown.diff) };
}
