/** Jobs on a shared store that one process gives to another. */

import type { SharedPart, SharedRecords } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";

export type SharedJob =
  | { kind: "fetch"; part: SharedPart; isFresh?: boolean | undefined }
  | { kind: "share"; note: string }
  | { kind: "bind"; name: string; id: number }
  | { kind: "remove"; id: number; why: string };

export interface JobAnswer {
  failure?: FdFailure | undefined;
  /** The new handle of an fd, or its former one. */
  id?: number | undefined;
  records?: SharedRecords | undefined;
}
