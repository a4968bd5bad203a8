/**
 * Installs into and uninstalls from a harness's settings file. Both use the path of all writes to users' files, so they
 * are backed up, atomic, journaled, and can be undone.
 */

import { counted } from "../answers/parts/grouped_digits.ts";
import { bytesSource, gatherBytes } from "../../fd/mod.ts";
import { parseTree } from "jsonc-parser";
import { FdError, ifPossible, utf8Bytes } from "../../fd/system.ts";
import type { WriteResult } from "../calls/terms/answers.ts";
import { type Change } from "../writing/commit/commit_changes.ts";
import { withPinned } from "../writing/commit/pin_directories.ts";
import { isInside } from "../writing/commit/resolve_path.ts";
import { inspectTarget, type Target, wholeContent, withTarget } from "../writing/commit/inspect_target.ts";
import { resolveTarget } from "../writing/commit/target_path.ts";
import { newestTransactions, type Transaction } from "../writing/commit/journal.ts";
import { changeDetails, notWritten, writeAndReport } from "../writing/commit/report_write.ts";
import { oldContent, removeEmptyDirectories } from "../writing/commit/roll_back.ts";
import { INSTALL_TOOL, undoTransaction, UNINSTALL_TOOL } from "../writing/history/undo_transaction.ts";
import type { WriteContext } from "../writing/commit/write_context.ts";
import { refuse } from "../calls/terms/write_failure.ts";
import type { WriteFault } from "../calls/terms/write_faults.ts";
import { type ChangedText, holdsPart, withoutParts, withParts } from "./change_text.ts";
import type { Part, SettingsOrder } from "./harness.ts";

export async function install(order: SettingsOrder, context: WriteContext): Promise<WriteResult> {
  return await changeFile(order, context, (text) => withParts(text, order.parts), {
    unchanged: `fdtool is already installed for ${nameOf(order)}`,
    step: INSTALL_TOOL,
    done: `Installed fdtool for ${nameOf(order)}`,
  });
}

/**
 * Removes the parts. A file that is still as `install` left it is restored byte for byte, or removed if `install`
 * created it; in any other file only the parts are removed.
 */
export async function uninstall(order: SettingsOrder, context: WriteContext): Promise<WriteResult> {
  const installs = installsOf(order, context);
  const [newest] = installs;
  const before = await textsBefore(installs, context);
  const step = await stepToTakeBack(installs, order, context);
  if (step !== undefined) {
    try {
      // Later installs changed the file since the first.
      const options = { force: step !== newest, dryRun: order.dryRun };
      const undone = await undoTransaction(step, context, options);
      return { ...undone, message: [undone.message, ...order.notes].join(" ") };
    } catch (thrown) {
      // The backup was removed, so remove only the parts.
      const kind = thrown instanceof FdError ? thrown.failure.kind : undefined;
      if (kind !== "removed" && kind !== "not_found") throw thrown;
    }
  }
  const isUsers = (part: Part) =>
    (part.kind === "toml_element" || part.kind === "json" && part.mayBeUsers === true) &&
    before.length > 0 &&
    before.every((text) => holdsPart(text, part));
  const parts = order.parts.filter((part) => !isUsers(part));
  const creation = newest?.begin.files[0]?.before === null ? newest : undefined;
  const without = (text: string | undefined): ChangedText => {
    const changed: ChangedText = text === undefined ? { kind: "unchanged" } : withoutParts(text, parts);
    // A file that `install` created is removed if nothing of the user's is left in it.
    const isEmpty = changed.kind === "changed" && creation !== undefined &&
      holdsNoUserSettings(changed.text ?? "", order);
    return isEmpty ? { kind: "changed", text: undefined } : changed;
  };
  return await changeFile(order, context, without, {
    unchanged: `fdtool is not installed for ${nameOf(order)} in that file`,
    step: UNINSTALL_TOOL,
    done: `Uninstalled fdtool for ${nameOf(order)}`,
  });
}

