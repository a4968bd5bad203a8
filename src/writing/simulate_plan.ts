/**
 * Applies a plan's operations to contents in memory, in order, and collects every problem and question. Nothing is
 * written: `write_plan.ts` commits the result. Deterministic: the same plan on the same files gives the same bytes.
 *
 * @module
 */

import { countLines, FdError, type FdFailure, joinBytes, type Span } from "../../fd/mod.ts";
import type { PlanOperation } from "../requests/plan_request.ts";
import { linesAt, replaceSpans } from "./apply_edits.ts";
import { type EditedText, editedText } from "./checks/edited_text.ts";
import { findMarker, type MarkerMatches, matchOption } from "./find_marker.ts";
import { type Eol, type GivenContent, handleSlice, textSource } from "./commit/given_content.ts";
import type { Target } from "./commit/inspect_target.ts";
import { gatherBytes } from "./commit/gather_bytes.ts";
import { convertLineEnds } from "./checks/line_ends.ts";
import type { FormedPlan } from "./read_plan.ts";
import { nearestLines, type NearMiss } from "./checks/nearest_lines.ts";
import { lineWord } from "./commit/report_write.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { type PlanProblem, WriteError } from "../terms/write_failure.ts";
import type { ShownLine, WriteFault } from "../terms/write_faults.ts";

/** A file during a plan. */
export interface PlannedFile {
  target: Target;
  /** The file's content before the plan; empty if it did not exist. */
  before: Uint8Array;
  /** Undefined while the file does not exist. */
  content: EditedText | undefined;
  /** Whether an operation sets the whole content, so that a large change needs no question. */
  setsWhole: boolean;
  copyBeside: boolean;
  /** The operations done, in order: `Appended 15 lines to helpers.js.` */
  sentences: string[];
  /** The bytes compared so far to explain markers that were not found. */
  comparedBytes: number;
  added: NewText[];
}

export interface NewText extends Pick<GivenContent, "remark"> {
  bytes: Uint8Array;
}

/** The question about a marker that appears several times in the file. */
export interface MarkerQuestion {
  id: string;
  text: string;
  options: string[];
  target: Target;
  /** The problem to report if nobody is asked. */
  fault: WriteFault;
}

export interface Simulation {
  problems: PlanProblem[];
  questions: MarkerQuestion[];
}

/** Looks up the answer to a marker question. */
export type MarkerAnswers = (id: string, target: Target) => unknown;

/** Applies `plan` to `file`, which reports call `name`. */
export function simulateFile(
  plan: FormedPlan,
  file: PlannedFile,
  name: string,
  context: WriteContext,
  answers: MarkerAnswers,
): Simulation {
  const simulation: Simulation = { problems: [], questions: [] };
  const checkAt = `${plan.at}safety_checks.must_exist`;
  if (plan.mustExist && file.content === undefined) {
    simulation.problems.push({ at: checkAt, problem: { kind: "file_not_found", path: file.target.path } });
  } else if (plan.mustExist && plan.operations[0]?.type === "create") {
    simulation.problems.push({ at: checkAt, problem: "must_exist cannot be combined with create" });
  }
  if (plan.backupRequired) file.copyBeside = true;
  for (const [index, planned] of plan.operations.entries()) {
    if (planned === undefined) continue;
    const at = `${plan.at}operations[${index}]`;
    const operation = withLineEndsOf(planned, plan.eol);
    const step: Step = {
      operation,
      eol: plan.eol,
      file,
      name,
      context,
      answers,
      report: (field, problem) => {
        simulation.problems.push({ at: field === "" ? at : `${at}.${field}`, problem });
        return undefined;
      },
      inquire: (field, asking) => {
        simulation.questions.push({ id: `${at}.${field}`, target: file.target, ...asking });
        return undefined;
      },
      questionId: (field) => `${at}.${field}`,
    };
    checkFields(step);
    const added = newText(step);
    if (added === undefined) continue;
    file.added.push(added);
    OPERATIONS[operation.type](step, added.bytes);
  }
  return simulation;
}

const MARKERS = ["location_marker", "start_marker", "end_marker", "find"] as const;
type MarkerField = typeof MARKERS[number];

