/**
 * The rooms of the core code: its folders, from the ground up. A room imports only rooms listed before it, and enters them
 * by their doors. ARCHITECTURE.md draws the same list.
 *
 * @module
 */

/** A folder of core code. Its `doors` are the files that other rooms may import: `all`, or these names without `.ts`. */
export interface Room {
  path: string;
  doors: "all" | readonly string[];
}

/** Files in one room, tests not counted. */
export const MOST_FILES = 25;

export const ROOMS: readonly Room[] = [
  { path: "fd/disk", doors: "all" },
  { path: "fd/bytes", doors: "all" },
  { path: "fd/store", doors: "all" },
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
  { path: "fd/put", doors: ["give_up_put", "put_bytes", "put_file", "put_stream", "spool_bytes"] },
  { path: "fd/forks", doors: ["fork_home", "fork_store"] },
  { path: "fd/slices", doors: "all" },
  { path: "fd/search", doors: ["line_finder", "match_lines", "pattern_spans", "search_fd"] },
  {
    path: "fd/upkeep",
    doors: [
      "check_logs",
      "check_report",
      "check_store",
      "collect_garbage",
      "list_removed",
      "remove_fd",
      "sweep_sometimes",
    ],
  },
  { path: "fd/archive", doors: ["export_fds", "import_fds"] },
  { path: "fd", doors: ["mod"] },
];

/** The room that a file is in; undefined if its folder is none. */
export function roomOf(path: string): Room | undefined {
  const folder = path.slice(0, path.lastIndexOf("/"));
  return ROOMS.find((room) => room.path === folder);
}
