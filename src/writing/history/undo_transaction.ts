/**
 * Undoes a step of the journal while its files are as it left them. The undo is a step of its own: it backs up what
 * it replaces, and can be undone.
 */

import { readFileSync } from "node:fs";
import { counted } from "../../answers/parts/grouped_digits.ts";
import { logPath, sha256Of, type Store } from "../../../fd/mod.ts";
import { fail, FdError, ifPossible, undefinedIf } from "../../../fd/system.ts";
import type { WriteResult } from "../../calls/terms/answers.ts";
import { firstFew, listFew } from "../../answers/parts/first_few.ts";
import { inSentences } from "../../answers/parts/next_command.ts";
import type { UndoRequest } from "../../calls/requests/history_requests.ts";
import type { Change } from "../commit/commit_changes.ts";
import { withPinned } from "../commit/pin_directories.ts";
import { type Place, resolveTarget } from "../commit/target_path.ts";
import { inspectTarget, type Target, wholeContent, withTargetsLocked } from "../commit/inspect_target.ts";
import {
  findTransaction,
  formatTransaction,
  isOutcomeLost,
  type JournaledFile,
  type LoggedTransaction,
  newestTransactions,
  stepPaths,
  type Transaction,
} from "../commit/journal.ts";
import { firstLines, writeAndReport } from "../commit/report_write.ts";
import { isInside, pathFromHere, resolveRealPath } from "../commit/resolve_path.ts";
import { oldBytes, oldContent, removeMadeDirectories } from "../commit/roll_back.ts";
import { unifiedDiff } from "../../findings/comparing/unified_diff.ts";
import type { WriteContext } from "../commit/write_context.ts";
import { refuse, refuseFaults, WriteError } from "../../calls/terms/write_failure.ts";
import type { WriteFault } from "../../calls/terms/write_faults.ts";

/**
 * Finds the newest step in effect (done, not an undo, and not undone): with `path`, of those that changed it;
 * without, of those that changed a file at or below the root or, without one, the working directory. `newer` is the newest step
 * of all, if it changed only files elsewhere.
 *
 * @throws {WriteError} `not_found`, `step_elsewhere` if it changed files elsewhere too, or all steps did; {@link
 * FdError} `store_corrupt` if a newer step cannot be read.
 */
function newestStep(store: Store, place: Place, path: string | undefined) {
  const realPath = path === undefined ? undefined : resolveRealPath(path, place.cwd);
  const here = resolveRealPath(place.root ?? place.cwd, place.cwd);
  let newer: Transaction | undefined;
  let highest = 0;
  const onLost = (id: number, what: string) => {
    // Its files are unknown. For a given path, the file itself shows whether it is as an older step left it.
    if (path === undefined) failLost(store, id, what);
  };
  for (const transaction of newestTransactions(store, onLost)) {
    const { id, begin, outcome, isUndone } = transaction;
    highest = Math.max(highest, id);
    if (outcome?.event !== "done" || begin.undoes !== undefined || isUndone) continue;
    if (realPath !== undefined) {
      if (begin.files.some((file) => file.path === realPath)) return { step: transaction, newer: undefined };
      continue;
    }
    const outside = begin.files.filter((file) => !isInside(file.path, here));
    if (outside.length === 0) return { step: transaction, newer };
    if (outside.length < begin.files.length) return refuseElsewhere(transaction, outside, here, place);
    newer ??= transaction;
  }
  if (newer !== undefined) return refuseElsewhere(newer, newer.begin.files, here, place);
  return refuse({
    kind: "not_found",
    family: "tx",
    handle: path ?? "a step to undo",
    highest,
    path: path ?? "any file",
  });
}

function refuseElsewhere(
  { id, begin }: Transaction,
  outside: readonly JournaledFile[],
  here: string,
  { root }: Place,
): never {
  return refuse({
    kind: "step_elsewhere",
    handle: formatTransaction(id),
    paths: outside.map((file) => file.path),
    isPartlyHere: outside.length < begin.files.length,
    here,
    isConfined: root !== undefined,
  });
}

function failLost(store: Store, id: number, what: string): never {
  const fd = formatTransaction(id);
  fail({ kind: "store_corrupt", fd, path: logPath(store, "tx", id), what: `its record ${what}` });
}

/** Undoes the step that the request names: by its handle, the newest of a file, or the newest of this directory. */
export async function undoWrite(request: UndoRequest, context: WriteContext): Promise<WriteResult> {
  const { tx, path, force, dry_run } = request;
  const { step, newer } = tx === undefined
    ? newestStep(context.store, context, path)
    : { step: findTransaction(context.store, tx), newer: undefined };
  if (force !== true) refuseHalf(context.store, step);
  const result = await undoTransaction(step, context, { force: force === true, dryRun: dry_run === true });
  if (newer === undefined) return result;
  const paths = listFew(stepPaths(newer.begin.files, context.cwd), MAX_NAMED);
  return {
    ...result,
    message: `${result.message} A newer step, ${formatTransaction(newer.id)}, changed ${paths}.`,
  };
}

