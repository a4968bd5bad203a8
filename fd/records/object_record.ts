/** Reads records in the object form: log and content in one file (FORMAT.md, "One file for a small fd"). */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { joinBytes, withRoom } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { failCorrupt } from "../disk/errors.ts";
import { readAt, writeWhole } from "../disk/file_calls.ts";
import {
  decodeObjectHeader,
  encodeObject,
  OBJECT_HEADER_BYTES,
  objectContentAt,
  objectEnd,
  objectParts,
} from "../packs/object_form.ts";
import type { ClaimLine, DigestLine, SealLine } from "./record_line.ts";
import { encodeCheckedLine, FIRST_LOG_BYTES, withLogFile } from "../store/checked_log.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { recordPath } from "../store/store_paths.ts";

/** Content in the file of its record. */
export interface ContentInRecord {
  /** Offset in that file. */
  fromByte: number;
  /** The content, if it was read with the record. */
  content?: Uint8Array | undefined;
}

/** An object as it is on the disk. */
export interface ObjectRecord {
  /** Lines of the log: those that were written with the content, and those written later. */
  record: Uint8Array;
  appended: Uint8Array;
  inRecord: ContentInRecord;
  /** Bytes of content that are there. */
  contentBytes: number;
  /**
   * Whether the writer died within its write, or has not finished it: the seal does not count then. The system stops a
   * write at the end of a page only; a file that ends elsewhere was cut off later, which is damage.
   */
  isInterrupted: boolean;
}

const NOTHING = new Uint8Array();
const LINE_FEED = 0x0a;

/** Pages of memory have a multiple of this. */
const MIN_PAGE_BYTES = 4096;

/** Limit on later lines, far above real ones. */
const MAX_APPENDED_BYTES = 2 ** 20;

/**
 * Decodes the object of fd `id` in `file`, of which `first` has been read; its content only if `withContent`. Returns
 * undefined if there is not even a header. Throws system errors.
 *
 * @throws {FdError} `store_corrupt` if it is damaged or has content of more than a block.
 */
export function readObject(
  file: number,
  first: Uint8Array,
  { path, id, withContent }: { path: string; id: number; withContent: boolean },
): ObjectRecord | undefined {
  const header = decodeObjectHeader(first);
  if (header === "truncated") return undefined;
  const corrupt = (what: string): never => failCorrupt(path, what, formatFd(id));
  if (typeof header === "string") return corrupt(`the record's header is damaged (${header})`);
  if (header.id !== id) corrupt(`the record is that of ${formatFd(header.id)}`);
  if (header.indexBytes > 0 || header.contentBytes > BLOCK_BYTES) {
    corrupt(`the record has ${header.contentBytes} bytes of content`);
  }
  const contentAt = objectContentAt(header);
  const end = objectEnd(header);
  if (withContent || end <= first.length || contentAt > first.length) {
    const bytes = readOn(file, first, end);
    const { record, content, appended, isWhole } = objectParts(bytes, header);
    // Many records are listed at once, and their contents would stay in memory.
    const inRecord = { fromByte: contentAt, content: withContent ? content : undefined };
    return {
      record,
      appended: withoutFirstLineFeed(appended),
      inRecord,
      contentBytes: content.length,
      isInterrupted: !isWhole && bytes.length % MIN_PAGE_BYTES === 0,
    };
  }
  // The byte before the later lines tells whether the content is complete.
  const tail = readOn(file, NOTHING, 1, end - 1);
  const isWhole = tail.length > 0;
  const size = isWhole ? end : disk.fstat(file).size;
  return {
    record: first.subarray(OBJECT_HEADER_BYTES, contentAt),
    appended: withoutFirstLineFeed(tail.subarray(1)),
    inRecord: { fromByte: contentAt },
    contentBytes: size > contentAt ? size - contentAt : 0,
    isInterrupted: !isWhole && size % MIN_PAGE_BYTES === 0,
  };
}

/** Returns the content of an object of fd `id`: what is there of it. */
export function contentOfObject(
  store: Store,
  id: number,
  { inRecord, contentBytes }: ObjectRecord,
): Uint8Array {
  return inRecord.content ?? readContentInRecord(recordPath(store.path, id), inRecord.fromByte, contentBytes);
}

/** More than the content of any object has; a damaged or forged record may say any number. */
const MAX_CONTENT_BYTES = 2 ** 21;

/**
 * Reads `byteCount` bytes of content in the record at `path`, or all that it has if they are fewer.
 *
 * @throws {FdError} `read_error`, `permission_error`.
 */
export function readContentInRecord(path: string, fromByte: number, byteCount: number): Uint8Array {
  const content = withLogFile(path, (file) => {
    const bytes = new Uint8Array(Math.min(byteCount, MAX_CONTENT_BYTES));
    return bytes.subarray(0, readAt(file, bytes, fromByte));
  });
  return content ?? NOTHING;
}

/** The first line that is appended to content without a final LF starts with one. */
function withoutFirstLineFeed(appended: Uint8Array): Uint8Array {
  return appended[0] === LINE_FEED ? appended.subarray(1) : appended;
}

/** Returns `first`, the bytes of `file` from `offset` on, and what follows: at least `leastBytes`, or all there are. */
function readOn(file: number, first: Uint8Array, leastBytes: number, offset = 0): Uint8Array {
  let bytes = first;
  let length = first.length;
  // A read that gives less than it might is the last.
  for (let isLast = length > 0 && length < FIRST_LOG_BYTES && length >= leastBytes; !isLast;) {
    if (length === bytes.length) {
      bytes = withRoom(bytes, length, (length > leastBytes ? length : leastBytes) + FIRST_LOG_BYTES);
    }
    const got = disk.read(file, bytes, length, bytes.length - length, offset + length);
    length += got;
    isLast = got === 0 || (length < bytes.length && length >= leastBytes) ||
      length > leastBytes + MAX_APPENDED_BYTES;
  }
  return bytes.subarray(0, length);
}

/**
 * Writes claim, seal and content, at most a block, of fd `id` to its empty record `file`; `digest` follows the content. Returns
 * where the content is. Throws system errors unchanged.
 */
export function writeObject(
  file: number,
  id: number,
  { claim, seal, digest }: { claim: ClaimLine; seal: SealLine; digest?: DigestLine | undefined },
  content: Uint8Array,
): ContentInRecord {
  const record = joinBytes([encodeCheckedLine(claim), encodeCheckedLine(seal)]);
  const object = encodeObject({ id, record, content });
  writeWhole(file, digest === undefined ? object : joinBytes([object, encodeCheckedLine(digest, "\n")]));
  const fromByte = OBJECT_HEADER_BYTES + record.length;
  return { fromByte, content: object.subarray(fromByte) };
}
