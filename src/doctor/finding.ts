/** One thing that `doctor` found: one line, with its mend. */
export interface Finding {
  /** `fdtool`, or the harness that it is about. */
  about: string;
  /** `problem`: something does not work, or is weaker than it should be. `note`: good to know. */
  state: "ok" | "note" | "problem";
  what: string;
  /** What to run or change. */
  mend?: string | undefined;
}
