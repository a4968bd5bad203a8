import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { bodyOf, contentAnswer, resultAnswer, textOf as read } from "../../../tests/sample_answers.ts";
import type { FramedAnswer } from "../../calls/terms/answers.ts";
import type { Report } from "../../calls/terms/reports.ts";
import { commandWriter } from "../parts/next_command.ts";
import { inkOf } from "./ink.ts";
import type { Screen } from "./screen.ts";
import { textOf } from "./show_answer.ts";

/** Steers a terminal, ends lines and turns their order. */
const HOSTILE = "x\x1b]0;owned\x07\x1b[2J\r\n\u009b31m\u202e\u2028y";
const NEXT = { command: "ls" as const, args: { before: HOSTILE } };
const AT = "2026-11-23T19:30:12.000Z";

const SCREEN: Screen = {
  ink: inkOf(undefined),
  columns: 80,
  nowMs: Date.parse(AT),
  writeCall: commandWriter(undefined),
  makeBoundary: () => "0123456789abcdef",
};

const SUMMARY = {
  fd: "fd:3",
  state: "sealed" as const,
  source: HOSTILE,
  bytes: 5,
  chars: 5,
  total_lines: 1,
  pages: 1,
  created: AT,
  names: [HOSTILE],
};

const FILE = { path: HOSTILE, created: false, lines_added: 1, lines_removed: 2, bytes: 3 };
const STEP = { tx: "tx:3", tool: HOSTILE, paths: [HOSTILE], more_paths: 2 };

/** A report with facts of several types, all of them hostile. */
function report(type: Report["type"]): Report {
  const facts: unknown = {
    url: HOSTILE,
    store: HOSTILE,
    tx: HOSTILE,
    id: HOSTILE,
    next_fd: "fd:3",
    lines: 1,
    bytes: 2,
    finding: [{ about: HOSTILE, state: HOSTILE, what: HOSTILE, mend: HOSTILE }],
    removed: [{ fd: "fd:3", source: HOSTILE, names: [HOSTILE] }],
  };
  return { type, facts, message: `fd:3 ${HOSTILE}`, next: NEXT } as Report;
}

/** Reports have one type of data for all their names. */
type SampleOf<Type> = Type extends Report["type"] ? Report : Extract<FramedAnswer, { type: Type }>;

/** An answer of every type: one that is new does not compile until it is here. */
const SAVED = { of: HOSTILE, outputs: 1, printed_chars: 10, shown_chars: 1, later_chars: 0, saved_chars: 9 };