/** Converts the line ends of the markers, so that text copied with others is found. */
function withLineEndsOf(operation: PlanOperation, eol: Eol): PlanOperation {
  if (eol === "keep" || operation.marker_type === "regex") return operation;
  const converted = { ...operation };
  for (const field of MARKERS) {
    const marker = operation[field];
    if (marker !== undefined) converted[field] = marker.replace(/\r?\n/g, eol === "crlf" ? "\r\n" : "\n");
  }
  return converted;
}

/** The problems of operations whose file cannot be read. */
export function checkOperations(plan: FormedPlan, context: WriteContext): PlanProblem[] {
  const problems: PlanProblem[] = [];
  for (const [index, operation] of plan.operations.entries()) {
    if (operation === undefined) continue;
    const form: OperationForm = {
      operation,
      eol: plan.eol,
      context,
      report: (field, problem) => {
        problems.push({ at: `${plan.at}operations[${index}].${field}`, problem });
        return undefined;
      },
    };
    checkFields(form);
    newText(form);
  }
  return problems;
}

/** An operation without its file. */
interface OperationForm {
  operation: PlanOperation;
  eol: Eol;
  context: WriteContext;
  report(field: string, problem: PlanProblem["problem"]): undefined;
}

interface Step extends OperationForm {
  file: PlannedFile;
  name: string;
  answers: MarkerAnswers;
  inquire(field: string, asking: Pick<MarkerQuestion, "text" | "options" | "fault">): undefined;
  questionId(field: string): string;
}

type OperationType = PlanOperation["type"];

/** The fields of each type, besides those of its content. */
const FIELDS: Readonly<Record<OperationType, readonly (keyof PlanOperation)[]>> = {
  create: [],
  // Models write a marker for the end of the file: it is accepted and ignored.
  append: ["location_marker"],
  overwrite: [],
  insert: ["location_marker", "position", "marker_type"],
  replace: ["start_marker", "end_marker", "find", "marker_type"],
  replace_all: ["find", "marker_type"],
};
const CONTENT_FIELDS: readonly (keyof PlanOperation)[] = [
  "type",
  "content_block",
  "content_fd",
  "lines",
  "pages",
  "chars",
];

function checkFields({ operation, report }: OperationForm): void {
  const known = [...CONTENT_FIELDS, ...FIELDS[operation.type]];
  for (const [field, value] of Object.entries(operation)) {
    if (value !== undefined && !known.includes(field as keyof PlanOperation)) {
      report(field, `not allowed for ${operation.type}`);
    }
  }
  for (const field of neededMarkers(operation)) {
    if (operation[field] === undefined || operation[field] === "") {
      report(field, `required for ${operation.type}`);
    }
  }
  if (operation.type === "replace" && (operation.find === undefined) === !hasBlockMarker(operation)) {
    report("find", "expected either find, or start_marker with end_marker");
  }
}

function neededMarkers(operation: PlanOperation): readonly MarkerField[] {
  if (operation.type === "insert") return ["location_marker"];
  if (operation.type === "replace_all") return ["find"];
  if (operation.type !== "replace") return [];
  if (operation.find !== undefined) return ["find"];
  return hasBlockMarker(operation) ? ["start_marker", "end_marker"] : [];
}

function hasBlockMarker({ start_marker: start, end_marker: end }: PlanOperation): boolean {
  return start !== undefined || end !== undefined;
}

/** The operation's new text. Returns undefined, with a problem, if there is none. */
function newText({ operation, eol, context, report }: OperationForm): NewText | undefined {
  const { content_block: block, content_fd: handle, lines, pages, chars } = operation;
  if ((block === undefined) === (handle === undefined)) {
    const got = block === undefined ? "got neither" : "got both";
    return report("content_block", `expected exactly one of content_block and content_fd; ${got}`);
  }
  try {
    const given: GivenContent = block !== undefined
      ? textSource(block, "content_block")
      : handleSlice(context.store, handle!, { lines, pages, chars }).content;
    const bytes = gatherBytes(given.chunks());
    return { bytes: eol === "keep" ? bytes : convertLineEnds(bytes, eol), remark: given.remark };
  } catch (thrown) {
    return report(block === undefined ? "content_fd" : "content_block", failureIn(thrown));
  }
}

