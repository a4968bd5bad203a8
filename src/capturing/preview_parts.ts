/** Chooses the part of stored output that the answer shows, and the slice to read next. */

import {
  cleanViewOf,
  contentInMemory,
  type FdEntry,
  locateIn,
  type OpenContent,
  readIn,
  readWhole,
  type Slice,
  sliceNeedsCleaning,
  type Store,
  usedContent,
  wholeSlice,
} from "../../fd/mod.ts";
import { countChars } from "../../fd/system.ts";
import type { Preview, PreviewPart } from "../calls/terms/answers.ts";
import type { CaptureOptions } from "./capture_options.ts";
import type { StoredOutput } from "./store_output.ts";

export interface SlicePreview extends Preview {
  parts: PreviewPart[];
}

/** The previews that are slices. */
type SliceKind = Exclude<CaptureOptions["preview"], "digest">;

/**
 * Makes the preview of a stored fd. `head` and `tail` omit a line that `previewChars` would cut, unless it is the only one;
 * `both` splits `previewChars` between them. If the content is in memory, nothing is awaited
 * unless there is something to clean.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export function previewOf(
  { store, entry, bytes }: StoredOutput,
  preview: SliceKind,
  previewChars: number,
): SlicePreview | Promise<SlicePreview> {
  if (preview === "none") {
    return { parts: [], lines: "0-0", truncated: false, readOn: entry.byteCount > 0 ? {} : undefined };
  }
  if (bytes === undefined) return previewFromDisk(store, entry, preview, previewChars);
  return previewIn(store, contentInMemory(entry, bytes), preview, previewChars);
}

async function previewFromDisk(
  store: Store,
  entry: FdEntry,
  kind: Exclude<SliceKind, "none">,
  previewChars: number,
): Promise<SlicePreview> {
  using content = usedContent(store, entry);
  return await previewIn(store, content, kind, previewChars);
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
): SlicePreview | Promise<SlicePreview> {
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

function showing(
  store: Store,
  content: OpenContent,
  slices: readonly Slice[],
  readOn: Preview["readOn"],
): SlicePreview | Promise<SlicePreview> {
  const parts: PreviewPart[] = [];
  for (const slice of slices) {
    if (sliceNeedsCleaning(content, slice)) return showingClean(store, content, slices, readOn);
    parts.push({ lines: linesOf(slice), body: readIn(store, content, slice) });
  }
  return previewWith(parts, slices, 0, readOn);
}

async function showingClean(
  store: Store,
  content: OpenContent,
  slices: readonly Slice[],
  readOn: Preview["readOn"],
): Promise<SlicePreview> {
  const parts: PreviewPart[] = [];
  let cleanedChars = 0;
  for (const slice of slices) {
    const view = await cleanViewOf(store, content, slice);
    cleanedChars += view?.leftOutChars ?? 0;
    const stored = readIn(store, content, slice);
    parts.push({ lines: linesOf(slice), body: view?.body ?? stored, stored });
  }
  return previewWith(parts, slices, cleanedChars, readOn);
}

/** The preview of `slices`, which `parts` show. */
function previewWith(
  parts: PreviewPart[],
  slices: readonly Slice[],
  cleanedChars: number,
  readOn: Preview["readOn"],
): SlicePreview {
  let lines = "";
  let truncated = false;
  for (const slice of slices) {
    lines += lines === "" ? linesOf(slice) : `,${linesOf(slice)}`;
    truncated ||= slice.continued || slice.truncated;
  }
  return { parts, cleanedChars, lines, truncated, readOn };
}

function linesOf({ firstLine, lastLine }: Slice): string {
  return `${firstLine}-${lastLine}`;
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
