/**
 * Writes to try faults on: a plan of several files, an edit, and exports of `fd:1`, whose lines are {@link LOG_LINE}.
 */

/** Contents before the write. */
export const OLD = "old\nlines\n";
/** A line of the fd that is exported. */
export const LOG_LINE = "a line of a log\n";

export const PLAN = JSON.stringify({
  intent: "three files",
  plans: [
    {
      target_file: "a",
      operations: [{ type: "append", content_block: "more\n" }],
      safety_checks: { backup_required: true },
    },
    { target_file: "b", operations: [{ type: "overwrite", content_block: "whole\n" }] },
    { target_file: "deep/er/c", operations: [{ type: "create", content_block: "new\n" }] },
  ],
});

/** The files after {@link PLAN} was applied to `a` and `b`, which were {@link OLD}. */
export const AFTER_PLAN = {
  "a": OLD + "more\n",
  "a.bak": OLD,
  "b": "whole\n",
  "deep/": "",
  "deep/er/": "",
  "deep/er/c": "new\n",
  "plan.json": PLAN,
};

/** A call, and the files before and after it; a name that ends with a slash is a directory. */
export interface SampleWrite {
  words: readonly string[];
  before: Readonly<Record<string, string>>;
  after: Readonly<Record<string, string>>;
}

export const SAMPLE_WRITES: readonly SampleWrite[] = [
  {
    words: ["to-file", "fd:1", "f", "--lines", "1-1", "--mode", "append"],
    before: { "f": OLD },
    after: { "f": OLD + LOG_LINE },
  },
  {
    words: ["to-file", "fd:1", "new/f", "--lines", "1-1"],
    before: {},
    after: { "new/": "", "new/f": LOG_LINE },
  },
  {
    words: ["plan", "apply", "plan.json"],
    before: { "a": OLD, "b": OLD, "plan.json": PLAN },
    after: AFTER_PLAN,
  },
  {
    words: ["edit", "f", "--old", "lines", "--new", "words"],
    before: { "f": OLD },
    after: { "f": "old\nwords\n" },
  },
];
