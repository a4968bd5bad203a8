/** Chooses the part of stored output that the answer shows, and the slice to read next. */

import {
  cleanViewOf,
  contentInMemory,
  type FdEntry,
  locateIn,
  type OpenContent,
  openContent,
  readIn,
  readWhole,
  type Slice,
  sliceNeedsCleaning,
  type Store,
  wholeSlice,
} from "../../fd/mod.ts";
import { countChars } from "../../fd/system.ts";
import type { Preview, PreviewPart } from "../calls/terms/answers.ts";
import type { CaptureOptions } from "./capture_options.ts";
import type { StoredOutput } from "./store_output.ts";

interface SlicePreview extends Preview {
  parts: PreviewPart[];
}

/** The previews that are slices. */
type SliceKind = Exclude<CaptureOptions["preview"], "digest">;

/**
 * Makes the preview of a stored fd. `head` and `tail` omit a line that `previewChars` would cut, unless it is the only one;
 * `both` splits `previewChars` between them.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export async function previewOf(
  { store, entry, bytes }: StoredOutput,
  preview: SliceKind,
  previewChars: number,
): Promise<SlicePreview> {
  if (preview === "none") {
    return { parts: [], lines: "0-0", truncated: false, readOn: entry.byteCount > 0 ? {} : undefined };
  }
  const content = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  try {
    return await previewIn(store, content, preview, previewChars);
  } finally {
    content.close();
  }
}

/** Whether all of `entry` is shown. */
export function isShownWhole(entry: FdEntry, kind: CaptureOptions["preview"], previewChars: number): boolean {
  return kind === "page" ? entry.pageCount === 1 : entry.charCount <= previewChars;
}

function previewIn(
  store: Store,
  content: OpenContent,
  kind: Exclude<SliceKind, "none">,
  previewChars: number,
): Promise<SlicePreview> {
  if (isShownWhole(content.entry, kind, previewChars)) {
    return showing(store, content, [wholeSlice(content.entry)], undefined);
  }
  if (kind === "page") {
    const page = locateIn(content, { mode: "page", start: 1 });
    return showing(store, content, [page], page.atEnd ? undefined : { start: 2 });
  }
  if (kind === "tail") return showing(store, content, [tailOf(content, previewChars)], {});
  if (kind === "head" || previewChars < 2) {
    const head = headOf(content, previewChars);
    return showing(store, content, [head], readAfter(store, content, head, undefined));
  }
  const headChars = Math.floor(previewChars / 2);
  const head = headOf(content, headChars);
  const tail = tailOf(content, previewChars - headChars);
  return showing(store, content, [head, tail], readAfter(store, content, head, tail));
}

async function showing(
  store: Store,
  content: OpenContent,
  slices: readonly Slice[],
  readOn: Preview["readOn"],
): Promise<SlicePreview> {
  const parts: PreviewPart[] = [];
  const lines: string[] = [];
  let cleanedChars = 0;
  let truncated = false;
  for (const slice of slices) {
    const stored = readIn(store, content, slice);
    const view = sliceNeedsCleaning(content, slice) ? await cleanViewOf(store, content, slice) : undefined;
    cleanedChars += view?.leftOutChars ?? 0;
    truncated ||= slice.continued || slice.truncated;
    lines.push(`${slice.firstLine}-${slice.lastLine}`);
    parts.push({ lines: lines.at(-1)!, body: view?.body ?? stored, stored });
  }
  return { parts, cleanedChars, lines: lines.join(","), truncated, readOn };
}

/** The first `charCount` chars, or the whole lines among them. The content must be longer. */
function headOf(content: OpenContent, charCount: number): Slice {
  const slice = locateIn(content, { mode: "char", start: 0, count: charCount });
  return withoutCutLine(content, slice);
}

/** The last `charCount` chars, or the whole lines among them. The content must be longer. */
function tailOf(content: OpenContent, charCount: number): Slice {
  const slice = locateIn(content, { mode: "char", tail: charCount });
  if (!slice.continued || slice.firstLine === slice.lastLine) return slice;
  const start = slice.firstLine + 1;
  return locateIn(content, { mode: "line", start, count: slice.lastLine - slice.firstLine });
}

/** Drops the last line if it is cut and not the only one. `slice` must start at a line's start. */
function withoutCutLine(content: OpenContent, slice: Slice): Slice {
  if (!slice.truncated || slice.firstLine === slice.lastLine) return slice;
  const count = slice.lastLine - slice.firstLine;
  return locateIn(content, { mode: "line", start: slice.firstLine, count });
}

/** Returns a slice of about a page after `head` and before `tail`; undefined if nothing is between them. */
function readAfter(
  store: Store,
  content: OpenContent,
  head: Slice,
  tail: Slice | undefined,
): Preview["readOn"] {
  const { entry } = content;
  const untilByte = tail?.fromByte ?? entry.byteCount;
  if (head.toByte >= untilByte) return undefined;
  const start = countChars(readWhole(readIn(store, content, head)));
  const page = locateIn(content, { mode: "char", start, count: entry.pageSize });
  if (!head.truncated) {
    const lines = withoutCutLine(content, page);
    const lastLine = tail === undefined || lines.toByte <= tail.fromByte
      ? lines.lastLine
      : tail.firstLine - 1;
    const endsWithLine = !lines.truncated && lastLine >= lines.firstLine;
    if (endsWithLine) return { mode: "line", start: lines.firstLine, count: lastLine - lines.firstLine + 1 };
  }
  return { mode: "char", start, count: page.count };
}
