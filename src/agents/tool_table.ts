/**
 * The tools that agents can call, with the names and parameters that callers rely on (contract, Agents). A tool is an
 * operation with words for models; the operation is loaded when the tool is called.
 */

import { COUNT_REQUEST, REWRITE_REQUEST } from "../calls/requests/rewrite_request.ts";
import { ANSWER_REQUEST, CREATE_REQUEST } from "../calls/requests/inquiry_requests.ts";
import { DIFF_REQUEST } from "../calls/requests/diff_request.ts";
import { EDIT_REQUEST } from "../calls/requests/edit_request.ts";
import { LIST_REQUEST, REFS_REQUEST } from "../calls/requests/list_request.ts";
import { PLAN_REQUEST } from "../calls/requests/plan_request.ts";
import { QUERY_REQUEST } from "../calls/requests/query_request.ts";
import { readFields, readRules } from "../calls/requests/read_request.ts";
import { SEARCH_REQUEST } from "../calls/requests/search_request.ts";
import { TO_FILE_REQUEST } from "../calls/requests/to_file_request.ts";
import { UNDO_REQUEST } from "../calls/requests/history_requests.ts";
import type { Operation } from "../calls/terms/command.ts";
import { type Tool, toolOf, type ToolRecord } from "./tool.ts";

export const SMALL_CALLS =
  "Send at most about 8000 characters of content a call: build larger files in steps (a skeleton, then edits), or " +
  "pass a handle (fd:12, ref:NAME). A truncated call writes nothing.";