function failureIn(thrown: unknown): FdFailure | WriteFault {
  if (thrown instanceof FdError) return thrown.failure;
  if (thrown instanceof WriteError && thrown.failure.kind === "write_error") return thrown.failure;
  throw thrown;
}

const OPERATIONS: Readonly<Record<OperationType, (step: Step, added: Uint8Array) => void>> = {
  create({ file, name, report }, added) {
    if (file.content !== undefined) return report("type", { kind: "file_exists", path: file.target.path });
    file.content = editedText(added);
    file.setsWhole = true;
    file.sentences.push(`Created ${name} with ${lineWord(countLines(added))}.`);
  },
  append({ file, name }, added) {
    const verb = file.content === undefined ? `Created ${name} with` : "Appended";
    const whereto = file.content === undefined ? "" : ` to ${name}`;
    file.sentences.push(`${verb} ${lineWord(countLines(added))}${whereto}.`);
    if (file.content === undefined) file.content = editedText(added);
    else file.content.replace(file.content.byteCount, file.content.byteCount, added);
  },
  overwrite({ file, name }, added) {
    const verb = file.content === undefined ? "Created" : "Overwrote";
    file.content = editedText(added);
    file.setsWhole = true;
    file.sentences.push(`${verb} ${name} with ${lineWord(countLines(added))}.`);
  },
  insert(step, added) {
    const content = contentThere(step);
    const match = content && uniqueMatch(step, content, "location_marker");
    if (content === undefined || match === undefined) return;
    const { position = "after" } = step.operation;
    const { lineNumber } = lineAt(content, match);
    const { atByte, text } = insertionAt(content, match, position, added);
    content.replace(atByte, atByte, text);
    const place = `${position} line ${lineNumber}`;
    step.file.sentences.push(`Inserted ${lineWord(countLines(added))} into ${step.name}, ${place}.`);
  },
  replace(step, added) {
    const content = contentThere(step);
    if (content === undefined) return;
    const range = blockRange(step, content);
    if (range === undefined) return;
    const { fromByte, toByte } = range;
    const oldCount = countLines(content.slice(fromByte, toByte));
    content.replace(fromByte, toByte, added);
    step.file.sentences.push(
      `Replaced ${lineWord(oldCount)} with ${lineWord(countLines(added))} in ${step.name}.`,
    );
  },
  replace_all(step, added) {
    const content = contentThere(step);
    if (content === undefined) return;
    const matches = matchesOf(step, content, "find", { overlapping: false, keep: Infinity });
    if (matches === undefined) return;
    replaceSpans(content, matches.first, added);
    const times = matches.count === 1 ? "1 place" : `${matches.count} places`;
    step.file.sentences.push(`Replaced text in ${times} of ${step.name}.`);
  },
};

function contentThere({ file, report }: Step): EditedText | undefined {
  return file.content ?? report("type", { kind: "file_not_found", path: file.target.path });
}

const NO_NEAR_MISS: NearMiss = { nearest: [], otherLineEnds: false };
/** The most bytes of a file that are compared to explain markers; further misses are reported without similar lines. */
const MOST_COMPARED_BYTES = 16 * 2 ** 20;

/** Explains a marker that was not found. */
function explainMiss(file: PlannedFile, content: EditedText, sought: Uint8Array): NearMiss {
  if (file.comparedBytes >= MOST_COMPARED_BYTES) return NO_NEAR_MISS;
  file.comparedBytes += content.byteCount + sought.length;
  return nearestLines(content, sought);
}

interface Wanted {
  fromByte?: number;
  overlapping: boolean;
  keep: number;
  most?: number;
}

