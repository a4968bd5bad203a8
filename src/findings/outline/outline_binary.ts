/** Describes binary content: its type, by the bytes at its start, and a few of its words. */

import { groupedDigits } from "../../answers/parts/grouped_digits.ts";
import { clip } from "./describe_paths.ts";
import { type ContentOutline, latin1Of, type OutlinedContent } from "./outlined_content.ts";

/** A file type: the offset of its mark, the mark with one char a byte, the name, and the file extension. */
type Mark = readonly [at: number, mark: string, name: string, extension: string];

const MARKS: readonly Mark[] = [
  [0, "\x89PNG\r\n\x1a\n", "PNG image", "png"],
  [0, "\xff\xd8\xff", "JPEG image", "jpg"],
  [0, "GIF8", "GIF image", "gif"],
  [8, "WEBP", "WebP image", "webp"],
  [0, "BM", "BMP image", "bmp"],
  [0, "II*\0", "TIFF image", "tiff"],
  [0, "MM\0*", "TIFF image", "tiff"],
  [0, "\0\0\x01\0", "icon", "ico"],
  [0, "%PDF-", "PDF document", "pdf"],
  [0, "PK\x03\x04", "ZIP archive (or a document, JAR or wheel)", "zip"],
  [0, "\x1f\x8b\x08", "gzip-compressed data", "gz"],
  [0, "BZh", "bzip2-compressed data", "bz2"],
  [0, "\xfd7zXZ\0", "xz-compressed data", "xz"],
  [0, "\x28\xb5\x2f\xfd", "zstd-compressed data", "zst"],
  [0, "7z\xbc\xaf\x27\x1c", "7-Zip archive", "7z"],
  [0, "Rar!\x1a\x07", "RAR archive", "rar"],
  [257, "ustar", "tar archive", "tar"],
  [0, "!<arch>\n", "ar archive or Debian package", "a"],
  [0, "\xed\xab\xee\xdb", "RPM package", "rpm"],
  [0, "\x7fELF", "ELF executable or library", "elf"],
  [0, "MZ", "Windows executable", "exe"],
  [0, "\xcf\xfa\xed\xfe", "Mach-O executable or library", "macho"],
  [0, "\xca\xfe\xba\xbe", "Java class or universal Mach-O", "class"],
  [0, "\0asm", "WebAssembly module", "wasm"],
  [0, "SQLite format 3\0", "SQLite database", "sqlite"],
  [0, "PAR1", "Parquet table", "parquet"],
  [0, "ARROW1", "Arrow table", "arrow"],
  [0, "\x89HDF\r\n\x1a\n", "HDF5 data", "h5"],
  [0, "\x93NUMPY", "NumPy array", "npy"],
  [4, "ftyp", "MP4 or HEIF media", "mp4"],
  [0, "\x1aE\xdf\xa3", "Matroska or WebM video", "mkv"],
  [8, "WAVE", "WAV audio", "wav"],
  [8, "AVI ", "AVI video", "avi"],
  [0, "ID3", "MP3 audio", "mp3"],
  [0, "OggS", "Ogg media", "ogg"],
  [0, "fLaC", "FLAC audio", "flac"],
  [0, "wOFF", "WOFF font", "woff"],
  [0, "wOF2", "WOFF2 font", "woff2"],
  [0, "\0\x01\0\0\0", "TrueType font", "ttf"],
  [0, "OTTO", "OpenType font", "otf"],
  [0, "\xd4\xc3\xb2\xa1", "packet capture", "pcap"],
  [0, "\x0a\x0d\x0d\x0a", "packet capture", "pcapng"],
];

const FIRST_BYTES = 4096;
/** Longer content without a known mark is judged by parts of so many bytes, at equal distances. */
const PART_BYTES = 32_768;
const PARTS = 8;
/** At least this share must not be text; with a mark, of the first bytes. */
const SHARE_OF_OTHER = 0.3;
const SHARE_WITH_MARK = 0.02;

/** Words are looked for in this many bytes. */
const WORD_BYTES = 65_536;
const MIN_WORD = 6;
const MAX_WORDS = 8;
const WORD_CHARS = 60;

/** Outlines content that may be binary. Returns undefined if it is text. */
export function outlineBinary(content: OutlinedContent): ContentOutline | undefined {
  const firstBytes = content.read(0, FIRST_BYTES);
  const first = latin1Of(firstBytes);
  const isUtf16 = first.startsWith("\xff\xfe") || first.startsWith("\xfe\xff");
  const mark = isUtf16 ? undefined : MARKS.find(([at, bytes]) => first.startsWith(bytes, at));
  const share = otherShare(mark === undefined ? partsOf(content) : [firstBytes]);
  if (!isUtf16 && share < (mark === undefined ? SHARE_OF_OTHER : SHARE_WITH_MARK)) return undefined;
  const name = isUtf16 ? "UTF-16 text" : mark?.[2] ?? "unknown type";
  const lines = [`binary: ${name}${detail(firstBytes, mark)}, ${groupedDigits(content.byteCount)} bytes`];
  if (mark === undefined && !isUtf16) lines.push(`starts with: ${hexOf(firstBytes.subarray(0, 16))}`);
  const words = wordsIn(latin1Of(content.read(0, WORD_BYTES)));
  if (words.length > 0) lines.push(`words: ${words.join(" ")}`);
  return { kind: "binary data", lines, exportTo: `output.${isUtf16 ? "txt" : mark?.[3] ?? "bin"}` };
}

function* partsOf({ byteCount, read }: OutlinedContent): Iterable<Uint8Array> {
  const step = Math.max(PART_BYTES, Math.ceil((byteCount - PART_BYTES) / (PARTS - 1)));
  for (let from = 0; from < byteCount; from += step) yield read(from, from + PART_BYTES);
}

/** Long runs of NULs are gaps, in text as well. */
const GAPS = /\0{16,}/g;
// deno-lint-ignore no-control-regex
const OTHERS = /[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\ufffd]/g;

/** Returns the share of the chars that are control characters or invalid UTF-8. */
function otherShare(parts: Iterable<Uint8Array>): number {
  let [count, total] = [0, 0];
  for (const part of parts) {
    const text = new TextDecoder().decode(part, { stream: true }).replace(GAPS, "");
    count += text.match(OTHERS)?.length ?? 0;
    total += text.length;
  }
  return count / Math.max(1, total);
}

/** The size of a PNG image, the machine of an ELF file. */
function detail(first: Uint8Array, mark: Mark | undefined): string {
  const number = (at: number) => new DataView(first.buffer, first.byteOffset).getUint32(at);
  if (mark?.[3] === "png" && first.length >= 24) return `, ${number(16)} × ${number(20)} pixels`;
  if (mark?.[3] === "elf" && first.length >= 20) return `, ${first[4] === 2 ? 64 : 32} bit`;
  return "";
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

/** Runs of printable characters with letters, each once. */
function wordsIn(text: string): string[] {
  const words = new Set<string>();
  for (const [run] of text.matchAll(/[\x20-\x7e]{6,}/g)) {
    const word = run.trim();
    if (word.length < MIN_WORD || !/[A-Za-z]{4}/.test(word)) continue;
    words.add(JSON.stringify(clip(word, WORD_CHARS)));
    if (words.size === MAX_WORDS) break;
  }
  return [...words];
}
