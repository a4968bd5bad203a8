/** The tools that write to a user's files (contract, Writing files). */

import type { FramedAnswer } from "../terms/answers.ts";
import type { Host, Outcome } from "../terms/command.ts";
import { formFaultsBy } from "../requests/form_faults.ts";
import { EDIT_FIELDS, EDIT_RULES } from "../requests/edit_request.ts";
import { UNDO_FIELDS } from "../requests/history_requests.ts";
import { ANSWER_FIELDS, CREATE_FIELDS } from "../requests/inquiry_requests.ts";
import { PLAN_FIELDS } from "../requests/plan_request.ts";
import { schemaOf } from "../requests/request_schema.ts";
import {
  ACKNOWLEDGEMENT,
  COUNT_FIELDS,
  COUNT_RULES,
  REWRITE_FIELDS,
  REWRITE_RULES,
} from "../requests/rewrite_request.ts";
import { type WriteContext, writeContextOf } from "../writing/commit/write_context.ts";
import { defineTool, type Tool } from "./tool.ts";

const WRITE = { readOnly: false, destructive: true, idempotent: false } as const;

const SMALL_CALLS =
  "Send at most about 8000 characters of content in one call: build larger files in steps (a small skeleton, then " +
  "edits), or pass a handle (fd:12, ref:NAME). A truncated call writes nothing.";

/** Makes the outcome of a write; a question has exit code 3. */
export function writeOutcome(answer: FramedAnswer): Outcome {
  return { exitCode: answer.type === "needs_input" ? 3 : 0, answer };
}

export function toolContext(host: Host): WriteContext {
  return writeContextOf(host, host.answers);
}

export const WRITING_TOOLS: readonly Tool[] = [
  defineTool({
    name: "create_file",
    title: "Create a file",
    part: "inquiries",
    description:
      "Create a file. Give only the path: the answer asks for the content (needs_input); send it with " +
      "answer_inquiry. If the file exists, you are asked whether to overwrite it; for a partial change use " +
      "edit_file instead, which is cheaper.\n" +
      'Example: {"path": "src/new.js"}',
    request: schemaOf(CREATE_FIELDS),
    answers: ["needs_input", "write_result"],
    ...WRITE,
    async run(request, host) {
      const { createFile } = await import("../writing/create_file.ts");
      return writeOutcome(await createFile(request, toolContext(host)));
    },
  }),
  defineTool({
    name: "answer_inquiry",
    title: "Answer a question",
    part: "inquiries",
    description:
      "Answer a question from a tool (needs_input) in the form its answer_type gives: true or false, one of " +
      `the options, text, or an object such as {"content": "..."}. ${SMALL_CALLS}\n` +
      'Example: {"inquiry_id": "inq:4", "answer": {"content": "export const x = 1;\\n"}}',
    request: schemaOf(ANSWER_FIELDS),
    answers: ["write_result", "needs_input"],
    ...WRITE,
    async run(request, host) {
      const [{ answerInquiry }, { understandAnswer }] = await Promise.all([
        import("../writing/answer_inquiry.ts"),
        import("./lenient_answer.ts"),
      ]);
      const context = toolContext(host);
      const { answer, notes } = understandAnswer(request, context.store);
      const outcome = writeOutcome(await answerInquiry({ ...request, answer }, context));
      return { ...outcome, notes };
    },
  }),
  defineTool({
    name: "rewrite_file",
    title: "Rewrite a whole file",
    part: "writing",
    description:
      "Replace the whole content of a file. Prefer edit_file for a partial change. The content must be " +
      "complete: no placeholders such as `// rest of file unchanged`. acknowledgement must be exactly " +
      `"${ACKNOWLEDGEMENT}", and expectedLineCount the number of lines in the content (a final line end starts no new ` +
      `line). The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
      'Example: {"filePath": "a.txt", "content": "one\\ntwo\\n", "expectedLineCount": 2, "acknowledgement": "I confirm …"}',
    request: schemaOf(REWRITE_FIELDS),
    formFaults: formFaultsBy(REWRITE_FIELDS, REWRITE_RULES, ["acknowledgement", "expectedLineCount"]),
    // `content` is not listed, because a handle may be given instead.
    required: ["acknowledgement", "expectedLineCount"],
    answers: ["write_result"],
    ...WRITE,
    async run(request, host) {
      const { rewriteFile } = await import("../writing/rewrite_file.ts");
      return writeOutcome(await rewriteFile(request, toolContext(host)));
    },
  }),
  defineTool({
    name: "edit_file",
    title: "Edit a file",
    part: "writing",
    description:
      "Replace exact text in a file. old_string must match exactly once, unless replace_all is set; several edits " +
      "are applied in order, all or none. An empty old_string sets the whole content. new_string is literal. " +
      `The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
      'Example: {"path": "a.js", "old_string": "x = 1", "new_string": "x = 2"}',
    request: schemaOf(EDIT_FIELDS),
    formFaults: formFaultsBy(EDIT_FIELDS, EDIT_RULES),
    answers: ["write_result", "needs_input"],
    ...WRITE,
    async run(request, host) {
      const { editFile } = await import("../writing/edit_file.ts");
      return writeOutcome(await editFile(request, toolContext(host)));
    },
  }),
  defineTool({
    name: "count_lines",
    title: "Count lines",
    part: "writing",
    description:
      "Count the lines of a file, an fd or given content as rewrite_file expects them, with bytes and " +
      "sha-256.\n" +
      'Example: {"path": "a.txt"}',
    request: schemaOf(COUNT_FIELDS),
    formFaults: formFaultsBy(COUNT_FIELDS, COUNT_RULES),
    answers: ["line_count"],
    readOnly: true,
    destructive: false,
    idempotent: true,
    async run(request, host) {
      const { countLines } = await import("../writing/count_lines.ts");
      return writeOutcome(await countLines(request, toolContext(host), host.checkpoint));
    },
  }),
  defineTool({
    name: "write_plan",
    title: "Apply a write plan",
    part: "writing",
    description:
      "Check and apply a plan: operations on one file, or on several files under plans, all or none. " +
      "check_only writes nothing and reports every problem at once. Operations: create, append, overwrite, " +
      "insert (before or after a unique location_marker), replace (from start_marker to end_marker, or find), " +
      `replace_all. content_fd can replace any content_block. ${SMALL_CALLS}\n` +
      'Example: {"intent": "Add a helper", "target_file": "a.js", "operations": [{"type": "append", "content_block": ' +
      '"function f() {}\\n"}]}',
    request: schemaOf(PLAN_FIELDS),
    answers: ["write_result", "plan_check", "needs_input"],
    checksItself: true,
    ...WRITE,
    async run(request, host) {
      const { writePlan } = await import("../writing/write_plan.ts");
      return writeOutcome(await writePlan(request, toolContext(host)));
    },
  }),
  defineTool({
    name: "undo_write",
    title: "Undo a write",
    part: "writing",
    description:
      "Undo a write: the newest one at or below the working directory, a transaction (tx:7), or the newest of a file. " +
      "Refused if the file changed since, unless force is set. An undo can be undone.\n" +
      'Example: {"tx": "tx:7"}',
    request: schemaOf(UNDO_FIELDS),
    answers: ["write_result"],
    ...WRITE,
    async run(request, host) {
      const { undoWrite } = await import("../writing/history/undo_transaction.ts");
      return writeOutcome(await undoWrite(request, toolContext(host)));
    },
  }),
];
