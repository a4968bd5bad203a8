/**
 * The requests that the writing commands answer, as schemas: what the command line makes of its words, and what tools
 * are called with (contract, Agents: `rewrite_file`, `edit_file`, `create_file`, `answer_inquiry`, `count_lines`,
 * `undo_write`).
 *
 * @module
 */

import * as v from "valibot";

const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)));
const text = (description: string) => v.optional(v.pipe(v.string(), v.description(description)));
const count = (description: string) =>
  v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.description(description)));
const path = (description: string) => v.pipe(v.string(), v.minLength(1), v.description(description));

/** Converts line ends, or keeps them as given. */
const EolArgument = v.picklist(["keep", "lf", "crlf"]);
const eol = v.optional(v.pipe(EolArgument, v.description("Line ends: keep as given (default), lf or crlf.")));
const dryRun = flag("Show the unified diff and write nothing.");
const lines = text('With a handle: only these lines, "A-B".');

/** What must be said to replace a whole file. */
export const ACKNOWLEDGEMENT =
  "I confirm this is the complete file content with no omissions or placeholders";

export const RewriteRequest = v.strictObject({
  filePath: path("The file to replace."),
  content: text(
    "The whole new content: at most about 8000 characters in one call; larger content comes by content_fd.",
  ),
  content_fd: text('Instead of content: the fd with it, "fd:12" or "ref:NAME".'),
  lines,
  createIfMissing: flag("Create a missing file (default false)."),
  acknowledgement: v.optional(v.pipe(v.string(), v.description(`Exactly: "${ACKNOWLEDGEMENT}"`))),
  expectedLineCount: count("The number of lines in the content; see count_lines."),
  expectedSha256: text("The sha-256 of the content, in hex."),
  expectedBytes: count("The size of the content in bytes."),
  ifMatch: text("Refuse if the current file has another sha-256."),
  checkStructure: flag("Check JSON, TOML and YAML syntax, and that brackets match in common languages."),
  allowPlaceholders: flag('Allow lines such as "// ... existing code ...".'),
  eol,
  dry_run: dryRun,
});
export type RewriteRequest = v.InferOutput<typeof RewriteRequest>;

const EditEntries = {
  old_string: v.optional(
    v.pipe(
      v.string(),
      v.description("The exact text to replace; empty: the whole content. Must match once."),
    ),
  ),
  new_string: text("The replacement, taken literally."),
  new_fd: text("Instead of new_string: the fd with the text."),
  replace_all: flag("Replace every match."),
};

export const EditRequest = v.strictObject({
  path: path("The file to edit."),
  ...EditEntries,
  edits: v.optional(
    v.pipe(
      v.array(v.strictObject(EditEntries)),
      v.minLength(1),
      v.description("Instead of old_string and new_string: several edits, applied in order, all or none."),
    ),
  ),
  yes: flag("Don't ask if more than half of the file changes."),
  eol,
  dry_run: dryRun,
});
export type EditRequest = v.InferOutput<typeof EditRequest>;

export const CreateRequest = v.strictObject({
  path: path("The file to create. The answer asks for the content."),
  dry_run: dryRun,
});
export type CreateRequest = v.InferOutput<typeof CreateRequest>;

export const AnswerRequest = v.strictObject({
  inquiry_id: v.pipe(v.string(), v.minLength(1), v.description('The question: "inq:4".')),
  answer: v.pipe(v.unknown(), v.description("The answer, matching the question's schema.")),
});
export type AnswerRequest = v.InferOutput<typeof AnswerRequest>;

export const CountRequest = v.strictObject({
  path: text("A file."),
  fd: text("Instead of a file: an fd."),
  lines,
  content: text("Instead of both: the content itself."),
});
export type CountRequest = v.InferOutput<typeof CountRequest>;

export const UndoRequest = v.strictObject({
  tx: text(
    'The write to undo, "tx:7" (default: the newest one in effect at or below the working directory).',
  ),
  path: text("Instead: the newest write to this file."),
  force: flag("Undo even if the file changed since; its current content is backed up."),
  dry_run: dryRun,
});
export type UndoRequest = v.InferOutput<typeof UndoRequest>;

const marker = (what: string) => text(what);

/** One operation of a plan. Which fields each type takes is checked with the plan, so that all faults are told at once. */
export const PlanOperation = v.strictObject({
  type: v.pipe(
    v.picklist(["create", "append", "overwrite", "insert", "replace", "replace_all"]),
    v.description("What to do to the file."),
  ),
  content_block: text("The new text, taken literally."),
  content_fd: text("Instead of content_block: the fd with it."),
  lines: text('With content_fd: only these lines, "A-B".'),
  pages: text('With content_fd: only these pages, "A-B".'),
  chars: text('With content_fd: only these chars, "A-B", from 0.'),
  location_marker: marker("insert: the text to insert beside. Must appear in the file once."),
  position: v.optional(v.pipe(v.picklist(["before", "after"]), v.description("insert: default after."))),
  marker_type: v.optional(
    v.pipe(v.picklist(["string", "regex"]), v.description("How markers are matched (default string).")),
  ),
  start_marker: marker("replace: the start of the block; it is replaced too. Must appear in the file once."),
  end_marker: marker("replace: the end of the block, the first one after its start; it is replaced too."),
  find: marker("replace, instead of the markers: the text to replace, once. replace_all: every time."),
});
export type PlanOperation = v.InferOutput<typeof PlanOperation>;

const FilePlanEntries = {
  intent: text("Why the change is made."),
  target_file: text("The file to change."),
  operations: v.optional(v.pipe(v.array(PlanOperation), v.minLength(1), v.description("Applied in order."))),
  safety_checks: v.optional(
    v.pipe(
      v.strictObject({
        backup_required: flag("Also keep the old content next to the file, as FILE.bak."),
        must_exist: flag("The file must exist."),
      }),
      v.description("Conditions checked before anything is written."),
    ),
  ),
};

export const FilePlan = v.strictObject(FilePlanEntries);
export type FilePlan = v.InferOutput<typeof FilePlan>;

export const PlanRequest = v.strictObject({
  ...FilePlanEntries,
  plans: v.optional(
    v.pipe(
      v.array(FilePlan),
      v.minLength(1),
      v.description("Instead of target_file: several files, all or none."),
    ),
  ),
  check_only: flag("Report every problem, and write nothing."),
  yes: flag("Don't ask if more than half of a file changes."),
  eol,
  dry_run: dryRun,
});
export type PlanRequest = v.InferOutput<typeof PlanRequest>;
