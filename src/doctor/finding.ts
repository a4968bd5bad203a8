/** One line of `doctor`, with its fix. */
export interface Finding {
  /** `fdtool` or the name of a harness. */
  about: string;
  /** `problem`: something fails or is weakened. `note`: worth knowing. */
  state: "ok" | "note" | "problem";
  what: string;
  /** The command to run or setting to change. */
  mend?: string | undefined;
}
