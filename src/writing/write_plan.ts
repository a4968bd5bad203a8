/**
 * `plan check` and `plan apply` (contract, Write plans): checks a plan completely, so that every problem is reported
 * at once, then applies it to all its files or none.
 */

import { basename, dirname } from "node:path";
import { bytesSource, formatFd, PLAN_SOURCE } from "../../fd/mod.ts";
import type { NeedsInput, PlanCheck, WriteResult } from "../calls/terms/answers.ts";
import { fewSentences, firstFew } from "../answers/parts/first_few.ts";
import { inSentences } from "../answers/parts/next_command.ts";
import type { JsonObject } from "../calls/requests/json_object.ts";
import type { Message } from "../calls/terms/next_call.ts";
import { type Change } from "./commit/commit_changes.ts";
import { EditedText } from "./checks/edited_text.ts";
import { tallyLineEnds } from "./checks/line_ends.ts";
import { newTextFaults, newTextNotes } from "./checks/new_text.ts";
import { missingNotes } from "./commit/given_content.ts";
import { ask } from "./inquiries/inquiries.ts";
import {
  inspectTarget,
  type Target,
  textTarget,
  wholeContent,
  withTargetsLocked,
} from "./commit/inspect_target.ts";
import { resolveTarget } from "./commit/target_path.ts";
import { storeContent } from "./commit/stored_content.ts";
import { askAboutLargeChange } from "./inquiries/large_change.ts";
import { type FormedPlan, problemIn, readPlan } from "./read_plan.ts";
import { countChangedLines } from "../findings/comparing/changed_lines.ts";
import { MAX_REPORTED, plannedFile, writeAndReport } from "./commit/report_write.ts";
import type { MarkerQuestion, PlannedFile } from "./place_markers.ts";
import { simulateFile, type Simulation } from "./simulate_plan.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { type PlanProblem, refuse } from "../calls/terms/write_failure.ts";

/** Checks a plan, and applies it unless only a check was requested. May ask. */
export async function writePlan(
  request: JsonObject,
  context: WriteContext,
): Promise<WriteResult | PlanCheck | NeedsInput> {
  const { intent = "", plans, problems } = readPlan(request);
  const paths = resolvePaths(plans, context, problems);
  const locked = [...new Set(paths.flatMap((path) => path ?? []))];
  return await withTargetsLocked(context.store, locked, async () => {
    const { files, questions } = await simulate(plans, paths, context, problems);
    if (request["allow_placeholders"] !== true) problems.push(...files.flatMap(placeholdersIn));
    if (problems.length > 0) refusePlan(problems, context);
    const changes = files.map(({ target, content, inFile, copyBeside }): Change => (
      { target, content: bytesSource(inFile(content?.bytes() ?? new Uint8Array(0))), copyBeside }
    ));
    const fileOf = new Map(changes.map((change, index) => [change, files[index]!]));
    const [question] = questions;
    const notes = notesOf(files);
    if (request["check_only"] === true) {
      if (question === undefined) return checked(intent, files, changes, notes);
      return refusePlan(questions.map(({ id, fault }) => ({ at: id, problem: fault })), context);
    }
    const inquiry = { tool: "write_plan", request: { ...request } };
    if (question !== undefined) {
      const { id, text, options } = question;
      return ask(context, {
        ...inquiry,
        question: { id, text, answer_type: { Select: { options } }, default: null },
        carriesContent: true,
        targets: files.map((file) => file.target),
      });
    }
    const counted = changes.filter((_change, index) => !files[index]!.setsWhole);
    const asked = askAboutLargeChange(context, { ...inquiry, changes: counted });
    if (asked !== undefined) return asked;
    const planId = request["dry_run"] === true ? undefined : storePlan(request, context);
    return await writeAndReport(context, {
      changes,
      step: { tool: "write_plan", intent, planId },
      dryRun: request["dry_run"] === true,
      sentence: (change, _counts, file) => {
        const planned = fileOf.get(change)!;
        const saved = file.backup_file;
        const copy = saved === undefined
          ? []
          : [`Backup saved to ${plans.length === 1 ? basename(saved) : saved}.`];
        return [...operationsOf(planned.sentences), ...copy].join(" ");
      },
      notes,
    });
  });
}

