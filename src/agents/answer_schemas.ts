/**
 * The JSON Schemas of answers, for MCP's output schemas: fields that callers rely on (contract, Answers). Answers may
 * have more.
 */

import { SLICE_MODES } from "../../fd/system.ts";
import type { JsonSchema } from "./request_schema.ts";
import type { ToolAnswer } from "./tool.ts";

const text: JsonSchema = { type: "string" };
const count: JsonSchema = { type: "integer", minimum: 0 };
const flag: JsonSchema = { type: "boolean" };
const handle = (description: string): JsonSchema => ({ type: "string", description });
const list = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "array",
  items: { type: "object", properties, required: Object.keys(properties) },
});

interface AnswerFields {
  always: Record<string, JsonSchema>;
  maybe?: Record<string, JsonSchema>;
}

const mode: JsonSchema = { type: "string", enum: [...SLICE_MODES] };
const next: JsonSchema = handle("The call to make next.");

const missing: Record<string, JsonSchema> = {
  state: text,
  dropped_bytes: { ...count, description: "Bytes dropped by a size limit." },
  gap_at_byte: { ...count, description: "They are missing after this byte." },
};

const texts: JsonSchema = { type: "array", items: text };

const summary: Record<string, JsonSchema> = {
  fd: text,
  state: text,
  source: text,
  bytes: count,
  chars: count,
  total_lines: count,
  pages: count,
  created: text,
  names: texts,
};

const step: Record<string, JsonSchema> = { tx: text, tool: text, paths: texts };

const report: AnswerFields = { always: { message: text }, maybe: { next } };

