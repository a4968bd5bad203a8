/** Whether an fd has the bytes that its command wrote: some harnesses hand over decoded text. */

import { type FdEntry, isChanged } from "../../fd/mod.ts";

/**
 * The source of output that a harness handed over as text: what was not UTF-8 is U+FFFD, and white space at its end may
 * be missing.
 */
export const CHANGED_SOURCE = "shell_text";

/** `no` if the bytes may differ from what the command wrote; undefined if they do not. */
export function exactOf(entry: Pick<FdEntry, "source">): "no" | undefined {
  return isChanged(entry) ? "no" : undefined;
}