function resolvePaths(
  plans: readonly FormedPlan[],
  context: WriteContext,
  problems: PlanProblem[],
): (string | undefined)[] {
  return plans.map(({ targetFile, at }) => {
    if (targetFile === undefined) return undefined;
    try {
      return resolveTarget(targetFile, context, {});
    } catch (thrown) {
      problems.push({ at: `${at}target_file`, problem: problemIn(thrown) });
      return undefined;
    }
  });
}

async function simulate(
  plans: readonly FormedPlan[],
  paths: readonly (string | undefined)[],
  context: WriteContext,
  problems: PlanProblem[],
): Promise<{ files: PlannedFile[]; questions: MarkerQuestion[] }> {
  const files = new Map<string, PlannedFile>();
  const named: NamedTarget[] = [];
  const simulation: Simulation = { problems, questions: [] };
  for (const [index, plan] of plans.entries()) {
    const realPath = paths[index];
    const { targetFile = "" } = plan;
    const at = `${plan.at}target_file`;
    if (realPath !== undefined && !files.has(realPath)) {
      try {
        const file = await startFile(targetFile, realPath, context);
        files.set(realPath, file);
        named.push({ at, target: file.target });
      } catch (thrown) {
        problems.push({ at, problem: problemIn(thrown) });
      }
    }
    const name = plans.length === 1 ? basename(targetFile) : targetFile;
    const file = realPath === undefined ? undefined : files.get(realPath);
    await simulateFile(plan, file, name, context, simulation);
  }
  problems.push(...exclusiveFiles(named));
  return { files: [...files.values()], questions: simulation.questions };
}

/** A file that a plan writes, and the field that names it: `plans[1].target_file`. */
interface NamedTarget {
  at: string;
  target: Target;
}

/**
 * Finds files that a plan cannot write together, or at all: two names of one file, and a file below a file. Each
 * passes its own checks; without this the plan would fail with half of the files in place. Reports each conflict at
 * the later one of two files.
 */
function exclusiveFiles(files: readonly NamedTarget[]): PlanProblem[] {
  const byRealPath = new Map(files.map((each) => [each.target.realPath, each]));
  const byInode = new Map<string, Target>();
  const problems: PlanProblem[] = [];
  for (const { at, target } of files) {
    const { path, realPath, file } = target;
    if (file !== undefined) {
      const inode = `${file.stamp.device}:${file.stamp.inode}`;
      const other = byInode.get(inode);
      if (other === undefined) byInode.set(inode, target);
      else {
        const problem = `${path} and ${other.path} are the same file (hard links); list it once`;
        problems.push({ at, problem });
      }
      continue;
    }
    const above = plannedAbove(realPath, byRealPath);
    if (above !== undefined) {
      const order = files.indexOf(above) > files.findIndex((each) => each.target === target);
      const problem =
        `${path} cannot be created: the plan writes ${above.target.path} as a file, not a directory`;
      problems.push({ at: order ? above.at : at, problem });
    }
  }
  return problems;
}

/** The file of the plan that is a parent of `realPath`. */
function plannedAbove(
  realPath: string,
  byRealPath: ReadonlyMap<string, NamedTarget>,
): NamedTarget | undefined {
  for (let above = dirname(realPath); above !== dirname(above); above = dirname(above)) {
    const planned = byRealPath.get(above);
    if (planned !== undefined) return planned;
  }
  return undefined;
}