/** The tools of the steps by which `install` and `uninstall` write; their intent is `install HARNESS (WIRING)`. */
export const INSTALL_TOOL = "install_harness";
export const UNINSTALL_TOOL = "uninstall_harness";

/** Refuses a step of an install or uninstall if a newer one, which is in effect, is the other half: a file names the other. */
function refuseHalf(store: Store, { id, begin }: Transaction): void {
  const half = installOf(store, begin);
  if (half === undefined) return;
  const newer = stepAfter(store, id, (step) => !step.isUndone && installOf(store, step.begin) === half) ??
    stepNaming(store, begin, half);
  if (newer === undefined) return;
  const [verb, harness = ""] = half.split(" ");
  refuse({
    kind: "closed",
    action: "undo",
    handle: formatTransaction(id),
    how: `one half of an ${verb}: what ${formatTransaction(newer)} changed belongs to it`,
    next: begin.tool === INSTALL_TOOL
      ? { command: "uninstall", args: { harness } }
      : { command: "undo", args: { tx: formatTransaction(newer) } },
  });
}

/** The step of the same install whose file names the one that this step wrote, as a script that was deleted and written again. */
function stepNaming(store: Store, { tool, files }: Transaction["begin"], half: string): number | undefined {
  if (tool !== INSTALL_TOOL) return undefined;
  const namesAll = (path: string) => {
    const text = ifPossible(() => readFileSync(path, "utf8")) ?? "";
    return files.every((own) => own.path !== path && text.includes(own.path));
  };
  for (const { id, begin } of newestTransactions(store)) {
    if (installOf(store, begin) === half && begin.files.some(({ path }) => namesAll(path))) return id;
  }
  return undefined;
}

/** The newest step after `id` that is done and wanted. */
function stepAfter(
  store: Store,
  id: number,
  isWanted: (step: LoggedTransaction) => boolean,
): number | undefined {
  for (const step of newestTransactions(store)) {
    if (step.id <= id) return undefined;
    if (step.outcome?.event === "done" && isWanted(step)) return step.id;
  }
  return undefined;
}

/** Returns what a step does, itself or by undoing another: `install HARNESS (WIRING)` or `uninstall …`; undefined for other steps. */
function installOf(store: Store, { tool, intent, undoes }: Transaction["begin"]): string | undefined {
  if (tool === INSTALL_TOOL) return intent;
  if (tool === UNINSTALL_TOOL) return `un${intent}`;
  if (undoes === undefined) return undefined;
  const undone = ifPossible(() => findTransaction(store, formatTransaction(undoes)).begin);
  const back = undone && installOf(store, undone);
  return back?.startsWith("un") === true ? back.slice(2) : back && `un${back}`;
}

/** The most files of another step that are named. */
const MAX_NAMED = 3;

/** The most changed files that are reported, each with its diff. */
const MAX_STALE = 5;

/**
 * Undoes a transaction.
 *
 * @throws {WriteError} `closed` if it is not done; `stale_file` for each file that changed since, unless `force`, and
 * even then if its old content is lost. {@link FdError} `outside_root`, and failures of the disk.
 */
export async function undoTransaction(
  transaction: Transaction,
  context: WriteContext,
  options: { force: boolean; dryRun: boolean },
): Promise<WriteResult> {
  const { id, begin, outcome } = transaction;
  const { store } = context;
  if (isOutcomeLost(store, transaction)) failLost(store, id, "is missing its outcome");
  if (outcome?.event !== "done") {
    const how = outcome === undefined ? "not finished" : "rolled back";
    const next = outcome === undefined ? { command: "recover" as const, args: {} } : undefined;
    return refuse({ kind: "closed", action: "undo", handle: formatTransaction(id), how, next });
  }
  for (const file of begin.files) resolveTarget(file.path, context);
  return await withTargetsLocked(store, begin.files.map((file) => file.path), async () => {
    const undoer = stepAfter(store, id, (step) => step.begin.undoes === id && !step.isUndone);
    const mayBeRestored = options.force || undoer !== undefined;
    const found = await restoringChanges(transaction, context, options.force, mayBeRestored);
    const { changes, remarks } = found;
    if (changes.length === 0) return alreadyRestored(transaction, undoer, remarks, context);
    const result = await writeAndReport(context, {
      changes,
      step: { tool: "undo_write", intent: `undo ${formatTransaction(id)}`, undoes: id },
      dryRun: options.dryRun,
      sentence: (_change, _counts, file) => {
        const backup = file.backup_fd === undefined ? "" : ` The replaced content is in ${file.backup_fd}.`;
        return file.removed === true
          ? `Removed ${file.path}, which ${formatTransaction(id)} had created.${backup}`
          : `Restored ${file.path} as it was before ${formatTransaction(id)} (${
            counted(file.bytes, "byte")
          }).${backup}`;
      },
      notes: remarks,
    });
    if (!options.dryRun) {
      // The files are restored, so a directory that remains is not a failure.
      await withPinned(context, (pinned) => removeMadeDirectories(begin.files, pinned))
        .catch(undefinedIf(FdError, WriteError));
    }
    return result;
  });
}