/** The matches of a marker. Returns undefined, with a problem, if the marker is missing, invalid or not found. */
function matchesOf(
  step: Step,
  content: EditedText,
  field: MarkerField,
  wanted: Wanted,
): MarkerMatches | undefined {
  const { operation, report, file } = step;
  const marker = operation[field];
  // `checkFields` has reported it.
  if (marker === undefined || marker === "") return undefined;
  const type = operation.marker_type ?? "string";
  const find = (request: Wanted) => findMarker(content, { marker, type, ...request });
  let matches;
  try {
    matches = find(wanted);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return report(field, thrown.failure);
  }
  if (matches.count > 0) return matches;
  const [early] = wanted.fromByte === undefined ? [] : find({ overlapping: true, keep: 1, most: 1 }).first;
  const { nearest, otherLineEnds } = early !== undefined
    ? { nearest: [{ ...lineAt(content, early), differs: ["place"] }], otherLineEnds: false }
    : type === "string"
    ? explainMiss(file, content, new TextEncoder().encode(marker))
    : NO_NEAR_MISS;
  return report(field, {
    kind: "match_not_found",
    path: file.target.path,
    sought: field,
    after: early === undefined ? undefined : "start_marker",
    nearest,
    otherLineEnds,
  });
}

/** The only match of a marker. If there are several: the one that an answer names, or a question. */
function uniqueMatch(step: Step, content: EditedText, field: MarkerField): Span | undefined {
  const matches = matchesOf(step, content, field, { overlapping: true, keep: MOST_OPTIONS });
  if (matches === undefined || matches.count === 1) return matches?.first[0];
  const { report, inquire, answers, questionId, file } = step;
  const lines = linesAt(content, matches.first.map((match) => match.fromByte));
  const options = lines.map(matchOption);
  const fault: WriteFault = {
    kind: "match_not_unique",
    path: file.target.path,
    sought: field,
    lines,
    matchCount: matches.count,
  };
  const isChoice = new Set(lines.map(({ lineNumber }) => lineNumber)).size === matches.count;
  if (!isChoice) return report(field, fault);
  const answer = answers(questionId(field), file.target);
  if (answer !== undefined) {
    const chosen = matches.first[options.findIndex((option) => option === answer)];
    if (chosen !== undefined) return chosen;
    return report(field, `the answer ${JSON.stringify(answer)} is not one of its ${matches.count} lines`);
  }
  const text = `${field} appears on ${matches.count} lines of ${file.target.path}. Which one should be used?`;
  return inquire(field, { text, options, fault });
}

/** More matches than this make a question useless. */
const MOST_OPTIONS = 20;

function lineAt(content: EditedText, { fromByte }: Span): ShownLine {
  return linesAt(content, [fromByte])[0]!;
}

/** The range that `replace` replaces: `find`, or from the start marker to the end marker, both included. */
function blockRange(step: Step, content: EditedText): Span | undefined {
  const { operation } = step;
  if (operation.find !== undefined) {
    return hasBlockMarker(operation) ? undefined : uniqueMatch(step, content, "find");
  }
  const first = uniqueMatch(step, content, "start_marker");
  if (first === undefined) return undefined;
  const firstAfter = { fromByte: first.toByte, overlapping: true, keep: 1, most: 1 };
  const last = matchesOf(step, content, "end_marker", firstAfter)?.first[0];
  return last === undefined ? undefined : { fromByte: first.fromByte, toByte: last.toByte };
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * The offset for new text before or after a marker. Whole lines (text that ends with an LF and does not begin with
 * one) go between lines, so that they do not split the marker's line; other text goes right beside the marker.
 */
function insertionAt(
  content: EditedText,
  match: Span,
  position: "before" | "after",
  added: Uint8Array,
): { atByte: number; text: Uint8Array } {
  const isWholeLines = added.at(-1) === LF && added[0] !== LF;
  if (!isWholeLines) return { atByte: position === "before" ? match.fromByte : match.toByte, text: added };
  if (position === "before") return { atByte: content.lineStart(match.fromByte), text: added };
  if (content.byteAt(match.toByte - 1) === LF) return { atByte: match.toByte, text: added };
  const feed = content.nextFeed(match.toByte);
  if (feed !== -1) return { atByte: feed + 1, text: added };
  // The marker is in a last line without a line end: add one like those of the text.
  const lineEnd = added.at(-2) === CR ? Uint8Array.of(CR, LF) : Uint8Array.of(LF);
  return { atByte: content.byteCount, text: joinBytes([lineEnd, added]) };
}
