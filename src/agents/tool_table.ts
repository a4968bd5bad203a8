/**
 * The tools that agents can call, with the names and parameters that callers rely on (contract, Agents). A tool's
 * function is loaded when called.
 */

import { openHostStore } from "../answering/open_host_store.ts";
import { DIFF_FIELDS } from "../requests/diff_request.ts";
import { formFaultsBy } from "../requests/form_faults.ts";
import { LIST_FIELDS, LIST_RULES, REFS_FIELDS, REFS_RULES } from "../requests/list_request.ts";
import { QUERY_FIELDS, QUERY_RULES } from "../requests/query_request.ts";
import { READ_FIELDS, READ_RULES } from "../requests/read_request.ts";
import { schemaOf } from "../requests/request_schema.ts";
import { SEARCH_FIELDS, SEARCH_RULES } from "../requests/search_request.ts";
import { TO_FILE_FIELDS } from "../requests/to_file_request.ts";
import { defineTool, type Tool } from "./tool.ts";
import { WRITING_TOOLS } from "./writing_tools.ts";

const LOOK = { readOnly: true, destructive: false, idempotent: true } as const;

const WRITE = { readOnly: false, destructive: true, idempotent: false } as const;

/** In the order that models see. */
export const TOOLS: readonly Tool[] = [
  defineTool({
    name: "read_fd",
    title: "Read a file descriptor",
    part: "fds",
    description:
      "Read a slice of stored output by page, line or char, its tail, or all of it. The answer says which " +
      "part it shows, and gives the next call if there is more. With extract_to_new_fd the slice " +
      "becomes a new fd, and only its handle is returned.\n" +
      'Example: {"fd": "fd:12", "mode": "line", "start": 10, "count": 5} reads lines 10-14.',
    request: schemaOf(READ_FIELDS),
    formFaults: formFaultsBy(READ_FIELDS, READ_RULES),
    answers: ["fd_content", "fd_extraction"],
    ...LOOK,
    idempotent: false,
    async run(request, host) {
      const { extractFd, readFd } = await import("../reading/read_fd.ts");
      const answer = request.extract_to_new_fd === true ? extractFd : readFd;
      return { exitCode: 0, answer: await answer(openHostStore(host), request) };
    },
  }),
  defineTool({
    name: "search_fd",
    title: "Search a file descriptor",
    part: "fds",
    description:
      "Find matching lines in stored output, with the line numbers that read_fd takes. Cheaper than " +
      "reading: the answer is bounded and gives the exact total.\n" +
      'Example: {"fd": "fd:12", "pattern": "error|warning", "context": 2}',
    request: schemaOf(SEARCH_FIELDS),
    formFaults: formFaultsBy(SEARCH_FIELDS, SEARCH_RULES),
    answers: ["fd_matches", "fd_extraction"],
    ...LOOK,
    idempotent: false,
    async run(request, host) {
      const { searchFd } = await import("../reading/search_fd.ts");
      const answer = await searchFd(openHostStore(host), request, host.checkpoint);
      return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
    },
  }),
  defineTool({
    name: "query_fd",
    title: "Query JSON with a jq filter",
    part: "fds",
    description:
      "Apply a filter in jq's language to stored JSON, or to each value of JSON lines. The answer is bounded; " +
      "extract_to_new_fd stores all results.\n" +
      'Example: {"fd": "fd:12", "filter": ".items[] | select(.status == \\"failed\\") | .name"}',
    request: schemaOf(QUERY_FIELDS),
    formFaults: formFaultsBy(QUERY_FIELDS, QUERY_RULES),
    answers: ["fd_query"],
    ...LOOK,
    idempotent: false,
    async run(request, host) {
      const { queryFd } = await import("../reading/query_fd.ts");
      const answer = await queryFd(request, host);
      return { exitCode: answer.error === undefined ? 0 : 1, answer };
    },
  }),
  defineTool({
    name: "diff_fds",
    title: "Compare two file descriptors",
    part: "fds",
    description:
      "Show what changed between two stored outputs, such as two runs of a command, as unified hunks with the line " +
      "numbers that read_fd takes. The answer is bounded; a long diff becomes an fd.\n" +
      'Example: {"old_fd": "fd:12", "new_fd": "fd:15", "ignore_times": true}',
    request: schemaOf(DIFF_FIELDS),
    answers: ["fd_diff"],
    ...LOOK,
    idempotent: false,
    async run(request, host) {
      const { diffFds } = await import("../reading/diff_fds.ts");
      const answer = await diffFds(openHostStore(host), request, host.checkpoint);
      return { exitCode: answer.identical ? 0 : 1, answer };
    },
  }),
  defineTool({
    name: "fd_to_file",
    title: "Save a file descriptor to a file",
    part: "fds",
    description:
      "Save stored output, or a slice of it, to a file without sending its content. The write is " +
      "atomic, and the old content is kept as a backup fd.\n" +
      'Example: {"fd": "fd:12", "file_path": "out/build.log", "exist_ok": false} fails if the file exists.',
    request: schemaOf(TO_FILE_FIELDS),
    answers: ["fd_file_result", "write_result"],
    ...WRITE,
    async run(request, host) {
      const { toFile } = await import("../reading/to_file.ts");
      return { exitCode: 0, answer: await toFile(request, host) };
    },
  }),
  defineTool({
    name: "list_fds",
    title: "List file descriptors",
    part: "fds",
    description: "List stored fds: handle, state, source, size, lines and pages of each, newest last.\n" +
      'Example: {"limit": 20}',
    request: schemaOf(LIST_FIELDS),
    formFaults: formFaultsBy(LIST_FIELDS, LIST_RULES),
    answers: ["fd_list"],
    ...LOOK,
    async run(request, host) {
      const { listOutcome } = await import("../reading/list_fds.ts");
      return listOutcome(openHostStore(host), request);
    },
  }),
  defineTool({
    name: "list_refs",
    title: "List references",
    part: "refs",
    description:
      "List names (ref:NAME) and the fd that each is bound to. Use ref:NAME anywhere an fd is accepted.\n" +
      "Example: {}",
    request: schemaOf(REFS_FIELDS),
    formFaults: formFaultsBy(REFS_FIELDS, REFS_RULES),
    answers: ["ref_list"],
    ...LOOK,
    async run(request, host) {
      const { listRefs } = await import("../reading/list_refs.ts");
      return { exitCode: 0, answer: listRefs(openHostStore(host), request) };
    },
  }),
  ...WRITING_TOOLS,
];

export function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name);
}
