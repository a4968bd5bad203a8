/** Whether an fd has the bytes that its command wrote: some harnesses hand over decoded text. */

import type { FdEntry } from "../../fd/mod.ts";

/**
 * The source of output that a harness handed over as text: what was not UTF-8 is U+FFFD, and white space at its end may
 * be missing. It is part of the record, so copies and archives say it, too.
 */
export const CHANGED_SOURCE = "shell_text";

/** `no` if the bytes may differ from what the command wrote; undefined if they do not. */
export function exactOf({ source }: Pick<FdEntry, "source">): "no" | undefined {
  return source === CHANGED_SOURCE ? "no" : undefined;
}
