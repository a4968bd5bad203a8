/** A finding of `doctor`: one line, with its fix. */
export interface Finding {
  /** `fdtool`, or the harness that it is about. */
  about: string;
  /** `problem`: something does not work, or is weaker than it should be. `note`: good to know. */
  state: "ok" | "note" | "problem";
  what: string;
  /** What to run or change. */
  mend?: string | undefined;
}