const SAMPLES: { [Type in FramedAnswer["type"]]: SampleOf<Type> } = {
  fd_result: resultAnswer([{ lines: "1-1", body: bodyOf("one\n") }], {
    fd: "fd:3",
    signal: HOSTILE,
    message: HOSTILE,
    next: NEXT,
  }),
  fd_content: contentAnswer(bodyOf("one\n"), { fd: "fd:3", host: HOSTILE, signal: HOSTILE, next: NEXT }),
  fd_extraction: {
    type: "fd_extraction",
    source_fd: "fd:1",
    new_fd: "fd:3",
    mode: "line",
    content_size: 1,
    start: 1,
    count: 1,
    message: HOSTILE,
    next: NEXT,
  },
  fd_file_result: {
    type: "fd_file_result",
    fd: "fd:3",
    file_path: HOSTILE,
    mode: "write",
    char_count: 1,
    size_bytes: 1,
    success: true,
    create: true,
    exist_ok: true,
    message: HOSTILE,
    next: NEXT,
  },
  fd_list: { type: "fd_list", fds: [{ ...SUMMARY, command: [HOSTILE], signal: HOSTILE }], next: NEXT },
  fd_stat: {
    type: "fd_stat",
    ...SUMMARY,
    page_size: 4000,
    command: [HOSTILE],
    cwd: HOSTILE,
    signal: HOSTILE,
    removed: AT,
    why: HOSTILE,
  },
  ref_list: {
    type: "ref_list",
    refs: [{ id: HOSTILE, fd: "fd:3", created: AT, lines: 1, chars: 2, state: "lost" }],
    next: NEXT,
  },
  ref_notice: {
    type: "ref_notice",
    replaced: [{ id: HOSTILE, fd: "fd:3", previous_fd: "fd:1" }],
    unstored: [HOSTILE],
    malformed: [{ line: 1, tag: HOSTILE, why: HOSTILE }],
    message: HOSTILE,
  },
  fd_matches: {
    type: "fd_matches",
    fd: "fd:3",
    pattern: HOSTILE,
    total: 1,
    shown: 1,
    fds: [{ fd: "fd:3", total: 1, shown: 1, source: HOSTILE }],
    shapes: [{ lines: 2, first: 1, like: HOSTILE }],
    matches: [{ line: 1, text: "one", spans: [[0, 1]] }],
    message: HOSTILE,
    next: NEXT,
  },
  fd_query: {
    type: "fd_query",
    fd: "fd:3",
    filter: HOSTILE,
    results: 1,
    values: bodyOf("1\n"),
    message: HOSTILE,
    next: NEXT,
  },
  fd_diff: {
    type: "fd_diff",
    old_fd: "fd:1",
    new_fd: "fd:3",
    identical: false,
    hunks: 1,
    lines_added: 1,
    lines_removed: 0,
    old_total_lines: 0,
    new_total_lines: 1,
    message: `From fd:1 to fd:3 ${HOSTILE}`,
    next: NEXT,
    diff: bodyOf("@@ -0,0 +1 @@\n+one\n"),
  },
  // The bare path, for "$(fdtool path fd:3)".
  fd_path: { type: "fd_path", fd: "fd:3", path: "/store/fd:3" },
  fd_removed: report("fd_removed"),
  fd_gc: report("fd_gc"),
  fd_stats: {
    type: "fd_stats",
    facts: {
      ...SAVED,
      since: AT,
      later_answers: 1,
      reread_outputs: 1,
      reread_ms: 1,
      stored_bytes: 2,
      disk_bytes: 1,
      day: [SAVED],
      project: [SAVED],
      command: [{ ...SAVED, later_chars: 99, saved_chars: -90 }],
    },
    message: `fd:3 ${HOSTILE}`,
  },
  ref_bound: report("ref_bound"),
  fd_verify: report("fd_verify"),
  fd_fork: report("fd_fork"),
  fd_export: report("fd_export"),
  fd_import: report("fd_import"),
  store_checked: report("store_checked"),
  store_connections: report("store_connections"),
  fd_sync: report("fd_sync"),
  store_limits: report("store_limits"),
  store_shown: report("store_shown"),
  doctor_report: report("doctor_report"),
  fd_ended: report("fd_ended"),
  fd_closed: report("fd_closed"),
  ui_server: report("ui_server"),
  write_result: {
    type: "write_result",
    tx: "tx:3",
    files: [{ ...FILE, backup_fd: "fd:3" }],
    backup_file: HOSTILE,
    message: HOSTILE,
    next: NEXT,
  },
  needs_input: {
    type: "needs_input",
    inquiry_id: "inq:3",
    tool: HOSTILE,
    question: {
      id: "q",
      text: HOSTILE,
      pre_amble: HOSTILE,
      answer_type: { Select: { options: [HOSTILE] } },
      default: HOSTILE,
    },
    next: NEXT,
  },
  inquiry_list: {
    type: "inquiry_list",
    inquiries: [{ inquiry_id: "inq:3", tool: HOSTILE, path: HOSTILE, question: HOSTILE, asked: AT }],
    next: NEXT,
  },
  line_count: { type: "line_count", lines: 3, bytes: 9, sha256: "fd:3", message: HOSTILE },
  plan_check: { type: "plan_check", intent: HOSTILE, files: [FILE], message: `fd:3 ${HOSTILE}`, next: NEXT },
  plan_shown: {
    type: "plan_shown",
    tx: "tx:3",
    intent: HOSTILE,
    plan_fd: "fd:3",
    paths: [HOSTILE],
    state: HOSTILE,
    whole: {},
    next: NEXT,
  },
  write_log: {
    type: "write_log",
    total: 1,
    steps: [{
      tx: "tx:3",
      at: AT,
      tool: HOSTILE,
      intent: HOSTILE,
      state: "done",
      paths: [HOSTILE],
      bytes_before: 1,
      backups: ["fd:3"],
      left: [HOSTILE],
    }],
    next: NEXT,
  },
  recover_report: {
    type: "recover_report",
    recovered: [{ ...STEP, how: HOSTILE, left: [HOSTILE] }],
    failed: [STEP],
    message: HOSTILE,
    next: NEXT,
  },
  write_notice: { type: "write_notice", interrupted: [STEP], message: HOSTILE, next: NEXT },
};

for (const [type, answer] of Object.entries(SAMPLES)) {
  Deno.test(`text of ${type}: the handle, the next command, and no char that steers`, () => {
    for (const columns of [20, 40, 80, Infinity]) {
      const text = read(textOf(answer, { ...SCREEN, columns }));
      assert(/(?:fd|tx|inq|ref):3/.test(text) || type === "ref_list" || type === "ref_notice", text);
      if ("next" in answer && answer.next !== undefined) assertStringIncludes(text, "fdtool ls --before");
      // deno-lint-ignore no-control-regex
      assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]/.exec(text), null, text);
      assert(text.endsWith("\n"), "a whole last line");
    }
  });
}

Deno.test("text: colours are begun and ended in each line, and take nothing away", () => {
  for (const answer of Object.values(SAMPLES)) {
    const plain = read(textOf(answer, SCREEN));
    const painted = read(textOf(answer, { ...SCREEN, ink: inkOf("\x1b[") }));
    // deno-lint-ignore no-control-regex
    assertEquals(painted.replace(/\x1b\[[\d;]*m/g, ""), plain);
    for (const line of painted.split("\n")) {
      // deno-lint-ignore no-control-regex
      const codes = line.match(/\x1b\[[\d;]*m/g) ?? [];
      codes.forEach((code, at) => assertEquals(code === "\x1b[m", at % 2 === 1, JSON.stringify(line)));
      assertEquals(codes.length % 2, 0, JSON.stringify(line));
    }
  }
});

Deno.test("text: a match that was found several times says how often", () => {
  const matches = [{ line: 1, start: 0, text: "one", times: 40 }];
  const answer = { ...SAMPLES.fd_matches, only_matching: true, matches } as const;
  assertStringIncludes(read(textOf(answer, SCREEN)), "40× 1:0:one\n");
});