const ANSWERS: Readonly<Record<ToolAnswer | "fd_error", AnswerFields>> = {
  fd_content: {
    always: {
      fd: text,
      pages: count,
      continued: flag,
      truncated: flag,
      lines: handle('The lines in the slice, such as "41-80".'),
      total_lines: count,
      mode,
      start: count,
      count,
      content: text,
    },
    maybe: {
      page: { anyOf: [{ type: "integer" }, { const: "all" }] },
      encoding: { const: "base64" },
      shown_chars: count,
      cleaned: count,
      ...missing,
      cursor: { ...count, description: "Pass as since to read what comes after this slice." },
      exit_code: count,
      next,
    },
  },
  fd_extraction: {
    always: {
      source_fd: text,
      new_fd: text,
      mode,
      content_size: { ...count, description: "In chars." },
      start: count,
      count,
      message: text,
    },
    maybe: { previous_fd: text, capped: flag, ...missing, next },
  },
  fd_result: {
    always: {
      fd: text,
      pages: count,
      truncated: flag,
      lines: text,
      total_lines: count,
      source: text,
      chars: count,
      bytes: count,
      message: text,
    },
    maybe: { shared: flag, exit_code: count, exact: text, cleaned: count, ...missing, next },
  },
  fd_file_result: {
    always: {
      fd: text,
      file_path: text,
      mode: { type: "string", enum: ["write", "append", "insert"] },
      char_count: count,
      size_bytes: count,
      success: flag,
      create: flag,
      exist_ok: flag,
      message: text,
    },
    maybe: { ...missing, backup_fd: text, tx: text, next },
  },
  fd_list: {
    always: { fds: list(summary) },
    maybe: { total: count, message: text, next },
  },
  fd_stat: {
    always: { ...summary, page_size: count },
    maybe: {
      ...missing,
      sha256: text,
      command: texts,
      cwd: text,
      exit_code: count,
      signal: text,
      duration_ms: count,
      exact: text,
      parent: { type: "object", properties: { fd: text, mode, start: count, count } },
    },
  },
  fd_path: { always: { fd: text, path: text } },
  ref_list: {
    always: { refs: list({ id: text, fd: text, created: text, lines: count, chars: count }) },
    maybe: { total: count, message: text, next },
  },
  fd_matches: {
    always: { total: count, shown: count, matches: list({ line: count, text }) },
    maybe: {
      fd: text,
      pattern: text,
      counted: flag,
      only_matching: flag,
      cleaned: { ...count, description: "Chars left out of what is shown." },
      searched: count,
      fds: list({ fd: text }),
      shapes: list({ lines: count, first: count, like: text }),
      exit_code: count,
      ...missing,
      message: text,
      next,
    },
  },
  fd_query: {
    always: { fd: text, filter: text, results: count },
    maybe: {
      truncated: flag,
      error: { type: "string", enum: ["parse_error", "filter_error", "timed_out", "out_of_memory"] },
      new_fd: text,
      ...missing,
      message: text,
      next,
      values: text,
    },
  },
  fd_diff: {
    always: {
      old_fd: text,
      new_fd: text,
      identical: flag,
      hunks: count,
      lines_added: count,
      lines_removed: count,
      old_total_lines: count,
      new_total_lines: count,
      message: text,
    },
    maybe: {
      diff: handle("Unified hunks."),
      encoding: { const: "base64" },
      ignored: { type: "array", items: text },
      volatile_lines: {
        ...count,
        description: "Lines that differ only in times, addresses and ids, left out.",
      },
      exact_fd: text,
      coarse: flag,
      cleaned: count,
      diff_fd: handle("The fd with the whole diff, if it is too long to show."),
      shown_lines: count,
      diff_lines: count,
      next,
    },
  },
  line_count: { always: { lines: count, bytes: count, sha256: text }, maybe: { message: text } },
  write_result: {
    always: { message: text },
    maybe: {
      path: text,
      created: flag,
      lines_added: count,
      lines_removed: count,
      lines: text,
      bytes: count,
      backup_fd: text,
      more_files: { ...count, description: "Number of files not listed." },
      tx: text,
      next,
    },
  },
  plan_check: { always: { intent: text, message: text }, maybe: { next } },
  needs_input: {
    always: {
      inquiry_id: text,
      tool: text,
      question: {
        type: "object",
        properties: { id: text, text, answer_type: {} },
        required: ["id", "text", "answer_type"],
      },
    },
    maybe: { next },
  },
  inquiry_list: {
    always: { inquiries: list({ inquiry_id: text, tool: text, path: text, question: text, asked: text }) },
    maybe: { total: count, message: text, next },
  },
  plan_shown: {
    always: { tx: text, plan_fd: text, paths: texts, state: text },
    maybe: { intent: text, message: text, next },
  },
  write_log: {
    always: {
      total: count,
      steps: list({ ...step, at: text, state: text, bytes_before: count, backups: texts }),
    },
    maybe: { message: text, next, diff: text },
  },
  recover_report: {
    always: { recovered: list({ ...step, how: text, left: texts }), message: text },
    maybe: { failed: list(step), next },
  },
  write_notice: { always: { interrupted: list(step), message: text, next } },
  ref_notice: report,
  ref_bound: report,
  fd_removed: report,
  fd_gc: report,
  fd_verify: report,
  fd_fork: report,
  fd_export: report,
  fd_import: report,
  store_checked: report,
  store_connections: report,
  fd_sync: report,
  store_shown: report,
  doctor_report: report,
  fd_ended: report,
  fd_closed: report,
  ui_server: report,
  fd_error: { always: { error: text, message: text }, maybe: { fd: text, path: text, next } },
};

/** Returns the schema of a tool's answers: one of `answers`, or `fd_error`. */
export function outputSchemaOf(answers: readonly ToolAnswer[]): { type: "object"; [key: string]: unknown } {
  const types = [...answers, "fd_error" as const];
  return {
    type: "object",
    properties: { type: { type: "string", enum: types } },
    required: ["type"],
    anyOf: types.map(answerSchemaOf),
  };
}

function answerSchemaOf(type: ToolAnswer | "fd_error"): JsonSchema {
  const { always, maybe = {} } = ANSWERS[type];
  return {
    type: "object",
    properties: { type: { const: type }, ...always, ...maybe },
    required: ["type", ...Object.keys(always)],
  };
}
