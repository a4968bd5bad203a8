import {
  deriveFd,
  type FdEntry,
  formatFd,
  locateSlice,
  prepareContent,
  shareSealed,
  type SliceRequest,
  type Store,
} from "../../fd/mod.ts";
import type { FdExtraction } from "../calls/terms/answers.ts";
import { missingFields, withMissingRemark } from "../answers/parts/missing_remark.ts";
import { fdNamedBefore, namedAs } from "../answers/parts/named_before.ts";

/** `read --extract`: stores a slice of `entry` as a new fd and binds it to `name`. */
export async function extractSlice(
  store: Store,
  entry: FdEntry,
  request: SliceRequest,
  name: string | undefined,
): Promise<FdExtraction> {
  await prepareContent(store, entry, request);
  const slice = locateSlice(store, entry, request);
  const previousFd = await fdNamedBefore(store, name);
  const names = name === undefined ? undefined : [name];
  const made = await shareSealed(store, deriveFd(store, entry, slice, { names }), names);
  const source = formatFd(entry.id);
  const fd = formatFd(made.id);
  const last = slice.start + slice.count - 1;
  const what = slice.all
    ? "all of it"
    : slice.count === 1
    ? `${slice.mode} ${slice.start}`
    : `${slice.mode}s ${slice.start}-${last}`;
  const said = `Extracted ${what} of ${source} to ${fd}${
    namedAs(name, previousFd)
  } (${made.charCount} chars).`;
  return {
    type: "fd_extraction",
    source_fd: source,
    new_fd: fd,
    mode: slice.mode,
    content_size: made.charCount,
    start: slice.start,
    count: slice.count,
    page: slice.all ? "all" : slice.mode === "page" ? slice.start : undefined,
    ...(previousFd === undefined ? {} : { previous_fd: previousFd }),
    ...missingFields(entry, slice),
    message: withMissingRemark(entry, said, slice),
    next: { command: "read", args: { fd } },
  };
}
