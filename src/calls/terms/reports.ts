/** The facts of reports, by type, in the order of display. Lists are shown one item a line. */

import type { Message, NextCall } from "./next_call.ts";

type Optional<Facts> = { [Name in keyof Facts]?: Facts[Name] | undefined };

/** An fd in a report. */
interface Fd {
  fd: string;
  bytes: number;
  source: string;
}

/** Numbers of a shared store. */
interface StoreStats {
  /** Of this host, since midnight UTC. */
  shared_fds: number;
  shared_bytes: number;
  requests: readonly { kind: string; count: number; bytes: number }[];
  errors: readonly { kind: string; count: number }[];
  last_share: string;
  oldest_pending: string;
  /** Of the bucket; removed fds too. */
  fds: number;
  objects: number;
  bytes: number;
}

/** Chars that storing output saved, of a day, a project or a command. */
export interface Saved {
  of: string;
  /** Outputs that a first answer was given for. */
  outputs: number;
  printed_chars: number;
  /** By first answers, with the words around content. */
  shown_chars: number;
  /** By answers that read from them later. */
  later_chars: number;
  /** Those printed, less those shown and read later. */
  saved_chars: number;
}

interface ReportFacts {
  fd_removed: {
    removed: readonly (Fd & { sha256?: string | undefined; names?: readonly string[] | undefined })[];
    more_removed?: number | undefined;
    /** Fds that are still needed, and why they could not be removed. */
    kept?: readonly { fd: string; error: string; needed_by?: string | undefined }[] | undefined;
    more_kept?: number | undefined;
  };
  fd_gc: Optional<{
    dry_run: boolean;
    /** Of a shared store: whether it was cleaned to the end. */
    ended: "done" | "cut" | "busy";
    removed_count: number;
    bytes_before: number;
    bytes_after: number;
    disk_bytes_before: number;
    disk_bytes_after: number;
    packed_count: number;
    stored_bytes: number;
    leftovers_removed: number;
    cache_bytes_freed: number;
    doubted_count: number;
    removed: readonly (Fd & { why: string })[];
    more_removed: number;
  }>;
  fd_stats: Omit<Saved, "of"> & {
    since: string;
    later_answers: number;
    /** Outputs of commands that were read later: without the store, such a command runs again. */
    reread_outputs: number;
    /** How long those commands ran. */
    reread_ms: number;
    /** Content now, before and after packing. */
    stored_bytes: number;
    disk_bytes: number;
    day: readonly Saved[];
    /** Those that saved most. */
    project: readonly Saved[];
    command: readonly Saved[];
    more_projects?: number | undefined;
    more_commands?: number | undefined;
  };
  ref_bound: { id: string; fd: string; previous_fd?: string | undefined };
  fd_verify: {
    ok: boolean;
    fds: number;
    bytes: number;
    damaged: number;
    repaired: number;
    finding: readonly { fd: string | undefined; path: string; problem: string; repaired: boolean }[];
    more_findings?: number | undefined;
  };
  fd_fork: {
    fd_count: number;
    removed_count: number;
    name_count: number;
    next_fd: string;
    store?: string | undefined;
    left_out?: number | undefined;
    copied_bytes?: number | undefined;
    copy_reason?: string | undefined;
    snapshots?: readonly { fd: string }[] | undefined;
  };
  fd_export: {
    fd_count: number;
    archive_bytes: number;
    output: string;
    tx?: string | undefined;
    fds: readonly Fd[];
    more_fds?: number | undefined;
    left_out?: readonly { fd: string; state: "live" }[] | undefined;
    more_left_out?: number | undefined;
  };
  fd_import: {
    fd_count: number;
    /** `was`: its id in the archive. */
    fds: readonly (Fd & { was: string; names?: readonly string[] | undefined })[];
    more_fds?: number | undefined;
    names_taken?: readonly { name: string }[] | undefined;
    more_names_taken?: number | undefined;
  };
  store_checked: {
    ok: boolean;
    store: string;
    versioned?: boolean | undefined;
    promises: readonly { promise: string; kept: boolean; found: string | undefined }[];
  };
  store_connections: {
    ok: boolean;
    total: number;
    /** The URL or directory, as it was given, and the date. */
    connection: readonly { store: string; connected: string }[];
  };
  fd_sync: { shared: number; pending: number };
  store_shown: Optional<{ store: string; id: string; created: string; oldest_read: string } & StoreStats> & {
    highest_id: number;
    cache: string;
    cached_fds: number;
    cached_bytes: number;
    cache_bound: number;
    pending: number;
    pending_fds: readonly { fd: string; since: string | undefined }[];
  };
  store_limits: { store: string; quota: number; ttl_ms: number; full: boolean };
  doctor_report: {
    ok: boolean;
    version: string;
    store: string;
    problems: number;
    finding: readonly {
      /** `fdtool` or the name of a harness. */
      about: string;
      /** `problem`: something fails or is weakened. `note`: worth knowing. */
      state: "ok" | "note" | "problem";
      what: string;
      /** The command to run or the setting to change. */
      mend?: string | undefined;
    }[];
  };
  /** A command that needs no stop, since it has ended. */
  fd_ended: { fd: string } & Optional<{ state: "incomplete"; exit_code: number; signal: string }>;
  /** The closing line of output that a person saw as it came; without `fd` if it was not stored. */
  fd_closed:
    & { lines: number; bytes: number }
    & Optional<{
      fd: string;
      /** One of two. */
      stream: string;
      exit_code: number;
      signal: string;
      duration_ms: number;
      /** Whether the output had the mark that begins the closing line. */
      marked: true;
      state: "live" | "incomplete";
      dropped_bytes: number;
      gap_at_byte: number;
      shared: false;
    }>;
  ui_server: { url: string; read_only: boolean; store: string };
}

export type ReportType = keyof ReportFacts;

export interface ReportOf<Type extends ReportType> {
  type: Type;
  facts: Readonly<ReportFacts[Type]>;
  message: Message;
  next?: NextCall | undefined;
}

/** A short report of a command that changes or checks the store, such as `gc`, `verify` or `fork`. */
export type Report = { [Type in ReportType]: ReportOf<Type> }[ReportType];
