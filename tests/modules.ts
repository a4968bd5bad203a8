/**
 * The modules of the core code: its folders, from the ground up. A module imports only modules listed before it, and enters them
 * by their public files. ARCHITECTURE.md draws the same list.
 */

/** A folder of core code. Its `publicFiles` are the files that other modules may import: `all`, or these names without `.ts`. */
export interface Module {
  path: string;
  publicFiles: "all" | readonly string[];
  /** A file for each thing of one kind, found by its name: it may have as many as there are things. */
  isCatalogue?: true;
}

/** Files in one module, tests not counted, unless it is a catalogue. */
export const MAX_FILES = 25;

export const MODULES: readonly Module[] = [
  // A file that all modules below use.
  { path: "fd/failures.ts", publicFiles: "all" },
  { path: "fd/disk", publicFiles: "all" },
  { path: "fd/bytes", publicFiles: "all" },
  { path: "fd/clean", publicFiles: ["clean_text", "find_controls", "live_view", "needs_cleaning"] },
  { path: "fd/store", publicFiles: "all" },
  { path: "fd/packs", publicFiles: "all" },
  {
    path: "fd/index",
    publicFiles: [
      "block_entries",
      "block_totals",
      "index_file",
      "scan_file",
      "scan_live",
      "scan_text",
      "stride_memory",
    ],
  },
  { path: "fd/records", publicFiles: "all" },
  {
    path: "fd/put",
    publicFiles: ["content_sink", "put", "put_bytes", "put_options", "share_sealed", "spool_bytes"],
  },
  { path: "fd/forks", publicFiles: ["fork_home", "fork_store"] },
  { path: "fd/slices", publicFiles: "all" },
  {
    path: "fd/search",
    publicFiles: [
      "line_finder",
      "match_lines",
      "hit_spans",
      "line_spans",
      "pattern_spans",
      "walk_spans",
      "search_fd",
    ],
  },
  { path: "fd/packing", publicFiles: "all" },
  {
    path: "fd/upkeep",
    publicFiles: [
      "check_logs",
      "check_files",
      "check_report",
      "check_store",
      "collect_garbage",
      "remove_fd",
      "sweep_sometimes",
      "unfinished_imports",
    ],
  },
  { path: "fd/archive", publicFiles: ["export_fds", "import_fds"] },
  {
    path: "fd/shared/remote",
    publicFiles: [
      "object_store",
      "open_object_store",
      "probe_store",
      "send_request",
      "sign_request",
      "small_file",
      "store_url",
    ],
  },
  {
    path: "fd/shared/objects",
    publicFiles: [
      "claim_shared_id",
      "clean_shared",
      "encrypted_store",
      "fd_object",
      "in_parallel",
      "list_shared",
      "pending_upload",
      "publish_fd",
      "remove_shared",
      "shared_keys",
      "shared_names",
      "store_object",
      "upload_segments",
    ],
  },
  { path: "fd/shared/cache", publicFiles: ["check_cache", "check_remote", "load_shared"] },
  { path: "fd/library", publicFiles: ["mod"] },
  { path: "fd", publicFiles: ["mod", "system"] },

  { path: "src/calls/requests", publicFiles: "all" },
  { path: "src/calls/terms", publicFiles: "all" },
  { path: "src/calls/streams", publicFiles: "all" },
  { path: "src/calls/arguments", publicFiles: "all" },
  { path: "src/answers/parts", publicFiles: "all" },
  {
    path: "src/answers/render",
    publicFiles: [
      "body_text",
      "dress",
      "failure_dress",
      "failure_text",
      "json",
      "match_lines",
      "raw",
      "tag_writer",
      "terminal_text",
      "xml",
    ],
  },
  {
    path: "src/answers/screen",
    publicFiles: [
      "char_width",
      "output_surface",
      "progress_line",
      "show_answer",
      "terminal_format",
      "work_progress",
    ],
  },
  {
    path: "src/findings/comparing",
    publicFiles: [
      "align_lines",
      "changed_lines",
      "differing_middle",
      "ignored_text",
      "line_sums",
      "match_sequences",
      "unified_diff",
      "write_hunks",
    ],
  },
  { path: "src/findings/outline", publicFiles: ["content_outline", "outline_source", "outlined_content"] },
  {
    path: "src/findings/digest",
    publicFiles: [
      "about_weights",
      "digest_preview",
      "failure_signs",
      "mentioned_failures",
      "watch_content",
      "weigh_lines",
    ],
  },
  {
    path: "src/findings/changes",
    publicFiles: ["change_text", "changed_findings", "run_changes", "unordered_lines"],
  },
  {
    path: "src/writing/checks",
    publicFiles: [
      "edited_text",
      "encodings",
      "line_ends",
      "lost_definitions",
      "nearest_lines",
      "new_text",
      "structure_check",
      "text_difference",
    ],
  },
  { path: "src/writing/commit", publicFiles: "all" },
  { path: "src/writing/inquiries", publicFiles: "all" },
  { path: "src/writing/history", publicFiles: "all" },
  {
    path: "src/writing",
    publicFiles: [
      "answer_inquiry",
      "ask_person",
      "create_file",
      "edit_file",
      "rewrite_file",
      "write_options",
      "write_plan",
    ],
  },
  {
    path: "src/capturing",
    publicFiles: [
      "after_storing",
      "capture_options",
      "capture_progress",
      "capture_outcome",
      "capture_stdin",
      "closing",
      "cut_functions",
      "cut_pipes",
      "fd_findings",
      "forward_output",
      "live_output",
      "run_before",
      "shell_output",
      "store_output",
      "stored_result",
    ],
  },
  { path: "src/capturing/background", publicFiles: "all" },
  { path: "src/reading/querying", publicFiles: ["evaluate_query", "query_job"] },
  { path: "src/reading/searching", publicFiles: ["mark_spans", "search_fd"] },
  {
    path: "src/reading",
    publicFiles: [
      "await_line",
      "compare_fds",
      "count_savings",
      "diff_fds",
      "file_as_fd",
      "list_fds",
      "newest_fds",
      "query_fd",
      "read_fd",
      "scan_references",
      "to_file",
    ],
  },
  {
    path: "src/sharing",
    publicFiles: [
      "check_shared_store",
      "clean_shared_store",
      "connected_stores",
      "open_cache",
      "preamble",
      "run_in_store",
      "run_shared",
      "store_stats",
    ],
  },
  {
    path: "src/harnesses",
    publicFiles: [
      "change_settings",
      "change_text",
      "claude_code_answer",
      "harness",
      "harnesses",
      "settings_order",
      "shell_instructions",
      "own_call",
    ],
  },
  { path: "src/harnesses/doctor", publicFiles: "all" },
  { path: "src/page", publicFiles: ["serve_ui"] },
  {
    path: "src/agents",
    publicFiles: [
      "answer_text",
      "call_tool",
      "choose_tools",
      "instructions",
      "lenient_answer",
      "replace_pattern",
      "request_schema",
      "run_command",
      "tool",
      "tool_definitions",
      "tool_table",
    ],
  },
  {
    path: "src/agents/mcp",
    publicFiles: ["answer_bounds", "bounded_call", "mcp_server", "stdio_transport"],
  },
  { path: "src/agents/jp", publicFiles: "all" },
  {
    path: "src/commands/completing",
    publicFiles: ["complete_call", "fitting", "shell_scripts", "value_kinds"],
  },
  { path: "src/commands", publicFiles: "all", isCatalogue: true },
  { path: "src", publicFiles: ["cli"] },
];

/** The module of a file; undefined if its folder is not a module. */
export function moduleOf(path: string): Module | undefined {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return MODULES.find((module) => module.path === path) ?? MODULES.find((module) => module.path === folder);
}