/** The result if the files are already as they were before the step: no step is made. */
function alreadyRestored(
  { id, begin }: Transaction,
  undoer: number | undefined,
  remarks: readonly string[],
  { cwd }: WriteContext,
): WriteResult {
  const how = undoer === undefined ? "" : ` (${formatTransaction(undoer)} undid it)`;
  const are = begin.files.length === 1 ? "is" : "are";
  const paths = listFew(stepPaths(begin.files, cwd), MAX_NAMED);
  const restored = `Nothing was undone: ${paths} ${are} already as before ${formatTransaction(id)}${how}.`;
  return { type: "write_result", message: inSentences([restored, ...firstFew(remarks, MAX_NAMED).shown]) };
}

/**
 * The changes that restore the files of a transaction, none if they are restored already, and remarks on files that were removed already, or keep what a write does not restore. Refuses files that
 * changed since, unless `force`.
 */
async function restoringChanges(
  { id, begin, after }: Transaction,
  context: WriteContext,
  force: boolean,
  mayBeRestored: boolean,
): Promise<{ changes: Change[]; remarks: string[] }> {
  const faults: WriteFault[] = [];
  let moreFaults = 0;
  const changes: Change[] = [];
  const remarks: string[] = [];
  let restoredCount = 0;
  for (const [index, file] of begin.files.entries()) {
    const path = pathFromHere(file.path, context.cwd);
    const target = await inspectTarget(path, file.path, context);
    const wanted = after?.[index] ?? null;
    const isAsLeft = (target.file?.sha256 ?? null) === (wanted?.sha256 ?? null);
    if ((target.file?.sha256 ?? null) === (file.before?.sha256 ?? null)) restoredCount++;
    const hasOld = isAsLeft || await hasOldContent(context.store, file);
    if (!isAsLeft && !(force && hasOld)) {
      if (faults.length < MAX_STALE) {
        faults.push(await staleFault(context.store, target, wanted?.sha256, file, id, hasOld));
      } else moreFaults++;
    }
    if (target.file === undefined && file.before === null) {
      remarks.push(`${path}, which ${formatTransaction(id)} had created, was already removed.`);
      continue;
    }
    const { before } = file;
    const now = target.file && { mode: target.file.mode, ...target.file.owner };
    const other = (["mode", "uid", "gid"] as const)
      .filter((field) => before !== null && now !== undefined && before[field] !== now[field]);
    if (other.length > 0) remarks.push(`${path} keeps its present ${other.join(" and ")}.`);
    const ifNew = file.before === null ? undefined : { mode: file.before.mode, owner: file.before };
    changes.push({ target, content: await oldContent(context.store, file), ifNew });
  }
  if (mayBeRestored && restoredCount === begin.files.length) return { changes: [], remarks };
  refuseFaults(stepPaths(begin.files, context.cwd)[0] ?? "", faults, moreFaults);
  return { changes, remarks };
}

/** Whether the old content exists: that of a file that was only extended is its beginning, which may have changed. */
async function hasOldContent(store: Store, file: JournaledFile): Promise<boolean> {
  if (file.backup === null || typeof file.backup === "number") return true;
  const content = (await oldContent(store, file))!;
  return await sha256Of(content.chunks()).catch(undefinedIf(FdError, WriteError)) !== undefined;
}

async function staleFault(
  store: Store,
  target: Target,
  expectedSha256: string | undefined,
  file: JournaledFile,
  id: number,
  hasOld: boolean,
): Promise<WriteFault> {
  const actualSha256 = target.file?.sha256;
  const left = ({ begin, after }: LoggedTransaction) =>
    begin.files.some(({ path }, at) => path === file.path && after?.[at]?.sha256 === actualSha256);
  const later = stepAfter(store, id, left);
  const old = hasOld ? await oldBytes(store, file) : undefined;
  const changed = later === undefined
    ? `it changed since ${formatTransaction(id)}`
    : `${formatTransaction(later)} changed it since`;
  return {
    kind: "stale_file",
    path: target.path,
    expectedSha256,
    actualSha256,
    what: hasOld ? changed : `${changed}, and its old content is lost`,
    diff: old === undefined ? undefined : shownDiff(target, old),
    undoes: old === undefined ? undefined : formatTransaction(id),
  };
}

/** The diff that undoing would make in the current file, truncated to fit in a message. */
function shownDiff(target: Target, old: Uint8Array): string {
  const diff = unifiedDiff({ name: target.path, bytes: wholeContent(target) }, {
    name: "undone",
    bytes: old,
  });
  const shown = firstLines(diff, SHOWN_DIFF_BYTES);
  return `${new TextDecoder().decode(shown)}${shown === diff ? "" : "[diff truncated]\n"}`;
}

const SHOWN_DIFF_BYTES = 2000;