/** In the order that models see. */
const RECORDS: readonly ToolRecord[] = [
  {
    name: "read_fd",
    command: "read",
    title: "Read a file descriptor",
    part: "fds",
    description:
      "Read a part of stored output by page, line or char, its tail, or all. The answer says which part it shows, and " +
      "gives the next call if there is more.\n" +
      'Example: {"fd": "fd:12", "mode": "line", "start": 10, "count": 5}',
    brief: {
      parameters: ["fd", "mode", "start", "count", "tail", "read_all", "since", "about"],
    },
    fields: readFields(),
    rules: readRules(),
    answers: ["fd_content", "fd_extraction", "fd_result"],
  },
  {
    name: "search_fd",
    command: "search",
    title: "Search a file descriptor",
    part: "fds",
    description:
      "Find matching lines in stored output, with the line numbers that read_fd takes. Cheaper than reading.\n" +
      'Example: {"fd": "fd:12", "pattern": "error|warning", "context": 2}',
    brief: {
      parameters: ["fd", "all_fds", "pattern", "fixed", "ignore_case", "context", "extract_to_new_fd"],
    },
    ...SEARCH_REQUEST,
    answers: ["fd_matches", "fd_extraction"],
  },
  {
    name: "query_fd",
    command: "query",
    title: "Query JSON with a jq filter",
    part: "fds",
    description: "Apply a jq filter to stored JSON or JSON lines.\n" +
      'Example: {"fd": "fd:12", "filter": ".items[].name"}',
    brief: { parameters: ["fd", "filter"] },
    ...QUERY_REQUEST,
    answers: ["fd_query"],
  },
  {
    name: "diff_fds",
    command: "diff",
    title: "Compare two file descriptors",
    part: "fds",
    description:
      "Show what changed between two stored outputs, such as two runs of a command, as unified hunks with the line " +
      "numbers that read_fd takes.\n" +
      'Example: {"old_fd": "fd:12", "new_fd": "fd:15", "ignore_times": true}',
    ...DIFF_REQUEST,
    answers: ["fd_diff"],
  },
  {
    name: "fd_to_file",
    command: "to-file",
    title: "Save a file descriptor to a file",
    part: "fds",
    description:
      "Save stored output to a file without sending its content. The old content is kept as a backup fd.\n" +
      'Example: {"fd": "fd:12", "file_path": "out/build.log"}',
    brief: { parameters: ["fd", "file_path", "mode", "at_line", "create", "exist_ok"] },
    ...TO_FILE_REQUEST,
    answers: ["fd_file_result", "write_result"],
  },
  {
    name: "list_fds",
    command: "ls",
    title: "List file descriptors",
    part: "fds",
    description: "List stored fds: handle, source, size, lines and pages, newest last.\nExample: {}",
    brief: { parameters: ["limit"] },
    ...LIST_REQUEST,
    answers: ["fd_list"],
    isIdempotent: true,
  },
  {
    name: "list_refs",
    command: "refs",
    title: "List references",
    part: "refs",
    description:
      "List names (ref:NAME) and the fd that each is bound to. Use ref:NAME anywhere an fd is accepted.\n" +
      "Example: {}",
    ...REFS_REQUEST,
    answers: ["ref_list"],
    isIdempotent: true,
  },
  {
    name: "create_file",
    command: "create",
    title: "Create a file",
    part: "inquiries",
    description:
      "Create a file. Give only the path: the answer asks for the content (needs_input); send it with " +
      "answer_inquiry. If the file exists, you are asked whether to overwrite it; for a partial change use " +
      "edit_file instead, which is cheaper.\n" +
      'Example: {"path": "src/new.js"}',
    brief: {
      description:
        "Create or overwrite a file. Give only the path: you are asked for the content (needs_input). " +
        'For a partial change use edit_file.\nExample: {"path": "src/new.js"}',
      parameters: ["path"],
    },
    ...CREATE_REQUEST,
    answers: ["needs_input", "write_result"],
  },
  {
    name: "answer_inquiry",
    command: "answer",
    title: "Answer a question",
    part: "inquiries",
    description:
      "Answer a question from a tool (needs_input) in the form its answer_type gives: true or false, one of " +
      `the options, text, or an object such as {"content": "..."}. ${SMALL_CALLS}\n` +
      'Example: {"inquiry_id": "inq:4", "answer": {"content": "export const x = 1;\\n"}}',
    brief: {
      description: `Answer a needs_input in the form its answer_type gives. ${SMALL_CALLS}\n` +
        'Example: {"inquiry_id": "inq:4", "answer": {"content": "export const x = 1;\\n"}}',
      parameters: ["inquiry_id", "answer"],
    },
    ...ANSWER_REQUEST,
    required: ["answer"],
    answers: ["write_result", "needs_input"],
  },
  {
    name: "rewrite_file",
    command: "rewrite",
    title: "Rewrite a whole file",
    part: "writing",
    description:
      "Replace the whole content of a file. Prefer edit_file for a partial change. The content must be complete: no " +
      "placeholders such as `// rest of file unchanged`. Prove it by acknowledgement, word for word, and " +
      `expectedLineCount. The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
      'Example: {"filePath": "a.txt", "content": "one\\ntwo\\n", "expectedLineCount": 2, "acknowledgement": "I confirm …"}',
    ...REWRITE_REQUEST,
    // `content` is not listed, because a handle may be given instead.
    required: ["acknowledgement", "expectedLineCount"],
    answers: ["write_result"],
  },
  {
    name: "edit_file",
    command: "edit",
    title: "Edit a file",
    part: "writing",
    description:
      "Replace exact text in a file. old_string must match exactly once, unless replace_all is set. " +
      `The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
      'Example: {"path": "a.js", "old_string": "x = 1", "new_string": "x = 2"}',
    brief: {
      description:
        "Replace exact text in a file. old_string must match once, or use replace_all. Edits: all or none. " +
        `The old content is kept as a backup fd. ${SMALL_CALLS}\n` +
        'Example: {"path": "a.js", "old_string": "x = 1", "new_string": "x = 2"}',
      parameters: ["path", "old_string", "new_string", "new_fd", "replace_all", "edits", "yes", "eol"],
    },
    ...EDIT_REQUEST,
    answers: ["write_result", "needs_input"],
  },
  {
    name: "count_lines",
    command: "count",
    title: "Count lines",
    part: "writing",
    description:
      "Count the lines of a file, an fd or given content as rewrite_file expects them, with bytes and " +
      "sha-256.\n" +
      'Example: {"path": "a.txt"}',
    ...COUNT_REQUEST,
    answers: ["line_count"],
    isIdempotent: true,
  },
  {
    name: "write_plan",
    command: "plan",
    title: "Apply a write plan",
    part: "writing",
    description:
      "Check and apply a plan: operations on one file, or on several files under plans, all or none. " +
      "check_only writes nothing and reports every problem at once. Operations: create, append, overwrite, " +
      "insert (before or after a unique location_marker), replace (from start_marker to end_marker, or find), " +
      `replace_all. content_fd can replace any content_block. ${SMALL_CALLS}\n` +
      'Example: {"intent": "Add a helper", "target_file": "a.js", "operations": [{"type": "append", "content_block": ' +
      '"function f() {}\\n"}]}',
    ...PLAN_REQUEST,
    answers: ["write_result", "plan_check", "needs_input"],
    checksItself: true,
  },
  {
    name: "undo_write",
    command: "undo",
    title: "Undo a write",
    part: "writing",
    description: "Undo a write. Refused if the file changed since, unless force. An undo can be undone.\n" +
      'Example: {"tx": "tx:7"}',
    brief: {
      parameters: ["tx", "path", "force"],
    },
    ...UNDO_REQUEST,
    answers: ["write_result"],
  },
];

let made: { of: readonly Operation[]; tools: readonly Tool[] } | undefined;

/** The tools of `operations`, in the order that models see. */
export function toolsOf(operations: readonly Operation[]): readonly Tool[] {
  if (made?.of !== operations) {
    made = { of: operations, tools: RECORDS.map((record) => toolOf(record, operations)) };
  }
  return made.tools;
}

export function findTool(name: string, operations: readonly Operation[]): Tool | undefined {
  return toolsOf(operations).find((tool) => tool.name === name);
}
