/** The preview of a stored fd as data. */

import type { ReadRequest } from "../requests/read_request.ts";
import type { NamedCall } from "./next_call.ts";
import type { PreviewGap, PreviewPart } from "./answers.ts";

/** The part of an fd that the answer shows. */
export interface Preview {
  parts: (PreviewPart | PreviewGap)[];
  /** "1-82", or "1-40,961-1000" for two parts; "0-0" if nothing is shown. */
  lines: string;
  /** Whether a line is shown in part. */
  truncated: boolean;
  /** The slice to read next, as `read` takes it; undefined if all is shown. */
  readOn: Omit<ReadRequest, "fd"> | undefined;
  /** Chars that the clean view of what is shown leaves out. */
  cleanedChars?: number | undefined;
  /** The filter to query instead. */
  query?: string | undefined;
  /** The name of a file to export to instead. */
  exportTo?: string | undefined;
  /** Sentences about the run before. */
  said?: readonly (string | NamedCall)[] | undefined;
  /** The call that compares with the run before, to be made next. */
  diff?: NamedCall | undefined;
  /** `fd:N` of the run before, if its content is the same. */
  same?: string | undefined;
  /** If an outline is shown instead of content: the kind of content. */
  outlined?: string | undefined;
}
