/**
 * The default tools of an MCP server, with short definitions, since every session pays for them. They list only the
 * most used parameters; others are accepted too.
 */

export interface BriefTool {
  description: string;
  parameters: Readonly<Record<string, string>>;
}

const FD = '"fd:12" or "ref:NAME"';

/** By name, in the order of listing. */
export const BRIEF_TOOLS: Readonly<Record<string, BriefTool>> = {
  read_fd: {
    description:
      "Read a part of stored output by page, line or char, its tail, or all. The answer says which part it " +
      "shows, and gives the next call if there is more.\n" +
      'Example: {"fd": "fd:12", "mode": "line", "start": 10, "count": 5}',
    parameters: {
      fd: FD,
      mode: "unit: page (default), line or char",
      start: "first unit; pages and lines from 1, chars from 0",
      count: "number of units (default 1)",
      tail: "instead: the last lines",
      read_all: "instead: everything",
      since: "instead: content after this cursor of an earlier answer",
    },
  },
  search_fd: {
    description:
      "Find matching lines in stored output, with the line numbers that read_fd takes. Cheaper than reading.\n" +
      'Example: {"fd": "fd:12", "pattern": "error|warning", "context": 2}',
    parameters: {
      fd: FD,
      all_fds: "instead of fd: search all",
      pattern: "regular expression (RE2), matched line by line, or a list of them",
      fixed: "treat pattern as plain text",
      ignore_case: "ignore case",
      context: "lines of context on both sides",
      extract_to_new_fd: "make the matching lines a new fd",
    },
  },
  query_fd: {
    description: "Apply a jq filter to stored JSON or JSON lines.\n" +
      'Example: {"fd": "fd:12", "filter": ".items[].name"}',
    parameters: { fd: FD, filter: "filter in jq's language" },
  },
  list_fds: {
    description: "List stored fds: handle, source, size, lines and pages, newest last.\nExample: {}",
    parameters: { limit: "list the newest N (default 100)" },
  },
  fd_to_file: {
    description:
      "Save stored output to a file without sending its content. The old content is kept as a backup fd.\n" +
      'Example: {"fd": "fd:12", "file_path": "out/build.log"}',
    parameters: {
      fd: FD,
      file_path: "the file",
      mode: "write (default), append, or insert (before at_line)",
      at_line: "with insert: the line",
      create: "false: the file must exist",
      exist_ok: "false: the file must not exist",
    },
  },
  create_file: {
    description:
      "Create or overwrite a file. Give only the path: the answer asks for the content (needs_input), which " +
      'answer_inquiry sends. For a partial change use edit_file.\nExample: {"path": "src/new.js"}',
    parameters: { path: "the file" },
  },
  answer_inquiry: {
    description:
      "Answer a needs_input in the form its answer_type gives. A truncated call writes nothing.\n" +
      'Example: {"inquiry_id": "inq:4", "answer": {"content": "export const x = 1;\\n"}}',
    parameters: { inquiry_id: '"inq:4"', answer: "true or false, one of the options, text, or an object" },
  },
  edit_file: {
    description:
      "Replace exact text in a file. old_string must match once, or use replace_all. Edits: all or none. " +
      "The old content is kept as a backup fd.\n" +
      'Example: {"path": "a.js", "old_string": "x = 1", "new_string": "x = 2"}',
    parameters: {
      path: "the file",
      old_string: "the text to replace",
      new_string: "the replacement",
      new_fd: "instead of new_string: the fd with it",
      replace_all: "replace every match",
      edits: "instead of old_string and new_string: several, in order",
      yes: "don't ask if more than half of the file changes",
    },
  },
  undo_write: {
    description: "Undo a write. Refused if the file changed since, unless force. An undo can be undone.\n" +
      'Example: {"tx": "tx:7"}',
    parameters: {
      tx: "the write (default: the newest)",
      path: "instead: the newest write to this file",
      force: "even if the file changed since",
    },
  },
};
