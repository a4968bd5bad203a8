/**
 * Applies a plan's operations to contents in memory, in order, and collects every problem and question. Nothing is
 * written: `write_plan.ts` commits the result. Deterministic: the same plan on the same files gives the same bytes.
 */

import { counted } from "../answers/parts/grouped_digits.ts";
import { countLines, joinBytes } from "../../fd/system.ts";
import type { PlanProblem } from "../calls/terms/write_failure.ts";
import { EditedText } from "./checks/edited_text.ts";
import { convertLineEnds, fittingEol, missingLineEnd, tallyLineEnds } from "./checks/line_ends.ts";
import { meantFile } from "./commit/target_path.ts";
import { type Target, textTarget } from "./commit/inspect_target.ts";
import type { WriteFault } from "../calls/terms/write_faults.ts";
import type { WriteContext } from "./commit/write_context.ts";
import { checkFields, newText, type OperationForm, type OperationType, withLineEndsOf } from "./read_plan.ts";
import {
  blockRange,
  insertionAt,
  lineAt,
  type MarkerQuestion,
  matchesOf,
  type PlannedFile,
  type Step,
  uniqueMatch,
} from "./place_markers.ts";
import type { PlanOperation } from "../calls/requests/plan_request.ts";
import type { FormedPlan, NewText } from "./read_plan.ts";

const LF = 0x0a;
const NOTHING = new Uint8Array(0);

/** The findings about a plan. */
export interface Simulation {
  problems: PlanProblem[];
  questions: MarkerQuestion[];
}

/**
 * Applies `plan` to `file`, which reports call `name`, and adds what it finds to `simulation`. Without a file, which
 * then cannot be read, only the form of the operations is checked.
 */
export async function simulateFile(
  plan: FormedPlan,
  file: PlannedFile | undefined,
  name: string,
  context: WriteContext,
  { problems, questions }: Simulation,
): Promise<void> {
  if (file !== undefined) checkSafety(plan, file, problems);
  for (const [index, planned] of plan.operations.entries()) {
    if (planned === undefined) continue;
    const at = `${plan.at}operations[${index}]`;
    const form: OperationForm = {
      at,
      operation: withLineEndsOf(planned, plan.eol),
      eol: plan.eol,
      context,
      report(field, problem) {
        const place = field === "" ? at : `${at}.${field}`;
        // The form of a field is reported already.
        if (!problems.some((each) => each.at === place)) problems.push({ at: place, problem });
        return undefined;
      },
    };
    checkFields(form);
    const added = await newText(form);
    if (added === undefined || file === undefined) continue;
    const isPart = file.content !== undefined && planned.type !== "create" && planned.type !== "overwrite";
    if (!isPart) file.ends = tallyLineEnds([added.bytes]);
    else if (plan.eol === undefined) fit(added, file, planned);
    file.added.push(added);
    const step: Step = { ...form, file, name, inquire: (question) => void questions.push(question) };
    OPERATIONS[planned.type](step, added.bytes);
  }
}

/** Converts the line ends of new text to those of what it replaces, or of the file. */
function fit(added: NewText, { ends }: PlannedFile, { find = "" }: PlanOperation): void {
  const eol = fittingEol(ends, new TextEncoder().encode(find));
  const bytes = convertLineEnds(added.bytes, eol);
  if (eol !== "keep" && bytes.length !== added.bytes.length) added.convertedTo = eol;
  added.bytes = bytes;
}

function checkSafety(plan: FormedPlan, file: PlannedFile, problems: PlanProblem[]): void {
  const at = `${plan.at}safety_checks.must_exist`;
  if (plan.mustExist && file.content === undefined) {
    problems.push({ at, problem: missing(file.target) });
  } else if (plan.mustExist && plan.operations[0]?.type === "create") {
    problems.push({ at, problem: "must_exist cannot be combined with create" });
  }
  if (plan.backupRequired) file.copyBeside = true;
}

function missing({ path, place }: Target): WriteFault {
  return { kind: "file_not_found", path, meant: meantFile(path, place) };
}

const OPERATIONS: Readonly<Record<OperationType, (step: Step, added: Uint8Array) => void>> = {
  create({ file, name, report }, added) {
    if (file.content !== undefined) return report("type", { kind: "file_exists", path: file.target.path });
    file.content = new EditedText(added);
    file.setsWhole = true;
    file.sentences.push(`Created ${name} with ${counted(countLines(added), "line")}.`);
  },
  append({ file, name, operation }, added) {
    const { content, ends } = file;
    const [lastByte = LF] = content?.slice(Math.max(0, content.byteCount - 1), content.byteCount) ?? [];
    const lineEnd = operation.glue === true ? NOTHING : missingLineEnd({ ...ends, lastByte }, added);
    const verb = file.content === undefined ? `Created ${name} with` : "Appended";
    const whereto = file.content === undefined ? "" : ` to ${name}`;
    const ended = lineEnd.length === 0 ? "" : `, after the line end that its last line lacked (see glue)`;
    const unused = operation.location_marker === undefined ? "" : "; location_marker was not used";
    file.sentences.push(`${verb} ${counted(countLines(added), "line")}${whereto}${ended}${unused}.`);
    if (content === undefined) file.content = new EditedText(added);
    else content.replace(content.byteCount, content.byteCount, joinBytes([lineEnd, added]));
  },
  overwrite({ file, name }, added) {
    const verb = file.content === undefined ? "Created" : "Overwrote";
    Object.assign(file, textTarget(file.target, true), { content: new EditedText(added), setsWhole: true });
    file.sentences.push(`${verb} ${name} with ${counted(countLines(added), "line")}.`);
  },
  insert(step, added) {
    const content = contentThere(step);
    const match = content && uniqueMatch(step, content, "location_marker");
    if (content === undefined || match === undefined) return;
    const { position = "after" } = step.operation;
    const { lineNumber } = lineAt(content, match);
    const { atByte, text, isWholeLines } = insertionAt(content, match, position, added);
    content.replace(atByte, atByte, text);
    step.file.sentences.push(
      isWholeLines
        ? `Inserted ${counted(countLines(added), "line")} into ${step.name}, ${position} line ${lineNumber}.`
        : `Inserted text into line ${lineNumber} of ${step.name}, ${position} its marker.`,
    );
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
      `Replaced ${counted(oldCount, "line")} with ${counted(countLines(added), "line")} in ${step.name}.`,
    );
  },
  replace_all(step, added) {
    const content = contentThere(step);
    if (content === undefined) return;
    const matches = matchesOf(step, content, "find", { overlapping: false, keep: Infinity });
    if (matches === undefined) return;
    content.replaceSpans(matches.first, added);
    step.file.sentences.push(`Replaced text in ${counted(matches.count, "place")} of ${step.name}.`);
  },
};

function contentThere({ file, report }: Step): EditedText | undefined {
  return file.content ?? report("type", missing(file.target));
}
