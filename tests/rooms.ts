/**
 * The rooms of the core code: its folders, from the ground up. A room imports only rooms listed before it, and enters them
 * by their doors. ARCHITECTURE.md draws the same list.
 */

/** A folder of core code. Its `doors` are the files that other rooms may import: `all`, or these names without `.ts`. */
export interface Room {
  path: string;
  doors: "all" | readonly string[];
  /** A file for each thing of one kind, found by its name: it may have as many as there are things. */
  isCatalogue?: true;
}

/** Files in one room, tests not counted, unless it is a catalogue. */
export const MAX_FILES = 25;

export const ROOMS: readonly Room[] = [
  // A file that all rooms below use.
  { path: "fd/failures.ts", doors: "all" },
  { path: "fd/disk", doors: "all" },
  { path: "fd/bytes", doors: "all" },
  { path: "fd/clean", doors: ["clean_text", "find_controls", "live_view", "needs_cleaning"] },
  { path: "fd/store", doors: "all" },
  { path: "fd/packs", doors: "all" },
  {
    path: "fd/index",
    doors: [
      "block_entries",
      "block_totals",
      "index_file",
      "scan_file",
      "scan_live",
      "scan_text",
      "stride_memory",
    ],
  },
  { path: "fd/records", doors: "all" },
  {
    path: "fd/put",
    doors: ["content_sink", "put", "put_bytes", "put_options", "share_sealed", "spool_bytes"],
  },
  { path: "fd/forks", doors: ["fork_home", "fork_store"] },
  { path: "fd/slices", doors: "all" },
  {
    path: "fd/search",
    doors: [
      "line_finder",
      "match_lines",
      "hit_spans",
      "line_spans",
      "pattern_spans",
      "walk_spans",
      "search_fd",
    ],
  },
  { path: "fd/packing", doors: "all" },
  {
    path: "fd/upkeep",
    doors: [
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
  { path: "fd/archive", doors: ["export_fds", "import_fds"] },
  {
    path: "fd/shared/remote",
    doors: [
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
    doors: [
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
  { path: "fd/shared/cache", doors: ["check_cache", "check_remote", "load_shared"] },
  { path: "fd/library", doors: ["mod"] },
  { path: "fd", doors: ["mod", "system"] },

  { path: "src/calls/requests", doors: "all" },
  { path: "src/calls/terms", doors: "all" },
  { path: "src/calls/streams", doors: "all" },
  { path: "src/calls/arguments", doors: "all" },
  { path: "src/answers/parts", doors: "all" },
  {
    path: "src/answers/render",
    doors: [
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
    doors: [
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
    doors: [
      "align_lines",
      "changed_lines",
      "differing_middle",
      "ignored_text",
      "line_sums",
      "unordered_lines",
      "match_sequences",
      "unified_diff",
      "write_hunks",
    ],
  },
  { path: "src/findings/outline", doors: ["content_outline", "outlined_content"] },
  { path: "src/findings/digest", doors: ["about_weights", "digest_preview", "run_changes", "watch_content"] },
  {
    path: "src/writing/checks",
    doors: [
      "edited_text",
      "encodings",
      "line_ends",
      "nearest_lines",
      "new_text",
      "structure_check",
      "text_difference",
    ],
  },
  { path: "src/writing/commit", doors: "all" },
  { path: "src/writing/inquiries", doors: "all" },
  { path: "src/writing/history", doors: "all" },
  {
    path: "src/writing",
    doors: [
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
    doors: [
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
  { path: "src/capturing/background", doors: "all" },
  { path: "src/reading/querying", doors: ["evaluate_query", "query_job"] },
  { path: "src/reading/searching", doors: ["mark_spans", "search_fd"] },
  {
    path: "src/reading",
    doors: [
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
    doors: [
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
    doors: [
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
  { path: "src/harnesses/doctor", doors: "all" },
  { path: "src/page", doors: ["serve_ui"] },
  {
    path: "src/agents",
    doors: [
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
    doors: ["answer_bounds", "bounded_call", "mcp_server", "stdio_transport"],
  },
  { path: "src/agents/jp", doors: "all" },
  { path: "src/commands/completing", doors: ["complete_call", "fitting", "shell_scripts", "value_kinds"] },
  { path: "src/commands", doors: "all", isCatalogue: true },
  { path: "src", doors: ["cli"] },
];

/** The room of a file; undefined if its folder is not a room. */
export function roomOf(path: string): Room | undefined {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return ROOMS.find((room) => room.path === path) ?? ROOMS.find((room) => room.path === folder);
}