/**
 * Finds the directories around these files that installs made, and returns what removes those that are empty by then. A
 * directory in which something of the user's was left when the last of fdtool's files went is the user's from then on.
 */
export function removerOfDirectories(
  orders: readonly SettingsOrder[],
  context: WriteContext,
): () => Promise<void> {
  const paths = orders.map(({ path }) => resolveTarget(path, context));
  const created = new Set<string>();
  const installed = new Set<string>();
  const made = new Set<string>();
  for (const { begin, after, outcome } of [...newestTransactions(context.store)].reverse()) {
    const [file] = begin.files;
    if (file === undefined || outcome?.event !== "done") continue;
    if (after?.[0] === null) {
      installed.delete(file.path);
      for (const each of made) if (![...installed].some((path) => isInside(path, each))) made.delete(each);
    } else if (begin.tool === INSTALL_TOOL || begin.undoes !== undefined && created.has(file.path)) {
      created.add(file.path);
      installed.add(file.path);
      for (const each of file.made_directories) {
        if (paths.some((path) => isInside(path, each))) made.add(each);
      }
    }
  }
  return () => withPinned(context, (pinned) => removeEmptyDirectories([...made], pinned));
}

/**
 * The orders, that of the newest install first: then each can be taken back as it was written, also in one file. A file that
 * another one names comes after that: if its settings cannot be changed, it must stay.
 */
export function newestFirst(orders: readonly SettingsOrder[], context: WriteContext): SettingsOrder[] {
  const newest = (order: SettingsOrder) => installsOf(order, context)[0]?.id ?? 0;
  const place = (order: SettingsOrder) => {
    const naming = orders.filter(({ needed }) => needed === order);
    return Math.min(newest(order), ...naming.map((each) => newest(each) - 0.5));
  };
  return orders.toSorted((one, other) => place(other) - place(one));
}

/** The write that installed this, if the file has not changed since: of several one after the other, the first. */
async function stepToTakeBack(
  installs: readonly Install[],
  order: SettingsOrder,
  context: WriteContext,
): Promise<Install | undefined> {
  const target = await inspectTarget(order.path, resolveTarget(order.path, context), context);
  const { file } = target;
  let wanted = file?.sha256;
  let step: Install | undefined;
  for (const install of installs) {
    if (wanted === undefined || install.after?.[0]?.sha256 !== wanted) continue;
    step = install;
    wanted = install.begin.files[0]?.before?.sha256;
  }
  if (step !== undefined) refuseReadOnly(target);
  return step;
}

/** A replaced file does not need write permission, so the user's wish not to have it changed is heard here. */
function refuseReadOnly({ path, file }: Target): void {
  if (file !== undefined && (file.mode & 0o222) === 0) refuse({ kind: "read_only", path, mode: file.mode });
}

/** The installs of this in this file, newest first; those before the last uninstall or undo are past. */
function installsOf(order: SettingsOrder, context: WriteContext): Install[] {
  const realPath = resolveTarget(order.path, context);
  const installs: Install[] = [];
  let isPast = false;
  for (const transaction of newestTransactions(context.store)) {
    const { begin, outcome } = transaction;
    if (outcome?.event !== "done" || begin.files[0]?.path !== realPath) continue;
    if (begin.tool !== INSTALL_TOOL) isPast ||= begin.tool === UNINSTALL_TOOL || begin.undoes !== undefined;
    else if (begin.intent === intentOf(order)) installs.push({ ...transaction, isPast });
  }
  return installs;
}

interface Install extends Transaction {
  isPast: boolean;
}

/** The texts before each install that is not past, except those whose backups are gone. */
async function textsBefore(installs: readonly Install[], { store }: WriteContext): Promise<string[]> {
  const texts: string[] = [];
  for (const { begin: { files: [file] }, isPast } of installs) {
    if (file === undefined || isPast) continue;
    try {
      const content = await oldContent(store, file);
      const text = content === undefined ? "" : decoded(gatherBytes(content.chunks()));
      if (text !== null) texts.push(text);
    } catch (thrown) {
      if (!(thrown instanceof FdError)) throw thrown;
    }
  }
  return texts;
}