async function startFile(path: string, realPath: string, place: WriteContext): Promise<PlannedFile> {
  const target = await inspectTarget(path, realPath, place, Infinity);
  const { text, inFile } = textTarget(target);
  return {
    target,
    text,
    inFile,
    content: target.file === undefined ? undefined : new EditedText(wholeContent(text)),
    setsWhole: false,
    copyBeside: false,
    sentences: [],
    comparedBytes: 0,
    ends: tallyLineEnds(text.before.chunks()),
    added: [],
  };
}

/** The placeholders of a file, each at the operation that brings it. */
function placeholdersIn({ text, content, added }: PlannedFile): PlanProblem[] {
  const texts = { chunks: () => added.map(({ bytes }) => bytes) };
  const whole = bytesSource(content?.bytes() ?? new Uint8Array(0));
  return newTextFaults(text, { content: whole, added: texts }).map((problem) => {
    const [line] = "lines" in problem ? problem.lines : [];
    const sought = new TextEncoder().encode(line?.text ?? "");
    const from = added.find(({ bytes }) => new EditedText(bytes).places(sought, FIRST).count > 0) ??
      added[0]!;
    return { at: `${from.at}.${from.field}`, problem };
  });
}

const FIRST = { overlapping: true, keep: 1, most: 1 };

function notesOf(files: readonly PlannedFile[]): Message[] {
  return [
    ...files.flatMap(({ text, content, added }) =>
      newTextNotes(text, {
        what: `the new text of ${basename(text.path)}`,
        content: bytesSource(content?.bytes() ?? new Uint8Array(0)),
        added: { chunks: () => added.map(({ bytes }) => bytes) },
        convertedTo: added.find(({ convertedTo }) => convertedTo !== undefined)?.convertedTo,
      })
    ),
    ...missingNotes(files.flatMap(({ added }) => added)),
  ];
}

function checked(
  intent: string,
  files: readonly PlannedFile[],
  changes: readonly Change[],
  notes: readonly Message[],
): PlanCheck {
  const described = changes.map((change, index) => {
    const counts = countChangedLines(change.target.before, change.content);
    return plannedFile(change, counts, files[index]!.content?.byteCount ?? 0);
  });
  const { shown, more } = firstFew(described, MAX_REPORTED);
  const done = files.map((file) => operationsOf(file.sentences).join(" "));
  const operations = fewSentences(done, MAX_REPORTED, "files");
  return {
    type: "plan_check",
    intent,
    files: shown,
    more_files: more,
    message: inSentences([
      `The plan is valid; nothing was written. Applying it would report: ${operations.join(" ")}`,
      ...(more === undefined ? [] : ["Use a dry run to see every change."]),
      ...fewSentences(notes, MAX_REPORTED, "remarks"),
    ]),
  };
}

/** The most operations on a file that are reported. */
const MAX_OPERATIONS = 10;

function operationsOf(sentences: readonly string[]): string[] {
  return fewSentences(sentences, MAX_OPERATIONS, "operations on it");
}

/** Refuses the plan with the first problems. If there are more, an fd has the whole list. */
function refusePlan(problems: readonly PlanProblem[], { store }: WriteContext): never {
  const { shown, more } = firstFew(problems, MAX_REPORTED);
  if (more === undefined) return refuse({ kind: "plan_invalid", problems });
  const lines = problems.map(({ at, problem }) =>
    `${JSON.stringify({ at, ...(typeof problem === "string" ? { problem } : problem) })}\n`
  );
  const { id } = storeContent(store, new TextEncoder().encode(lines.join("")), "plan problems");
  return refuse({ kind: "plan_invalid", problems: shown, more, wholeFd: formatFd(id) });
}

/** Stores the plan as an fd, since plans carry content. */
function storePlan(request: JsonObject, { store }: WriteContext): number {
  const { check_only: _, yes: __, dry_run: ___, ...plan } = request;
  return storeContent(store, new TextEncoder().encode(`${JSON.stringify(plan, null, 2)}\n`), PLAN_SOURCE).id;
}
