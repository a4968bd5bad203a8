/**
 * The answers that commands return: plain data, named as the contract's section 5 names them. Renderers turn them
 * into text; nothing else prints. Fields that are `undefined` are left out of every dress.
 *
 * @module
 */

/** Bytes that are shown or written as they are. It can be walked more than once, and never holds all of itself in memory. */
export interface Body {
  readonly byteLength: number;
  chunks(): Iterable<Uint8Array>;
}

/** One part of a preview: where it lies, and its bytes. */
export interface PreviewPart {
  /** "41-80", numbered from 1; "0-0" where there is no line. */
  lines: string;
  body: Body;
}

/** A command's output or stdin was stored. */
export interface FdResult {
  type: "fd_result";
  fd: string;
  pages: number;
  /** Whether the preview ends inside a line that goes on. */
  truncated: boolean;
  lines: string;
  total_lines: number;
  source: string;
  chars: number;
  bytes: number;
  state?: "incomplete" | undefined;
  /** Bytes that a cap cut out, and where the hole is. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  duration_ms?: number | undefined;
  message: string;
  next?: string | undefined;
  preview: PreviewPart[];
}

/** A slice of an fd. `page` is a number in page mode, "all" for all of it, absent in line and char mode. */
export interface FdContent {
  type: "fd_content";
  fd: string;
  page?: number | "all" | undefined;
  pages: number;
  continued: boolean;
  truncated: boolean;
  lines: string;
  total_lines: number;
  mode: "page" | "line" | "char";
  start: number;
  count: number;
  state?: "live" | "incomplete" | undefined;
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  next?: string | undefined;
  content: Body;
}

/** A slice became an fd of its own. `content_size` counts chars. */
export interface FdExtraction {
  type: "fd_extraction";
  source_fd: string;
  new_fd: string;
  mode: "page" | "line" | "char";
  content_size: number;
  start: number;
  count: number;
  page?: number | "all" | undefined;
  message: string;
  next?: string | undefined;
}

/** An fd, or a slice of it, is in a file. `size_bytes` is the whole file's size afterwards; `char_count` what was written. */
export interface FdFileResult {
  type: "fd_file_result";
  fd: string;
  file_path: string;
  mode: "write" | "append" | "insert";
  char_count: number;
  size_bytes: number;
  success: boolean;
  create: boolean;
  exist_ok: boolean;
  backup_fd?: string | undefined;
  tx?: string | undefined;
  message: string;
  next?: string | undefined;
}

/** One fd in a list. */
export interface FdSummary {
  fd: string;
  state: "sealed" | "live" | "incomplete" | "removed";
  source: string;
  bytes: number;
  chars: number;
  total_lines: number;
  pages: number;
  /** ISO 8601, UTC. */
  created: string;
  names: string[];
}