/** Whether a text holds only members that the harness itself writes. */
function holdsNoUserSettings(text: string, { wiring, parts }: SettingsOrder): boolean {
  if (text.trim() === "") return true;
  if (!parts.every(({ kind }) => kind === "json")) return false;
  const root = parseTree(text);
  if (root?.type !== "object" || /\/[/*]/.test(text.replace(/"(?:\\.|[^"\\])*"/g, ""))) return false;
  const names = (root.children ?? []).map((member): unknown => member.children?.[0]?.value);
  return names.every((name) => wiring.ownMembers?.some((each) => each === name) === true);
}

function intentOf({ harness, wiring }: SettingsOrder): string {
  return `install ${harness.name} (${wiring.via})`;
}

/** The name in messages: `codex` or `codex (memory)`. */
function nameOf({ harness, wiring }: SettingsOrder): string {
  return wiring.via === "memory" ? `${harness.name} (memory)` : harness.name;
}

async function changeFile(
  order: SettingsOrder,
  context: WriteContext,
  change: (text: string | undefined) => ChangedText,
  words: { unchanged: string; step: string; done: string },
): Promise<WriteResult> {
  return await withTarget(order.path, context, async (target) => {
    const isProgram = order.parts.some((part) => part.kind === "file" && part.isProgram === true);
    const changed = changedFile(target, change, isProgram);
    if (changed === undefined) return notWritten(target, words.unchanged);
    refuseReadOnly(target);
    return await writeAndReport(context, {
      changes: [changed],
      step: { tool: words.step, intent: intentOf(order) },
      dryRun: order.dryRun,
      notes: order.notes,
      sentence: (_change, counts, file) =>
        file.created
          ? `${words.done}: created ${file.path}, ${counted(counts.newLineCount, "line")} (${
            counted(file.bytes, "byte")
          }).`
          : file.removed === true
          ? `${words.done}: removed ${file.path}.${
            file.backup_fd === undefined ? "" : ` The replaced content is in ${file.backup_fd}.`
          }`
          : `${words.done} in ${file.path}: ${changeDetails(counts, file)}`,
    });
  });
}

/** The change of the target; undefined if there is nothing to change. A byte order mark is kept. */
function changedFile(
  target: Target,
  change: (text: string | undefined) => ChangedText,
  isProgram: boolean,
): Change | undefined {
  const { path, file } = target;
  const whole = file === undefined ? undefined : decoded(wholeContent(target));
  if (whole === null) {
    const problems = [{ lineNumber: undefined, problem: "it is not UTF-8" }];
    return refuseWhole(path, { kind: "structure_invalid", settings: path, language: "text", problems });
  }
  const mark = whole?.startsWith("\uFEFF") === true ? "\uFEFF" : "";
  const changed = change(whole?.slice(mark.length));
  switch (changed.kind) {
    case "unchanged":
      return undefined;
    case "refused": {
      const { language, problems } = changed;
      return refuseWhole(path, { kind: "structure_invalid", settings: path, language, problems });
    }
    case "changed": {
      const { text } = changed;
      const content = text === undefined ? undefined : bytesSource(utf8Bytes(`${mark}${text}`));
      return { target, content, ifNew: isProgram ? { mode: 0o755 } : undefined };
    }
  }
}

function refuseWhole(path: string, fault: WriteFault): never {
  return refuse({ kind: "several", path, faults: [fault] });
}

/** Decodes text and keeps a byte order mark; null if the bytes are not UTF-8. */
function decoded(bytes: Uint8Array): string | null {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return ifPossible(() => decoder.decode(bytes), TypeError) ?? null;
}
